"""`worktrial synthesize` with a workplace of one's own: one command, resumed, interrupted, run."""

import re
import shutil
import signal
from pathlib import Path

import pytest
import yaml
from tests.support.cli import Word, command, lines_of, roles_at
from tests.support.in_process import TOOL_LIBRARY
from tests.support.library_clerk import Clerk, Referee, every_other
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.synthesis.command import began, ended, until
from tests.support.synthesis.paid import Till


def words(url: str, suite: Path, *more: Word) -> list[Word]:
    roles = roles_at(url, suite.parent)
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


def test_what_became_of_a_task_is_on_record_before_the_session_ends(tmp_path: Path) -> None:
    suite = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        budget = ("--max-tokens", 67_500, "--concurrency", 1)  # of some 68,500
        ran = command(*words(server.url, suite, "--tasks", 4, *budget))
    assert ran.code == 130, ran.said
    assert {line["fate"] for line in lines_of(suite / "calibration.jsonl")} == {"kept"}


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


def spoiled(folder: Path, old: str, new: str, file: str = "expectations.yaml") -> Path:
    """The tool library with one thing in it changed."""
    place = folder / "own"
    shutil.copytree(TOOL_LIBRARY, place, ignore=shutil.ignore_patterns("__pycache__"))
    path = place / "workplaces" / "loans" / file
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    return place


def test_a_finding_in_the_workplace_keeps_the_suite_back_until_it_is_waived_on_record(tmp_path: Path) -> None:
    own = spoiled(
        tmp_path, "path: /loans/L-1001/status, value: returned", "path: /loans/L-1001/status, value: open"
    )
    suite = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        given = [*words(server.url, suite, "--tasks", 2), "--workplace", own]
        ran = command(*given)
        assert (ran.code, server.count()) == (3, 0), ran.said
        assert "Nothing was run or published: 1 findings in the workplace" in ran.out
        assert f"worktrial synthesize -o {suite} --waive expectations" in ran.out
        assert not (suite / "suite.yaml").exists()
        page = (suite / "work" / "review" / "index.html").read_text("utf-8")
        assert "Findings in the workplace" in page and "It keeps back the suite." in page
        strange = command("synthesize", "-o", suite, "--yes", "--waive", "everything")
        assert strange.code == 2 and "--waive everything: there is no such gate" in strange.said
        again = command("synthesize", "-o", suite, "--yes", "--waive", "expectations")
        assert again.code == 0, again.said
        assert "(waived)" in again.err
    assert (suite / "suite.yaml").exists()
    assert yaml.safe_load((suite / "work" / "findings.yaml").read_text("utf-8"))[0]["waived"] is True
    assert "<em>Waived.</em>" in (suite / "work" / "review" / "index.html").read_text("utf-8")


def test_a_failed_acceptance_test_keeps_back_the_tasks_of_its_clauses(tmp_path: Path) -> None:
    own = spoiled(
        tmp_path, '"2031-06-08", /loans/L-1001/extended: true', '"2031-06-09", /loans/L-1001/extended: true'
    )
    suite = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        ran = command(*words(server.url, suite, "--tasks", 4), "--workplace", own)
    assert "expectations: " in ran.err
    fates = lines_of(suite / "calibration.jsonl")
    assert {row["fate"] for row in fates if "C-01" in row["clauses"]} == {"gate"}
    assert all("expectations" in row["why"] for row in fates if "C-01" in row["clauses"])
    tasks = yaml.safe_load((suite / "workplaces" / "loans" / "tasks.yaml").read_text("utf-8"))["tasks"]
    assert tasks and all("C-01" not in task["clauses"] for task in tasks)


def test_an_operation_that_cannot_be_code_is_named_with_the_way_out(tmp_path: Path) -> None:
    line = "# UNSUITABLE appraise_tool: what it says is a matter of taste"
    own = spoiled(tmp_path, '@reads(tool_id="T-11")', f'{line}\n\n\n@reads(tool_id="T-11")', "tools.py")
    suite = tmp_path / "library"
    with ScriptedServer(everybody()) as server:
        ran = command(*words(server.url, suite, "--tasks", 2), "--workplace", own)
        assert (ran.code, server.count()) == (3, 0), ran.said
    assert "appraise_tool: the operation cannot be code: what it says is a matter of taste" in ran.out
    assert "--workplace simulated" in ran.out and "--waive unsuitable-operation" in ran.out
