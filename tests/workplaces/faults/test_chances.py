"""Kinds come as often as they are meant to, whatever a workplace's tools allow."""

import asyncio
from dataclasses import replace

import pytest
from benchmarks.fault_kinds import Share, Work, of_starter, release, shares, tally
from hypothesis import given
from hypothesis import strategies as st
from tests.support.data import real_data_dir
from tests.workplaces.shop import SHOP

from worktrial.workplaces import Tool
from worktrial.workplaces.faults import EXPLICIT, IMPLICIT, SHARES, FaultKind, FaultMode, planned_kinds

LOOK, LISTS, WRITE = (
    Tool("get_order", "Shows.", {"type": "object"}, {"order_id": "A"}, writes=False),
    Tool("list_orders", "Lists.", {"type": "object"}, {"orders": [1, 2]}, writes=False),
    Tool("refund", "Refunds.", {"type": "object"}, {"done": True}, writes=True),
)


@given(st.lists(st.sampled_from([LOOK, LISTS, WRITE]), min_size=1, max_size=12))
def test_weights_are_positive_and_what_is_rare_weighs_more(tools: list[Tool]) -> None:
    weights, shares = planned_kinds(replace(SHOP, tools=tuple(tools)), IMPLICIT)
    assert weights.keys() == shares.keys() == set(map(str, (*IMPLICIT, *EXPLICIT)))
    impossible = set()
    if WRITE not in tools:
        impossible |= {FaultKind.DUPLICATE_DELIVERY, FaultKind.PARTIAL_WRITE, FaultKind.LOST_ACKNOWLEDGEMENT}
    if LISTS not in tools:
        impossible.add(FaultKind.LIST_CUT)
    if {*map(id, tools)} <= {id(WRITE)}:
        impossible.add(FaultKind.STALE)
    if LISTS not in tools:
        # What an order shows beside its id is nothing, and of a refund only that it is done.
        impossible.discard(FaultKind.FIELDS_DROPPED)
    for kind in (*IMPLICIT, *EXPLICIT):
        if kind in impossible:
            assert weights[kind] == shares[kind] == 0
        elif kind is not FaultKind.FIELDS_DROPPED and kind is not FaultKind.TIMEOUT:
            assert 0 < weights[kind] < float("inf") and 0 < shares[kind] <= 1
    for kinds in (IMPLICIT, EXPLICIT):
        assert sum(shares[kind] for kind in kinds) == pytest.approx(1)
    if WRITE in tools and LOOK in tools:
        # Only writes can be doubled, and everything can lose a field.
        doubled, dropped = FaultKind.DUPLICATE_DELIVERY, FaultKind.FIELDS_DROPPED
        assert weights[doubled] / SHARES[doubled] > weights[dropped] / SHARES[dropped]


def _found(works: list[Work], corpus: str, seeds: int) -> dict[str, Share]:
    chosen = [work for work in works if work.corpus == corpus]
    return shares(asyncio.run(tally(chosen, FaultMode.E2, seeds)), IMPLICIT)[corpus]


def test_kinds_come_near_their_shares_in_the_starter_s_workplaces() -> None:
    """Before kinds had weights: 54 % emptied, 42 % dropped, 4 % cut, nothing stale, nothing wrong."""
    works = asyncio.run(of_starter())
    seen = _found(works, "starter, tuned on", 4)
    assert all(share.done > 0 for share in seen.values())
    assert all(abs(share.done - share.planned) < share.margin + 0.06 for share in seen.values())
    unseen = _found(works, "starter, held back, state unseen", 4)
    assert unseen[FaultKind.STALE].done > 0, "in history memory too"
    assert unseen[FaultKind.PARTIAL_WRITE].homes == 0, "no state that could be set"


@pytest.mark.real_data
def test_kinds_come_as_often_as_they_are_planned_on_examples_of_the_release_that_were_held_back() -> None:
    """As one run has them, a schedule a task: what is off is within what chance explains, or nearly."""
    found = _found(list(release(real_data_dir() / "occubench")), "release, held back", 1)
    for kind, share in found.items():
        assert abs(share.done - share.planned) < share.margin + 0.01, kind
        assert (share.homes == 0) is (kind == FaultKind.PARTIAL_WRITE)
    assert found[FaultKind.LIST_CUT].homes < 100 < found[FaultKind.WRONG_VALUE].homes
