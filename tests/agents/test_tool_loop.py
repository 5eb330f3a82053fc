"""Whatever a model does at work is put on record; nothing it does is an error of the sample."""

import asyncio
from typing import Any

import pytest
from tests.engine.rig import client_at
from tests.support import agent_behaviours, behaviours
from tests.support.agent_behaviours import Calls, with_tool_calls
from tests.support.behaviours import LlamaContextOverflow, OpenAIContextOverflow, Says
from tests.support.combinators import OnTurn
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Body, completion, error_reply, tool_call

from worktrial.agents import assignment as assignment_module
from worktrial.agents.assignment import Assignment, Limits
from worktrial.agents.tool_loop import MOST_CALLS_AT_ONCE, ToolLoop
from worktrial.engine.roles import Role
from worktrial.engine.spend import Meter
from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import JsonObject, JsonValue, said_in
from worktrial.workplaces import Observation, Origin, StopReason, Tool, Trajectory, Workplace
from worktrial.workplaces.session import refusal

ID = {
    "type": "object",
    "properties": {"id": {"type": "integer"}},
    "required": ["id"],
    "additionalProperties": False,
}
DESK = Workplace(
    "desk", "", (Tool("look", "Shows a case.", ID), Tool("close", "Closes it.", {"type": "object"})), {}
)


class Desk:
    """A session that answers every fitting call with its number."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.made: list[tuple[str, JsonValue]] = []
        self._seconds = seconds

    @property
    def state(self) -> JsonObject | None:
        return None

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        refused = refusal(DESK, tool, arguments)
        if refused is not None:
            return refused
        await asyncio.sleep(self._seconds)
        self.made.append((tool, arguments))
        return Observation({"n": len(self.made)}, Origin.EXECUTABLE)


UNREAD = Says("<tool_call>look at 1</tool_call>")
LOOK_NOW = '<tool_call>{"name": "look", "arguments": {"id": 1}}</tool_call>'


def work(
    step: Any, *, desk: Desk | None = None, limits: Limits | None = None, **script: Any
) -> tuple[Trajectory, Any]:
    """The trajectory of an agent that behaves like `step`, and the requests it took."""

    async def run(url: str) -> Trajectory:
        async with client_at(url, price=(0, 1e6)) as client:
            meter = Meter()
            assignment = Assignment(
                instruction="Close case 7.",
                clock="2026-02-03T10:00:00",
                tools=DESK.tool_specs,
                session=desk or Desk(),
                limits=limits or Limits(turns=12),
                tokens=lambda: meter.tokens(Role.AGENT),
                cost=lambda: meter.known_cost,
            )
            await ToolLoop(client.model(meter))(assignment)
            return assignment.trajectory

    with ScriptedServer(Script(agent=step, **script)) as server:
        return asyncio.run(run(server.url)), server.requests


def test_a_trial_from_assignment_to_answer() -> None:
    desk = Desk()
    trajectory, requests = work((), desk=desk)
    system, user = requests[0].messages
    assert "2026-02-03T10:00:00" in system["content"]
    assert user == {"role": "user", "content": "Close case 7."}
    assert requests[0].tools == DESK.tool_specs
    assert desk.made == [("look", {"id": 1}), ("close", {})]
    assert (trajectory.answer, trajectory.stop_reason) == ("The work is done.", StopReason.ANSWERED)
    assert trajectory.turns == 3
    assert [(c.index, c.turn, c.tool) for c in trajectory.calls] == [(0, 0, "look"), (1, 1, "close")]
    assert requests[2].messages[3] == {"role": "tool", "tool_call_id": "call_0", "content": '{"n":1}'}
    # What is on record is what went over the wire.
    assert trajectory.messages[:-1] == requests[2].messages


def types_of(trajectory: Trajectory) -> set[str]:
    """The kinds of error observations, "" for none."""
    return {c.observation.content.get("error", {}).get("type", "") for c in trajectory.calls}


@pytest.mark.parametrize(
    ("step", "types"),
    [
        (agent_behaviours.stop_with_tool_calls, {""}),
        (agent_behaviours.no_finish_reason, {""}),
        (agent_behaviours.text_beside_calls, {""}),
        (agent_behaviours.unknown_fields, {""}),
        (agent_behaviours.missing_ids, {""}),
        (agent_behaviours.null_ids, {""}),
        (agent_behaviours.duplicate_ids, {""}),
        (agent_behaviours.RepeatsOneCall(), {""}),
        (agent_behaviours.arguments_not_json, {"invalid_arguments"}),
        (agent_behaviours.arguments_a_list, {"invalid_arguments"}),
        (agent_behaviours.arguments_a_scalar, {"invalid_arguments"}),
        (agent_behaviours.arguments_unfit, {"invalid_arguments", ""}),
        (agent_behaviours.arguments_parsed, {"invalid_arguments", ""}),
        (agent_behaviours.arguments_empty, {"invalid_arguments", ""}),
        (agent_behaviours.arguments_null, {"invalid_arguments", ""}),
        (agent_behaviours.unknown_tool, {"unknown_tool"}),
        (agent_behaviours.call_without_name, {"unknown_tool"}),
        (agent_behaviours.call_without_function, {"unknown_tool"}),
    ],
)
def test_a_misbehaving_agent_gets_an_observation_and_goes_on(step: Any, types: set[str]) -> None:
    trajectory, requests = work(step)
    assert trajectory.stop_reason is StopReason.ANSWERED
    assert trajectory.answer == "The work is done."
    assert len(trajectory.calls) == 2
    # A tool without required arguments may be called with none; one that needs them may not.
    assert types_of(trajectory) == types
    results = [m for m in requests[-1].messages if m["role"] == "tool"]
    assert len(results) == 2
    assert all(isinstance(m["tool_call_id"], str) for m in results)
    assert [m for m in requests[-1].messages if m["role"] == "assistant"] == [
        m for m in trajectory.messages if m["role"] == "assistant"
    ][:-1]


SPELLINGS = {
    "hermes": "Let me see.</think>\n<tool_call>\n{}\n</tool_call>",
    "bare": "{}",
    "fence": "I look it up.\n```json\n{}\n```",
    "list": "<think>Look?</think>[{}]",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_calls_in_the_text_are_carried_out_and_answered_where_any_endpoint_accepts_it(spelling: str) -> None:
    calls = ['{"name": "look", "arguments": {"id": 1}}', '{"name": "close", "arguments": {}}']

    def agent(request: ScriptedRequest) -> Body:
        done = sum("<tool_response>" in str(m["content"]) for m in request.messages)
        return completion(
            SPELLINGS[spelling].replace("{}", calls[done]) if done < 2 else "Closed?</think>It is closed."
        )

    desk = Desk()
    trajectory, requests = work(agent, desk=desk)
    assert desk.made == [("look", {"id": 1}), ("close", {})]
    assert (trajectory.answer, trajectory.stop_reason) == ("It is closed.", StopReason.ANSWERED)
    # The model sees its own words as it said them, and no endpoint a result of a call that it does not know.
    assert [m["role"] for m in requests[-1].messages] == ["system", "user", *["assistant", "user"] * 2]
    assert requests[-1].messages[2]["content"] == trajectory.messages[2]["content"]
    assert requests[-1].messages[3]["content"] == '<tool_response>\n{"n":1}\n</tool_response>'
    # What a judge reads is what was read as it came.
    assert list(trajectory.words.values()) == said_in(trajectory.messages, ["look", "close"])


def test_a_legacy_function_call_is_carried_out() -> None:
    def agent(request: ScriptedRequest) -> Body:
        body = completion("It is closed.")
        if request.messages[-1]["role"] == "user":
            body = completion(None, finish_reason="function_call")
            body["choices"][0]["message"]["function_call"] = {"name": "look", "arguments": '{"id": 1}'}
        return body

    desk = Desk()
    trajectory, requests = work(agent, desk=desk)
    assert desk.made == [("look", {"id": 1})] and trajectory.answer == "It is closed."
    assert requests[-1].messages[-1] == {"role": "function", "name": "look", "content": '{"n":1}'}


@pytest.mark.parametrize("calling", [LOOK_NOW, "Look?</think>" + LOOK_NOW])
def test_a_call_in_the_text_with_broken_arguments_gets_an_observation(calling: str) -> None:
    trajectory, _ = work([OnTurn({0}, lambda r: completion(calling.replace("1", "one")))], tool_calls=0)
    assert types_of(trajectory) == {"invalid_arguments"}
    assert trajectory.stop_reason is StopReason.ANSWERED


@pytest.mark.parametrize(
    "raw", ["[" * 5000, '{"id": "\\ud800"}', '{"id": 1e999}', '{"id": 1} {"id": 2}', 7, True, [1]]
)
def test_arguments_beyond_the_protocol(raw: Any) -> None:
    call = tool_call("look", {}, "c")
    call["function"]["arguments"] = raw
    trajectory, _ = work([OnTurn({0}, lambda r: completion(None, tool_calls=[call]))], tool_calls=1)
    assert types_of(trajectory) == {"invalid_arguments"}
    assert trajectory.calls[0].arguments == raw
    assert trajectory.stop_reason is StopReason.ANSWERED


def test_calls_of_one_message_run_in_order() -> None:
    desk = Desk(seconds=0.01)
    trajectory, requests = work(agent_behaviours.several_calls, desk=desk, tool_calls=6)
    assert [tool for tool, _ in desk.made] == ["look", "close"] * 3
    assert [c.turn for c in trajectory.calls] == [0, 0, 0, 1, 1, 1]
    assert [m["content"] for m in requests[1].messages if m["role"] == "tool"] == ['{"n":1}', '{"n":2}', '{"n":3}']
    assert all(c.seconds >= 0.009 for c in trajectory.calls)


def test_of_six_hundred_calls_in_one_message_a_hundred_are_made() -> None:
    calls = [tool_call("look", {"id": n}, f"c{n}") for n in range(600)]
    desk = Desk()
    trajectory, requests = work(
        [OnTurn({0}, lambda r: completion(None, tool_calls=calls))], desk=desk, tool_calls=1
    )
    assert [arguments["id"] for _, arguments in desk.made] == list(range(MOST_CALLS_AT_ONCE))
    answers = [m for m in requests[1].messages if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in answers] == [call["id"] for call in calls]
    assert len(trajectory.calls) == 600 and "too_many_calls" in answers[MOST_CALLS_AT_ONCE]["content"]
    assert trajectory.stop_reason is StopReason.ANSWERED


def test_a_sample_has_so_many_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment_module, "MOST_CALLS", 5)
    trajectory, _ = work(agent_behaviours.several_calls, tool_calls=30, limits=Limits(turns=None))
    assert trajectory.stop_reason is StopReason.TURN_LIMIT
    assert 5 <= len(trajectory.calls) < 5 + MOST_CALLS_AT_ONCE


REFUSES = lambda r: completion([{"type": "refusal", "refusal": "I can't do that."}])  # noqa: E731
FILTERS = lambda r: error_reply(400, "The prompt was filtered.", code="content_filter")  # noqa: E731


@pytest.mark.parametrize(
    ("step", "reason", "said"),
    [
        (behaviours.filtered, "content_filter", "filter"),
        (REFUSES, "refused", "I can't do that"),
        (Says("", finish_reason="refusal"), "refused", "refused"),
        (
            lambda r: error_reply(400, "The prompt was filtered.", code="content_filter"),
            "content_filter",
            "filtered",
        ),
    ],
)
def test_an_answer_that_the_provider_kept_is_no_empty_answer(step: Any, reason: str, said: str) -> None:
    # Before the agent got a word in, there is nothing to judge it by.
    with pytest.raises(InvalidSample, match=said) as e:
        work(step)
    assert e.value.reason is InvalidReason(reason)
    # Afterwards the work is judged as it stands, with the reason on record.
    trajectory, _ = work([OnTurn({2}, step)])
    assert (trajectory.stop_reason, trajectory.answer, len(trajectory.calls)) == (StopReason(reason), "", 2)


def test_a_call_that_was_cut_is_answered_and_an_answer_that_was_cut_ends() -> None:
    trajectory, requests = work(agent_behaviours.cut_in_call)
    assert types_of(trajectory) == {"invalid_arguments"}
    assert len(requests) == 3
    assert (trajectory.stop_reason, trajectory.answer) == (StopReason.CUT_ANSWER, "The work is done.")


def test_text_parts_are_an_answer() -> None:
    trajectory, _ = work(agent_behaviours.text_parts)
    assert trajectory.answer == "The work is done.That is all."
    assert trajectory.stop_reason is StopReason.ANSWERED


@pytest.mark.parametrize(
    ("step", "reason", "answer"),
    [
        (agent_behaviours.answers_at_once, StopReason.ANSWERED, "Nothing needs to be done."),
        (behaviours.empty_content, StopReason.EMPTY_ANSWER, ""),
        (behaviours.null_content, StopReason.EMPTY_ANSWER, ""),
        (UNREAD, StopReason.UNREAD_CALL, UNREAD.content),
        (Says("It is", finish_reason="content_filter"), StopReason.CONTENT_FILTER, "It is"),
        (Says(" \n"), StopReason.EMPTY_ANSWER, " \n"),
        (Says([]), StopReason.EMPTY_ANSWER, ""),
        (Says({"odd": 1}), StopReason.EMPTY_ANSWER, ""),
        (behaviours.cut_by_length, StopReason.CUT_ANSWER, "The first step of the work is"),
        (LlamaContextOverflow(), StopReason.CONTEXT_LIMIT, ""),
        (OpenAIContextOverflow(), StopReason.CONTEXT_LIMIT, ""),
    ],
)
def test_how_work_ends(step: Any, reason: StopReason, answer: str) -> None:
    trajectory, requests = work(step)
    assert (trajectory.stop_reason, trajectory.answer) == (reason, answer)
    assert len(requests) == 1
    assert trajectory.turns == (0 if reason is StopReason.CONTEXT_LIMIT else 1)


@pytest.mark.parametrize("overflow", [LlamaContextOverflow(400), OpenAIContextOverflow(400)])
def test_a_conversation_that_outgrows_its_context(overflow: Any) -> None:
    busy = with_tool_calls(agent_behaviours.text_beside_calls, 500)
    trajectory, _ = work([overflow, busy], limits=Limits(turns=500))
    assert trajectory.stop_reason is StopReason.CONTEXT_LIMIT
    assert trajectory.turns == len(trajectory.calls) > 5


@pytest.mark.parametrize(
    ("limits", "reason", "turns"),
    [
        (Limits(turns=3), StopReason.TURN_LIMIT, 3),
        (Limits(turns=0), StopReason.TURN_LIMIT, 0),
        (Limits(turns=None, tokens=600), StopReason.TOKEN_LIMIT, None),
        (Limits(turns=None, cost=5), StopReason.COST_LIMIT, None),
        (Limits(turns=None, seconds=0.15), StopReason.TIME_LIMIT, None),
    ],
)
def test_an_agent_that_never_stops_is_stopped(limits: Limits, reason: StopReason, turns: int | None) -> None:
    trajectory, requests = work(agent_behaviours.never_stops, limits=limits)
    assert trajectory.stop_reason is reason
    assert trajectory.turns == len(requests) == len(trajectory.calls)
    assert trajectory.turns == turns if turns is not None else 0 < trajectory.turns < 500
    assert trajectory.answer == ""


def test_the_endpoints_trouble_is_not_the_agents() -> None:
    with pytest.raises(InvalidSample) as caught:
        work(behaviours.Html())
    assert caught.value.reason is InvalidReason.BAD_REPLY


def test_calls_with_given_arguments() -> None:
    desk = Desk()
    work(Calls((("look", {"id": 7}), ("close", {"deep": [{"x": None}]}))), desk=desk)
    assert desk.made == [("look", {"id": 7}), ("close", {"deep": [{"x": None}]})]


def test_the_workplace_may_give_up() -> None:
    class Closed(Desk):
        async def call(self, tool: str, arguments: JsonValue) -> Observation:
            raise InvalidSample(InvalidReason.SIMULATOR_FORMAT, "prose")

    with pytest.raises(InvalidSample, match="simulator_format"):
        work((), desk=Closed())
