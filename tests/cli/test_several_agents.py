"""Several agents in one command: side by side, stopped and resumed together, compared at the end."""

import asyncio
import json
import shlex
import signal
from pathlib import Path

import pytest
from tests.support.cli import at, command, interrupt, samples_of, start
from tests.support.occubench import TinyRelease
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

import worktrial as wt
from worktrial.trials import folder_names


def words(tmp_path: Path, url: str, *agents: str) -> list[str]:
    data = tmp_path / "data"
    if not data.exists():
        TinyRelease().write(data)
    roles = at(url)
    del roles[roles.index("--agent") : roles.index("--agent") + 2]
    return ["run", "occupations", "--data", str(data), *roles, *(w for a in agents for w in ("--agent", a))]


def test_each_agent_has_a_folder_and_the_comparison_follows(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with ScriptedServer() as server:
        ran = command(*words(tmp_path, server.url, "a-1", "b-1"), "-o", runs)
    assert ran.code == 0, ran.err
    assert sorted(p.name for p in runs.iterdir()) == ["a-1", "b-1"]
    for name in ("a-1", "b-1"):
        assert [r["sample"] for r in samples_of(runs / name)] == ["11", "42", "7", "108"]
        manifest = json.loads((runs / name / "manifest.json").read_text())
        assert manifest["settings"]["agent"] == manifest["settings"]["roles"]["agent"]["model"] == name
        assert manifest["sessions"][0]["end"] == "done"
    assert ran.out.startswith("Not enough to tell a-1 from b-1: a-1 completes 0.0 points (95 % interval ")
    assert "8/8 done" in ran.err
    assert f"worktrial report {runs / 'a-1'} {runs / 'b-1'} · " in ran.out
    assert command("compare", runs / "a-1", runs / "b-1").code == 0
    assert command("report", runs / "a-1", runs / "b-1", "-o", tmp_path / "report").code == 0


def test_their_samples_are_taken_in_turn(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        more = ["--faults", "E0,E1", "--concurrency", "1", "-o", tmp_path / "runs"]
        assert command(*words(tmp_path, server.url, "a-1", "b-1"), *more).code == 0
        models = [request.body["model"] for request in server.of("agent")]
    turns = [model for n, model in enumerate(models) if n == 0 or models[n - 1] != model]
    assert turns == ["a-1", "b-1"] * 8


def test_a_budget_is_that_of_all_and_leaves_them_comparable(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with ScriptedServer() as server:
        more = [*words(tmp_path, server.url, "a-1", "b-1", "c-1"), "--repeats", "3", "-o", str(runs)]
        stopped = command(*more, "--max-tokens", 40_000, "--concurrency", 2)
        assert stopped.code == 130
        assert "Raise the budget and resume with:" in stopped.err
        counts = [len(samples_of(runs / name)) for name in ("a-1", "b-1", "c-1")]
        assert sum(counts) > 3
        assert max(counts) - min(counts) <= 2
        tokens = 0
        for name in ("a-1", "b-1", "c-1"):
            [session] = json.loads((runs / name / "manifest.json").read_text())["sessions"]
            assert session["end"].startswith("stopped: the budget")
            tokens += session["tokens"]
        # Requests in flight may go a little over.
        assert 40_000 <= tokens < 50_000
        # A spent budget counts on.
        asked = server.count()
        assert command(*more, "--max-tokens", 40_000).code == 130
        assert server.count() == asked
        ended = command(*more)
    assert ended.code == 0, ended.err
    assert [len(samples_of(runs / name)) for name in ("a-1", "b-1", "c-1")] == [12, 12, 12]
    assert "a-1 beside the others" in ended.out and "is not told apart from c-1." in ended.out
    assert "intervals and p hold for all 2 comparisons together" in ended.out


def test_an_interrupted_command_resumes_all(tmp_path: Path) -> None:
    runs = tmp_path / "the runs"
    with ScriptedServer(Script(latency=0.01)) as server:
        more = [
            *words(tmp_path, server.url, "a-1", "b-1"),
            "--repeats",
            "10",
            "--concurrency",
            "4",
            "-o",
            str(runs),
        ]
        ran = interrupt(start(*more), signal.SIGINT, runs / "b-1" / "samples.jsonl", at_least=4)
        assert ran.code == 130, ran.err
        first = {name: samples_of(runs / name) for name in ("a-1", "b-1")}
        assert abs(len(first["a-1"]) - len(first["b-1"])) <= 4
        resume = shlex.split(next(line for line in ran.err.splitlines() if line.startswith("  worktrial ")))
        assert resume == ["worktrial", *more]
        assert command(*resume[1:]).code == 0
    for name, before in first.items():
        records = samples_of(runs / name)
        assert records[: len(before)] == before
        assert len(records) == len({(r["sample"], r["repeat"]) for r in records}) == 40
        assert len(work_of(runs / name)) == 40
        sessions = json.loads((runs / name / "manifest.json").read_text())["sessions"]
        assert [session["end"] for session in sessions] == ["interrupted", "done"]


def test_a_third_agent_joins_two_that_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("run", "starter", "--agent", "plan", "--agent", "idle", "--limit", 4).code == 0
    before = (tmp_path / "runs/starter-1/plan/samples.jsonl").read_bytes()
    (tmp_path / "my.py").write_text("async def solve(assignment):\n    return 'done'\n")
    third = ["--agent", "plan", "--agent", "idle", "--agent", "python:my.py:solve", "--limit", 4]
    assert command("run", "starter", *third, "-o", "runs/starter-1").code == 0
    assert (tmp_path / "runs/starter-1/plan/samples.jsonl").read_bytes() == before
    assert len(samples_of(tmp_path / "runs/starter-1/python-my.py-solve")) == 4


def test_their_folder_is_opened_or_its_runs_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("run", "starter", "--agent", "plan", "--agent", "idle", "--limit", 2, "-o", "both").code == 0
    for words in (["show", "both"], ["trajectory", "both", "lab-00"], ["compare", "both", "both"]):
        ran = command(*words)
        assert (ran.code, "both: is no run itself, and holds the runs idle, plan" in ran.said) == (2, True), ran
        assert "Name one, such as both/idle" in ran.said
    ran = command("report", "both", "-o", "page")
    assert ran.code == 0, ran.err
    first = (tmp_path / "page/index.html").read_text()
    assert "plan" in first and "idle" in first


@pytest.mark.parametrize(
    ("agents", "said"),
    [
        (["plan", "plan"], "--agent plan: is named twice; for more tries use --repeats"),
        (["plan", "python:nowhere"], "--agent python:nowhere: "),
    ],
)
def test_agents_that_cannot_stand_side_by_side(agents: list[str], said: str, tmp_path: Path) -> None:
    named = [word for agent in agents for word in ("--agent", agent)]
    ran = command("run", "starter", *named, "-o", tmp_path / "runs")
    assert (ran.code, said in ran.err) == (2, True), ran.err
    assert not (tmp_path / "runs").exists()


def test_the_folder_of_one_agents_run_is_refused(tmp_path: Path) -> None:
    assert command("run", "starter", "--agent", "plan", "--tasks", "lab-01", "-o", tmp_path / "run").code == 0
    ran = command("run", "starter", "--agent", "plan", "--agent", "idle", "-o", tmp_path / "run")
    assert (ran.code, "holds the run of one agent" in ran.err, "-o" in ran.err) == (2, True, True)


def test_folders_are_named_after_agents() -> None:
    assert folder_names(["gpt-5", "python:my.py:solve", "openai/gpt-5"]) == [
        "gpt-5", "python-my.py-solve", "openai-gpt-5",
    ]  # fmt: skip
    alike = folder_names(["org/m", "org:m", "ORG-M", "../..", "m" * 99])
    assert len({name.casefold() for name in alike}) == 5
    assert all("/" not in name and name.strip(".") and len(name) < 80 for name in alike)
    # Whatever their order.
    assert set(folder_names(["org:m", "org/m"])) == set(folder_names(["org/m", "org:m"]))


def test_from_python(tmp_path: Path) -> None:
    async def solve(assignment: wt.Assignment) -> str:
        return "done"

    runs = wt.run("starter", ["plan", solve], out=tmp_path / "runs", limit=3)
    assert [run.completion for run in runs] == [1, 0]
    assert runs[0].folder == tmp_path / "runs" / "plan"
    assert wt.compare(*runs).headline == "E0"

    async def notebook() -> list[wt.Run]:
        return wt.run("starter", ["plan", solve], out=tmp_path / "runs", limit=4)

    assert [len(run.run.records) for run in asyncio.run(notebook())] == [4, 4]
    (one,) = asyncio.run(wt.run_async("starter", ["idle"], out=tmp_path / "one", tasks="lab-01"))
    assert one.folder == tmp_path / "one" / "idle"
