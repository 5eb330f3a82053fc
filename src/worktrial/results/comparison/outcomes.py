"""Tasks that came out differently in two runs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worktrial.engine.pairing import SamplePair
from worktrial.engine.record import Key
from worktrial.grading import Outcome
from worktrial.results.completion import passed


@dataclass(frozen=True, slots=True)
class PairedTable:
    """Pairs of samples by who passed, and the pairs that are not in it."""

    both: int
    only_first: int
    only_second: int
    neither: int
    left_out: int
    """Pairs without two verdicts, or under other faults in the one run than in the other."""
    invalid_first: int
    """Pairs among these that are invalid in the first run; some may be invalid in both."""
    invalid_second: int


@dataclass(frozen=True, slots=True)
class Flip:
    """A task whose share of passes differs between the runs, over the repeats with two verdicts."""

    sample: str
    gained: bool
    """Whether the second run passes it more often, else it is lost."""
    passed_first: int
    passed_second: int
    repeats: int
    majority: bool
    """Whether one run passes more than half of the repeats and the other does not. Always so with one repeat."""
    keys: tuple[Key, ...]
    """The samples whose outcomes differ."""


@dataclass(frozen=True, slots=True)
class ConditionComparison:
    """Samples of two runs under one condition, by who passed; the figures about them are `Change`s."""

    condition: str
    tasks: int
    """Tasks with a pair that counts: two verdicts, under the same faults."""
    repeats: int
    """The most pairs that count of one task."""
    table: PairedTable
    flips: tuple[Flip, ...]


def compare_outcomes(
    condition: str, pairs: Sequence[SamplePair], counted: Sequence[SamplePair]
) -> ConditionComparison:
    """The outcomes under one condition.

    Args:
        condition: Its name.
        pairs: All pairs.
        counted: Those with two verdicts, under the same faults.
    """
    counts = Counter((bool(passed(pair.first)), bool(passed(pair.second))) for pair in counted)
    table = PairedTable(
        both=counts[True, True],
        only_first=counts[True, False],
        only_second=counts[False, True],
        neither=counts[False, False],
        left_out=len(pairs) - len(counted),
        invalid_first=sum(pair.first.outcome is Outcome.INVALID for pair in pairs),
        invalid_second=sum(pair.second.outcome is Outcome.INVALID for pair in pairs),
    )
    tasks: dict[str, list[SamplePair]] = {}
    for pair in counted:
        tasks.setdefault(pair.first.sample, []).append(pair)
    return ConditionComparison(
        condition, len(tasks), max(map(len, tasks.values()), default=0), table, tuple(_flips(tasks))
    )


def _flips(tasks: Mapping[str, Sequence[SamplePair]]) -> list[Flip]:
    """Tasks lost, then tasks gained, in each those that changed most first.

    With several repeats a task counts as gained or lost when its share of passes changes; where the majority of
    its repeats changes too, `majority` says so.
    """
    found = []
    for sample, own in tasks.items():
        first, second = sum(passed(p.first) for p in own), sum(passed(p.second) for p in own)
        if first != second:
            keys = tuple(p.first.key for p in own if p.first.outcome != p.second.outcome)
            majority = (2 * first > len(own)) != (2 * second > len(own))
            found.append(Flip(sample, second > first, int(first), int(second), len(own), majority, keys))
    return sorted(found, key=lambda f: (f.gained, -abs(f.passed_second - f.passed_first) / f.repeats, f.sample))
