import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.workplaces.scripted import Scripted, characters, patched
from tests.workplaces.shop import CLOCK, SHOP

from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import JsonObject
from worktrial.workplaces import LanguageSimulator, LedgerSession, Origin, Tool, Workplace
from worktrial.workplaces.simulator.ask import UnusableReply
from worktrial.workplaces.simulator.ledger import Ledger
from worktrial.workplaces.simulator.recall import shown_facts
from worktrial.workplaces.watch import WatchedSession

ORDER = {"order_id": "A-1"}
REFUND = {"op": "replace", "path": "/orders/0/status", "value": "refunded"}
CARRIER = {"A-1 carrier": "Red Mail"}
OK = {"status": "ok"}
SEEN = {"order_id": "A-1", "status": "new", "total": 20}


def opened(model: Scripted, **settings: Any) -> LedgerSession:
    session = LanguageSimulator(SHOP, model, memory="ledger", clock=CLOCK, **settings).open()
    assert isinstance(session, LedgerSession)
    return session


def test_patches_change_the_state_and_are_kept_in_order() -> None:
    model = Scripted([patched({"status": "refunded"}, REFUND), patched(SEEN, facts=CARRIER)])
    session = opened(model)

    async def work() -> None:
        await session.call("nothing_like_it", {})
        assert (await session.call("refund", ORDER)).content == {"status": "refunded"}
        await session.call("get_order", ORDER)

    asyncio.run(work())
    assert session.state == {"orders": [{"order_id": "A-1", "status": "refunded", "total": 20}], "log": []}
    assert session.facts == CARRIER
    assert SHOP.initial_state["orders"][0]["status"] == "new"
    assert [(e.call, e.tool, e.patch, e.facts) for e in session.ledger] == [
        (1, "refund", (REFUND,), {}),
        (2, "get_order", (), CARRIER),
    ]
    second = model.requests[1][1]["content"]
    assert '"status":"refunded"' in second and "refund {" in second
    assert "Refunds an order." not in second and "Shows an order." in second
    assert set(model.schemas[0]["properties"]) == {"observation", "patch", "facts"}


def origins(session: LedgerSession, *calls: tuple[str, Any]) -> list[Origin]:
    async def work() -> list[Origin]:
        return [(await session.call(tool, arguments)).origin for tool, arguments in calls]

    return asyncio.run(work())


SIMULATOR, LEDGER = Origin.SIMULATOR, Origin.LEDGER
READ, LIST, REFUNDS, NOTE = (
    ("get_order", ORDER),
    ("list_orders", {}),
    ("refund", ORDER),
    ("note", {"text": "hello"}),
)


def test_a_repeated_read_needs_no_model_until_something_is_committed() -> None:
    model = Scripted([patched(SEEN, facts=CARRIER), patched({"result": []}), patched(OK, REFUND), patched(SEEN)])
    session = opened(model)
    assert origins(session, READ, READ, LIST, READ, LIST) == [SIMULATOR, LEDGER, SIMULATOR, LEDGER, LEDGER]
    # What a read makes up may belong into what another read showed.
    assert origins(session, REFUNDS, READ, READ, REFUNDS) == [SIMULATOR, SIMULATOR, LEDGER, SIMULATOR]
    shown = asyncio.run(session.call(*READ)).content
    assert shown == SEEN and asyncio.run(session.call(*READ)).content is not shown


def test_an_observation_from_memory_is_a_copy() -> None:
    session = opened(Scripted([patched(dict(SEEN))]))
    for _ in range(3):
        shown = asyncio.run(session.call(*READ)).content
        assert shown == SEEN
        shown["status"] = "spoilt"


@pytest.mark.parametrize(
    "effect",
    [
        {"patch": [], "facts": {"A-1 note": "call back"}},
        {"patch": [REFUND], "facts": {}},
        {"patch": [], "facts": {}},  # says that it succeeded, and leaves no trace
    ],
)
@pytest.mark.parametrize("tool", ["refund", "note"])
def test_after_a_write_every_read_is_asked_again(tool: str, effect: JsonObject) -> None:
    write = {"observation": OK, **effect}
    model = Scripted([patched(SEEN), write, patched({**SEEN, "status": "other"})])
    session = opened(model)
    assert origins(session, READ, (tool, ORDER), READ, READ) == [SIMULATOR, SIMULATOR, SIMULATOR, LEDGER]
    assert asyncio.run(session.call(*READ)).content["status"] == "other"


def test_a_write_is_carried_out_each_time_whatever_is_on_record() -> None:
    """BLACKLISTED, APPROVED, BLACKLISTED must not end as APPROVED."""
    said = iter(["BLACKLISTED", "APPROVED", "BLACKLISTED"])
    replies = [patched(OK, facts={"A-1 standing": standing}) for standing in said]
    session = opened(Scripted(replies))
    steps = [("note", {"set": standing}) for standing in ("BLACKLISTED", "APPROVED", "BLACKLISTED")]
    assert origins(session, *steps) == [SIMULATOR] * 3
    assert session.facts == {"A-1 standing": "BLACKLISTED"}


def tools(*named: Tool) -> Workplace:
    return Workplace("w", "rules", named, {"jobs": {"J-1": "running"}})


NONE: JsonObject = {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    "tool",
    [
        Tool("get_job_status", "Polls the status of the job.", NONE),
        Tool("get_time", "Tells the current time.", NONE),
        Tool("get_pressure", "Reads the sensor in real time.", NONE),
        Tool("get_lot", "Shows the lot.", NONE, volatile=True),
        Tool("frobnicate", "Does something.", NONE),
        Tool("validate_order", "Checks the order and marks it.", NONE),
        Tool("get_token", "Retrieves a token and marks the session as open.", NONE),
        Tool("get_page", "Shows a page.", {"type": "object", "properties": {"new_status": {}}}),
    ],
)
def test_a_volatile_or_unknown_tool_is_never_answered_from_memory(tool: Tool) -> None:
    model = Scripted([patched({"status": "running"}), patched({"status": "running"}), patched({"status": "done"})])
    session = LanguageSimulator(tools(tool), model, memory="ledger", clock=CLOCK).open()

    async def polled() -> list[Any]:
        return [(await session.call(tool.name, {})).content["status"] for _ in range(3)]

    assert asyncio.run(polled()) == ["running", "running", "done"]


def test_a_write_without_a_trace_is_itself_recorded() -> None:
    model = Scripted([patched({"status": "refunded"}), patched({"error": "too late"}), patched(SEEN)])
    session = opened(model)
    origins(session, REFUNDS, REFUNDS, READ)
    assert session.facts == {"call 0: refund": {"arguments": ORDER, "answer": {"status": "refunded"}}}
    assert "call 0: refund" in model.requests[2][1]["content"]


def test_a_read_whose_own_patch_changed_the_state_is_asked_again() -> None:
    counts = patched({"n": 1}, {"op": "add", "path": "/log/-", "value": "seen"})
    model = Scripted([counts])
    session = opened(model)
    for _ in range(2):
        assert asyncio.run(session.call("get_order", ORDER)).origin is Origin.SIMULATOR
    assert session.state is not None and session.state["log"] == ["seen", "seen"]


def test_a_plain_key_needs_no_escapes() -> None:
    facts = {"/etc/app~1.conf": "a: 1\nb: 2", "note / 3": {"text": "x"}, "": "nameless", "gone": None}
    session = opened(Scripted([patched(OK, facts=facts)]))
    asyncio.run(session.call("note", {"text": "x"}))
    assert session.facts == facts


@given(st.dictionaries(st.text(max_size=20), st.recursive(st.none() | st.integers() | st.text(), st.lists)))
def test_facts_are_kept_whole_whatever_they_are(facts: JsonObject) -> None:
    session = opened(Scripted([patched(OK, facts=facts), patched(SEEN)]))
    asyncio.run(session.call("get_order", ORDER))
    assert session.facts == facts


BAD_PATCHES: list[tuple[Any, InvalidReason]] = [
    ([{"op": "replace", "path": "/nowhere/inside", "value": 1}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "remove", "path": "/nowhere"}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "test", "path": "/log", "value": 1}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "add", "path": "no/slash", "value": 1}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "add", "path": "/log"}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "move", "path": "/log"}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "replace", "path": "", "value": []}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "replace", "path": "", "value": {"a": 1}}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "remove", "path": ""}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "add", "path": "/orders/0/total/x", "value": 1}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "add", "path": "/first", "value": 1}, {"op": "remove", "path": "/no"}], InvalidReason.SIMULATOR_PATCH),
    ({"op": "add", "path": "/log", "value": 1}, InvalidReason.SIMULATOR_FORMAT),
    ([{"op": "increment", "path": "/n"}], InvalidReason.SIMULATOR_FORMAT),
    ([{"op": "add", "value": 1}], InvalidReason.SIMULATOR_FORMAT),
    (["add"], InvalidReason.SIMULATOR_FORMAT),
    (None, InvalidReason.SIMULATOR_FORMAT),
    ("[]", InvalidReason.SIMULATOR_FORMAT),
    ([{"op": "add", "path": "/log/-", "value": "\ud800"}], InvalidReason.SIMULATOR_FORMAT),
]


@pytest.mark.parametrize(("patch", "reason"), BAD_PATCHES)
def test_a_bad_patch_is_repaired_once_and_changes_nothing(patch: Any, reason: InvalidReason) -> None:
    bad = {"observation": {"status": "no"}, "patch": patch, "facts": {}}
    model = Scripted([bad, patched({"status": "refunded"}, REFUND)])
    session = opened(model)
    assert asyncio.run(session.call("refund", ORDER)).content == {"status": "refunded"}
    assert "`patch`" in model.requests[1][-1]["content"] and model.draws == [0, 1]

    hopeless = Scripted([bad])
    session = opened(hopeless)
    with pytest.raises(InvalidSample) as e:
        asyncio.run(session.call("refund", ORDER))
    assert e.value.reason is reason and len(hopeless.requests) == 2
    assert session.state == SHOP.initial_state and session.facts == {} and session.ledger == ()


def test_facts_that_are_no_object_are_repaired() -> None:
    model = Scripted([{**patched(OK), "facts": ["A-1"]}, patched(OK, facts=CARRIER)])
    session = opened(model)
    asyncio.run(session.call("get_order", ORDER))
    assert "`facts` must be an object" in model.requests[1][-1]["content"] and session.facts == CARRIER


@pytest.mark.parametrize("memory", ["history", "ledger"])
def test_an_empty_answer_where_fields_are_promised_is_no_answer(memory: str) -> None:
    """A simulator that says `{}` to everything had every task passed without a word."""
    empty = {} if memory == "history" else patched({})
    model = Scripted([empty])
    with pytest.raises(InvalidSample, match="is empty, and get_order returns order_id, status, total") as e:
        asyncio.run(LanguageSimulator(SHOP, model, memory=memory, clock=CLOCK).open().call("get_order", ORDER))
    assert e.value.reason is InvalidReason.SIMULATOR_FORMAT
    # Without an example nothing is promised.
    session = LanguageSimulator(SHOP, Scripted([empty]), memory=memory, clock=CLOCK).open()
    assert asyncio.run(session.call("note", {})).content == {}


@pytest.mark.parametrize(
    "reply",
    [
        '{"patch": [], "facts": {}}',
        '{"observation": ["a"], "patch": [], "facts": {}}',
        '{"observation": {}, "facts": {}}',
        '{"observation": {}, "patch": []}',
        "{}",
        "[]",
        "",
        "prose",
    ],
)
def test_a_reply_of_the_wrong_form_is_a_format_break(reply: str) -> None:
    model = Scripted([reply])
    with pytest.raises(InvalidSample) as e:
        asyncio.run(opened(model).call("get_order", ORDER))
    assert e.value.reason is InvalidReason.SIMULATOR_FORMAT and len(model.requests) == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
POINTER = st.from_regex(
    r"|/|(/log|/orders|/new)(/(-|0|00|-1|5|a|~2))?|/orders/0/(status|total)(/0|/a)?|bad", fullmatch=True
)
OPERATION = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "bogus"]), "path": POINTER},
    optional={"from": POINTER, "value": JSON},
)


@given(st.one_of(JSON, st.lists(OPERATION, max_size=4)), JSON)
def test_whatever_is_proposed_either_fits_or_says_why(patch: Any, facts: Any) -> None:
    ledger = Ledger(SHOP)
    try:
        proposal = ledger.propose(patch, facts)
    except UnusableReply as e:
        assert str(e)
        assert ledger.state == SHOP.initial_state
    else:
        ledger.commit(0, SHOP.tools[3], {}, OK, proposal)
        assert isinstance(ledger.state, dict)


def test_sessions_of_one_simulator_share_nothing() -> None:
    model = Scripted([patched(OK, REFUND)])
    simulator = LanguageSimulator(SHOP, model, memory="ledger", clock=CLOCK)
    first, second = simulator.open(), simulator.open()
    asyncio.run(first.call("refund", ORDER))
    assert first.state != second.state == SHOP.initial_state


def test_the_prompt_stays_flat_however_many_calls_and_facts() -> None:
    replies = [patched({"n": i}, facts={f"fact-{i}": f"about {i} " + "y" * 80}) for i in range(120)]
    model = Scripted(replies)
    session = opened(model, facts_shown=2000)

    async def work() -> None:
        for i in range(120):
            await session.call("note", {"text": f"note {i} " + "z" * 300})
        await session.call("note", {"text": "fact-3"})

    asyncio.run(work())
    sizes = [characters(r) for r in model.requests]
    # But for the keys of what is not shown, up to 2,000 characters of them.
    assert max(sizes[30:]) - min(sizes[30:]) < 2500
    assert len(session.facts) == 120
    last = model.requests[-1][1]["content"]
    assert '"fact-3":"about 3' in last and '"fact-119":"about' in last and '"fact-4":' not in last
    assert last.count("\nnote {") == 6


def test_what_a_call_names_is_shown_whole_however_long() -> None:
    text = "line\n" * 4000
    model = Scripted([patched(OK, facts={"/srv/a.txt": text, "/srv/b.txt": text, "weather": "wet"}), patched(OK)])
    session = opened(model, facts_shown=50)

    async def work() -> None:
        await session.call("note", {"text": "x"})
        await session.call("note", {"read": "/srv/a.txt"})

    asyncio.run(work())
    shown = model.requests[1][1]["content"]
    assert json.dumps({"/srv/a.txt": text}, separators=(",", ":"))[1:-1] in shown
    assert '"/srv/b.txt":' not in shown and '["/srv/b.txt","weather"]' in shown


@pytest.mark.parametrize(
    ("facts", "arguments"),
    [
        ({"A-1 carrier": "Red Mail"}, {"order_id": "A-1"}),
        ({"order 17": {"note": "x"}}, {"id": 17.0, "order": 17}),
        ({"note 3": {"file": "/srv/a.txt", "text": "x"}}, {"path": "/srv/a.txt"}),
        ({"customers": ["Ann"]}, {"sql": "select * from customers where 1 = 1"}),
        ({"log": ["A-1 refunded", "B-2 new"]}, {"ids": ["b-2"]}),
        ({"k": "approved"}, {"status": "Approved"}),
    ],
)
def test_a_call_names_a_fact_by_key_value_or_id(facts: JsonObject, arguments: JsonObject) -> None:
    others = {"B-27 carrier": "Blue Mail", "A-12": "y", "customers2": [], "order 170": 1}
    shown = shown_facts({**facts, **others}, "tool", arguments, room=0)
    assert json.loads(shown.text) == facts
    assert json.loads(shown.left_out) == list(others)


def test_the_rest_of_the_facts_comes_by_nearness_then_newest_first() -> None:
    facts = {f"thing {i}": "the harvest of barley" if i == 13 else "something else" for i in range(10, 60)}
    shown = json.loads(shown_facts(facts, "get_barley_report", {}, room=150).text)
    assert list(shown) == ["thing 13", *(f"thing {i}" for i in range(61 - len(shown), 60))] and len(shown) > 2


def test_earlier_calls_keep_what_tells_them_apart_and_their_answers() -> None:
    model = Scripted([patched({"saved": True, "as": f"N-{i}"}) for i in range(3)])
    session = opened(model)
    long = "The same long beginning of a text. " * 12

    async def work() -> None:
        for i in range(3):
            await session.call("note", {"text": f"{long}{i}", "order_id": f"A-{i}"})

    asyncio.run(work())
    last = model.requests[2][1]["content"]
    for i in range(2):
        line = next(
            line for line in last.splitlines() if line.startswith("note {") and f'"order_id":"A-{i}"' in line
        )
        assert line.endswith(f'-> {{"saved":true,"as":"N-{i}"}}') and len(line) < 400


def test_only_an_answer_whose_example_is_a_list_is_wrapped() -> None:
    model = Scripted([patched(SEEN), patched({"result": []})])
    session = opened(model)
    origins(session, READ, LIST)
    single, several = (request[1]["content"] for request in model.requests)
    assert "`result`" not in model.requests[0][0]["content"]
    assert '{"result": […]}' not in single and '{"result": […]}' in several


def test_rules_keep_what_binds_and_lose_what_the_prompt_says_itself() -> None:
    model = Scripted([patched(SEEN)])
    asyncio.run(opened(model).call("get_order", ORDER))
    system = model.requests[0][0]["content"]
    assert "A refund above the price fails" in system and "stays refunded" in system
    assert "validate that the amount is positive" in system
    for gone in ("State Initialization", "Action Space", "Output Assembly", "Calls are JSON", "JSON only", "{{"):
        assert gone not in system
    assert system.count("All orders of the shop") == 1 and '"status":"new"' not in system
    assert CLOCK in system


@pytest.mark.parametrize("memory", ["history", "ledger"])
@pytest.mark.parametrize("depth", [50, 300, 600, 900, 5000])
def test_a_reply_that_nests_without_end_is_a_format_break_and_nothing_worse(memory: str, depth: int) -> None:
    deep = '{"a":' * depth + "1" + "}" * depth
    reply = f'{{"order_id": {deep}}}'
    if memory == "ledger":
        reply = f'{{"observation": {reply}, "patch": [], "facts": {{"k": {deep}}}}}'
    simulator = LanguageSimulator(SHOP, Scripted([reply]), memory=memory, clock=CLOCK, facts_shown=10)
    session = WatchedSession(simulator.open(), SHOP)

    async def work() -> None:
        for _ in range(2):
            await session.call("get_order", ORDER)
            await session.call("note", ORDER)

    if depth == 50:
        asyncio.run(work())
        return
    with pytest.raises(InvalidSample) as e:
        asyncio.run(work())
    assert e.value.reason is InvalidReason.SIMULATOR_FORMAT
