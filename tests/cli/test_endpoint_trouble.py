"""Endpoints that cannot work end the run at once, with one message that says what to do."""

import socket
from pathlib import Path

import pytest
from tests.support import behaviours
from tests.support.cli import Ran, at, by_sample, command, outcomes, samples_of
from tests.support.occubench import TinyRelease
from tests.support.script import Endpoint, Script
from tests.support.scripted_server import ScriptedServer

KEY = "sk-planted-7f3a9c1e"

TROUBLE: dict[str, tuple[Script, list[str], list[str]]] = {
    # script, further options, what the message names
    "wrong key": (
        Script(agent=behaviours.RefusesKey()),
        ["--api-key-env", "PLANTED"],
        ["agent", "401", "environment variable PLANTED"],
    ),
    "no key": (Script(endpoint=Endpoint(key="good")), [], ["401", "--agent-api-key-env NAME"]),
    "forbidden": (Script(simulator=behaviours.RefusesKey(403)), ["--api-key-env", "PLANTED"], ["simulator", "403"]),
    "no such model": (Script(judge=behaviours.UnknownModel()), [], ["judge", "404", "'judge-1'", "/v1"]),
    "temperature": (
        Script(endpoint=Endpoint(supports_temperature=False)),
        ["--temperature", "0"],
        ["temperature", "--agent-temperature"],
    ),
    "effort": (
        Script(agent=behaviours.RejectsParameter("reasoning_effort")),
        ["--effort", "low"],
        ["--agent-effort"],
    ),
    "output limit": (
        Script(endpoint=Endpoint(token_parameter="max_completion_tokens")),
        ["--output-tokens", "90"],
        ["--agent-token-parameter max_completion_tokens"],
    ),
    "no tools": (
        Script(endpoint=Endpoint(supports_tools=False)),
        [],
        ["'tools'", "--tool-mode json"],
    ),
    "no log-probabilities": (
        Script(endpoint=Endpoint(supports_logprobs=False)),
        ["--judge-method", "logprob"],
        ["--judge-method votes"],
    ),
}


# Met by a role that is asked after the agent.
PAID = {"forbidden", "no such model", "no log-probabilities"}


def _run(url: str, tmp_path: Path, *more: str) -> Ran:
    data = TinyRelease().write(tmp_path / "data")
    words = ["run", "occupations", "--data", data, *at(url), "-o", tmp_path / "run", *more]
    return command(*words, env={"PLANTED": KEY})


@pytest.mark.parametrize("name", TROUBLE)
def test_a_refusal_stops_the_run(name: str, tmp_path: Path) -> None:
    script, options, words = TROUBLE[name]
    with ScriptedServer(script) as server:
        ran = _run(server.url, tmp_path, *options)
        # At most what four samples ask before the first refusal.
        assert server.count() <= 4 * 6
    assert ran.code == 2
    assert all(word in ran.said for word in words), ran.said
    assert ran.err.count("worktrial: ") == 1
    assert "Traceback" not in ran.said
    assert KEY not in ran.said
    # Nothing is stored, so there is nothing to resume: the same command would meet the same refusal. A folder stays
    # only where the agent's own work had been paid for by then, to say so.
    assert (tmp_path / "run").exists() is (name in PAID)
    assert not (tmp_path / "run" / "samples.jsonl").exists() or not samples_of(tmp_path / "run")
    assert "resume" not in ran.err.lower()


def test_an_endpoint_that_is_down(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    ran = _run(url, tmp_path)
    assert ran.code == 2
    assert url in ran.err
    assert "--base-url" in ran.err
    assert ran.err.count("worktrial: ") == 1
    assert "Traceback" not in ran.said


@pytest.mark.parametrize("url", ["127.0.0.1:9", "ftp://127.0.0.1/v1", "http://", "http://[::1/v1"])
def test_an_address_that_is_none(url: str, tmp_path: Path) -> None:
    ran = _run(url, tmp_path)
    assert ran.code == 2
    assert "base-url" in ran.err
    assert "Traceback" not in ran.said


def test_120_requests_turned_away_at_once(tmp_path: Path) -> None:
    script = Script(burst_429=120, burst_retry_after="0")
    with ScriptedServer(script) as server:
        ran = _run(server.url, tmp_path, "--repeats", "10", "--concurrency", "40", "--retry-seconds", "60")
        assert server.stats()["statuses"]["429"] == 120
    assert ran.code == 0, ran.err
    assert [r["outcome"] for r in samples_of(tmp_path / "run")] == ["pass"] * 40
    assert "120 requests had to be sent again" in ran.err
    # Retries are counted, not told one by one.
    assert len(ran.err.splitlines()) < 12


def test_a_short_outage_fails_nobody(tmp_path: Path) -> None:
    script = Script(
        agent=behaviours.Status(503, times=3),
        simulator=behaviours.Html(times=1),
        judge=behaviours.CutsBody(times=2),
    )
    with ScriptedServer(script) as server:
        ran = _run(server.url, tmp_path)
    assert ran.code == 0, ran.err
    assert set(outcomes(tmp_path / "run").values()) == {"pass"}


def test_an_endpoint_that_dies_leaves_invalid_samples(tmp_path: Path) -> None:
    with ScriptedServer(Script(judge=behaviours.Status(500))) as server:
        ran = _run(server.url, tmp_path, "--retries", "2", "--max-invalid", "0.5")
    assert ran.code == 3
    assert set(outcomes(tmp_path / "run").values()) == {"invalid"}
    assert {r["reason"].split(":")[0] for r in by_sample(tmp_path / "run").values()} == {"endpoint_unavailable"}
    assert "endpoint_unavailable 4" in ran.out
    with ScriptedServer() as server:
        again = _run(server.url, tmp_path, "--retries", "2", "--max-invalid", "0.5")
    assert again.code == 0
    assert set(outcomes(tmp_path / "run").values()) == {"pass"}
    assert len(samples_of(tmp_path / "run")) == 8


def test_structured_output_is_given_up_where_it_is_rejected(tmp_path: Path) -> None:
    script = Script(endpoint=Endpoint(supports_json_schema=False))
    with ScriptedServer(script) as server:
        ran = _run(server.url, tmp_path, "--concurrency", "1")
        refused = server.stats()["statuses"]["400"]
    assert ran.code == 0, ran.err
    assert refused == 2
    with ScriptedServer(script) as server:
        ran = _run(server.url, tmp_path / "strict", "--structured", "schema")
    assert ran.code == 2
    assert "structured" in ran.err
