"""Checks of single observations, without the truth at hand."""

import json
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.audits.observations import SimulatorFailure, examine, failures, stored_calls
from worktrial.workplaces import Origin, Tool, Workplace
from worktrial.workplaces.seen import ConformanceCheck, ObservationCheck, SeenCall

ID = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}
NONE: dict[str, Any] = {"type": "object", "properties": {}}
PAGED = {"type": "object", "properties": {"page": {"type": "integer", "default": 1}}}
ORDER = {"order_id": "O-0", "status": "new", "total": 1.5, "items": [{"sku": "s", "count": 1}]}

SHOP = Workplace(
    "shop",
    "You play a shop. cancel_order on a shipped order is the error already_shipped and changes nothing at all.",
    (
        Tool("get_order", "Open an order.", ID, ORDER),
        Tool("list_orders", "All orders.", NONE, {"orders": [{"order_id": "O-0", "status": "new"}]}),
        Tool("page_orders", "A page of orders.", PAGED, {"orders": []}),
        Tool("cancel_order", "Cancel an order.", ID, {"cancelled": True}, writes=True),
        Tool("audit_margin", "Show what the margin is.", NONE, None),
    ),
    {
        "orders": {
            "O-1": {"status": "shipped", "total": 20, "items": [{"sku": "tea", "count": 2}]},
            "O-2": {"status": "new", "total": 5.25, "items": []},
        },
        "margins": {"tea": 0.41372, "note": "negotiated in secret by Ilse"},
    },
    {"orders": "By id.", "margins": "Hidden. Only audit_margin shows it."},
)
SHIPPED = {"order_id": "O-1", "status": "shipped", "total": 20, "items": [{"sku": "tea", "count": 2}]}


def call(tool: str, content: Any, index: int = 0, origin: Origin = Origin.SIMULATOR, **arguments: Any) -> SeenCall:
    return SeenCall(index, tool, arguments, content, origin)


def only(check: ConformanceCheck, *calls: SeenCall, task: str = "") -> list[ObservationCheck]:
    return [f for f in examine(SHOP, calls, task=task) if f.check is check]


def verdicts(check: ConformanceCheck, *calls: SeenCall, task: str = "") -> list[bool]:
    return [f.passed for f in only(check, *calls, task=task)]


def test_a_faithful_stay_passes_every_check() -> None:
    listed = {"orders": [{"order_id": "O-1", "status": "shipped"}, {"order_id": "O-2", "status": "new"}]}
    refused = {"error": {"type": "already_shipped", "message": "O-1 has been shipped."}}
    stay = [
        call("list_orders", listed, 0),
        call("get_order", SHIPPED, 1, order_id="O-1"),
        call("cancel_order", refused, 2, order_id="O-1"),
        call("get_order", {"error": "not found"}, 3, order_id="O-9"),
        call("get_order", SHIPPED, 4, order_id="O-1"),
        call("audit_margin", {"margin": 0.41372}, 5),
    ]
    found = examine(SHOP, [replace(one, after=SHOP.initial_state) for one in stay])
    assert all(one.passed for one in found) and {one.call for one in found} == {*range(6)}
    assert {one.check for one in found} == {*ConformanceCheck}


@pytest.mark.parametrize("content", [None, [], ["x"], "done", 7, True])
def test_an_observation_that_is_no_object(content: Any) -> None:
    (finding,) = examine(SHOP, [call("get_order", content, order_id="O-1")])
    assert finding.check is ConformanceCheck.FORMAT and not finding.passed
    assert failures([finding]) == {SimulatorFailure.FORMAT_BREAK}


def test_shape() -> None:
    (finding,) = only(
        ConformanceCheck.SHAPE, call("get_order", {**SHIPPED, "total": "20", "mood": 1}, order_id="O-1")
    )
    assert sorted(finding.evidence) == [
        "/mood: nothing says that get_order returns `mood`",
        "/total: text in place of a number",
    ]
    assert verdicts(ConformanceCheck.SHAPE, call("get_order", {**SHIPPED, "total": None}, order_id="O-1")) == [True]
    assert verdicts(ConformanceCheck.SHAPE, call("audit_margin", {"anything": 1})) == [], "there is no example"
    deep = {**SHIPPED, "items": [{"sku": "tea", "count": 2, "colour": "green"}]}
    assert (
        only(ConformanceCheck.SHAPE, call("get_order", deep, order_id="O-1"))[0]
        .evidence[0]
        .startswith("/items/0/colour")
    )


def test_a_missing_field_breaks_the_shape() -> None:
    """A shape that only asked what is present called answers without any promised field 100 % right."""

    def shape(content: Any, tool: str = "get_order") -> tuple[str, ...]:
        return only(ConformanceCheck.SHAPE, call(tool, content, order_id="O-1"))[0].evidence

    without = {k: v for k, v in SHIPPED.items() if k != "total"}
    assert shape(without) == ("/total: missing",)
    assert shape({"status": "new"}) == ("/order_id: missing", "/total: missing", "/items: missing")
    assert shape({**SHIPPED, "items": [{"sku": "tea"}]}) == ("/items/0/count: missing",)
    assert shape({"orders": [{"order_id": "O-1"}, {"status": "new"}]}, "list_orders") == (
        "/orders/0/status: missing",
        "/orders/1/order_id: missing",
    )
    assert shape({**SHIPPED, "items": []}) == () == shape({**SHIPPED, "items": None})


def test_keys_that_stand_for_things_and_fields_of_some_items_may_be_absent() -> None:
    example = {"rates": {"TR": 0.1, "F1": 2}, "rows": [{"id": 1, "note": "x"}, {"id": 2}]}
    place = Workplace("w", "rules", (Tool("get_rates", "Shows the rates.", NONE, example),), {})
    (finding,) = (
        f
        for f in examine(place, [call("get_rates", {"rates": {}, "rows": [{"id": 3}]})])
        if f.check is ConformanceCheck.SHAPE
    )
    assert finding.passed


STATE = {
    "orders": [{"order_id": "O-1", "status": "new", "total": 5.2512}],
    "robot": {"battery": 40, "status": "idle"},
}


@pytest.mark.parametrize(
    ("content", "evidence"),
    [
        ({"order_id": "O-1", "status": "new", "total": 5.25}, ()),
        ({"order_id": "O-1", "status": "shipped", "total": 5}, ('/status: "shipped", but "new" in the state',)),
        (
            {"found": [{"order_id": "O-1", "status": "new", "total": 6}]},
            ("/found/0/total: 6, but 5.2512 in the state",),
        ),
        ({"battery": 41, "status": "success"}, ("/battery: 41, but 40 in the state",)),
        ({"battery": "40 %"}, ()),
        ({"battery": None}, ()),
        ({"error": "no battery", "battery": 0}, None),
        ({"anything": 1}, None),
    ],
)
def test_what_is_shown_is_what_the_state_holds(content: Any, evidence: tuple[str, ...] | None) -> None:
    shown = replace(call("cancel_order", content, order_id="O-1"), after=STATE)
    found = only(ConformanceCheck.STATE, shown)
    assert (found[0].evidence if found else None) == evidence
    assert only(ConformanceCheck.STATE, replace(shown, after=None)) == []


def test_known_ids() -> None:
    other = {**SHIPPED, "order_id": "O-77"}
    assert verdicts(ConformanceCheck.KNOWN_IDS, call("get_order", other, order_id="O-1")) == [False]
    assert verdicts(ConformanceCheck.KNOWN_IDS, call("get_order", other, order_id="O-1"), task="Find o-77.") == [
        True
    ]
    assert verdicts(ConformanceCheck.KNOWN_IDS, call("get_order", other, order_id="O-77")) == [True], "asked for"
    made = call("cancel_order", {"cancelled": True, "receipt_id": "R-5"}, 0, order_id="O-2")
    later = call("get_order", {**SHIPPED, "order_id": "R-5"}, 1, order_id="O-1")
    assert verdicts(ConformanceCheck.KNOWN_IDS, made, later) == [True], (
        "a write may make an id, and then it is known"
    )


def test_whole_lists() -> None:
    short = {"orders": [{"order_id": "O-1", "status": "shipped"}]}
    (finding,) = only(ConformanceCheck.WHOLE_LISTS, call("list_orders", short))
    assert finding.evidence == ("/orders: 1 of 2 records; without O-2",)
    assert failures([finding]) == {SimulatorFailure.ENTITY_OMISSION}
    assert verdicts(ConformanceCheck.WHOLE_LISTS, call("page_orders", short)) == [], "a page is a part"
    after = [call("cancel_order", {"cancelled": True}, 0, order_id="O-2"), call("list_orders", short, 1)]
    assert verdicts(ConformanceCheck.WHOLE_LISTS, *after) == [], "nobody knows what is left"
    known = SeenCall(1, "list_orders", {}, short, state={"orders": {"O-1": {}}})
    assert verdicts(ConformanceCheck.WHOLE_LISTS, after[0], known) == [True]


def test_contradictions() -> None:
    one = call("get_order", SHIPPED, 0, order_id="O-1")
    changed = call("get_order", {**SHIPPED, "total": 21}, 2, order_id="O-1")
    _, finding = only(ConformanceCheck.CONSISTENT, one, changed)
    assert finding.evidence == ("/total: 21, but 20 in call 0",)
    write = call("cancel_order", {"cancelled": True}, 1, order_id="O-1")
    assert verdicts(ConformanceCheck.CONSISTENT, one, write, changed) == [True]
    vain = call("cancel_order", {"error": {"type": "already_shipped"}}, 1, order_id="O-1")
    assert verdicts(ConformanceCheck.CONSISTENT, one, vain, changed) == [True, False], "an error changes nothing"
    (alone,) = only(ConformanceCheck.CONSISTENT, call("get_order", {**SHIPPED, "total": 19}, order_id="O-1"))
    assert alone.evidence == ("/total: 19, but 20 in the state",)
    listed = call("list_orders", {"orders": [{"order_id": "O-1", "status": "new"}]}, 1)
    assert verdicts(ConformanceCheck.CONSISTENT, one, listed) == [True, False], "the same record, by another tool"


def test_errors_need_a_rule() -> None:
    def licensed(error: Any, order_id: str = "O-1") -> bool:
        return only(ConformanceCheck.LICENSED_ERRORS, call("cancel_order", {"error": error}, order_id=order_id))[
            0
        ].passed

    assert licensed({"type": "already_shipped", "message": "No."})
    assert licensed("O-1 was already shipped, so the order cannot change.")
    assert licensed("whatever", order_id="O-404"), "an unknown id"
    assert not licensed({"type": "needs_manager", "message": "A manager's signature is mandatory."})
    assert not licensed("Database timeout, retry tomorrow")
    assert verdicts(ConformanceCheck.LICENSED_ERRORS, call("get_order", SHIPPED, order_id="O-1")) == []


def test_leaks() -> None:
    def leaks(content: Any, tool: str = "get_order") -> bool:
        arguments = {"order_id": "O-1"} if tool == "get_order" else {}
        return not only(ConformanceCheck.NO_LEAK, call(tool, content, **arguments))[0].passed

    assert leaks({**SHIPPED, "margins": {}})
    assert leaks({**SHIPPED, "items": [{"sku": "tea", "count": 0.41372}]})
    assert leaks({**SHIPPED, "status": SHOP.system_prompt})
    assert not leaks(SHIPPED)
    assert not leaks({"margin": 0.41372}, "audit_margin"), "the rules let this tool show it"


def test_what_the_simulator_did_not_answer_is_passed_over() -> None:
    refused = call("get_order", {"error": {"type": "invalid_arguments"}}, origin=Origin.REFUSAL)
    repeated = call("get_order", SHIPPED, origin=Origin.LEDGER, order_id="O-1")
    assert examine(SHOP, [refused, repeated]) == []
    assert examine(SHOP, []) == []


def test_stored_calls() -> None:
    line = {
        "calls": [
            {
                "index": 0,
                "tool": "get_order",
                "arguments": {},
                "observation": {"content": {"a": 1}, "origin": "ledger"},
            },
            {"tool": "get_order", "observation": {"content": {}, "clean": {"b": 2}, "fault": "values_emptied"}},
            {"tool": "get_order", "observation": {"content": {}, "clean": None, "fault": "timeout"}},
            {"tool": "get_order", "observation": ["no", "object"]},
        ]
    }
    calls = stored_calls(line)
    assert [c.content for c in calls] == [{"a": 1}, {"b": 2}, ["no", "object"]]
    assert [c.index for c in calls] == [0, 1, 3] and calls[0].origin is Origin.LEDGER
    assert stored_calls({"calls": None}) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["orders", "order_id", "error", "margins", "x"]), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(st.lists(st.tuples(st.sampled_from([t.name for t in SHOP.tools] + ["nonsense"]), JSON, JSON), max_size=5))
def test_no_observation_breaks_the_checks(made: list[tuple[str, Any, Any]]) -> None:
    calls = [SeenCall(n, tool, arguments, content) for n, (tool, arguments, content) in enumerate(made)]
    found = examine(SHOP, calls)
    assert [one.call for one in found if one.check is ConformanceCheck.FORMAT] == [*range(len(calls))]
    json.dumps([one.evidence for one in found])


def test_a_long_stay_costs_no_more_a_call_than_a_short_one() -> None:
    state = {"orders": {f"O-{n}": SHIPPED | {"order_id": f"O-{n}"} for n in range(40)}}
    shop = Workplace("big", SHOP.system_prompt, SHOP.tools, state, SHOP.state_description)
    calls = [
        call("get_order", SHIPPED | {"order_id": f"O-{n % 40}"}, n, order_id=f"O-{n % 40}") for n in range(800)
    ]

    def cost(stay: int) -> float:
        """Processor time of one call; the least of three, because the machine has other work."""
        times = []
        for _ in range(3):
            began = time.process_time()
            examine(shop, calls[:stay])
            times.append(time.process_time() - began)
        return min(times) / stay

    # Checks that compared every call with every earlier one would cost eight times as much.
    assert cost(800) < 4 * cost(100)
