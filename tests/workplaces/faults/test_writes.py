"""Faults of what a call does: the answer lost, the write made twice or in part; on an executable workplace."""

import asyncio
import copy
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.workplaces.scripted import Scripted, patched
from tests.workplaces.shop import CLOCK, SHOP

from worktrial.errors import InvalidSample
from worktrial.language import JsonValue
from worktrial.workplaces import LanguageSimulator, Observation, Origin, Tool
from worktrial.workplaces.executable import ExecutableWorkplace, reads, writes
from worktrial.workplaces.faults import (
    EXPLICIT,
    FaultEvent,
    FaultKind,
    FaultMode,
    FaultPlan,
    FaultySession,
    Needed,
    is_outage,
)
from worktrial.workplaces.faults.writes import part_of


@dataclass
class Account:
    balance: int
    entries: list[int] = field(default_factory=list)
    holds: dict[str, int] = field(default_factory=dict)


@dataclass
class Bank:
    accounts: dict[str, Account]


@reads(account_id="K-1")
def get_account(bank: Bank, account_id: str) -> dict[str, Any]:
    """Shows an account.

    Args:
        account_id: The account.
    """
    account = bank.accounts[account_id]
    assert account.balance == sum(account.entries), "the books are broken"
    return {"account_id": account_id, "balance": account.balance}


@writes(account_id="K-1", amount=5)
def pay_in(bank: Bank, account_id: str, amount: int) -> dict[str, Any]:
    """Pays in.

    Args:
        account_id: The account.
        amount: Euros.
    """
    account = bank.accounts[account_id]
    account.balance += amount
    account.entries.append(amount)
    return {"account_id": account_id, "paid_in": amount}


@writes(account_id="K-1", name="rent")
def hold(bank: Bank, account_id: str, name: str) -> dict[str, Any]:
    """Puts a hold on an account; a second one of the name changes nothing.

    Args:
        account_id: The account.
        name: What it is for.
    """
    bank.accounts[account_id].holds[name] = 1
    return {"account_id": account_id, "hold": name}


STATE = {"accounts": {"K-1": {"balance": 10, "entries": [10], "holds": {}}}}
BANK = ExecutableWorkplace.build("bank", [get_account, pay_in, hold], system_prompt="A bank.", initial_state=STATE)
GET = ("get_account", {"account_id": "K-1"})
PAY = ("pay_in", {"account_id": "K-1", "amount": 25})
HOLD = ("hold", {"account_id": "K-1", "name": "rent"})


def under(kind: FaultKind, length: int = 1, first: int = 0, needed: Needed | None = None) -> FaultySession:
    mode = FaultMode.E1 if kind in EXPLICIT else FaultMode.E2
    event = FaultEvent(0, mode, kind, first, length, aimed=needed is not None)
    return FaultySession(BANK.open(), FaultPlan((event,), key="k"), BANK.artifact, needed=needed)


def calls(session: FaultySession, *wanted: tuple[str, JsonValue]) -> list[Observation]:
    async def work() -> list[Observation]:
        return [await session.call(tool, arguments) for tool, arguments in wanted]

    return asyncio.run(work())


def account(session: FaultySession) -> Any:
    assert session.state is not None
    return session.state["accounts"]["K-1"]


def test_a_lost_acknowledgement_hides_a_write_that_happened() -> None:
    session = under(FaultKind.LOST_ACKNOWLEDGEMENT, 2)
    paid, read, again = calls(session, PAY, GET, PAY)
    assert is_outage(paid.content) and paid.content["error"]["type"] == "timeout"
    assert (paid.clean, paid.fault) == ({"account_id": "K-1", "paid_in": 25}, "lost_acknowledgement")
    # There is nothing to lose of a read: it is the time-out that both look like.
    assert (read.content["error"]["type"], read.fault, read.clean) == ("timeout", "timeout", None)
    assert again.fault is None
    assert account(session)["entries"] == [10, 25, 25], "who calls again blindly pays twice"
    assert [(r.kind, r.effect, r.mode) for r in session.ledger] == [
        ("lost_acknowledgement", "once", "E1"),
        ("timeout", "none", "E1"),
    ]


def test_without_a_state_in_sight_only_a_known_write_is_made_unacknowledged() -> None:
    """Whether a tool of unknown effect wrote could not be told: it is not asked, and the ledger says so truly."""
    event = FaultEvent(0, FaultMode.E1, FaultKind.LOST_ACKNOWLEDGEMENT, 0, 1)
    for effect, asked, kind in ((True, 1, "lost_acknowledgement"), (None, 0, "timeout")):
        tool = Tool("lend_item", "Lends an item.", {"type": "object"}, writes=effect)
        model = Scripted([{"lent": "yes"}])
        shop = replace(SHOP, tools=(tool,))
        inner = LanguageSimulator(shop, model, clock=CLOCK).open()
        session = FaultySession(inner, FaultPlan((event,), key="k"), shop)
        calls(session, ("lend_item", {}))
        (row,) = session.ledger
        assert (len(model.requests), row.kind, row.effect) == (asked, kind, "once" if asked else "none")


def test_nothing_gives_a_lost_acknowledgement_away() -> None:
    lost = calls(under(FaultKind.LOST_ACKNOWLEDGEMENT), PAY)[0]
    late = calls(under(FaultKind.TIMEOUT), PAY)[0]
    assert lost.content == late.content and "drop" not in str(late.content)


def test_a_duplicate_delivery_writes_twice_and_says_nothing() -> None:
    session = under(FaultKind.DUPLICATE_DELIVERY)
    (paid,) = calls(session, PAY)
    assert (paid.content, paid.fault) == ({"account_id": "K-1", "paid_in": 25}, "duplicate_delivery")
    assert account(session)["entries"] == [10, 25, 25]
    (row,) = session.ledger
    assert (row.effect, row.fields, row.degraded) == ("twice", [], row.clean)


def test_a_write_that_is_the_same_twice_is_degraded_in_another_way() -> None:
    session = under(FaultKind.DUPLICATE_DELIVERY)
    (held,) = calls(session, HOLD)
    assert held.fault not in (None, "duplicate_delivery") and held.content != held.clean
    (read,) = calls(under(FaultKind.DUPLICATE_DELIVERY), GET)
    assert read.fault not in (None, "duplicate_delivery", "partial_write")


def test_a_partial_write_leaves_out_a_part_and_says_nothing() -> None:
    session = under(FaultKind.PARTIAL_WRITE)
    (paid,) = calls(session, PAY)
    assert (paid.content, paid.fault) == ({"account_id": "K-1", "paid_in": 25}, "partial_write")
    (row,) = session.ledger
    left = account(session)
    assert (left["balance"], left["entries"]) in [(35, [10]), (10, [10, 25])]
    wanted = "/accounts/K-1/entries" if left["balance"] == 35 else "/accounts/K-1/balance"
    assert (row.effect, row.lost) == ("partly", [wanted])


@pytest.mark.parametrize(("text", "lost"), [("the balance is 35", "balance"), ("see its entries", "entries")])
def test_what_the_task_needs_is_lost_first(text: str, lost: str) -> None:
    session = under(FaultKind.PARTIAL_WRITE, needed=Needed(text))
    calls(session, PAY)
    assert session.ledger[0].lost == [f"/accounts/K-1/{lost}"]


def test_tools_that_stumble_over_half_a_write_fail_as_a_service_does() -> None:
    session = under(FaultKind.PARTIAL_WRITE)
    _, read = calls(session, PAY, GET)
    assert read.content["error"]["type"] == "internal_server_error"
    broken = copy.deepcopy(STATE)
    broken["accounts"]["K-1"]["balance"] = 11
    inner = FaultySession(BANK.open(broken), FaultPlan(), BANK.artifact)
    with pytest.raises(InvalidSample):
        calls(inner, GET)


def test_in_ledger_memory_a_write_can_happen_in_part() -> None:
    operations = [
        {"op": "replace", "path": "/orders/0/status", "value": "refunded"},
        {"op": "add", "path": "/log/-", "value": "refunded A-1"},
    ]
    model = Scripted([patched({"status": "refunded"}, *operations)])
    inner = LanguageSimulator(SHOP, model, memory="ledger", clock=CLOCK).open()
    event = FaultEvent(0, FaultMode.E2, FaultKind.PARTIAL_WRITE, 0, 1)
    session = FaultySession(inner, FaultPlan((event,), key="k"), SHOP)
    (seen,) = calls(session, ("refund", {"order_id": "A-1"}))
    assert (seen.content, seen.fault) == ({"status": "refunded"}, "partial_write")
    state = session.state
    assert state is not None and (state["orders"][0]["status"], state["log"]) in [
        ("refunded", []),
        ("new", ["refunded A-1"]),
    ]


def test_in_history_memory_a_write_cannot_be_cut_but_can_be_made_twice() -> None:
    model = Scripted([{"status": "refunded", "total": 20}])
    for kind, made in ((FaultKind.PARTIAL_WRITE, None), (FaultKind.DUPLICATE_DELIVERY, 2)):
        model.requests.clear()
        inner = LanguageSimulator(SHOP, model, clock=CLOCK).open()
        order = (*[k for k in ("fields_dropped",) if made is None],)
        event = FaultEvent(0, FaultMode.E2, kind, 0, 1, instead=order)
        session = FaultySession(inner, FaultPlan((event,), key="k"), SHOP)
        (seen,) = calls(session, ("refund", {"order_id": "A-1"}))
        assert seen.fault == ("fields_dropped" if made is None else kind)
        assert len(model.requests) == (made or 1)
        if made:
            assert len(seen.exchange) == 4, "both requests are on record"


def test_a_recording_is_not_played_twice() -> None:
    class Recording:
        state = None
        played = 0

        async def call(self, tool: str, arguments: JsonValue) -> Observation:
            self.played += 1
            return Observation({"status": "refunded", "total": 20}, Origin.RECORDED)

    inner = Recording()
    event = FaultEvent(0, FaultMode.E2, FaultKind.DUPLICATE_DELIVERY, 0, 1)
    session = FaultySession(inner, FaultPlan((event,), key="k"), SHOP)
    calls(session, ("refund", {"order_id": "A-1"}))
    assert inner.played == 1


LEAVES = st.integers(0, 3) | st.lists(st.integers(0, 3), max_size=3)
STATES = st.recursive(LEAVES, lambda v: st.dictionaries(st.sampled_from("abc/~"), v, max_size=4), max_leaves=12)


@given(st.dictionaries(st.sampled_from("abcd"), STATES), st.dictionaries(st.sampled_from("abcd"), STATES))
def test_a_part_lies_between_before_and_after(before: dict[str, Any], after: dict[str, Any]) -> None:
    kept = copy.deepcopy([before, after])
    part = part_of(before, after, Random(0), None)
    assert [before, after] == kept
    if part is None:
        return
    assert part.lost and part.state not in (before, after)
    # What was lost is as before: to lose all the rest, too, leads back.
    whole = part_of(before, part.state, Random(0), None)
    assert whole is None or len(part.lost) >= len(whole.lost)


def test_the_ledger_knows_the_agents_next_write() -> None:
    session = under(FaultKind.FIELDS_DROPPED)
    calls(session, GET, GET, PAY, GET, PAY)
    assert [(row.call, row.until) for row in session.ledger] == [(0, 2)]
