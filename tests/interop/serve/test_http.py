"""Episodes over HTTP: the life of one, and everything that may not bring the server down."""

import asyncio
import json
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from tests.support.cli import command
from tests.support.served import ServedSuite, served
from tests.support.tiny_archive import tiny_archive, write_questions

import worktrial as wt
from worktrial.errors import SettingError
from worktrial.interop.serve import reception, routes
from worktrial.interop.serve.server import bound


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSuite]:
    folder = tmp_path_factory.mktemp("served") / "run"
    with served(folder, "--tasks", "lab-01", "--repeats", "200", "--episodes", "40") as up:
        yield up


def test_the_life_of_an_episode(server: ServedSuite) -> None:
    episode = server.open(sample="lab-01", condition="E0")
    names = [tool["function"]["name"] for tool in episode["tools"]]
    assert names[-1] == episode["finish_tool"] == "finish_work"
    assert episode["instruction"].endswith("nothing that you say elsewhere counts.")
    assert episode["mcp"] == f"{server.url}/episodes/{episode['episode']}/mcp"
    assert (episode["sample"], episode["condition"], episode["system_prompt"]) == ("lab-01", "E0", None)
    status, answer = server.call(episode, "get_sample", {"sample_id": "S-999"})
    assert (status, answer["is_error"], answer["observation"]["error"]["type"]) == (200, True, "unknown_sample")
    status, answer = server.call(episode, "get_sample", {"sample_id": "S-203"})
    assert (status, answer["is_error"]) == (200, False)
    assert server.state(episode) == {
        "episode": episode["episode"],
        "sample": "lab-01",
        "repeat": episode["repeat"],
        "condition": "E0",
        "state": "open",
        "calls": 2,
    }
    listed = server.ask("GET", "/episodes")[1]
    assert episode["episode"][:6] in [one["episode"] for one in listed["open"]]
    assert episode["episode"] not in json.dumps(listed)
    status, verdict = server.finish(episode, "nothing done")
    assert (status, verdict["outcome"], verdict["answered_by"], verdict["state"]) == (200, "fail", "driver", "over")
    # The answer key stays with the run.
    assert "checks passed" in verdict["reason"]
    assert verdict.keys().isdisjoint({"checks", "votes"})
    assert server.state(episode) == verdict
    for late in (server.call(episode, "list_samples"), server.finish(episode, "again")):
        assert late == (409, {"error": "the episode is over"})
    assert server.ask("DELETE", f"/episodes/{episode['episode']}")[0] == 409


def test_an_answer_that_is_too_long_is_asked_for_again_once(server: ServedSuite) -> None:
    long = "B-87 " * 1_000
    episode = server.open()
    status, refused = server.finish(episode, long)
    assert (status, refused["error"][:44]) == (422, "Your answer is not taken: it has 5,000 chara")
    assert server.call(episode, "list_samples", {})[0] == 200
    assert server.finish(episode, long)[1]["outcome"] == "fail"
    episode = server.open()
    status, refused = server.call(episode, "finish_work", {"answer": long})
    assert (status, refused["is_error"]) == (200, True)
    assert "not taken" in refused["observation"]["error"]
    assert server.call(episode, "finish_work", {"answer": "done"})[1]["is_error"] is False


def test_an_answer_by_the_tool_for_it(server: ServedSuite) -> None:
    episode = server.open()
    status, refused = server.call(episode, "finish_work", {"answer": 5})
    assert (status, refused["is_error"]) == (200, True)
    assert server.call(episode, "finish_work", {"answer": "done"}) == (
        200,
        {"observation": {"status": "The work is handed in."}, "is_error": False},
    )
    # Who drives a framework may post what it said last as well: the tool's answer counts.
    status, verdict = server.finish(episode, "I have called finish_work")
    assert (status, verdict["answered_by"], verdict["calls"]) == (200, "tool", 0)


def test_an_episode_that_is_given_up_is_invalid(server: ServedSuite) -> None:
    episode = server.open()
    status, state = server.ask("DELETE", f"/episodes/{episode['episode']}")
    assert (status, state["outcome"]) == (200, "invalid")
    assert state["reason"] == "abandoned: given up by whoever drove it"


def test_a_request_that_is_sent_again_acts_once(server: ServedSuite) -> None:
    key = {"Idempotency-Key": "open-1"}
    first, again = (server.ask("POST", "/episodes", {}, headers=key) for _ in range(2))
    assert first == again
    episode = first[1]
    once = {"Idempotency-Key": "call-1"}
    answers = [server.call(episode, "list_samples", headers=once) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert server.state(episode)["calls"] == 1
    status, said = server.call(episode, "get_sample", headers=once)
    assert (status, "another request" in said["error"]) == (409, True)
    # Keys are an episode's own.
    other = server.open()
    assert server.call(other, "list_samples", headers=once)[0] == 200
    assert server.state(other)["calls"] == 1
    end = {"Idempotency-Key": "end"}
    verdicts = [server.finish(episode, "bye", headers=end) for _ in range(2)]
    assert verdicts[0] == verdicts[1]
    assert verdicts[0][0] == 200


def test_calls_at_once_are_carried_out_one_after_the_other(server: ServedSuite) -> None:
    episode = server.open()
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(server.call(episode, "list_samples"))) for _ in range(12)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [status for status, _ in answers] == [200] * 12
    assert server.state(episode)["calls"] == 12


@pytest.mark.parametrize(
    ("raw", "status", "said"),
    [
        (b"{", 422, "the body cannot be used"),
        (b"[]", 422, "Expected `object`"),
        (b"", 422, "missing required field `tool`"),
        (b'{"tool": 5}', 422, "$.tool"),
        (b'{"tool": "list_samples", "argument": {}}', 422, "unknown field `argument`"),
        (b'{"tool": "list_samples", "arguments": NaN}', 422, "malformed"),
        (b'{"tool": "list_samples", "arguments": {"a": "\\ud800"}}', 422, "the body cannot be used"),
        (b'{"tool": "\xff"}', 422, "the body cannot be used"),
        (b'{"tool": "list_samples", "arguments": ' + b"[" * 100 + b"]" * 100 + b"}", 422, "deeper than 64"),
        (b'{"tool": "x", "arguments": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", 422, "the body cannot be used"),
        (b" " * (routes.MOST_BYTES + 1), 413, "at most"),
        (b" " * 50_000_000, 413, "at most"),
    ],
)
def test_a_call_that_cannot_be_read(server: ServedSuite, raw: bytes, status: int, said: str) -> None:
    episode = server.open()
    answer = server.ask("POST", f"/episodes/{episode['episode']}/calls", raw=raw)
    assert (answer[0], said in answer[1]["error"]) == (status, True), answer
    assert server.state(episode)["calls"] == 0
    assert server.finish(episode)[0] == 200


@pytest.mark.parametrize("arguments", [[], "text", 5, None, {"a": 10**40}, {"a": 1e308}, {"": {}}])
def test_strange_arguments_are_the_workplaces_business(server: ServedSuite, arguments: Any) -> None:
    episode = server.open()
    body = {"tool": "get_sample", "arguments": arguments}
    status, answer = server.ask("POST", f"/episodes/{episode['episode']}/calls", body)
    assert (status, answer["is_error"]) == (200, True)
    assert server.finish(episode)[1]["outcome"] == "fail"


def test_who_may_come_in(server: ServedSuite) -> None:
    assert server.ask("GET", "/health", token=None) == (200, {"status": "ok", "suite": "starter"})
    assert server.ask("GET", "/openapi.json", token=None)[0] == 200
    for token in (None, "guessed", "tökén".encode().decode("latin-1")):
        status, said = server.ask("POST", "/episodes", {}, token=token)
        assert (status, "Bearer TOKEN" in said["error"]) == (401, True)
    assert server.ask("GET", "/episodes", token=None)[0] == 401
    # The address is a secret of its own; a token that is sent has to be right all the same.
    episode = server.open()
    assert server.call(episode, "list_samples", token=None)[0] == 200
    assert server.call(episode, "list_samples", token="of-another-run")[0] == 401
    for guessed in (episode["episode"][:6], "0" * 40, "%2e%2e", "a%00b", "%ff"):
        assert server.ask("GET", f"/episodes/{guessed}")[0] == 404
        assert server.ask("POST", f"/episodes/{guessed}/mcp", {})[0] == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 400),
        ({"Host": "evil.example:80"}, 400),
        ({"Host": "127.0.0.1.evil.example"}, 400),
        ({"Host": "127.0.0.1@evil.example"}, 400),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Origin": "http://[::1"}, 403),
        ({"Host": "localhost"}, 201),
        ({"Host": "[::1]:99"}, 201),
        ({"Origin": "http://localhost:3000"}, 201),
    ],
)
def test_a_page_in_a_browser_cannot_drive(server: ServedSuite, headers: dict[str, str], status: int) -> None:
    found, answer = server.ask("POST", "/episodes", {}, headers=headers)
    assert found == status, answer
    if status == 201:
        assert server.finish(answer)[0] == 200


@pytest.mark.parametrize(
    ("asked", "status", "said"),
    [
        ({"sample": "lab-99"}, 404, "lab-99"),
        ({"repeat": 900}, 404, "900"),
        ({"repeat": 2.5}, 404, "2.5"),
        ({"repeat": -1}, 422, "$.repeat"),
        ({"condition": "E2"}, 404, "E2"),
        ({"samples": "lab-01"}, 422, "samples"),
        ({"sample": "x" * 300}, 422, "$.sample"),
    ],
)
def test_what_the_run_does_not_have(server: ServedSuite, asked: dict[str, Any], status: int, said: str) -> None:
    found, answer = server.ask("POST", "/episodes", asked)
    assert (found, said in answer["error"]) == (status, True), answer


def test_a_sample_that_another_holds(server: ServedSuite) -> None:
    episode = server.open(repeat=150.0)
    assert episode["repeat"] == 150
    status, said = server.ask("POST", "/episodes", {"sample": "lab-01", "repeat": 150})
    assert (status, "held by others" in said["error"]) == (410, True)
    server.finish(episode)
    status, said = server.ask("POST", "/episodes", {"sample": "lab-01", "repeat": 150})
    assert (status, "all are done" in said["error"]) == (410, True)


def test_more_episodes_than_there_may_be(server: ServedSuite) -> None:
    held: list[dict[str, Any]] = []
    status = 201
    while status == 201:
        status, answer = server.ask("POST", "/episodes", {})
        if status == 201:
            held.append(answer)
        assert len(held) <= 40
    assert (status, "finish one first" in answer["error"]) == (429, True)
    assert server.ask("GET", "/health")[0] == 200
    for episode in held:
        assert server.finish(episode)[0] == 200
    server.finish(server.open())


def test_more_memory_than_they_may_take(tmp_path: Path) -> None:
    words = ["--questions", str(write_questions(tmp_path)), "--archive", str(tiny_archive())]
    with served(tmp_path / "run", *words, "--memory-share", "0.000001", suite="documents") as server:
        assert (
            "open episodes: at most 1 at once, since each may take 2.25 GiB" in (tmp_path / "run.err").read_text()
        )
        first = server.open()
        status, answer = server.ask("POST", "/episodes", {})
        assert (status, "each may take 2.25 GiB of memory" in answer["error"]) == (429, True), answer
        assert "memory_share" in answer["error"]
        assert server.finish(first)[0] == 200
        server.open()


def test_half_a_request_harms_nobody(server: ServedSuite, monkeypatch: pytest.MonkeyPatch) -> None:
    host, port = server.authority.split(":")
    hanging = [socket.create_connection((host, int(port))) for _ in range(20)]
    for connection in hanging:
        connection.sendall(
            b"POST /episodes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
            + server.token.encode()
            + b"\r\nContent-Length: 100\r\n\r\n{"
        )
    garbage = socket.create_connection((host, int(port)))
    garbage.sendall(b"\x00\xff\r\n\r\n")
    assert b"400" in garbage.recv(100)
    episode = server.open()
    assert server.finish(episode)[0] == 200
    for connection in [*hanging, garbage]:
        connection.close()
    assert server.ask("GET", "/health")[0] == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/"), ("GET", "/episodes/"), ("PUT", "/episodes"), ("POST", "/health"), ("GET", "/../etc/passwd")],
)
def test_paths_that_are_not_there(server: ServedSuite, method: str, path: str) -> None:
    status, _ = server.ask(method, path)
    assert status in (307, 404, 405)


def test_checks_are_shown_where_they_may_be(tmp_path: Path) -> None:
    with served(tmp_path / "run", "--tasks", "lab-01", "--show-checks", "--finish-tool", "none") as server:
        episode = server.open()
        assert episode["finish_tool"] is None
        assert "finish_work" not in json.dumps(episode)
        status, answer = server.call(episode, "finish_work", {"answer": "done"})
        assert (status, answer["is_error"]) == (200, True)
        verdict = server.finish(episode, "x")[1]
        assert [check["passed"] for check in verdict["checks"]].count(False) > 0
        assert verdict["votes"] == []
        assert "first:" in verdict["reason"]
        # The run is done: verdicts can still be asked for, and nothing is left to take.
        assert server.state(episode) == verdict
        assert server.ask("POST", "/episodes", {}) == (410, {"error": "every sample of the run is done"})
        code, out = server.end()
    assert code == 0
    assert "starter" in out
    (record,) = wt.load(tmp_path / "run").run.records
    assert (record.outcome, record.answered_by) == ("fail", "driver")


def test_a_tool_of_the_workplaces_own_is_not_shadowed(tmp_path: Path) -> None:
    with served(tmp_path / "run", "--tasks", "lab-01", "--finish-tool", "get_sample") as server:
        status, said = server.ask("POST", "/episodes", {})
        assert (status, "--finish-tool NAME" in said["error"]) == (409, True)


def test_a_killed_server_loses_only_what_was_open(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    options = ("--tasks", "lab-01,lab-02,lab-03", "--agent", "mine")
    with served(folder, *options, token_env=("MY_TOKEN", "s3cret")) as server:
        done, held = server.open(), server.open()
        assert server.call(held, "list_samples")[0] == 200
        verdict = server.finish(done, "x")[1]
        log = folder.with_suffix(".err").read_text()
        assert done["episode"] not in log
        assert f"{done['episode'][:6]} opened: lab-01" in log
        server.process.kill()
        server.process.wait(timeout=60)
    with served(folder, *options) as server:
        assert server.ask("GET", "/episodes")[1] == {
            "suite": "starter",
            "open": [],
            "waiting": 2,
            "finished": 1,
            "samples": 3,
        }
        # Neither addresses nor tokens outlive their server.
        assert server.ask("GET", f"/episodes/{held['episode']}")[0] == 404
        assert server.ask("POST", "/episodes", {}, token="s3cret")[0] == 401
        again = server.open()
        assert again["sample"] == held["sample"] == "lab-02"
        assert server.call(again, "list_samples")[0] == 200
        code, _ = server.end(signal.SIGTERM)
    assert code == 130
    assert "Resume with:" in folder.with_suffix(".err").read_text()
    run = wt.load(folder).run
    assert [(r.sample, r.outcome) for r in run.records] == [("lab-01", verdict["outcome"])]
    assert run.manifest.settings["agent"] == "mine"
    assert [session.end for session in run.manifest.sessions] == [None, "interrupted"]


def test_an_idle_episode_is_abandoned_and_the_server_goes_on(tmp_path: Path) -> None:
    with served(tmp_path / "run", "--tasks", "lab-01", "--repeats", "12", "--idle-seconds", "1") as server:
        episodes = [server.open() for _ in range(10)]
        deadline = time.monotonic() + 60
        while any(server.state(episode)["state"] != "over" for episode in episodes):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert {server.state(episode)["reason"] for episode in episodes} == {
            "abandoned: nothing was asked for 1 seconds"
        }
        assert server.finish(server.open())[0] == 200


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sample", "lab-01"], "--sample names the sample of --at"),
        (["--at", "a/b"], "--at a/b: use letters, digits"),
        (["--token-env", "NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE is not set"),
        (["--finish-tool", "a tool"], "no name of a tool"),
        (["--host", "999.0.0.1"], "cannot listen on"),
        (["--batch"], "--batch"),
        (["--tasks", "lab-99"], "lab-99"),
    ],
)
def test_options_that_make_no_sense(tmp_path: Path, options: list[str], said: str) -> None:
    ran = command("serve", "starter", "-o", tmp_path / "run", *options)
    assert ran.code == 2
    assert said in ran.err
    assert not (tmp_path / "run").exists()


def test_one_sample_at_an_address_that_is_known_beforehand(tmp_path: Path) -> None:
    words = ("serve", "starter", "--tasks", "lab-00", "--at", "work")
    ran = command(*words, "--sample", "lab-99", "-o", tmp_path / "other")
    assert ran.code == 2 and "sample 'lab-99': the run has none" in ran.err
    with served(tmp_path / "run", *words[2:]) as server:
        status, seen = server.ask(
            "POST", "/episodes/work/calls", {"tool": "get_sample", "arguments": {"sample_id": "S-204"}}, token=None
        )
        assert status == 200 and not seen["is_error"]
        # The one that is open holds the only sample; others still take the token.
        assert server.ask("POST", "/episodes", {}, token=None)[0] == 401
        assert server.ask("POST", "/episodes", {})[0] == 410
        status, verdict = server.ask("POST", "/episodes/work/finish", {"answer": ""}, token=None)
        assert (status, verdict["outcome"], verdict["sample"]) == (200, "fail", "lab-00")
    # What is done is not opened again.
    ran = command(*words, "-o", tmp_path / "run")
    assert ran.code == 2 and "every sample of the run is done" in ran.err


def test_a_key_is_forgotten_where_the_work_failed() -> None:
    once = reception.Once()
    tries = []

    async def work() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise ValueError("not yet")
        return "done"

    async def whole() -> None:
        with pytest.raises(ValueError, match="not yet"):
            await once.do("k", b"x", work)
        assert await once.do("k", b"x", work) == "done"
        assert await once.do("k", b"x", work) == "done"
        with pytest.raises(reception.KeyReused):
            await once.do("k", b"y", work)

    asyncio.run(whole())
    assert len(tries) == 2


def test_two_thousand_episodes_asked_for_at_once(tmp_path: Path) -> None:
    with served(tmp_path / "run", "--repeats", "40") as server:

        async def ask(session: aiohttp.ClientSession) -> tuple[int, str | None, str]:
            async with session.post(f"{server.url}/episodes", json={}) as answer:
                return answer.status, answer.headers.get("retry-after"), (await answer.json()).get("error", "")

        async def whole() -> list[tuple[int, str | None, str]]:
            headers = {"Authorization": f"Bearer {server.token}"}
            async with aiohttp.ClientSession(headers=headers) as session:
                return await asyncio.gather(*(ask(session) for _ in range(2000)))

        told = Counter(asyncio.run(whole()))
        refused = "1000 episodes are open, and there may be no more; finish one first"
        assert told == {(201, None, ""): 1000, (429, "5", refused): 1000}
        listed = server.ask("GET", "/episodes")[1]
        assert (len(listed["open"]), listed["waiting"]) == (1000, listed["samples"] - 1000)
        assert server.ask("GET", "/health")[0] == 200


def test_a_token_and_an_address_are_those_of_one_run(tmp_path: Path) -> None:
    with (
        served(tmp_path / "one", "--tasks", "lab-01") as one,
        served(tmp_path / "other", "--tasks", "lab-01") as other,
    ):
        episode = one.open()
        assert other.ask("POST", "/episodes", {}, token=one.token)[0] == 401
        assert other.ask("GET", f"/episodes/{episode['episode']}", token=None)[0] == 404
        assert other.call(episode, "list_samples", token=None)[0] == 404
        assert other.call(episode, "list_samples", token=one.token)[0] == 401
        assert one.state(episode)["calls"] == 0
        assert other.ask("GET", "/episodes")[1]["open"] == []


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_no_answer_waits_for_an_acknowledgement(host: str) -> None:
    # By Nagle's algorithm the second part of an answer waits 40 ms for a client that delays its acknowledgements.
    async def sends_at_once(at: socket.socket) -> bool:
        accepted: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        class Seen(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                connection = transport.get_extra_info("socket")
                accepted.set_result(bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
                transport.close()  # type: ignore[attr-defined]

        async with await asyncio.get_running_loop().create_server(Seen, sock=at):
            _, writer = await asyncio.open_connection(host, at.getsockname()[1])
            found = await accepted
            writer.close()
        return found

    try:
        with bound(host, 0) as at:
            assert asyncio.run(sends_at_once(at))
    except SettingError:
        assert host == "::1"  # a machine without IPv6
