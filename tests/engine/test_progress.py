"""The numbers of a run in progress."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.engine.finished import figures_of
from worktrial.engine.progress import Tally, display, duration
from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.grading import Outcome

records = st.builds(
    lambda outcome, tokens, cost: SampleRecord(
        suite="s",
        sample="1",
        repeat=0,
        outcome=outcome,
        reason="",
        usage={"agent": RoleUsage(1, tokens, 2 * tokens), "judge": RoleUsage(1, 1, 0)},
        cost=cost,
    ),
    st.sampled_from(Outcome),
    st.integers(0, 10**6),
    st.none() | st.floats(0, 100),
)


@given(earlier=st.lists(records), now=st.lists(records), more=st.integers(0, 5))
def test_the_tally_adds_up(earlier: list[SampleRecord], now: list[SampleRecord], more: int) -> None:
    everything = [*earlier, *now]
    tally = Tally(len(everything) + more, [(record.condition, figures_of(record)) for record in earlier])
    for record in now:
        tally.add(record)
    assert tally.done == len(everything)
    assert tally.counts == {o: sum(r.outcome is o for r in everything) for o in Outcome}
    assert tally.tokens == sum(3 * r.usage["agent"].input_tokens + 1 for r in everything)
    assert tally.cost == pytest.approx(sum(r.cost or 0 for r in everything))
    assert tally.unpriced == any(r.cost is None for r in everything)
    line = tally.line()
    assert line.startswith(
        f"{len(everything)}/{len(everything) + more} done · {tally.counts[Outcome.PASS]} passed · "
    )
    # A rate needs samples of this session; what is left needs a rate.
    assert ("samples/min" in line) == bool(now)
    assert line.endswith(" left") == bool(now and more)


def test_the_time_left_is_the_last_thing_to_go() -> None:
    tally = Tally(1382)
    for _ in range(1000):
        tally.add(SampleRecord(suite="s", sample="1", repeat=0, outcome=Outcome.PASS, reason="", cost=1.5))
    assert tally.line(1000).count(" · ") == tally.line().count(" · ") == 6
    for width in range(62, 80):
        line = tally.line(width)
        assert len(line) <= width
        assert line.endswith(" left")
        assert "samples/min" not in line
    assert tally.line(70).startswith("1000/1382 done · 1000 passed · 0 invalid · $1500.0000 · ")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (89.4, "89 s"),
        (90, "2 min"),
        (150, "2 min"),
        (3540, "59 min"),
        (3600, "1 h 0 min"),
        (7805, "2 h 10 min"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_the_clock_starts_before_anything_is_paid_for(capsys: pytest.CaptureFixture[str]) -> None:
    """A machine that is short of memory later has no thread to give, and the run would end for that."""
    before = set(threading.enumerate())
    with display() as shown:
        assert set(threading.enumerate()) == before
        tally = Tally(2)
        shown(tally)
        [clock] = set(threading.enumerate()) - before
        for _ in range(2):
            tally.now_done += 1
            shown(tally)
        assert set(threading.enumerate()) - before == {clock}
    clock.join(10)
    assert not clock.is_alive()
    assert len(capsys.readouterr().err.splitlines()) == 1
