"""Sections about documents, orchestration and audits, of runs that the suites themselves wrote."""

from pathlib import Path
from typing import Any

import pytest
from tests.reports.sections.parsed import Parsed
from tests.suites.documents.runs import store
from tests.support.cli import command
from tests.support.orchestration import BERTH, SHORT, TinyTeam
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.true_simulator import TrueSimulator

from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.engine.stored import StoredRun
from worktrial.named_agents import resolve_agent
from worktrial.reports.report import Report, ReportRun, open_report
from worktrial.reports.sections import first_screen, published, sections
from worktrial.suites.documents.report import documents
from worktrial.suites.executable.tasks import TASKS_FILE, read_tasks
from worktrial.suites.orchestration import suite
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.report import orchestration
from worktrial.suites.orchestration.run.free.trial import FreeSettings, FreeTrial
from worktrial.suites.orchestration.run.ground import Groundwork, load_tasks
from worktrial.suites.orchestration.run.turns import OrchestrationTrial, Settings
from worktrial.suites.starter import FOLDER, load_workplace

TASKS = read_tasks(FOLDER / "emergency_triage" / TASKS_FILE, load_workplace("emergency_triage"))


def _report(*runs: StoredRun) -> Report:
    return Report("r", [ReportRun(run.folder.name, run.folder.name, run) for run in runs])


def _words(section: object) -> str:
    assert section is not None
    return Parsed(section).words  # type: ignore[arg-type]


def test_documents_by_hand(tmp_path: Path) -> None:
    nearly = {"0": 0.0, "0.001": 0.0, "0.01": 1.0, "0.05": 1.0}
    pages = {f"q{n}": n < 8 for n in range(10)}
    whole = {f"q{n}": n < 4 for n in range(10)}
    report = _report(
        store(tmp_path / "pages", pages, "oracle-pages", {"q9": {"published": nearly}}),
        store(tmp_path / "whole", whole, "archive"),
    )
    words = _words(documents(report))
    assert words.startswith("pages answers 80.0% of 10 judged questions exactly right, and 90.0% within 5%")
    assert "Most is lost by finding document and page: 40.0 points" in words
    assert "reading and computing" in words
    # One agent under two set-ups is no contest.
    assert "How this was measured" not in first_screen(report)
    assert "Claude Opus 4.5 published by OfficeQA, not run here" in _words(published(report))


def test_hostile_names_of_documents_stay_text(tmp_path: Path) -> None:
    bad = "</script><script>window.x=1</script>'\"<img src=x onerror=y>"
    runs = [
        store(tmp_path / setup, {"q1": True, "q2": False, bad: False}, setup, agent=bad)
        for setup in ("oracle-pages", "archive")
    ]
    report = Report(bad, [ReportRun(run.folder.name, bad, run) for run in runs])
    words = _words(documents(report))
    assert f"Where {bad} loses answers" in words
    assert bad in _words(published(report))


def test_set_ups_without_a_common_question_have_no_stages(tmp_path: Path) -> None:
    report = _report(
        store(tmp_path / "a", {"q1": True}, "oracle-pages"), store(tmp_path / "b", {"q2": True}, "archive")
    )
    assert "Most is lost" not in _words(documents(report))


def test_the_web_beside_the_archive_is_a_stage_of_its_own(tmp_path: Path) -> None:
    """Of archive and archive with the web the later run was dropped, and the stages were not there."""
    questions = [f"q{n}" for n in range(6)]
    report = _report(
        store(tmp_path / "a", {name: n < 2 for n, name in enumerate(questions)}, "archive"),
        store(tmp_path / "b", {name: n < 5 for n, name in enumerate(questions)}, "archive", web="https://h/search"),
    )
    words = _words(documents(report))
    assert "Where a loses answers" in words and "archive+web" in words


def _orchestrate(data: Path, folder: Path, team: str, *, free: bool = False) -> Path:
    release, tasks = load_tasks(data, [Language.EN])
    ground = Groundwork(release, tasks, resolve_agent(team, suite))
    trial: Any = (
        FreeTrial(ground, FreeSettings(simulated=False)) if free else OrchestrationTrial(ground, Settings())
    )
    run_trial(trial, {}, RunSettings(folder=folder))
    return folder


def test_orchestration_beside_its_floors(tmp_path: Path) -> None:
    data = TinyTeam({"EN/1": BERTH, "EN/2": SHORT}).write(tmp_path / "data")
    folders = [
        _orchestrate(data, tmp_path / "gold", "gold"),
        _orchestrate(data, tmp_path / "floor", "always-refuse"),
        _orchestrate(data, tmp_path / "free", "gold", free=True),
    ]
    report = open_report(folders, "r")
    words = _words(orchestration(report))
    assert "gold (gold) reaches most, 100.0%" in words and "above the best team that understands nothing" in words
    assert "EN: our scoring, with floors" in words and words.count("best floor: ") == 4, "for each metric"
    assert "What teams reach on their own" in words
    assert "Cascade gap" in words and "0.0 points" in words
    assert "GLM-4.7 published by OrchestrationBench, not run here" in _words(published(report))


def test_audits_of_simulators_and_judges(tmp_path: Path) -> None:
    tasks = ",".join(task.id for task in TASKS)
    with ScriptedServer(Script(simulator=TrueSimulator(TASKS))) as server:
        command(
            *("audit", "simulator", "--simulator", "simulator-1", "--base-url", server.url, "--tasks", tasks),
            *("--memory", "ledger", "-o", tmp_path / "simulator"),
        )
        command(
            *("audit", "judge", "--judge", "judge-1", "--base-url", server.url, "--tasks", tasks),
            *("-o", tmp_path / "judge"),
        )
    report = open_report([tmp_path / "simulator", tmp_path / "judge"], "r")
    words = " ".join(_words(section) for section in sections(report))
    assert {"simulators", "judges"} < {section.id for section in sections(report)}
    assert (
        "simulator-1 (ledger, full) simulator gives 100.0% of" in words and "answers exactly as they are." in words
    )
    assert "state still true" in words
    assert "judge-1 (votes, 3) judge is right about" in words and "wrong number" in words
    assert first_screen(report) == "", "an audit is no trial of an agent"


@pytest.mark.parametrize("section", [documents, orchestration])
def test_nothing_to_say(tmp_path: Path, section: Any) -> None:
    from tests.results.runs import record
    from tests.results.runs import store as plain

    assert section(_report(plain(tmp_path / "a", [record("1")]))) is None
