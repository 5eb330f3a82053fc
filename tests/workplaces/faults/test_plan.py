from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.errors import SettingError
from worktrial.workplaces.faults import (
    EXPLICIT,
    IMPLICIT,
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
    if settings.mode is FaultMode.E0:
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
    plan = draw_plan(FaultSettings(FaultMode.E3, 2, 2, 0), "11")
    assert msgspec.to_builtins(plan.events) == tuple(FROZEN)


FROZEN = [
    {"event": 0, "mode": "E1", "kind": "unavailable", "first": 2, "length": 2, "unit": "call"},
    {"event": 1, "mode": "E2", "kind": "fields_dropped", "first": 8, "length": 2, "unit": "call"},
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


def test_all_kinds_and_starts_are_drawn_about_equally() -> None:
    events = [e for n in range(600) for e in draw_plan(FaultSettings(FaultMode.E3), str(n)).events]
    for kind in FaultKind:
        assert 100 <= sum(e.kind is kind for e in events) <= 200
    for first in (1, 2, 3):
        assert 150 <= sum(e.first == first and e.index == 0 for e in events) <= 250


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
