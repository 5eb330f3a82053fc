import asyncio
from typing import Any

import msgspec
from tests.workplaces.scripted import Scripted, patched
from tests.workplaces.shop import CLOCK, SHOP

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import LanguageSimulator, Observation, Origin
from worktrial.workplaces.faults import (
    FaultEvent,
    FaultKind,
    FaultMode,
    FaultPlan,
    FaultUnit,
    FaultySession,
    Needed,
    Position,
    digest,
    is_outage,
)
from worktrial.workplaces.session import refusal


class Orders:
    """One order, whose total rises by one with every refund."""

    def __init__(self, answer: Any = None) -> None:
        self.state: JsonObject | None = {"orders": [{"order_id": "A-1", "status": "new", "total": 20}]}
        self.calls = 0
        self._answer = answer

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        refused = refusal(SHOP, tool, arguments)
        if refused is not None:
            return refused
        self.calls += 1
        if self._answer is not None:
            return Observation(self._answer, Origin.EXECUTABLE)
        order = self.state["orders"][0] if self.state else {}
        if tool == "refund":
            order = {**order, "total": order["total"] + 1}
            self.state = {"orders": [order]}
        return Observation(dict(order), Origin.EXECUTABLE)


A1 = {"order_id": "A-1"}


def event(mode: str, kind: FaultKind, first: int = 0, length: int = 2) -> FaultEvent:
    return FaultEvent(0, FaultMode(mode), kind, first, length)


def calls(session: FaultySession, *wanted: tuple[str, JsonValue]) -> list[Observation]:
    async def work() -> list[Observation]:
        return [await session.call(tool, arguments) for tool, arguments in wanted]

    return asyncio.run(work())


GET, REFUND = ("get_order", A1), ("refund", A1)


def test_an_explicit_fault_never_reaches_the_workplace() -> None:
    inner = Orders()
    session = FaultySession(inner, FaultPlan((event("E1", FaultKind.TIMEOUT, 1),)), SHOP)
    before = inner.state
    seen = calls(session, GET, REFUND, GET, GET)
    assert inner.calls == 2 and session.state == before
    assert [is_outage(o.content) for o in seen] == [False, True, True, False]
    assert [o.fault for o in seen] == [None, "timeout", "timeout", None]
    assert seen[1].origin is Origin.FAULT and seen[1].clean is None
    assert [(r.event, r.call, r.turn, r.tool, r.mode, r.kind, r.clean) for r in session.ledger] == [
        (0, 1, 1, "refund", "E1", "timeout", None),
        (0, 2, 2, "get_order", "E1", "timeout", None),
    ]
    assert session.ledger[0].degraded == digest(seen[1].content)
    assert session.misses == []


def test_an_implicit_fault_degrades_what_was_really_answered() -> None:
    inner = Orders()
    session = FaultySession(inner, FaultPlan((event("E2", FaultKind.FIELDS_DROPPED),), key="k"), SHOP)
    (seen,) = calls(session, GET)
    clean = {"order_id": "A-1", "status": "new", "total": 20}
    assert seen.clean == clean and seen.content == {"order_id": "A-1", "status": "new"}
    assert msgspec.to_builtins(session.ledger) == [
        {
            "event": 0,
            "call": 0,
            "turn": 0,
            "tool": "get_order",
            "arguments": A1,
            "mode": "E2",
            "kind": "fields_dropped",
            "clean": digest(clean),
            "degraded": digest(seen.content),
            "fields": ["/total"],
            "effect": "once",
            "lost": [],
            "needed": None,
            "silent": None,
            "until": None,
        }
    ]


def test_a_stale_read_shows_what_it_showed_before_the_write() -> None:
    session = FaultySession(Orders(), FaultPlan((event("E2", FaultKind.STALE, 2),)), SHOP)
    seen = calls(session, GET, REFUND, GET)
    assert (seen[2].content["total"], seen[2].clean) == (20, {**seen[0].content, "total": 21})
    # No earlier read: the state before the write tells.
    session = FaultySession(Orders(), FaultPlan((event("E2", FaultKind.STALE, 1),)), SHOP)
    assert calls(session, REFUND, GET)[1].content["total"] == 20


def test_what_an_agent_does_to_an_observation_is_its_own_affair() -> None:
    session = FaultySession(Orders(), FaultPlan((event("E2", FaultKind.STALE, 2),)), SHOP)
    calls(session, GET)[0].content.clear()
    assert calls(session, REFUND, GET)[1].content["total"] == 20


def test_another_kind_where_the_first_would_change_nothing() -> None:
    session = FaultySession(Orders(), FaultPlan((event("E2", FaultKind.LIST_CUT),)), SHOP)
    (seen,) = calls(session, GET)
    assert seen.fault in ("fields_dropped", "values_emptied")


def test_what_is_spared_is_on_record() -> None:
    plan = FaultPlan((event("E2", FaultKind.LIST_CUT), FaultEvent(1, FaultMode.E1, FaultKind.TIMEOUT, 9, 1)))
    for answer, why in [({}, "nothing_to_degrade"), ({"error": "no"}, "error"), ([], "not_an_object")]:
        session = FaultySession(Orders(answer), plan, SHOP)
        (seen,) = calls(session, ("note", {}))
        assert (seen.content, seen.fault, session.ledger) == (answer, None, [])
        assert msgspec.to_builtins(session.misses) == [
            {"event": 0, "call": 0, "turn": 0, "tool": "note", "why": why},
            {"event": 1, "why": "not_reached"},
        ]


def test_a_refused_call_counts_and_is_never_degraded() -> None:
    for mode, kind in (("E1", FaultKind.HTTP_500), ("E2", FaultKind.LIST_CUT)):
        inner = Orders()
        session = FaultySession(inner, FaultPlan((event(mode, kind),)), SHOP)
        seen = calls(session, ("fly", {}), ("get_order", {}), GET)
        assert [o.origin.value for o in seen] == ["refusal", "refusal", "executable"]
        assert [row.why for row in session.misses] == ["refusal", "refusal"]
        assert inner.calls == 1


def test_turns_and_calls_are_counted_where_the_caller_counts_them() -> None:
    at = iter([Position(0, 0), Position(1, 1), Position(2, 1), Position(4, 2)])
    plan = FaultPlan((event("E1", FaultKind.TIMEOUT, 1, 1),), FaultUnit.TURN)
    session = FaultySession(Orders(), plan, SHOP, position=lambda: next(at))
    assert [o.fault for o in calls(session, GET, GET, GET, GET)] == [None, "timeout", "timeout", None]
    assert [(r.call, r.turn) for r in session.ledger] == [(1, 1), (2, 1)]


def test_two_agents_meet_the_same_faults() -> None:
    plan = FaultPlan((event("E2", FaultKind.VALUES_EMPTIED, 1),), key="k")
    seen = [calls(FaultySession(Orders(), plan, SHOP), *first, GET)[1] for first in ([GET], [REFUND])]
    one, other = seen
    assert one.fault == other.fault
    assert [k for k in one.content if one.content[k] != one.clean[k]] == [  # type: ignore[index]
        k
        for k in other.content
        if other.content[k] != other.clean[k]  # type: ignore[index]
    ]


def test_the_simulator_remembers_what_it_really_said() -> None:
    model = Scripted([{"order_id": "A-1", "total": 20, "lines": [1, 2, 3]}])
    inner = LanguageSimulator(SHOP, model, clock=CLOCK).open()
    session = FaultySession(inner, FaultPlan((event("E2", FaultKind.LIST_CUT, 0, 1),)), SHOP)
    seen = calls(session, GET, GET)
    assert seen[0].content["lines"] != [1, 2, 3] == seen[1].content["lines"]
    assert "[1,2,3]" in model.requests[1][2]["content"]


def test_a_repeated_read_is_clean_again_in_ledger_memory() -> None:
    model = Scripted([patched({"order_id": "A-1", "total": 20})])
    inner = LanguageSimulator(SHOP, model, memory="ledger", clock=CLOCK).open()
    session = FaultySession(inner, FaultPlan((event("E2", FaultKind.FIELDS_DROPPED, 0, 1),)), SHOP)
    seen = calls(session, GET, GET)
    assert (seen[0].content, seen[1].content) == ({"order_id": "A-1"}, {"order_id": "A-1", "total": 20})
    assert (seen[1].origin, len(model.requests)) == (Origin.LEDGER, 1)


def test_in_history_memory_too_a_read_after_a_write_can_be_stale() -> None:
    """No earlier read and no state in sight: the initial state tells what things were like."""
    model = Scripted([{"status": "refunded"}, {"order_id": "A-1", "status": "refunded", "total": 20}])
    inner = LanguageSimulator(SHOP, model, clock=CLOCK).open()
    session = FaultySession(inner, FaultPlan((event("E2", FaultKind.STALE, 1),)), SHOP)
    _, seen = calls(session, REFUND, GET)
    assert (seen.fault, seen.content) == ("stale", {"order_id": "A-1", "status": "new", "total": 20})


def test_damage_goes_where_the_task_looks() -> None:
    answer = {"order_id": "A-1", **{f"field_{n}": n * 12 for n in range(1, 20)}}
    for kind in (FaultKind.FIELDS_DROPPED, FaultKind.VALUES_EMPTIED, FaultKind.WRONG_VALUE):
        aimed = FaultEvent(0, FaultMode.E2, kind, 0, 1, aimed=True)
        for needed, where in [
            (Needed("its `field_7` counts"), "/field_7"),
            (Needed("Sum: 1,108 and 108."), "/field_9"),
        ]:
            session = FaultySession(Orders(answer), FaultPlan((aimed,), key="k"), SHOP, needed=needed)
            calls(session, GET)
            (row,) = session.ledger
            assert where in row.fields and row.needed is True
    session = FaultySession(Orders(answer), FaultPlan((aimed,), key="k"), SHOP, needed=Needed("nothing of it"))
    calls(session, GET)
    assert session.ledger[0].needed is False
