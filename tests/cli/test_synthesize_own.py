"""`worktrial synthesize` with a workplace of one's own: one command, resumed, interrupted, run."""

import re
import signal
from pathlib import Path

import pytest
import yaml
from tests.support.cli import Word, command, lines_of
from tests.support.in_process import TOOL_LIBRARY
from tests.support.library_clerk import Clerk, Referee, every_other
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.synthesis.command import began, ended, until
from tests.support.synthesis.paid import Till

ROLES = ("synthesizer", "solver", "agent", "judge", "simulator")


def words(url: str, suite: Path, *more: Word) -> list[Word]:
    roles = suite.parent / "roles.yaml"
    roles.write_text(yaml.safe_dump({role: {"model": f"{role}-1", "base_url": url} for role in ROLES}))
    return ["synthesize", "--workplace", TOOL_LIBRARY, "--roles", roles, "--yes", "-o", suite, *more]


def everybody(**more: object) -> Script:
    script = {"agent": Clerk(every_other), "solver": Clerk(), "judge": Referee(), **more}
    return Script(**script)  # type: ignore[arg-type]


def test_one_command_gives_a_suite_that_runs_and_says_what_more_would_cost(tmp_path: Path) -> None:
    suite = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        ran = command(*words(server.url, suite, "--tasks", 3, "--fresh-runs", 2))
        assert ran.code == 0, ran.said
        assert "3 tasks" in ran.out and "no second witness" in ran.out and "fresh runs" in ran.out
        assert "by the first runs, what is left takes about" in ran.err
        assert re.search(r"More of them: --tasks 100, which takes about [\d,]+ tokens", ran.out)
        assert (suite / "work" / "review" / "index.html").exists()
        assert (suite / "handbook" / "lending.md").exists()
        asked = server.count()
        again = command("synthesize", "-o", suite, "--yes")
        assert (again.code, server.count()) == (0, asked), again.said
        for agent, outcomes in (("plan", {"pass"}), ("idle", {"fail"})):
            run = tmp_path / agent
            done = command("run", suite, "--agent", agent, "-o", run)
            assert done.code == 0, done.said
            assert {row["outcome"] for row in lines_of(run / "samples.jsonl")} == outcomes


def test_drafts_of_a_workplace_of_ones_own_cost_nothing(tmp_path: Path) -> None:
    suite = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        ran = command(*words(server.url, suite, "--until", "drafts", "--languages", "en,ko"))
        assert ran.code == 0, ran.said
        assert "20 tasks are drafted and hold in code" in ran.out
        assert server.count() == 0
    assert len(list((suite / "work" / "tasks").glob("*.yaml"))) == 20


def test_an_interrupted_session_keeps_what_is_in_flight(tmp_path: Path) -> None:
    suite = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        undisturbed = tmp_path / "undisturbed"
        assert command(*words(server.url, undisturbed, "--tasks", 4)).code == 0
        whole = server.count()
    with ScriptedServer(everybody(latency=0.05)) as server:
        till = Till(server, suite)
        child = began(*words(server.url, suite, "--tasks", 4, "--concurrency", 16))
        until(child, server, 60)
        child.send_signal(signal.SIGINT)
        ran = ended(child)
        assert (ran.code, "Traceback" in ran.err) == (130, False), ran.err
        assert "another Ctrl-C drops it" in ran.err
        assert till.close_session() == [], "every answer that was paid for is kept"
        again = ended(began("synthesize", "-o", suite, "--yes"))
        assert again.code == 0, again.err
        assert till.close_session() == []
        assert server.count() == whole
    assert [row["end"] for row in lines_of(suite / "work" / "sessions.jsonl")] == ["interrupted", "done"]


def test_after_a_spent_budget_the_hint_names_a_higher_one(tmp_path: Path) -> None:
    suite = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        ran = command(*words(server.url, suite, "--tasks", 4, "--max-tokens", 9000))
        assert ran.code == 130, ran.said
        assert "Raise the budget" in ran.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--workplace", "nowhere"], "write code, simulated, or the folder of a workplace"),
        (["--workplace", "."], "holds no workplace"),
        (["--languages", "en,xx"], "xx"),
    ],
)
def test_what_cannot_be_used_is_said_before_the_first_call(given: list[Word], said: str, tmp_path: Path) -> None:
    (tmp_path / "roles.yaml").write_text("agent: {model: m, base_url: 'http://127.0.0.1:9/v1'}\n")
    own = ["--workplace", TOOL_LIBRARY] if "--workplace" not in given else []
    ran = command(
        "synthesize", *own, "--model", "m", "--base-url", "http://127.0.0.1:9/v1", *given, "-o", tmp_path / "suite"
    )
    assert ran.code == 2, ran.said
    assert said in ran.said


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ("boss: {model: m}\n", "boss is no role"),
        ("agent: {model: m, colour: blue}\n", "agent.colour is unknown"),
        ("agent: {model: m, temperature: hot}\n", "temperature"),
        ("agent: m\n", "Expected `object`"),
    ],
)
def test_a_file_of_roles_that_cannot_be_used_is_named(roles: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "roles.yaml"
    path.write_text(roles)
    ran = command("synthesize", "--workplace", TOOL_LIBRARY, "--roles", path, "-o", tmp_path / "suite")
    assert ran.code == 2, ran.said
    assert said in ran.said and "roles.yaml" in ran.said


def test_help_shows_at_most_twenty_options() -> None:
    shown = re.findall(r"^│ (--[a-z-]+)", command("synthesize", "--help").out, re.MULTILINE)
    assert len(set(shown)) <= 20, shown
