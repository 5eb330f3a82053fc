"""Options of a run that change how it is carried out, not what is judged."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import Ran, at, by_sample, command, outcomes, samples_of, worktrial
from tests.support.happy import HappyJudge
from tests.support.occubench import TinyRelease
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer


def _run(tmp_path: Path, url: str, *more: Any, run: str = "run") -> Ran:
    data = TinyRelease().write(tmp_path / "data")
    # Named again, an agent would be a second one.
    roles = at(url)[: 2 if "--agent" in more else 4] + at(url)[4:]
    return command("run", "occupations", "--data", data, *roles, "-o", tmp_path / run, *more)


CHANGES: dict[str, tuple[list[str], list[str]]] = {
    "agent": (["--agent", "agent-2"], ["agent", '"agent-1" -> "agent-2"']),
    "temperature": (["--temperature", "0.5"], ["judge.temperature", "null -> 0.5"]),
    "role's effort": (["--judge-effort", "high"], ["judge.effort", '"high"']),
    "memory": (["--memory", "ledger"], ["memory", '"history" -> "ledger"']),
    "votes": (["--votes", "5"], ["votes", "3 -> 5"]),
    "turns": (["--max-turns", "9"], ["turns", "60 -> 9"]),
    "extra": (["--agent-extra", '{"seed": 1}'], ["extra.seed"]),
}


def test_a_changed_setting_is_refused_with_the_difference(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        assert _run(tmp_path, server.url).code == 0
        before = {f: f.read_bytes() for f in (tmp_path / "run").rglob("*") if f.is_file()}
        asked = server.count()
        for options, words in CHANGES.values():
            ran = _run(tmp_path, server.url, *options)
            assert ran.code == 2
            assert all(word in ran.err for word in [*words, "another -o"]), ran.err
        assert server.count() == asked
    assert before == {f: f.read_bytes() for f in (tmp_path / "run").rglob("*") if f.is_file()}


def test_how_it_is_carried_out_may_change(tmp_path: Path) -> None:
    with ScriptedServer() as first:
        assert _run(tmp_path, first.url).code == 0
    # Everything is there, so nobody has to answer: the endpoint is gone.
    options = ["--concurrency", "3", "--max-tokens", "9", "--retries", "2", "--requests", "1", "--price", "1,2"]
    ran = _run(tmp_path, first.url, *options, "--cache", str(tmp_path / "cache"))
    assert ran.code == 0, ran.err
    assert len(samples_of(tmp_path / "run")) == 4
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert [s["end"] for s in manifest["sessions"]] == ["done", "done"]


def test_a_token_budget(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        ran = _run(tmp_path, server.url, "--max-tokens", 5000, "--concurrency", 1)
        assert ran.code == 130
        assert "--max-tokens" in ran.err
        assert "Raise the budget and resume with:" in ran.err
        assert str(tmp_path / "run") in ran.err.split("resume with:")[1]
        first = samples_of(tmp_path / "run")
        assert 1 <= len(first) < 4
        # The spent budget counts on: the same command does nothing more.
        asked = server.count()
        assert _run(tmp_path, server.url, "--max-tokens", 5000, "--concurrency", 1).code == 130
        assert server.count() == asked
        assert _run(tmp_path, server.url, "--max-tokens", 50_000).code == 0
    records = samples_of(tmp_path / "run")
    assert records[: len(first)] == first
    assert sorted(r["sample"] for r in records) == ["108", "11", "42", "7"]


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--max-minutes", "0"], 130, ["--max-minutes"]),
        (["--max-cost", "0.000001", "--price", "1,1", "--concurrency", "1"], 130, ["--max-cost"]),
        (["--max-cost", "1"], 2, ["price of", "--agent-price IN,OUT"]),
        (["--max-cost", "5", "--price", "1,1"], 0, []),
    ],
)
def test_other_budgets(options: list[str], code: int, words: list[str], tmp_path: Path) -> None:
    with ScriptedServer() as server:
        ran = _run(tmp_path, server.url, *options)
    assert ran.code == code
    assert all(word in ran.err for word in words), ran.err


def test_replay_from_the_cache_needs_nobody(tmp_path: Path) -> None:
    cache = ["--cache", str(tmp_path / "cache"), "--repeats", "3"]
    with ScriptedServer(Script(judge=HappyJudge(0.5, salt="a"))) as server:
        assert _run(tmp_path, server.url, *cache).code == 0
        first = server.count()
        assert _run(tmp_path, server.url, *cache, run="again").code == 0
        assert server.count() == first
    # The server is gone.
    assert _run(tmp_path, server.url, *cache, "--cache-only", run="offline").code == 0
    runs = [{(r["sample"], r["repeat"]): r for r in samples_of(tmp_path / n)} for n in ("run", "again", "offline")]
    for key, record in runs[0].items():
        for other in runs[1:]:
            for field in ("outcome", "reason", "votes", "calls", "stop_reason", "clock"):
                assert other[key][field] == record[field]
            used = sum(u["requests"] for u in other[key]["usage"].values())
            assert other[key]["replayed"] == used
    assert len(runs[0]) == 12
    assert {r["outcome"] for r in runs[0].values()} == {"pass", "fail"}


def test_cache_only_without_the_answer_stops(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        options = ["--cache", str(tmp_path / "cache"), "--cache-only"]
        ran = _run(tmp_path, server.url, *options)
        assert server.stats()["connections_opened"] == 0
    assert ran.code == 2
    assert "--cache-only" in ran.err


def test_each_role_has_its_own_place_and_price(tmp_path: Path) -> None:
    with ScriptedServer() as agent, ScriptedServer() as simulator, ScriptedServer() as judge:
        options = ["--simulator-base-url", simulator.url, "--judge-base-url", judge.url]
        options += ["--price", "1,2", "--judge-price", "10,0", "--simulator-temperature", "0.25"]
        options += ["--agent-effort", "low", "--output-tokens", "50", "--judge-output-tokens", "70"]
        options += ["--judge-token-parameter", "max_completion_tokens", "--extra", '{"seed": 5}']
        assert _run(tmp_path, agent.url, *options).code == 0
        for server, role in ((agent, "agent"), (simulator, "simulator"), (judge, "judge")):
            assert {r.role for r in server.requests} == {role}
        asked, played, judged = (s.requests[0].body for s in (agent, simulator, judge))
    assert (asked["reasoning_effort"], asked["max_tokens"], asked["seed"]) == ("low", 50, 5)
    assert "temperature" not in asked
    assert (played["temperature"], played["max_tokens"]) == (0.25, 50)
    assert "reasoning_effort" not in played
    assert judged["max_completion_tokens"] == 70
    for record in samples_of(tmp_path / "run"):
        used = record["usage"]
        for role, (dollars_in, dollars_out) in {"agent": (1, 2), "simulator": (1, 2), "judge": (10, 0)}.items():
            tokens = used[role]["input_tokens"], used[role]["output_tokens"]
            expected = (tokens[0] * dollars_in + tokens[1] * dollars_out) / 1e6
            assert used[role]["cost"] == pytest.approx(expected)
        assert record["cost"] == pytest.approx(sum(u["cost"] for u in used.values()))


def test_a_ledger_is_kept_and_stored(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        assert _run(tmp_path, server.url, "--memory", "ledger", "--tasks", "11").code == 0
        assert {len(r.messages) for r in server.of("simulator")} == {2}
    shown = json.loads(command("trajectory", tmp_path / "run", "11", "--json").out)
    assert shown["final_state"]["berths"]["B1"] == {"free": True}


OWN_AGENT = """
async def work(assignment):
    names = [tool["function"]["name"] for tool in assignment.tools]
    seen = await assignment.call(names[0], {})
    refused = await assignment.call("no_such_tool", {})
    return f"{seen['status']}, {refused['error']['type']}, {assignment.clock[:10]}"

async def breaks(assignment):
    raise LookupError("lost my way")
"""


def test_an_agent_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "my_agent.py").write_text(OWN_AGENT)
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer() as server:
        for name, words in {
            "work": [f"python:{tmp_path}/my_agent.py:work"],
            "breaks": ["python:my_agent:breaks"],
        }.items():
            words = ["run", "occupations", "--data", data, *at(server.url, agent=words[0]), "-o", tmp_path / name]
            ran = worktrial(*words, "--tasks", "11,7", "--max-invalid", 1, cwd=tmp_path)
            assert ran.code == 0, ran.err
        assert server.count("agent") == 0
        bad = worktrial(*words[:-1], tmp_path / "bad", "--agent", "python:my_agent:nobody", cwd=tmp_path)
    assert outcomes(tmp_path / "work") == {"11": "pass", "7": "pass"}
    record = by_sample(tmp_path / "work")["11"]
    assert (record["calls"], set(record["usage"])) == (2, {"simulator", "judge"})
    shown = command("trajectory", tmp_path / "work", "11")
    assert "ok, unknown_tool, 2026-03-02" in shown.out
    broken = by_sample(tmp_path / "breaks")["7"]
    assert broken["reason"] == "agent_crash: LookupError: lost my way"
    assert (bad.code, "has no function nobody" in bad.err) == (2, True)


def test_a_run_without_a_name_gets_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer() as server:
        for number in (1, 2):
            assert command("run", "occupations", "--data", data, *at(server.url)).code == 0
            assert len(samples_of(tmp_path / "runs" / f"occupations-{number}")) == 4


def test_a_folder_that_is_no_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("years of work")
    with ScriptedServer() as server:
        ran = _run(tmp_path, server.url)
        assert server.count() == 0
    assert ran.code == 2
    assert "thesis.txt" in ran.err
    assert [p.name for p in (tmp_path / "run").iterdir()] == ["thesis.txt"]


def test_an_even_number_of_votes_is_warned_of(tmp_path: Path) -> None:
    with ScriptedServer(Script()) as server:
        even = _run(tmp_path, server.url, "--votes", "2", run="even")
        odd = _run(tmp_path, server.url, run="odd")
    assert "--votes 2: an even number can end without a majority" in " ".join((even.out + even.err).split())
    assert "even number" not in odd.out + odd.err
