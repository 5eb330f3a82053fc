import asyncio
import random
from collections.abc import Callable, Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.errors import StopRun
from worktrial.statistics import Side
from worktrial.synthesis.artifacts import JobSpec, RunKind, SlotRun
from worktrial.synthesis.calibration.rules import Sequential, interval_of, rule_of
from worktrial.synthesis.calibration.sampling import distinct, sample_until_decided

RULE = rule_of(JobSpec(role="clerk", free_runs=8, most_runs=24))
SHORT = rule_of(JobSpec(role="clerk"))


def row(number: int, outcome: str, kind: RunKind = "free", content: str = "c") -> SlotRun:
    assert outcome in ("pass", "fail", "invalid")
    return SlotRun(
        slot="a-1",
        kind=kind,
        number=number,
        content=content,
        outcome=outcome,
        reason="",
        calls=1,
        seconds=0.1,
        cost=None,
        tokens=5,
    )


class Runs:
    """Outcomes by number, in random order of time."""

    def __init__(self, outcome: Callable[[int], str], seed: int = 0) -> None:
        self._outcome = outcome
        self._draw = random.Random(seed)
        self.made: list[int] = []
        self.at_once = 0
        self._in_flight = 0

    async def __call__(self, number: int) -> SlotRun:
        self.made.append(number)
        self._in_flight += 1
        self.at_once = max(self.at_once, self._in_flight)
        for _ in range(self._draw.randint(1, 5)):
            await asyncio.sleep(0)
        self._in_flight -= 1
        return row(number, self._outcome(number))


def sample(runs: Runs, have: Sequence[SlotRun] = (), rule: Sequential = RULE):  # type: ignore[no-untyped-def]
    return asyncio.run(sample_until_decided(runs, have, rule))


def letters(text: str) -> Callable[[int], str]:
    """`PF?` as outcomes; the last letter goes on for ever."""
    names = {"P": "pass", "F": "fail", "?": "invalid"}
    return lambda number: names[text[min(number, len(text) - 1)]]


def test_clear_tasks_end_early_and_report_n_and_interval() -> None:
    runs = Runs(letters("PFFP"))
    rows, rate = sample(runs)
    assert (rate.passed, rate.n, rate.decision) == (2, 4, "inside")
    assert 0 < rate.low < 0.5 < rate.high < 0.95
    assert [r.number for r in rows] == [0, 1, 2, 3]
    assert runs.at_once == 4


def test_all_pass_goes_on_until_it_is_clear() -> None:
    rows, rate = sample(Runs(letters("P")))
    assert (rate.passed, rate.n, rate.decision) == (12, 12, "outside")
    assert rate.low > 0.7
    rows, rate = sample(Runs(letters("F")))
    assert (len(rows), rate.decision) == (12, "outside")
    assert rate.high < 0.3


def test_at_the_border_it_runs_to_the_most_and_stays_undecided() -> None:
    _, rate = sample(Runs(letters("PPPPPPPF" * 3)))
    assert rate.decision == "undecided"
    assert 21 <= rate.n <= 24


def test_copies_of_a_run_are_one_run_and_end_it() -> None:
    class Repeats(Runs):
        async def __call__(self, number: int) -> SlotRun:
            return msgspec.structs.replace(await super().__call__(number), work="the same calls, the same answer")

    runs = Repeats(letters("P"))
    rows, rate = sample(runs)
    assert (rate.passed, rate.n, rate.copies, rate.decision) == (1, 1, len(rows) - 1, "undecided")
    assert len(rows) == len(runs.made) < 12, "what always is the same need not be made again"
    assert distinct(rows) == rows[:1]
    assert (rate.low, rate.high) == (interval_of(1, 1).low, interval_of(1, 1).high)


def test_runs_without_a_verdict_do_not_count() -> None:
    _, rate = sample(Runs(letters("?P?F?FFP")))
    assert (rate.passed, rate.n) == (2, 5)
    assert rate.invalid == 3
    assert rate.decision == "inside"


def test_too_many_without_a_verdict_end_it() -> None:
    _, rate = sample(Runs(letters("?")))
    assert (rate.n, rate.invalid, rate.decision) == (0, 8, "undecided")
    assert (rate.low, rate.high) == (0, 1)


outcomes = st.text("PF?", min_size=1, max_size=60)
any_rule = st.sampled_from([RULE, SHORT])


@given(outcomes, any_rule, st.data())
@settings(max_examples=150, deadline=None)
def test_an_interruption_changes_nothing_and_repeats_nothing(
    text: str, rule: Sequential, data: st.DataObject
) -> None:
    whole, rate = sample(Runs(letters(text)), rule=rule)
    # Whatever part of any batch was finished when it came.
    size = data.draw(st.integers(0, len(whole)))
    batch_end = next(end for end in _ends(whole, rule) if end >= size)
    begun = list(whole[:batch_end])
    in_flight = range(_begin(whole, rule, batch_end), batch_end)
    lost = {number for number in in_flight if data.draw(st.booleans())}
    have = [r for r in begun if r.number not in lost]
    again = Runs(letters(text), seed=3)
    resumed, resumed_rate = sample(again, have, rule)
    assert resumed == whole
    assert resumed_rate == rate
    assert not {r.number for r in have} & set(again.made)


def _ends(rows: Sequence[SlotRun], rule: Sequential) -> list[int]:
    """Where batches ended, from nothing on."""
    outlook, ends = rule, [0]
    while ends[-1] < len(rows):
        seen = [r for r in rows[: ends[-1]] if r.outcome != "invalid"]
        ends.append(ends[-1] + outlook.batch(sum(r.outcome == "pass" for r in seen), len(seen)))
    return ends


def _begin(rows: Sequence[SlotRun], rule: Sequential, end: int) -> int:
    ends = _ends(rows, rule)
    return ends[ends.index(end) - 1] if end else 0


@given(outcomes, any_rule)
@settings(max_examples=100, deadline=None)
def test_it_always_ends_within_bounds(text: str, rule: Sequential) -> None:
    rows, rate = sample(Runs(letters(text)), rule=rule)
    assert rate.n <= rule.most
    assert [r.number for r in rows] == list(range(len(rows)))
    # Each of the last batch but its own last runs was needed: no decision was possible before it.
    begin = _begin(rows, rule, len(rows))
    seen = [r for r in rows[:begin] if r.outcome != "invalid"]
    assert rule.side(sum(r.outcome == "pass" for r in seen), len(seen)) is Side.UNDECIDED


def test_runs_of_a_rule_that_wanted_more_all_count() -> None:
    have = [row(number, "pass" if number % 2 else "fail") for number in range(20)]
    runs = Runs(letters("P"))
    rows, rate = sample(runs, have)
    assert (rate.passed, rate.n, runs.made) == (10, 20, [])
    far = [row(number, "pass") for number in range(30)]
    rows, rate = sample(runs, far, SHORT)
    assert (len(rows), rate.n, runs.made) == (30, 30, [])


def test_the_end_of_all_runs_is_reported_once() -> None:
    async def refused(number: int) -> SlotRun:
        raise StopRun("no key")

    with pytest.raises(StopRun, match="no key"):
        asyncio.run(sample_until_decided(refused, [], RULE))


def test_a_wrong_number_is_a_defect() -> None:
    async def wrong(number: int) -> SlotRun:
        return row(number + 1, "pass")

    with pytest.raises(ValueError, match="run 0 was asked for"):
        asyncio.run(sample_until_decided(wrong, [], RULE))
