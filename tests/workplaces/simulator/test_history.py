import asyncio

import pytest
from tests.workplaces.scripted import Scripted
from tests.workplaces.shop import CLOCK, SHOP

from worktrial.errors import InvalidReason, InvalidSample
from worktrial.workplaces import LanguageSimulator, Origin, Session

ORDER = {"order_id": "A-1"}


def opened(model: Scripted, **options: object) -> Session:
    return LanguageSimulator(SHOP, model, memory="history", clock=CLOCK, **options).open()


def test_the_whole_conversation_is_sent_and_repairs_leave_no_trace() -> None:
    model = Scripted(["[1]", "no idea", {"status": "new"}, '```json\n{"status": "refunded"}\n```'])
    session = opened(model)

    async def work() -> None:
        first = await session.call("get_order", ORDER)
        assert first.content == {"status": "new"} and first.origin is Origin.SIMULATOR
        second = await session.call("refund", ORDER)
        assert second.content == {"status": "refunded"}
        assert [m["role"] for m in first.exchange] == [
            "user",
            "assistant",
            "user",
            "assistant",
            "user",
            "assistant",
        ]
        assert [m["role"] for m in second.exchange] == ["user", "assistant"]

    asyncio.run(work())
    assert model.draws == [0, 1, 2, 0]
    assert [m["role"] for m in model.requests[3]] == ["system", "user", "assistant", "user"]
    assert model.requests[3][2]["content"] == '{"status":"new"}'
    assert model.requests[3][1]["content"] == '{"name":"get_order","arguments":{"order_id":"A-1"}}'
    assert model.schemas[0] == {"type": "object"}
    assert session.state is None
    assert "a JSON list" in model.requests[1][-1]["content"]


def test_a_call_that_cannot_be_made_asks_no_model() -> None:
    model = Scripted([{"status": "ok"}])
    session = opened(model)
    unknown = asyncio.run(session.call("get_odor", ORDER))
    wrong = asyncio.run(session.call("get_order", {"order_id": 7}))
    text = asyncio.run(session.call("get_order", "{not json"))
    assert {o.origin for o in (unknown, wrong, text)} == {Origin.REFUSAL}
    assert unknown.content["error"]["type"] == "unknown_tool"
    assert model.requests == []


@pytest.mark.parametrize(
    "reply",
    ["", "[]", '"done"', "12", "null", "prose only", '{"a": 1} {"a": 2}', '{"a": "\\ud800"}', "[" * 100_000],
)
def test_repair_is_bounded_and_the_error_shows_little(reply: str) -> None:
    model = Scripted([reply])
    with pytest.raises(InvalidSample) as e:
        asyncio.run(opened(model).call("get_order", ORDER))
    assert e.value.reason is InvalidReason.SIMULATOR_FORMAT
    assert len(model.requests) == 3 and model.draws == [0, 1, 2]
    assert len(e.value.detail) < 500
    assert all(len(m["content"]) < 5000 for m in model.requests[-1])


def test_an_answer_cut_at_the_limit_is_told_so() -> None:
    model = Scripted(['{"status": "ne'], stop_reason="length")
    with pytest.raises(InvalidSample):
        asyncio.run(opened(model).call("get_order", ORDER))
    assert "broke off" in model.requests[1][-1]["content"]


def test_an_unusable_call_leaves_the_conversation_as_it_was() -> None:
    model = Scripted(["x", "x", "x", {"status": "new"}])
    session = opened(model)
    with pytest.raises(InvalidSample):
        asyncio.run(session.call("get_order", ORDER))
    asyncio.run(session.call("get_order", ORDER))
    assert [m["role"] for m in model.requests[3]] == ["system", "user"]


def test_the_prompt_holds_each_part_once_with_clock_and_task() -> None:
    model = Scripted([{"status": "ok"}])
    asyncio.run(opened(model, task="Refund A-1 for Ms Park.").call("get_order", ORDER))
    system = model.requests[0][0]["content"]
    assert system.count('{"orders":[{"order_id":"A-1","status":"new","total":20}],"log":[]}') == 1
    assert system.count('"description":"Refunds an order."') == 1
    assert system.count('{"orders":"All orders of the shop","log":"What was done"}') == 1
    assert CLOCK in system and "Ms Park" in system
    assert "{{" not in system and "`action definitions`" in system


def test_parallel_calls_of_one_session_run_in_order() -> None:
    model = Scripted([{"n": 1}, {"n": 2}, {"n": 3}])
    session = opened(model)

    async def work() -> list[object]:
        calls = [session.call("note", {"text": str(i)}) for i in range(3)]
        return [o.content["n"] for o in await asyncio.gather(*calls)]

    assert asyncio.run(work()) == [1, 2, 3]
    assert [len(r) for r in model.requests] == [2, 4, 6]


def test_arguments_may_hold_anything_json_can_say() -> None:
    model = Scripted([{"ok": True}])
    asyncio.run(opened(model).call("note", {"text": "\ud800 한글", "n": 2**80, "deep": [{"a": [None]}]}))
    assert "한글" in model.requests[0][1]["content"] or "\\ud55c" in model.requests[0][1]["content"]
