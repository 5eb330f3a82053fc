"""Streamed answers: put together as if they had come whole, and bounded in time and size."""

import asyncio
import gzip
import json
import types
from collections.abc import Coroutine, Generator
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.rig import HELLO, ask, with_client
from tests.support import behaviours
from tests.support.asking import CLOSE, LOOK
from tests.support.happy import yes_or_no
from tests.support.script import Endpoint, Script
from tests.support.scripted_server import ScriptedServer
from tests.support.streams import Streaming, events
from tests.support.wire import Reply, completion, tool_call

from worktrial.engine import transport
from worktrial.engine.client import Client
from worktrial.engine.providers.chat import read_completion
from worktrial.engine.providers.streams import chat_completion
from worktrial.engine.roles import Role
from worktrial.engine.spend import Meter
from worktrial.errors import InvalidReason, InvalidSample, StopRun
from worktrial.language import Usage

RICH = completion(
    "Zwölf Kräne, 三艘船 and 🚢.",
    tool_calls=[tool_call("look", {"id": 1, "note": "ünï"}, "a"), tool_call("close", {}, "b")],
    finish_reason="tool_calls",
)
RICH["choices"][0]["message"] |= {
    "reasoning_content": "First, 보자, look.",
    "reasoning_details": [{"type": "reasoning.text", "text": "a"}, {"type": "reasoning.encrypted", "data": "b"}],
    "odd": {"kept": True},
}
RICH["choices"][0]["message"]["tool_calls"][0]["extra_content"] = {"google": {"thought_signature": "c2ln"}}
MANNERS = [
    Streaming(),
    Streaming(piece=1),
    Streaming(piece=5, characters=1, comments=True),
    Streaming(line_end="\r\n", comments=True),
    Streaming(done=False),
    Streaming(characters=1, repeats_names=True),
]


@pytest.mark.parametrize("manner", MANNERS, ids=str)
def test_a_streamed_answer_is_the_answer_that_came_whole(manner: Streaming) -> None:
    request = {"tools": [LOOK, CLOSE]}
    with ScriptedServer(Script(agent=lambda r: RICH, stream=manner)) as server:
        whole = ask(server.url, stream="off", request=request)
        streamed = ask(server.url, stream="on", request=request)
        assert [bool(r.body.get("stream")) for r in server.requests] == [False, True]
    assert streamed == whole
    assert streamed.usage == Usage(1, 1, whole.usage.output_tokens, 0)


def test_log_probabilities_are_streamed_too() -> None:
    with ScriptedServer(Script(judge=lambda request: yes_or_no(0.9, 5))) as server:
        told = ask(server.url, role=Role.JUDGE, stream="on", request={"top_logprobs": 5})
    assert told.first_token is not None
    assert told.first_token[" yes"] == pytest.approx(-0.1056, abs=0.01)


texts = st.none() | st.text(max_size=20)
calls = st.lists(
    st.builds(
        tool_call,
        st.text(min_size=1, max_size=6),
        st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3),
        st.text(min_size=1, max_size=4),
    ),
    max_size=3,
    unique_by=lambda call: call["id"],
)
manners = st.builds(
    Streaming,
    characters=st.integers(1, 9),
    comments=st.booleans(),
    line_end=st.sampled_from(["\n", "\r\n"]),
    done=st.booleans(),
    repeats_names=st.booleans(),
)


@given(content=texts, thoughts=texts, made=calls, manner=manners)
@settings(deadline=None)
def test_any_answer_survives_streaming(content: str | None, thoughts: str | None, made: Any, manner: Any) -> None:
    body = completion(content or (None if made else ""), tool_calls=made)
    if thoughts:
        body["choices"][0]["message"]["reasoning_content"] = thoughts
    whole = read_completion(json.dumps(body).encode())
    assert read_completion(chat_completion(b"".join(events(body, manner)))) == whole


def test_high_effort_is_streamed_by_default() -> None:
    with ScriptedServer() as server:
        for effort in ("low", "high", "xhigh"):
            ask(server.url, effort=effort)
        ask(server.url, effort="high", stream="off")
    assert [bool(r.body.get("stream")) for r in server.requests] == [False, True, True, False]


@pytest.mark.parametrize(("serves", "asked"), [("only", [False, True, True]), ("never", [True, False, False])])
def test_an_endpoint_that_serves_one_way_alone(serves: Any, asked: list[bool], capsys: Any) -> None:
    async def twice(client: Client) -> None:
        for _ in range(2):
            assert (await client.model(Meter())(HELLO)).text == "The work is done."

    with ScriptedServer(Script(endpoint=Endpoint(streams=serves))) as server:
        with_client(server.url, twice, effort="high" if serves == "never" else None)
    assert [bool(r.body.get("stream")) for r in server.requests] == asked
    assert capsys.readouterr().err.count("answers only the other way") == 1


def test_what_the_user_said_about_streaming_holds() -> None:
    with ScriptedServer(Script(endpoint=Endpoint(streams="only"))) as server:
        with pytest.raises(StopRun, match="agent_stream"):
            ask(server.url, stream="off")
    assert server.count() == 1


def test_a_stream_that_is_cut_is_asked_for_again() -> None:
    async def once(client: Client) -> Any:
        return await client.model(Meter())(HELLO), client.retries

    cut = Streaming(cut_after=2)
    with ScriptedServer(Script(agent=lambda r: RICH, stream=cut)) as server:
        with pytest.raises(InvalidSample, match=r"endpoint_unavailable: .*after 4 tries"):
            with_client(server.url, once, stream="on")
    assert server.count() == 4


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ('{"error": {"message": "overloaded", "code": 529}}', r"endpoint_unavailable: .*529.*overloaded"),
        ('{"error": "upstream went away"}', r"endpoint_unavailable: .*502.*upstream went away"),
        ('{"choices": [{"index": 0, "finish_reason": "error"}]}', r"endpoint_unavailable: .*502"),
    ],
)
def test_an_error_in_the_middle_of_a_stream_is_the_endpoints(event: str, told: str) -> None:
    """As if it had come at once, and not a reply that cannot be read."""
    data = b"".join(events(RICH, Streaming())[:2]) + f"data: {event}\n\n".encode()
    reply = behaviours.RawBody(data)

    def fails(request: Any) -> Any:
        answer = reply.answer(request)
        return type(answer)(answer.body, 200, "text/event-stream")

    with ScriptedServer(Script(agent=fails)) as server:
        with pytest.raises(InvalidSample, match=told):
            ask(server.url, stream="on")
    assert server.count() == 4


def test_a_stream_may_take_longer_than_the_timeout_while_it_goes_on() -> None:
    manner = Streaming(pause=0.15)
    with ScriptedServer(Script(agent=lambda r: RICH, stream=manner)) as server:
        assert ask(server.url, stream="on", timeout=1).text.startswith("Zwölf")
    assert len(events(RICH, manner)) * 0.15 > 2


@pytest.mark.parametrize(
    "manner", [Streaming(hang_after=3), Streaming(piece=1, pause=0.02, characters=1000)], ids=["comments", "bytes"]
)
def test_a_stream_without_progress_is_given_up(manner: Streaming) -> None:
    """Comments and single bytes keep a connection alive; an event is progress."""
    body = completion("x" * 1000)
    with ScriptedServer(Script(agent=lambda r: body, stream=manner)) as server:
        with pytest.raises(StopRun, match=r"no answer within 0\.5 s"):
            ask(server.url, stream="on", timeout=0.5)
    assert server.count() == 2


@pytest.mark.parametrize("stream", ["on", "off"])
def test_an_answer_of_50_mb_is_refused_unread(stream: str) -> None:
    large = completion("x" * 50_000_000)
    with ScriptedServer(Script(agent=lambda r: large, stream=Streaming(characters=10_000_000))) as server:
        with pytest.raises(
            InvalidSample, match=r"sent an answer of more than 16 MB \(bound: agent_max_reply MB\)"
        ) as e:
            ask(server.url, stream=stream)
        assert e.value.reason is InvalidReason.BAD_REPLY
        assert server.count() == 1
    small = completion("x" * 3_000_000)
    with ScriptedServer(Script(agent=lambda r: small, stream=Streaming(characters=10_000))) as server:
        assert len(ask(server.url, stream=stream).text) == 3_000_000
        with pytest.raises(InvalidSample, match="more than 1 MB"):
            ask(server.url, stream=stream, max_reply=1.0)


@types.coroutine
def counted(work: Coroutine[Any, Any, Any], wakes: list[object]) -> Generator[Any, Any, Any]:
    """What `work` returns; each time it waits for something is noted in `wakes`."""
    resume = partial(work.send, None)
    while True:
        try:
            wakes.append(resume())
        except StopIteration as end:
            return end.value
        try:
            yield wakes[-1]
            resume = partial(work.send, None)
        except BaseException as e:  # noqa: BLE001 - a cancellation, too, goes to whom it is meant for
            resume = partial(work.throw, e)


def test_nobody_wakes_up_for_every_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_LONGEST_NAP", 60.0)
    manner = Streaming(characters=1, pause=0.005)
    body = completion("x" * 100)
    wakes: list[object] = []
    with ScriptedServer(Script(agent=lambda r: body, stream=manner)) as server:
        answer = with_client(server.url, lambda client: counted(client.model(Meter())(HELLO), wakes), stream="on")
    assert answer.text == "x" * 100
    assert len(wakes) < 10 < len(events(body, manner))


def test_answers_that_are_streamed_are_kept_and_replayed(tmp_path: Any) -> None:
    with ScriptedServer(Script(agent=lambda r: RICH)) as server:
        first = ask(server.url, stream="on", cache=tmp_path)
        again = ask(server.url, stream="on", cache=tmp_path, cache_only=True)
        assert server.count() == 1
    assert first == again


def test_streams_side_by_side() -> None:
    async def many(client: Client) -> None:
        answers = await asyncio.gather(*(client.model(Meter())(HELLO) for _ in range(40)))
        assert {a.text for a in answers} == {"The work is done."}

    with ScriptedServer(Script(stream=Streaming(piece=3))) as server:
        with_client(server.url, many, stream="on", concurrency=8)
        assert server.stats()["connections_peak"] <= 8


@pytest.mark.parametrize("stream", ["on", "off"])
def test_a_packed_answer_is_bounded_by_what_it_unpacks_to(stream: str) -> None:
    packed = gzip.compress(json.dumps(completion("x" * 50_000_000)).encode())
    assert len(packed) < 100_000
    reply = Reply(packed, 200, headers={"Content-Encoding": "gzip"})
    with ScriptedServer(Script(agent=lambda request: reply)) as server:
        with pytest.raises(InvalidSample, match="more than 16 MB"):
            ask(server.url, stream=stream)
        assert server.count() == 1
