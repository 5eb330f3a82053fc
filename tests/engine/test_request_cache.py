"""Replaying answers from disk."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.engine.rig import HELLO, ask, run_tiny, with_client
from tests.engine.rig import TinyTrial as Tiny
from tests.support.behaviours import Html, Status
from tests.support.script import Endpoint, Script
from tests.support.scripted_server import ScriptedServer

from worktrial.engine.client import Client
from worktrial.engine.request_cache import RequestCache
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.spend import Budget, Meter
from worktrial.errors import SettingError, StopRun
from worktrial.secrets import Redactor

ROOT = Path(__file__).parents[2]


def numbered(request: Any) -> str:
    return f"answer {request.number}"


def test_answers_are_replayed_without_a_network(tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=numbered)) as server:
        url = server.url
        first = ask(url, cache=tmp_path, price=(1, 1))
    meter = Meter()
    again = ask(url, cache=tmp_path, cache_only=True, price=(1, 1), meter=meter)
    assert again == first
    assert meter.usage[Role.AGENT] == first.usage
    assert meter.cost == 0
    assert meter.replayed == 1
    assert server.count() == 1


def test_cache_only_refuses_the_network(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        with pytest.raises(StopRun, match="cache_only"):
            ask(server.url, cache=tmp_path, cache_only=True)
        with pytest.raises(StopRun, match="cache_only"):
            ask(server.url, cache=tmp_path, cache_only=True, request={"schema": {"type": "object"}})
    assert server.count() == 0


@pytest.mark.parametrize(
    "change",
    [
        {"temperature": 0.1},
        {"max_tokens": 5},
        {"effort": "low"},
        {"extra": {"seed": 1}},
        {"request": {"draw": 1}},
        {"request": {"tools": [{"type": "function", "function": {"name": "f"}}]}},
        {"request": {"schema": {"type": "object"}}},
        {"request": {"top_logprobs": 2}},
    ],
)
def test_the_whole_request_counts(tmp_path: Path, change: dict[str, Any]) -> None:
    with ScriptedServer(Script(agent=numbered)) as server:
        for _ in range(2):
            for variant in ({}, change):
                ask(server.url, cache=tmp_path, **variant)
    assert server.count() == 2


def test_another_address_is_another_request(tmp_path: Path) -> None:
    with ScriptedServer() as one, ScriptedServer() as other:
        for server in (one, other):
            ask(server.url, cache=tmp_path)
    assert one.count() == other.count() == 1


def test_repeats_are_not_collapsed(tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=numbered)) as server:
        for folder in ("a", "b"):
            end = run_tiny(tmp_path / folder, server.url, Tiny(2, repeats=2), cache=tmp_path / "cache")
            assert len({r.reason for r in end.records.values()}) == 4
    assert server.count() == 4
    assert {r.replayed for r in end.records.values()} == {1}


def test_replayed_samples_cost_nothing_of_a_budget(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with ScriptedServer() as server:
        run_tiny(tmp_path / "a", server.url, Tiny(3), cache=cache)
        for _ in range(2):
            end = run_tiny(
                tmp_path / "b", server.url, Tiny(3), cache=cache, cache_only=True, budget=Budget(tokens=1)
            )
    assert sum(u.input_tokens for r in end.records.values() for u in r.usage.values()) > 0
    assert server.count() == 3


def test_a_run_without_structured_output_is_replayed(tmp_path: Path) -> None:
    schema = {"schema": {"type": "object"}}
    with ScriptedServer(Script(endpoint=Endpoint(supports_json_schema=False))) as server:
        first = ask(server.url, cache=tmp_path, request=schema)
    assert ask(server.url, cache=tmp_path, cache_only=True, request=schema) == first


@pytest.mark.parametrize("damage", [b"", b'{"choices": [{"mess', b"[]"])
def test_a_damaged_answer_is_asked_for_again(tmp_path: Path, damage: bytes) -> None:
    with ScriptedServer(Script(agent=numbered)) as server:
        ask(server.url, cache=tmp_path)
        [file] = tmp_path.rglob("*.json")
        file.write_bytes(damage)
        with pytest.raises(StopRun):
            ask(server.url, cache=tmp_path, cache_only=True)
        assert ask(server.url, cache=tmp_path).text == "answer 1"
        assert ask(server.url, cache=tmp_path).text == "answer 1"
    assert server.count() == 2


def test_refusals_and_nonsense_are_not_kept(tmp_path: Path) -> None:
    with ScriptedServer(Script(agent=[Html(times=1), Status(500, times=1)])) as server:
        ask(server.url, cache=tmp_path)
    assert len([p for p in tmp_path.rglob("*") if p.is_file()]) == 1


def test_the_same_request_twice_at_once(tmp_path: Path) -> None:
    async def both(client: Client) -> Any:
        return await asyncio.gather(*(client.model(Meter())(HELLO) for _ in range(5)))

    with ScriptedServer(Script(latency=0.02)) as server:
        with_client(server.url, both, cache=tmp_path)
    assert len(list(tmp_path.rglob("*.json"))) == 1


def test_the_embedded_model_is_replayed_by_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    role = RoleSettings(role=Role.AGENT, model="local")
    replay: Any = {"role": role, "cache": tmp_path / "cache", "cache_only": True}
    cache = RequestCache(replay["cache"], Redactor())
    for name in ("one", "two"):
        (tmp_path / f"{name}.gguf").touch()
    body = msgspec.json.encode({"model": "one", "messages": [{"role": "user", "content": "0"}]})
    cache.put(cache.key("local", body, "0/0/0"), b'{"choices": [{"message": {"content": "recorded"}}]}')
    monkeypatch.setenv("WORKTRIAL_LOCAL_MODEL", str(tmp_path / "one.gguf"))
    end = run_tiny(tmp_path / "run", "", Tiny(1), **replay)
    assert end.records["0", 0, "E0"].reason == "recorded"
    monkeypatch.setenv("WORKTRIAL_LOCAL_MODEL", str(tmp_path / "two.gguf"))
    with pytest.raises(SettingError, match=r'agent\.model\.weights: "one" -> "two"'):
        run_tiny(tmp_path / "run", "", Tiny(1), **replay)
    with pytest.raises(StopRun, match="cache_only"):
        run_tiny(tmp_path / "other", "", Tiny(1), **replay)


WRITER = """
import sys
from pathlib import Path
from worktrial.engine.request_cache import RequestCache
from worktrial.secrets import Redactor
cache = RequestCache(Path(sys.argv[1]), Redactor())
for n in range(300):
    cache.put(cache.key("http://x", b"body", str(n % 10)), sys.argv[2].encode() * 20_000)
"""


def test_two_processes_share_a_folder(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), mark], cwd=ROOT) for mark in "ab"]
    cache = RequestCache(tmp_path, Redactor())
    keys = [cache.key("http://x", b"body", str(n)) for n in range(10)]
    seen: set[bytes] = set()
    while any(w.poll() is None for w in writers):
        seen |= {answer for key in keys if (answer := cache.get(key)) is not None}
    assert [w.returncode for w in writers] == [0, 0]
    assert seen <= {b"a" * 20_000, b"b" * 20_000}
    assert all(cache.get(key) in seen for key in keys)


def test_a_folder_that_cannot_be_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(SettingError, match="cache"):
        RequestCache(tmp_path / "file", Redactor())
    with pytest.raises(SettingError, match="add cache DIR"), ScriptedServer() as server:
        run_tiny(tmp_path / "run", server.url, cache_only=True)
