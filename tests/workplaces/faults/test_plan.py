from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.errors import SettingError
from worktrial.workplaces.faults import (
    AIMED,
    EXPLICIT,
    GENERATOR,
    IMPLICIT,
    SHARES,
    Conditions,
    FaultKind,
    FaultMode,
    FaultSettings,
    FaultUnit,
    draw_plan,
)

SETTINGS = st.builds(
    FaultSettings,
    st.sampled_from(FaultMode),
    st.integers(1, 8),
    st.integers(1, 5),
    st.integers(-5, 10**12),
    st.sampled_from(FaultUnit),
)


@given(SETTINGS, st.text())
def test_events_are_spaced_transient_and_late_enough(settings: FaultSettings, sample: str) -> None:
    plan = draw_plan(settings, sample)
    assert plan == draw_plan(settings, sample)
    if not settings.mode.is_faulty:
        assert plan.events == ()
        return
    assert [e.length for e in plan.events] == [settings.duration] * settings.count
    assert 1 <= plan.events[0].first <= 3
    gaps = [after.first - before.first - before.length for before, after in pairwise(plan.events)]
    assert all(2 + n <= gap <= 4 + n for n, gap in enumerate(gaps))
    kinds = {FaultMode.E1: EXPLICIT, FaultMode.E2: IMPLICIT}
    assert all(e.kind in kinds[e.mode] for e in plan.events)
    modes = [e.mode for e in plan.events]
    if settings.mode is FaultMode.E3:
        assert abs(modes.count(FaultMode.E1) - modes.count(FaultMode.E2)) == settings.count % 2
    else:
        assert set(modes) == {settings.mode}


def test_the_schedule_is_the_same_on_every_machine_and_version() -> None:
    """As long as `GENERATOR` has the same number; whoever changes what is drawn raises it."""
    plan = draw_plan(FaultSettings(FaultMode.E3, 2, 2, 0), "11")
    assert (GENERATOR, msgspec.json.decode(msgspec.json.encode(plan.events))) == (4, FROZEN)


FROZEN = [
    {
        "event": 0,
        "mode": "E1",
        "kind": "timeout",
        "first": 2,
        "length": 2,
        "unit": "call",
        "instead": [],
        "aimed": False,
        "silent": False,
    },
    {
        "event": 1,
        "mode": "E2",
        "kind": "list_cut",
        "first": 8,
        "length": 2,
        "unit": "call",
        "instead": [
            "fields_dropped",
            "values_emptied",
            "duplicate_delivery",
            "wrong_value",
            "stale",
            "partial_write",
        ],
        "aimed": True,
        "silent": True,
    },
]


def test_what_a_plan_is_drawn_from_changes_it() -> None:
    first = FaultSettings(FaultMode.E1)
    plans = {draw_plan(first, str(n)) for n in range(200)}
    assert len({plan.events for plan in plans}) > 50
    others = [
        FaultSettings(FaultMode.E2),
        FaultSettings(FaultMode.E1, seed=1),
        FaultSettings(FaultMode.E1, count=3),
        FaultSettings(FaultMode.E1, unit=FaultUnit.TURN),
    ]
    assert len({draw_plan(s, "7").key for s in [first, *others]}) == 5


def test_kinds_are_drawn_by_their_stated_shares_and_starts_equally() -> None:
    events = [e for n in range(2000) for e in draw_plan(FaultSettings(FaultMode.E3), str(n)).events]
    assert sum(SHARES[kind] for kind in EXPLICIT) == pytest.approx(1)
    assert sum(SHARES[kind] for kind in IMPLICIT) == pytest.approx(1)
    for kind in FaultKind:
        assert abs(sum(e.kind == kind for e in events) / 2000 - SHARES[kind]) < 0.04
    for first in (1, 2, 3):
        assert 500 <= sum(e.first == first and e.index == 0 for e in events) <= 833
    implicit = [e for e in events if e.mode is FaultMode.E2]
    assert abs(sum(e.aimed for e in implicit) / len(implicit) - AIMED) < 0.04
    assert all({e.kind, *e.instead} == set(IMPLICIT) for e in implicit)
    assert not any(e.aimed or e.instead for e in events if e.mode is FaultMode.E1)


def test_kinds_of_a_suite_s_own_have_the_mean_share() -> None:
    kinds = [*IMPLICIT, "page_missing"]
    drawn = [draw_plan(FaultSettings(FaultMode.E2), str(n), kinds).events[0].kind for n in range(2000)]
    assert abs(drawn.count("page_missing") / 2000 - 1 / len(kinds)) < 0.03


@pytest.mark.parametrize(("count", "duration"), [(0, 2), (-1, 2), (2, 0), (2, -3)])
def test_counts_that_make_no_sense(count: int, duration: int) -> None:
    with pytest.raises(SettingError, match="at least 1"):
        FaultSettings(FaultMode.E1, count, duration)


def test_a_sweep_names_its_conditions() -> None:
    both = [FaultMode.E0, FaultMode.E2]
    assert [*Conditions.sweep(both).by_name] == ["E0", "E2"]
    assert [*Conditions.sweep(both, [3]).by_name] == ["E0", "E2"]
    swept = Conditions.sweep(both, [1, 3], [2])
    assert [*swept.by_name] == ["E0", "E2/1x2", "E2/3x2"]
    assert swept.by_name["E2/3x2"].count == 3
    assert not swept.is_clean and Conditions().is_clean
    with pytest.raises(SettingError):
        Conditions.sweep([])


def test_plans_longer_than_any_trial_are_refused() -> None:
    conditions = Conditions.sweep([FaultMode.E0, FaultMode.E1], [3], [4])
    conditions.check(14)
    conditions.check(None)
    with pytest.raises(SettingError, match="14 calls, and a trial ends after 13 turns"):
        conditions.check(13)
    Conditions.sweep([FaultMode.E0], [50]).check(1)
