"""Cut lists: visible where a count beside them stays true, silent where it goes along or there is none."""

import asyncio
from random import Random
from typing import Any

import pytest
from tests.workplaces.faults.test_session import GET, Orders
from tests.workplaces.shop import SHOP

from worktrial.workplaces import Observation
from worktrial.workplaces.faults import (
    SILENT,
    Context,
    FaultEvent,
    FaultKind,
    FaultMode,
    FaultPlan,
    FaultSettings,
    FaultySession,
    draw_plan,
)
from worktrial.workplaces.faults.counts import is_silent
from worktrial.workplaces.faults.transforms import cut_lists

BESIDE = {"orders": [1, 2, 3, 4], "total_count": 4, "page": 4, "paid": True}
COUNTED = [
    BESIDE,
    {"orders": ["a", "b", "c"], "count": 3},
    {"orders": ["a", "b", "c"], "summary": {"number_of_orders": 3, "amount": 3}},
    {"ward": {"beds": [1, 2, 3], "size": 3}, "wards": 3},
]
UNCOUNTED = [{"orders": [1, 2, 3]}, {"orders": [1, 2, 3], "total": 300}, {"orders": [1, 2], "amount": 2}]


@pytest.mark.parametrize("clean", COUNTED)
def test_a_count_stays_true_unless_the_cut_is_silent(clean: dict[str, Any]) -> None:
    kept = repr(clean)
    for seed in range(20):
        visible = cut_lists(clean, Random(seed), Context())
        silent = cut_lists(clean, Random(seed), Context(silent=True))
        assert visible is not None and silent is not None and visible != silent
        assert (is_silent(clean, visible), is_silent(clean, silent)) == (False, True)
    assert repr(clean) == kept


def test_only_the_count_goes_along() -> None:
    silent = cut_lists(BESIDE, Random(0), Context(silent=True))
    assert silent is not None
    assert silent == {
        **BESIDE,
        "orders": BESIDE["orders"][: len(silent["orders"])],
        "total_count": len(silent["orders"]),
    }


@pytest.mark.parametrize("clean", UNCOUNTED)
def test_without_a_count_every_cut_is_silent(clean: dict[str, Any]) -> None:
    visible = cut_lists(clean, Random(0), Context())
    assert visible is not None and visible == cut_lists(clean, Random(0), Context(silent=True))
    assert is_silent(clean, visible) is True and is_silent(clean, clean) is None


@pytest.mark.parametrize("silent", [True, False])
def test_plan_and_ledger_say_so(silent: bool) -> None:
    event = FaultEvent(0, FaultMode.E2, FaultKind.LIST_CUT, 0, 1, silent=silent)
    session = FaultySession(Orders(BESIDE), FaultPlan((event,), key="k"), SHOP)

    async def work() -> Observation:
        return await session.call(*GET)

    seen = asyncio.run(work()).content
    assert (seen["total_count"] == 4, session.ledger[0].silent) == (not silent, silent)
    drawn = [draw_plan(FaultSettings(FaultMode.E3), str(n)).events for n in range(1000)]
    implicit = [e.silent for events in drawn for e in events if e.mode is FaultMode.E2]
    assert abs(sum(implicit) / len(implicit) - SILENT) < 0.04
    assert not any(e.silent for events in drawn for e in events if e.mode is FaultMode.E1)
