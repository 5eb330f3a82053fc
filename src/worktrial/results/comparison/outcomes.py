"""Tasks that came out differently in two runs, and whether that can be chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from worktrial.engine.record import Key
from worktrial.results.comparison.changes import passed
from worktrial.results.conditions import cluster_by
from worktrial.results.pairing import SamplePair
from worktrial.statistics import mcnemar, sign_flip


@dataclass(frozen=True, slots=True)
class PairedTable:
    """Pairs of samples by who passed, and the pairs that are not in it."""

    both: int
    only_first: int
    only_second: int
    neither: int
    left_out: int
    """Pairs without two verdicts."""
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
class PairedTest:
    """Whether a difference so large or larger is likely without any difference between the agents."""

    p: float
    """P value that decides: the larger of the two below."""
    method: Literal["mcnemar", "sign-flip"]
    """McNemar's exact test over tasks; with repeats, the permutation test over tasks."""
    over_tasks: float
    over_scenarios: float | None
    """P value of the permutation test over scenarios, where some scenario has several tasks, which may not be
    independent."""
    differing: int
    """Clusters (tasks, or scenarios) in which the runs differ. Below six, nothing is significant at 5 %."""


def paired_table(pairs: Sequence[SamplePair]) -> PairedTable:
    """The two-by-two table over samples; repeats are paired by their number."""
    counts = {(a, b): 0 for a in (True, False) for b in (True, False)}
    for pair in pairs:
        if pair.both_judged:
            counts[bool(passed(pair.first)), bool(passed(pair.second))] += 1
    return PairedTable(
        both=counts[True, True],
        only_first=counts[True, False],
        only_second=counts[False, True],
        neither=counts[False, False],
        left_out=sum(not pair.both_judged for pair in pairs),
        invalid_first=sum(pair.first.outcome == "invalid" for pair in pairs),
        invalid_second=sum(pair.second.outcome == "invalid" for pair in pairs),
    )


def flips(pairs: Sequence[SamplePair]) -> list[Flip]:
    """Tasks lost, then tasks gained, in each those that changed most first.

    With several repeats a task counts as gained or lost when its share of passes changes; where the majority of
    its repeats changes too, `majority` says so.
    """
    found = []
    for sample, own in _by_task(pairs).items():
        first, second = sum(passed(p.first) for p in own), sum(passed(p.second) for p in own)
        if first != second:
            keys = tuple(p.first.key for p in own if p.first.outcome != p.second.outcome)
            majority = (2 * first > len(own)) != (2 * second > len(own))
            found.append(Flip(sample, second > first, int(first), int(second), len(own), majority, keys))
    return sorted(found, key=lambda f: (f.gained, -abs(f.passed_second - f.passed_first) / f.repeats, f.sample))


def paired_test(pairs: Sequence[SamplePair], *, seed: int = 0) -> PairedTest | None:
    """The test over pairs with two verdicts; None without any."""
    tasks = _by_task(pairs)
    if not tasks:
        return None
    differences = {sample: sum(passed(p.second) - passed(p.first) for p in own) for sample, own in tasks.items()}
    cluster_of = cluster_by(pair.first for own in tasks.values() for pair in own)
    scenarios: dict[str, float] = {}
    for sample, difference in differences.items():
        scenario = cluster_of(tasks[sample][0].first)
        scenarios[scenario] = scenarios.get(scenario, 0.0) + difference
    once = all(len(own) == 1 for own in tasks.values())
    if once:
        signs = list(differences.values())
        over_tasks = mcnemar(signs.count(-1), signs.count(1))
    else:
        over_tasks = sign_flip(list(differences.values()), seed=seed)
    clustered = len(scenarios) < len(tasks)
    over_scenarios = sign_flip(list(scenarios.values()), seed=seed) if clustered else None
    return PairedTest(
        p=over_tasks if over_scenarios is None else max(over_tasks, over_scenarios),
        method="mcnemar" if once else "sign-flip",
        over_tasks=over_tasks,
        over_scenarios=over_scenarios,
        differing=sum(map(bool, scenarios.values() if clustered else differences.values())),
    )


def _by_task(pairs: Sequence[SamplePair]) -> dict[str, list[SamplePair]]:
    tasks: dict[str, list[SamplePair]] = {}
    for pair in pairs:
        if pair.both_judged:
            tasks.setdefault(pair.first.sample, []).append(pair)
    return tasks
