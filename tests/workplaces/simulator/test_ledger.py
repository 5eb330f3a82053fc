import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.workplaces.scripted import Scripted, characters, patched
from tests.workplaces.shop import CLOCK, SHOP

from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.workplaces import LanguageSimulator, LedgerSession, Origin, Workplace
from worktrial.workplaces.simulator.ask import UnusableReply
from worktrial.workplaces.simulator.ledger import Ledger

ORDER = {"order_id": "A-1"}
REFUND = {"op": "replace", "path": "/orders/0/status", "value": "refunded"}
FACT = {"op": "add", "path": "/_facts/A-1.carrier", "value": "Red Mail"}


def opened(model: Scripted) -> LedgerSession:
    session = LanguageSimulator(SHOP, model, memory="ledger", clock=CLOCK).open()
    assert isinstance(session, LedgerSession)
    return session


def test_patches_change_the_state_and_are_kept_in_order() -> None:
    model = Scripted([patched({"status": "refunded"}, REFUND), patched({"order_id": "A-1"}, FACT)])
    session = opened(model)

    async def work() -> None:
        await session.call("nothing_like_it", {})
        assert (await session.call("refund", ORDER)).content == {"status": "refunded"}
        await session.call("get_order", ORDER)

    asyncio.run(work())
    assert session.state == {"orders": [{"order_id": "A-1", "status": "refunded", "total": 20}], "log": []}
    assert session.facts == {"A-1.carrier": "Red Mail"}
    assert SHOP.initial_state["orders"][0]["status"] == "new"
    assert [(e.call, e.tool, e.patch) for e in session.ledger] == [
        (1, "refund", (REFUND,)),
        (2, "get_order", (FACT,)),
    ]
    second = model.requests[1][1]["content"]
    assert '"status":"refunded"' in second and "refund {" in second
    assert "Refunds an order." not in second and "Shows an order." in second
    assert set(model.schemas[0]["properties"]) == {"observation", "patch"}


def test_a_repeated_read_needs_no_model_until_the_state_changes() -> None:
    shown = patched({"order_id": "A-1", "carrier": "Red Mail"}, FACT)
    model = Scripted([shown, patched({"orders": 1}, FACT), patched({}, REFUND), shown, patched({}, REFUND)])
    session = opened(model)

    async def work() -> list[Origin]:
        steps = [
            ("get_order", ORDER),
            ("get_order", ORDER),
            ("list_orders", {}),  # records a fact, which leaves earlier reads valid
            ("get_order", ORDER),
            ("refund", ORDER),
            ("get_order", ORDER),
            ("refund", ORDER),  # a write is never answered from the ledger
        ]
        observations = [await session.call(tool, arguments) for tool, arguments in steps]
        assert observations[1].content == observations[0].content
        assert observations[1].content is not observations[0].content
        return [o.origin for o in observations]

    simulator, ledger = Origin.SIMULATOR, Origin.LEDGER
    assert asyncio.run(work()) == [simulator, ledger, simulator, ledger, simulator, simulator, simulator]
    assert [e.call for e in session.ledger] == [0, 2, 4, 5, 6]


def test_a_read_whose_own_patch_changed_the_state_is_asked_again() -> None:
    counts = patched({"n": 1}, {"op": "add", "path": "/log/-", "value": "seen"})
    model = Scripted([counts])
    session = opened(model)
    for _ in range(2):
        assert asyncio.run(session.call("get_order", ORDER)).origin is Origin.SIMULATOR
    assert session.state is not None and session.state["log"] == ["seen", "seen"]


BAD_PATCHES: list[tuple[Any, InvalidReason]] = [
    ([{"op": "replace", "path": "/nowhere/inside", "value": 1}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "remove", "path": "/nowhere"}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "test", "path": "/log", "value": 1}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "add", "path": "no/slash", "value": 1}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "add", "path": "/log"}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "move", "path": "/log"}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "replace", "path": "", "value": []}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "replace", "path": "", "value": {"a": 1}}], InvalidReason.SIMULATOR_PATCH),
    ([{"op": "remove", "path": "/_facts"}], InvalidReason.SIMULATOR_PATCH),
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
    bad = {"observation": {"x": 1}, "patch": patch}
    model = Scripted([bad, patched({"x": 2}, REFUND)])
    session = opened(model)
    assert asyncio.run(session.call("refund", ORDER)).content == {"x": 2}
    assert "`patch`" in model.requests[1][-1]["content"] and model.draws == [0, 1]

    hopeless = Scripted([bad])
    session = opened(hopeless)
    with pytest.raises(InvalidSample) as e:
        asyncio.run(session.call("refund", ORDER))
    assert e.value.reason is reason and len(hopeless.requests) == 2
    assert session.state == SHOP.initial_state and session.facts == {} and session.ledger == ()


@pytest.mark.parametrize(
    "reply",
    ['{"patch": []}', '{"observation": ["a"], "patch": []}', '{"observation": {}}', "{}", "[]", "", "prose"],
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
    r"|/|(/log|/orders|/_facts|/new)(/(-|0|00|-1|5|a|~2))?|/orders/0/(status|total)(/0|/a)?|bad", fullmatch=True
)
OPERATION = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "bogus"]), "path": POINTER},
    optional={"from": POINTER, "value": JSON},
)


@given(st.one_of(JSON, st.lists(OPERATION, max_size=4)))
def test_whatever_is_proposed_either_fits_or_says_why(patch: Any) -> None:
    ledger = Ledger(SHOP)
    try:
        proposal = ledger.propose(patch)
    except UnusableReply as e:
        assert str(e)
        assert ledger.state == SHOP.initial_state
    else:
        assert isinstance(proposal.document["_facts"], dict)
        ledger.commit(0, "note", proposal)
        assert isinstance(ledger.state, dict) and "_facts" not in ledger.state


def test_sessions_of_one_simulator_share_nothing() -> None:
    model = Scripted([patched({}, REFUND)])
    simulator = LanguageSimulator(SHOP, model, memory="ledger", clock=CLOCK)
    first, second = simulator.open(), simulator.open()
    asyncio.run(first.call("refund", ORDER))
    assert first.state != second.state == SHOP.initial_state


def test_the_prompt_stays_flat_however_many_calls_and_facts() -> None:
    replies = [
        patched({"n": i}, {"op": "add", "path": f"/_facts/fact-{i}", "value": f"about {i} " + "y" * 80})
        for i in range(120)
    ]
    model = Scripted(replies)
    session = opened(model)

    async def work() -> None:
        for i in range(120):
            await session.call("note", {"text": f"note {i} " + "z" * 300})
        await session.call("note", {"text": "fact-3"})

    asyncio.run(work())
    sizes = [characters(r) for r in model.requests]
    assert max(sizes[30:]) - min(sizes[30:]) < 500
    assert len(session.facts) == 120
    last = model.requests[-1][1]["content"]
    assert "fact-3" in last.split("Action:")[0] and "fact-119" in last
    assert last.count("\nnote {") == 6


def test_rules_keep_what_binds_and_lose_what_the_prompt_says_itself() -> None:
    model = Scripted([patched({})])
    asyncio.run(opened(model).call("get_order", ORDER))
    system = model.requests[0][0]["content"]
    assert "A refund above the price fails" in system and "stays refunded" in system
    assert "validate that the amount is positive" in system
    for gone in ("State Initialization", "Action Space", "Output Assembly", "Calls are JSON", "JSON only", "{{"):
        assert gone not in system
    assert system.count("All orders of the shop") == 1 and '"status":"new"' not in system
    assert CLOCK in system


def test_the_reserved_key_cannot_be_a_field_of_the_state() -> None:
    taken = Workplace("w", "rules", SHOP.tools, {"_facts": 1}, source="w.json")
    with pytest.raises(DataError, match=r"w\.json.*_facts"):
        LanguageSimulator(taken, Scripted([{}]), memory="ledger", clock=CLOCK).open()
