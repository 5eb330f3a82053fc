"""A long conversation is shortened on the way to the model, stays valid, and is whole on record."""

import asyncio
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.agents.test_tool_loop import DESK
from tests.engine.rig import client_at
from tests.support import agent_behaviours
from tests.support.agent_behaviours import Calls, with_tool_calls
from tests.support.behaviours import OpenAIContextOverflow
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Body, completion, tool_call

from worktrial.agents.assignment import Assignment, Limits
from worktrial.agents.context import ContextKeeping, Conversation
from worktrial.agents.tool_loop import ToolLoop
from worktrial.engine.spend import Meter
from worktrial.language import Completion, JsonObject, JsonValue, Message, Usage
from worktrial.workplaces import Observation, Origin, StopReason, Trajectory

LONG = "x" * 3_000


class Files:
    """A session that answers every call with a long text."""

    state = None

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        return Observation({"text": LONG, "of": arguments}, Origin.EXECUTABLE)


def work(
    step: Any,
    rule: ContextKeeping,
    *,
    turns: int = 60,
    tools: list[JsonObject] | None = None,
    **client_settings: Any,
) -> tuple[Trajectory, list[ScriptedRequest]]:
    """Trajectory of an agent that behaves like `step` and keeps its context by `rule`, and its requests."""

    async def run(url: str) -> Trajectory:
        async with client_at(url, **client_settings) as client:
            assignment = Assignment(
                instruction="Close case 7.",
                clock="2026-02-03T10:00:00",
                tools=DESK.tool_specs if tools is None else tools,
                session=Files(),
                limits=Limits(turns=turns),
                context=rule,
            )
            await ToolLoop(client.model(Meter()))(assignment)
            return assignment.trajectory

    with ScriptedServer(Script(agent=step)) as server:
        trajectory = asyncio.run(run(server.url))
        # Servers of other wires refuse what breaks a rule of theirs, and thoughts that were changed.
        assert server.refused == []
        return trajectory, server.requests


def busy(calls: int) -> Any:
    return with_tool_calls(agent_behaviours.text_beside_calls, calls)


def looking(calls: int) -> Any:
    return Calls((("look", {"id": 7}),) * calls)


TRIM = ContextKeeping("trim", 10_000)


def test_everything_is_kept_unless_asked() -> None:
    trajectory, requests = work(busy(12), ContextKeeping())
    assert requests[-1].messages == trajectory.messages[:-1]
    assert trajectory.context is None


def test_the_oldest_results_give_way_to_a_stub_that_names_the_call() -> None:
    trajectory, requests = work(busy(24), TRIM)
    assert trajectory.stop_reason is StopReason.ANSWERED and len(trajectory.calls) == 24
    assert trajectory.context is not None
    assert trajectory.context.trims >= 2 and 10 <= trajectory.context.dropped < 24
    sent = requests[-1].messages
    oldest = next(m for m in sent if m["role"] == "tool")
    assert oldest["content"].startswith('{"dropped":"The result of look(') and LONG not in oldest["content"]
    # The latest results are never dropped while they fit, and the record is whole.
    assert [LONG in m["content"] for m in sent if m["role"] == "tool"][-2:] == [True, True]
    assert all(LONG in m["content"] for m in trajectory.messages if m["role"] == "tool")
    assert all(request.characters < 10_000 * 4 for request in requests)


def test_between_trims_the_beginning_stays_as_it_was_so_that_it_can_be_cached() -> None:
    trajectory, requests = work(busy(24), TRIM)
    assert trajectory.context is not None
    changed = sum(
        later.messages[: len(earlier.messages)] != earlier.messages for earlier, later in pairwise(requests)
    )
    assert changed == trajectory.context.trims


def test_a_context_that_is_smaller_than_thought_is_found_out() -> None:
    rule = ContextKeeping("trim", 100_000)
    trajectory, requests = work([OpenAIContextOverflow(5_000), busy(20)], rule)
    assert trajectory.stop_reason is StopReason.ANSWERED and len(trajectory.calls) == 20
    assert trajectory.context is not None
    # Once refused, it is known: the trims that follow come in time.
    assert trajectory.context.overflows == sum(r.status == 400 for r in requests) == 1
    assert trajectory.context.trims > 1


def test_what_fits_in_no_way_ends_as_a_full_context_with_the_work_on_record() -> None:
    trajectory, _ = work([OpenAIContextOverflow(1_500), busy(200)], TRIM, turns=300)
    assert trajectory.stop_reason is StopReason.CONTEXT_LIMIT
    assert trajectory.context is not None and trajectory.context.overflows > 1
    assert 5 < len(trajectory.calls) < 200
    kept, _ = work([OpenAIContextOverflow(1_500), busy(200)], ContextKeeping(), turns=300)
    assert kept.stop_reason is StopReason.CONTEXT_LIMIT and len(kept.calls) < len(trajectory.calls)


def noting(request: ScriptedRequest) -> Body | None:
    """Writes a note when reminded."""
    last = request.messages[-1]
    if last["role"] != "user" or "nears its bound" not in last["content"]:
        return None
    said = {"action": "append", "text": f"Looked {request.steps_done} times."}
    return completion(None, tool_calls=[tool_call("notes", said, f"note_{request.steps_done}")])


def test_a_model_writes_notes_that_are_shown_again_after_each_trim() -> None:
    trajectory, requests = work([noting, looking(30)], ContextKeeping("summarise", 10_000))
    assert trajectory.stop_reason is StopReason.ANSWERED
    assert trajectory.context is not None
    assert trajectory.context.trims == trajectory.context.notes >= 2
    assert "notes" in [tool["function"]["name"] for tool in requests[0].tools]
    shown = requests[-1].messages[1]["content"]
    assert shown.startswith("Close case 7.\n\nYour own notes so far:\nLooked ")
    assert len(trajectory.notes.splitlines()) == trajectory.context.notes
    # Notes are no calls in the workplace, and the instruction on record is the instruction.
    assert all(call.tool in ("look", "close") for call in trajectory.calls)
    assert trajectory.messages[1]["content"] == "Close case 7."


@pytest.mark.parametrize("wire", ["anthropic", "gemini", "responses", "json"])
@pytest.mark.parametrize("rule", ["trim", "summarise"])
def test_every_wire_takes_what_is_left_of_a_conversation(wire: str, rule: Any) -> None:
    how = {"tool_mode": "json"} if wire == "json" else {"wire": wire}
    trajectory, requests = work([noting, busy(24)], ContextKeeping(rule, 10_000), **how)
    assert trajectory.stop_reason is StopReason.ANSWERED
    assert trajectory.context is not None and trajectory.context.trims >= 2
    assert any("was dropped to make room" in str(m["content"]) for m in requests[-1].messages)
    assert all(request.characters < 10_000 * 4 for request in requests)


def test_who_is_reminded_and_writes_nothing_loses_the_results_all_the_same() -> None:
    trajectory, _ = work(looking(30), ContextKeeping("summarise", 10_000))
    assert trajectory.stop_reason is StopReason.ANSWERED
    assert trajectory.context is not None
    assert trajectory.context.trims >= 2 and trajectory.context.notes == 0 and trajectory.notes == ""


@pytest.mark.parametrize(
    ("arguments", "type"),
    [
        ({"action": "erase", "text": ""}, "invalid_arguments"),
        ({"action": "write"}, "invalid_arguments"),
        ("not JSON", "invalid_arguments"),
        ({"action": "write", "text": "x" * 10_000}, "too_long"),
    ],
)
def test_a_note_that_cannot_be_kept_is_refused(arguments: Any, type: str) -> None:
    call = tool_call("notes", {}, "c")
    call["function"]["arguments"] = arguments if isinstance(arguments, str) else completion_arguments(arguments)
    steps = [lambda r: completion(None, tool_calls=[call]) if r.steps_done == 0 else completion("Done.")]
    trajectory, requests = work(steps, ContextKeeping("summarise", 10_000))
    assert f'"type":"{type}"' in requests[-1].messages[-1]["content"]
    assert trajectory.calls == [] and trajectory.notes == ""
    assert trajectory.context is not None and trajectory.context.notes == 0


def completion_arguments(arguments: JsonObject) -> str:
    text: str = tool_call("notes", arguments, "c")["function"]["arguments"]
    return text


def test_a_workplace_with_notes_of_its_own_keeps_them() -> None:
    own = [{"type": "function", "function": {"name": "notes", "description": "", "parameters": {}}}]
    step = [Calls((("notes", {}),))]
    trajectory, requests = work(step, ContextKeeping("summarise", 10_000), tools=own)
    assert [tool["function"]["name"] for tool in requests[0].tools] == ["notes", "own_notes"]
    assert [call.tool for call in trajectory.calls] == ["notes"]


def spoken(texts: list[str], how: str, number: int) -> Completion:
    """A message that makes as many calls as there are texts, in one of the ways in which models call."""
    arguments = '{"id": 1}'
    message: Message = {"role": "assistant", "content": "I look."}
    if how == "text":
        block = '<tool_call>{"name": "look", "arguments": {"id": 1}}</tool_call>'
        message["content"] = block * len(texts)
    elif how == "function_call":
        del texts[1:]
        message["function_call"] = {"name": "look", "arguments": arguments}
    else:
        ids = ["same"] * len(texts) if how == "same ids" else [f"{number}.{i}" for i in range(len(texts))]
        function = {"name": "look", "arguments": arguments}
        message["tool_calls"] = [{"id": id, "type": "function", "function": function} for id in ids]
    return Completion(message, Usage(1, 0, 0), tools=DESK.tool_specs)


HOW = st.sampled_from(["calls", "same ids", "function_call", "text"])
TURNS = st.lists(st.tuples(HOW, st.lists(st.integers(0, 4_000), min_size=1, max_size=4)), max_size=12)


@settings(max_examples=150, deadline=None)
@given(turns=TURNS, rule=st.sampled_from(["trim", "summarise"]), overflows=st.sets(st.integers(0, 12)))
def test_every_call_keeps_its_answer_and_every_assistant_message_its_words(
    turns: list[tuple[str, list[int]]], rule: Any, overflows: set[int]
) -> None:
    trajectory = Trajectory()
    context = Conversation(ContextKeeping(rule, 2_000), trajectory, DESK.tool_specs)
    context.add({"role": "system", "content": "s"}, {"role": "user", "content": "u"})
    for number, (how, sizes) in enumerate(turns):
        context.make_room()
        if number in overflows:
            context.make_more_room()
        texts = ["x" * size for size in sizes]
        said = spoken(texts, how, number)
        context.hear(said)
        pictures = [{"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 9_000}}]
        context.answer(said, texts, {"role": "user", "content": pictures} if number % 5 == 4 else None)
        record, sent = trajectory.messages, context.sent
        assert [(m["role"], m.get("tool_call_id")) for m in sent] == [
            (m["role"], m.get("tool_call_id")) for m in record
        ]
        assert [m for m in sent if m["role"] == "assistant"] == [m for m in record if m["role"] == "assistant"]
        asked = Counter(c["id"] for m in sent for c in m.get("tool_calls", ()))
        assert asked == Counter(m["tool_call_id"] for m in sent if m["role"] == "tool")
        # A count kept step by step is the count of what is sent.
        whole = Conversation(ContextKeeping(rule, 2_000), Trajectory(), DESK.tool_specs)
        whole.add(*sent)
        assert context.tokens == whole.tokens
