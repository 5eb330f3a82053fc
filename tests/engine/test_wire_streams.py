"""Streamed answers on the wires of Anthropic, Gemini and OpenAI Responses: as on chat completions."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.rig import HELLO, QUICK, ask, with_client
from tests.engine.test_wires import WIRES, conversation, every_wire
from tests.support.asking import CLOSE, LOOK
from tests.support.happy import HappyAgent, yes_or_no
from tests.support.script import Endpoint, Script
from tests.support.scripted_server import ScriptedServer
from tests.support.streams import Streaming
from tests.support.wire import completion, error_reply, tool_call
from tests.support.wires import all_wires

from worktrial.engine.client import Client
from worktrial.engine.providers import gemini, messages, responses
from worktrial.engine.providers.streams import put_together
from worktrial.engine.roles import Role
from worktrial.engine.spend import Meter
from worktrial.engine.wire import PROVIDER_BLOCKS, NotACompletion
from worktrial.errors import InvalidReason, InvalidSample, StopRun
from worktrial.language import Completion

MODULES: dict[str, Any] = {"anthropic": messages, "gemini": gemini, "responses": responses}
CALLS = [tool_call("look", {"id": 1, "note": "ünï 🚢", "list": [1.5, None]}, "a"), tool_call("close", {}, "b")]
RICH = {**completion("Zwölf Kräne, 三艘船 and 🚢.", tool_calls=CALLS, finish_reason="tool_calls"), "id": "rich"}
MANNERS = [
    Streaming(),
    Streaming(piece=1),
    Streaming(piece=5, characters=1, comments=True),
    Streaming(line_end="\r\n", comments=True),
    Streaming(characters=1, repeats_names=True),
]


def without_ids(answer: Completion) -> Any:
    """An answer without the ids that are ours where the wire gives none: they follow from the bytes."""
    blocks = answer.message[PROVIDER_BLOCKS]
    calls = [call["function"] for call in answer.tool_calls]
    return replace(answer, message={}), calls, answer.text, blocks, answer.message.get("reasoning_content")


@every_wire
@pytest.mark.parametrize("manner", MANNERS, ids=str)
def test_a_streamed_answer_is_the_answer_that_came_whole(wire: str, manner: Streaming) -> None:
    request = {"tools": [LOOK, CLOSE]}
    with ScriptedServer(Script(agent=lambda r: RICH, stream=manner)) as server:
        whole = ask(server.url, wire=wire, stream="off", request=request)
        streamed = ask(server.url, wire=wire, stream="on", request=request)
        assert server.refused == []
        assert [bool(r.body.get("stream")) for r in server.requests] == [False, True]
    assert without_ids(streamed) == without_ids(whole)
    assert len(streamed.tool_calls) == 2
    assert "Thoughts about rich." in streamed.message["reasoning_content"]
    assert streamed.usage.input_tokens and streamed.usage.output_tokens


@every_wire
@pytest.mark.parametrize("manner", [Streaming(characters=3), Streaming(piece=7, comments=True)], ids=str)
def test_signatures_put_together_go_back_as_they_came(wire: str, manner: Streaming) -> None:
    script = Script(agent=HappyAgent(tool_calls=4, per_message=2), stream=manner)
    with ScriptedServer(script) as server:
        _, said = with_client(server.url, conversation, wire=wire, stream="on")
        # A server of that wire refuses what was changed; it had nothing to refuse.
        assert server.refused == []
        assert all(r.body.get("stream") for r in server.requests)
    assert [len(one.tool_calls) for one in said] == [2, 2, 0]


texts = st.none() | st.text(max_size=20)
calls = st.lists(
    st.builds(
        tool_call,
        st.text(min_size=1, max_size=6),
        st.dictionaries(st.text(max_size=5), st.integers(-(2**53), 2**53) | st.text(max_size=5), max_size=3),
        st.text("abc_-12", min_size=1, max_size=4),
    ),
    max_size=3,
    unique_by=lambda call: call["id"],
)


@every_wire
@given(content=texts, made=calls, characters=st.integers(1, 9), comments=st.booleans())
@settings(deadline=None)
def test_any_answer_survives_streaming(wire: str, content: Any, made: Any, characters: int, comments: bool) -> None:
    spoken = all_wires()[wire]
    body = {
        **completion(content or (None if made else ""), tool_calls=made),
        "id": "a",
        "model": "m",
        "usage": None,
    }
    whole = spoken.reply(body)
    data = b"".join(spoken.events(whole, Streaming(characters=characters, comments=comments)))
    joined = json.loads(put_together(data, MODULES[wire]._whole))
    content_of = {"anthropic": "content", "gemini": "candidates", "responses": "output"}[wire]
    assert joined[content_of] == whole[content_of]


def test_log_probabilities_are_streamed_too() -> None:
    for wire in ("gemini", "responses"):
        with ScriptedServer(Script(judge=lambda request: yes_or_no(0.9, 5))) as server:
            told = ask(server.url, wire=wire, role=Role.JUDGE, stream="on", request={"top_logprobs": 5})
        assert told.first_token is not None
        assert told.first_token[" yes"] == pytest.approx(-0.1056, abs=0.01)


@every_wire
def test_high_effort_is_streamed_by_default(wire: str) -> None:
    with ScriptedServer() as server:
        for effort in ("low", "high"):
            ask(server.url, wire=wire, effort=effort)
        ask(server.url, wire=wire, effort="high", stream="off")
    assert [bool(r.body.get("stream")) for r in server.requests] == [False, True, False]


@every_wire
@pytest.mark.parametrize("serves", ["only", "never"])
def test_an_endpoint_that_serves_one_way_alone(wire: str, serves: Any, capsys: Any) -> None:
    async def twice(client: Client) -> None:
        for _ in range(2):
            assert (await client.model(Meter())(HELLO)).text == "The work is done."

    with ScriptedServer(Script(endpoint=Endpoint(streams=serves))) as server:
        with_client(server.url, twice, wire=wire, effort="high" if serves == "never" else None)
        with pytest.raises(StopRun, match="agent_stream"):
            ask(server.url, wire=wire, stream="off" if serves == "only" else "on")
    ways = [bool(r.body.get("stream")) for r in server.requests]
    assert ways[:3] == ([False, True, True] if serves == "only" else [True, False, False])
    assert capsys.readouterr().err.count("answers only the other way") == 1


@every_wire
@pytest.mark.parametrize("manner", [Streaming(cut_after=3), Streaming(cut_after=3, piece=11)], ids=str)
def test_a_stream_that_is_cut_is_asked_for_again(wire: str, manner: Streaming) -> None:
    with ScriptedServer(Script(agent=lambda r: RICH, stream=manner)) as server:
        with pytest.raises(InvalidSample, match=r"endpoint_unavailable: .*after 4 tries"):
            ask(server.url, wire=wire, stream="on")
    assert server.count() == 4


@every_wire
def test_a_stream_that_ends_too_early_broke_off(wire: str) -> None:
    """Not every proxy tells that a connection behind it was cut."""
    spoken = all_wires()[wire]
    events = spoken.events(spoken.reply({**RICH, "model": "m", "usage": None}), Streaming())
    whole = b"".join(events)
    last = {"anthropic": 2, "gemini": 1, "responses": 1}[wire]
    for data in (b"", *(b"".join(events[:n]) for n in range(1, len(events) - last + 1)), whole[: len(whole) // 2]):
        with pytest.raises(ConnectionError, match="broke off"):
            put_together(data, MODULES[wire]._whole)


@every_wire
@pytest.mark.parametrize(("status", "tries"), [(529, 4), (500, 4), (429, 4)])
def test_an_error_in_the_middle_is_the_error_it_would_have_been_before(wire: str, status: int, tries: int) -> None:
    manner = Streaming(fails_after=3, failure={"status": status, "message": "Overloaded, come back."})
    with ScriptedServer(Script(agent=lambda r: RICH, stream=manner)) as server:
        with pytest.raises(InvalidSample, match=r"endpoint_unavailable: .*Overloaded, come back") as caught:
            ask(server.url, wire=wire, stream="on", retry=replace(QUICK, total_seconds=0.5))
    assert caught.value.reason is InvalidReason.ENDPOINT_UNAVAILABLE
    assert server.count() >= tries


@every_wire
def test_a_refusal_in_the_middle_is_a_refusal(wire: str) -> None:
    said = "prompt is too long: 210000 tokens > 200000 maximum"
    manner = Streaming(fails_after=1, failure={"status": 400, "message": said})
    with ScriptedServer(Script(agent=lambda r: RICH, stream=manner)) as server:
        with pytest.raises(InvalidSample, match="too long"):
            ask(server.url, wire=wire, stream="on")
    assert server.count() == 1


@every_wire
@pytest.mark.parametrize("data", [b"data: [1]\n\n", b"data: {}\n\ndata: x\n\ndata: {}\n\n", b'data: {"a": 1}\n\n'])
def test_nonsense_is_no_answer(wire: str, data: bytes) -> None:
    with pytest.raises((NotACompletion, ConnectionError)):
        put_together(data, MODULES[wire]._whole)


@pytest.mark.parametrize(
    ("wire", "event"),
    [
        ("anthropic", {"type": "content_block_delta", "index": 5, "delta": {"type": "text_delta", "text": "x"}}),
        ("anthropic", {"type": "message_start"}),
        ("gemini", {"candidates": ["odd"]}),
        ("responses", {"type": "response.completed"}),
    ],
)
def test_events_that_do_not_fit_are_no_answer(wire: str, event: Any) -> None:
    ending = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    data = b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in (event, ending))
    with pytest.raises(NotACompletion, match="do not fit"):
        put_together(data, MODULES[wire]._whole)


@every_wire
def test_a_stream_may_take_longer_than_the_timeout_while_it_goes_on(wire: str) -> None:
    manner = Streaming(pause=0.15)
    with ScriptedServer(Script(agent=lambda r: RICH, stream=manner)) as server:
        assert ask(server.url, wire=wire, stream="on", timeout=1).text.startswith("Zwölf")
        assert server.count() == 1


@every_wire
def test_a_stream_without_progress_is_given_up(wire: str) -> None:
    """Comments and pings keep a connection alive; an event is progress."""
    with ScriptedServer(Script(agent=lambda r: RICH, stream=Streaming(hang_after=3))) as server:
        with pytest.raises(StopRun, match=r"no answer within 0\.5 s"):
            ask(server.url, wire=wire, stream="on", timeout=0.5)
    assert server.count() == 2


@every_wire
def test_large_answers_are_refused_and_small_ones_replayed(wire: str, tmp_path: Any) -> None:
    large = completion("x" * 3_000_000)
    with ScriptedServer(Script(agent=lambda r: large, stream=Streaming(characters=100_000))) as server:
        with pytest.raises(InvalidSample, match="more than 1 MB"):
            ask(server.url, wire=wire, stream="on", max_reply=1.0)
        first = ask(server.url, wire=wire, stream="on", cache=tmp_path)
        again = ask(server.url, wire=wire, stream="on", cache=tmp_path, cache_only=True)
        assert server.count() == 2
    assert first == again
    assert len(first.text) == 3_000_000


@every_wire
def test_an_error_instead_of_a_stream(wire: str) -> None:
    with ScriptedServer(Script(agent=lambda r: error_reply(404, "No such model."))) as server:
        with pytest.raises(StopRun, match="No such model"):
            ask(server.url, wire=wire, stream="on")
    assert server.count() == 1


def test_arguments_that_were_cut_off_are_kept_as_they_are() -> None:
    spoken = all_wires()["anthropic"]
    body = spoken.reply({**completion(None, tool_calls=CALLS[:1], finish_reason="length"), "id": "a", "model": "m"})
    events = spoken.events(body, Streaming())
    last = max(n for n, event in enumerate(events) if b"input_json_delta" in event)
    whole = put_together(b"".join(events[:last] + events[last + 1 :]), messages._whole)
    (call,) = [b for b in json.loads(whole)["content"] if b["type"] == "tool_use"]
    assert call["input"]["arguments"].startswith('{"id":1')


def test_wires_are_all_here() -> None:
    assert sorted(WIRES) == sorted(MODULES)
