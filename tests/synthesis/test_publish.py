from hypothesis import given
from hypothesis import strategies as st
from tests.synthesis.drafts import slot

from worktrial.synthesis.artifacts import Calibration, PassRate, Slot
from worktrial.synthesis.publish import select

KNOWN = PassRate(passed=4, n=4, invalid=0, low=0.4, high=1.0, decision="inside")


def calibration(of: Slot, passed: int, n: int, verdict: str = "kept") -> Calibration:
    free = PassRate(passed=passed, n=n, invalid=0, low=0.0, high=1.0, decision="inside")
    return Calibration(slot=of.id, content="c", plan=KNOWN, free=free, verdict=verdict, why="")  # type: ignore[arg-type]


LEVELS = [slot(level) for level in (1, 2, 3)]


def test_the_level_that_is_passed_least_often() -> None:
    given = [calibration(LEVELS[0], 6, 8), calibration(LEVELS[1], 1, 4), calibration(LEVELS[2], 4, 8)]
    chosen, rejects = select(given, LEVELS)
    assert chosen == ["parcels-2"]
    assert [(r.slot, r.stage, r.why) for r in rejects] == [
        ("parcels-1", "selection", "level 2 is passed less often (1 of 4; here 6 of 8)"),
        ("parcels-3", "selection", "level 2 is passed less often (1 of 4; here 4 of 8)"),
    ]


def test_of_equals_the_higher_level() -> None:
    given = [calibration(LEVELS[0], 2, 4), calibration(LEVELS[1], 4, 8)]
    chosen, rejects = select(given, LEVELS)
    assert chosen == ["parcels-2"]
    assert rejects[0].why == "level 2 is passed as often (4 of 8; here 2 of 4)"


def test_never_passed_is_never_chosen() -> None:
    given = [calibration(LEVELS[0], 5, 8), calibration(LEVELS[2], 0, 8)]
    chosen, rejects = select(given, LEVELS)
    assert chosen == ["parcels-1"]
    assert [(r.slot, r.why) for r in rejects] == [("parcels-3", "no run without the plan passed")]
    assert select(given[1:], LEVELS)[0] == []


def test_what_the_filters_rejected_is_passed_over() -> None:
    given = [calibration(LEVELS[0], 1, 8, "undecided"), calibration(LEVELS[1], 3, 8)]
    assert select(given, LEVELS) == (["parcels-2"], [])


def test_each_language_has_its_own_choice() -> None:
    slots = [slot(level, language=language, several=True) for language in ("en", "ko") for level in (1, 2)]
    given = [calibration(s, passed, 8) for s, passed in zip(slots, (3, 2, 1, 5), strict=True)]
    chosen, rejects = select(given, slots)
    assert chosen == ["parcels-2-en", "parcels-1-ko"]
    assert {r.slot for r in rejects} == {"parcels-1-en", "parcels-2-ko"}


passes = st.lists(st.one_of(st.none(), st.integers(0, 8)), min_size=6, max_size=6)


@given(passes, st.randoms())
def test_one_of_each_group_and_everyone_accounted_for(passed: list[int | None], shuffle: st.DrawFn) -> None:
    slots = [slot(level, subtopic) for subtopic in ("parcels", "letters") for level in (1, 2, 3)]
    given = [calibration(s, p, 8) for s, p in zip(slots, passed, strict=True) if p is not None]
    chosen, rejects = select(given, slots)
    shuffle.shuffle(given)  # type: ignore[attr-defined]
    assert select(given, slots) == (chosen, rejects)
    assert set(chosen) | {r.slot for r in rejects} == {c.slot for c in given}
    assert not set(chosen) & {r.slot for r in rejects}
    for subtopic in ("parcels", "letters"):
        rates = {c.slot: c.free.passed for c in given if c.slot.startswith(subtopic)}
        mine = [c for c in chosen if c.startswith(subtopic)]
        above = [p for p in rates.values() if p]
        assert len(mine) == bool(above)
        assert not mine or rates[mine[0]] == min(above)
