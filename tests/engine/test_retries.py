"""Trouble that may pass: what is tried again, when, and how often."""

import asyncio
import datetime as dt
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engine.rig import HELLO, ask, with_client
from tests.support import behaviours
from tests.support.behaviours import CutsBody, DropsConnection, Html, NeverAnswers, RawBody, Status
from tests.support.combinators import At, Every, First
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import error_reply

from worktrial.engine.client import Client
from worktrial.engine.retry import RetryPolicy, retry_after_seconds
from worktrial.engine.spend import Meter
from worktrial.errors import InvalidReason, InvalidSample, StopRun
from worktrial.language import Completion

PASSING = [
    *(Status(s) for s in (408, 409, 429, 500, 502, 503, 504, 520, 522, 524, 529)),
    *(DropsConnection(), DropsConnection(reset=True), CutsBody(), CutsBody(reset=True), NeverAnswers()),
]
BAD_REPLIES = [
    *(
        Html(),
        RawBody(b""),
        RawBody(b"[" * 5000),
        behaviours.broken_json,
        behaviours.not_utf8,
        behaviours.json_list,
    ),
    *(behaviours.empty_choices, behaviours.null_choices, behaviours.no_message, behaviours.null_message),
]
FAILURES = [
    behaviours.error_with_200,
    RawBody(b'{"error": "upstream went away"}'),
    RawBody(b'{"error": {"message": "overloaded", "code": "529"}, "choices": null}'),
    RawBody(b'{"choices": [{"error": {"code": 502}, "message": {"role": "assistant", "content": ""}}]}'),
    RawBody(b'{"choices": [{"finish_reason": "error", "message": {"role": "assistant", "content": ""}}]}'),
]
"""Errors of the endpoint that come whole with status 200."""


def named(step: object) -> str:
    """A name that is the same in every process."""
    return getattr(step, "__name__", str(step))[:60]


@pytest.mark.parametrize("step", [*PASSING, *FAILURES, *BAD_REPLIES], ids=named)
def test_what_passes_is_tried_again(step: Any) -> None:
    async def once(client: Client) -> tuple[Completion, int]:
        return await client.model(Meter())(HELLO), client.retries

    # Silence costs the most, so it is put up with only once.
    times = 1 if isinstance(step, NeverAnswers) else 2
    with ScriptedServer(Script(agent=First(step, times=times))) as server:
        # On a busy machine, other steps must not fall to this timeout.
        timeout = 0.3 if isinstance(step, NeverAnswers) else 30
        completion, retries = with_client(server.url, once, timeout=timeout)
    assert completion.text == "The work is done."
    assert server.count() == times + 1
    assert retries == times


def refused(url: str, **options: Any) -> InvalidSample:
    with pytest.raises(InvalidSample) as caught:
        ask(url, **options)
    return caught.value


@pytest.mark.parametrize("step", [Status(500), DropsConnection(), CutsBody(), *FAILURES], ids=named)
def test_what_does_not_pass_is_given_up(step: Any) -> None:
    with ScriptedServer(Script(agent=step)) as server:
        error = refused(server.url, timeout=30)
    assert error.reason is InvalidReason.ENDPOINT_UNAVAILABLE
    assert f"agent at {server.url}" in error.detail
    assert "after 4 tries" in error.detail
    assert server.count() == 4


def test_an_endpoint_that_never_answers_stops_the_run_after_one_more_try(capsys: Any) -> None:
    with ScriptedServer(Script(agent=NeverAnswers())) as server:
        with pytest.raises(StopRun, match=r"no answer within 0.2 s \(gave up after 2 tries\), and nothing else"):
            ask(server.url, timeout=0.2)
    assert server.count() == 2
    # Not in silence: the first time-out is told at once.
    assert capsys.readouterr().err.count("no answer within 0.2 s; trying once more") == 1


def test_an_endpoint_that_stops_answering_costs_one_more_try_a_request() -> None:
    async def twice(client: Client) -> None:
        await client.model(Meter())(HELLO)
        await client.model(Meter())(HELLO)

    with ScriptedServer(Script(agent=At({1, 2, 3}, NeverAnswers()))) as server:
        with pytest.raises(InvalidSample, match=r"endpoint_unavailable: .*after 2 tries"):
            with_client(server.url, twice, timeout=0.5)
    assert server.count() == 3


def test_an_account_without_money_stops_the_run_at_once() -> None:
    """OpenAI says so with the status of a rate limit, which is otherwise waited for."""
    message = "You exceeded your current quota, please check your plan and billing details."
    empty = error_reply(429, message, code="insufficient_quota", kind="insufficient_quota")
    with ScriptedServer(Script(agent=lambda request: empty)) as server:
        with pytest.raises(StopRun, match="cannot pay"):
            ask(server.url)
    assert server.count() == 1


@pytest.mark.parametrize("step", BAD_REPLIES, ids=named)
@pytest.mark.parametrize("attempts", [8, 2])
def test_nonsense_is_put_up_with_three_times(step: Any, attempts: int) -> None:
    with ScriptedServer(Script(agent=step)) as server:
        error = refused(server.url, retry=RetryPolicy(attempts=attempts, first_wait=0.01))
    assert error.reason is InvalidReason.BAD_REPLY
    assert f"agent at {server.url}" in error.detail
    assert server.count() == min(3, attempts)


def test_an_endpoint_that_is_gone() -> None:
    with ScriptedServer() as server:
        url = server.url
    assert refused(url).reason is InvalidReason.ENDPOINT_UNAVAILABLE


def test_being_told_to_slow_down_is_no_failure() -> None:
    retry = RetryPolicy(attempts=2, first_wait=0.01, longest_wait=0.01)
    with ScriptedServer(Script(agent=[Status(429, times=9), Status(500, times=1)])) as server:
        assert ask(server.url, retry=retry).text
    assert server.count() == 11


def test_waiting_is_bounded() -> None:
    retry = RetryPolicy(total_seconds=0.2, first_wait=0.05, longest_wait=0.05)
    with ScriptedServer(Script(agent=Status(429))) as server:
        assert refused(server.url, retry=retry).reason is InvalidReason.ENDPOINT_UNAVAILABLE
    assert 4 <= server.count() < 60
    with ScriptedServer(Script(agent=Status(500))) as server:
        refused(server.url, retry=RetryPolicy(total_seconds=0))
    assert server.count() == 1


def test_standing_in_line_is_no_waiting() -> None:
    async def many(client: Client) -> None:
        await asyncio.gather(*(client.model(Meter())(HELLO) for _ in range(8)))

    # The last of them stands in line longer than the policy lets a request wait.
    retry = RetryPolicy(total_seconds=0.15, first_wait=0.01, longest_wait=0.01)
    with ScriptedServer(Script(agent=At(range(8), Status(500)), latency=0.05)) as server:
        with_client(server.url, many, concurrency=1, retry=retry)
    assert server.count() == 16


def gaps(server: ScriptedServer) -> list[float]:
    arrived = [r.arrived for r in server.requests]
    return [later - arrived[0] for later in arrived[1:]]


@pytest.mark.parametrize(
    ("step", "least"),
    [
        (Status(429, retry_after=0.3, times=1), 0.3),
        (Status(503, retry_after=0.3, times=1), 0.3),
        (Status(429, retry_after_date=1.5, times=1), 0.2),
        (Status(429, retry_after="soon", times=1), 0.0),
        # A date is told by the endpoint's clock, which may be an hour from ours.
        (Status(429, retry_after_date=1, clock_ahead=3600, times=1), 1.0),
        (Status(429, retry_after_date=1, clock_ahead=-3600, times=1), 1.0),
    ],
    ids=named,
)
def test_retry_after_is_honoured(step: Status, least: float) -> None:
    with ScriptedServer(Script(agent=step)) as server:
        ask(server.url)
    assert least <= gaps(server)[0] < least + 5


@pytest.mark.parametrize("concurrency", [None, 1], ids=["free", "queued"])
def test_a_pause_that_one_is_asked_for_holds_for_all(concurrency: int | None) -> None:
    async def two(client: Client) -> None:
        async def later() -> None:
            await asyncio.sleep(0 if concurrency else 0.1)
            await client.model(Meter())(HELLO)

        await asyncio.gather(client.model(Meter())(HELLO), later())

    with ScriptedServer(Script(agent=Status(429, retry_after=0.4, times=1))) as server:
        with_client(server.url, two, concurrency=concurrency)
    assert len(gaps(server)) == 2
    assert min(gaps(server)) >= 0.4


def test_an_hour_is_too_long_to_wait() -> None:
    async def two(client: Client) -> str:
        with pytest.raises(InvalidSample):
            await client.model(Meter())(HELLO)
        return (await client.model(Meter())(HELLO)).text

    with ScriptedServer(Script(agent=Status(429, retry_after=3600, times=1))) as server:
        assert with_client(server.url, two)
    assert gaps(server)[0] < 1


def test_a_burst_of_120_refusals_costs_nobody_anything() -> None:
    async def crowd(client: Client) -> list[Completion]:
        return await asyncio.gather(*(client.model(Meter())(HELLO) for _ in range(40)))

    with ScriptedServer(Script(burst_429=120, agent=Every(5, First(Status(500), times=3)))) as server:
        assert len(with_client(server.url, crowd)) == 40


@given(
    attempt=st.integers(1, 10_000),
    first=st.floats(0, 10),
    longest=st.floats(0, 100),
    asked=st.none() | st.floats(0, 1000),
)
def test_jitter_is_full_and_bounded(attempt: int, first: float, longest: float, asked: float | None) -> None:
    wait = RetryPolicy(first_wait=first, longest_wait=longest).wait(attempt, asked)
    if asked is None:
        assert 0 <= wait <= min(longest, first * 2.0 ** min(attempt - 1, 500))
    else:
        assert asked <= wait <= asked + 1


def test_jitter_spreads_over_the_whole_range() -> None:
    random.seed(7)
    waits = [RetryPolicy(first_wait=1, longest_wait=8).wait(9, None) for _ in range(400)]
    quarters = [sum(low <= w < low + 2 for w in waits) for low in (0, 2, 4, 6)]
    assert min(quarters) > 60


NOW = dt.datetime(2026, 1, 1, 12, 0, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("2", 2),
        ("0.25", 0.25),
        ("-3", 0),
        ("Thu, 01 Jan 2026 12:00:30 GMT", 30),
        ("Thu, 01 Jan 2026 13:00:30 +0100", 30),
        ("Thu, 01 Jan 2026 12:00:30 -0000", 30),
        ("Thu, 01 Jan 2026 11:00:00 GMT", 0),
        ("tomorrow", None),
    ],
)
def test_retry_after_on_the_wire(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header, NOW) == seconds


@given(st.text() | st.from_regex(r"[A-Z][a-z]{2}, \d+ [A-Z][a-z]{2} \d+ \d+:\d+:\d+ [+-]\d+", fullmatch=True))
def test_any_retry_after_is_read(header: str) -> None:
    seconds = retry_after_seconds(header, NOW)
    assert seconds is None or seconds >= 0
