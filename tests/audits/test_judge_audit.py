"""The audit of judges over real HTTP, against judges whose bias is known."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import Ran, by_sample, command, samples_of
from tests.support.happy import verdict, yes_or_no
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.audits.judge import JudgedCase, planned_cases
from worktrial.engine.batch.policy import BatchPolicy
from worktrial.engine.stored import open_run
from worktrial.interop.view.library import RunLibrary
from worktrial.reports.report import open_report
from worktrial.results.figure import RunFigures, figures_of
from worktrial.suites.executable.tasks import TASKS_FILE, read_tasks
from worktrial.suites.starter import FOLDER, load_workplace

TASKS = read_tasks(FOLDER / "emergency_triage" / TASKS_FILE, load_workplace("emergency_triage"))
IDS = ",".join(task.id for task in TASKS)


@pytest.fixture(scope="module")
def cases() -> list[JudgedCase]:
    return asyncio.run(planned_cases(TASKS))


def audit(tmp_path: Path, judge: Any, *words: Any) -> tuple[Ran, RunFigures]:
    with ScriptedServer(Script(judge=judge)) as server:
        ran = command(
            *("audit", "judge", "--judge", "judge-1", "--base-url", server.url, "--tasks", IDS),
            *("-o", tmp_path / "audit", *words),
        )
    return ran, figures_of(open_run(tmp_path / "audit"))


def counts(found: RunFigures) -> tuple[int | None, int | None, int | None, int]:
    """True verdicts, false passes, false fails, and verdicts in all."""
    accuracy, false_pass, false_fail = (found.get(name) for name in ("accuracy", "false_pass", "false_fail"))
    return accuracy.hits, false_pass.hits, false_fail.hits, accuracy.n


def test_only_broken_work_that_the_checks_notice_is_a_case(cases: list[JudgedCase]) -> None:
    assert {case.task.id for case in cases if case.passes} == {task.id for task in TASKS}
    assert all(case.passes is (case.variant == "plan") for case in cases)
    variants = {case.variant for case in cases}
    assert variants == {"plan", "idle_gold", "read_only", "last_write_missing", "wrong_number", "planted_verdict"}
    for case in cases:
        if case.variant in ("idle_gold", "planted_verdict"):
            assert not case.trajectory.calls and case.final_state == case.task.initial_state
        if case.variant == "read_only":
            assert case.trajectory.calls and case.final_state == case.task.initial_state


def test_a_judge_that_knows(tmp_path: Path, cases: list[JudgedCase]) -> None:
    answers = [case.trajectory.answer for case in cases if case.passes]

    def judge(request: ScriptedRequest) -> Any:
        text = request.last_user_text
        good = [case for case in cases if case.passes and case.trajectory.answer in text]
        done = [case for case in good if text.count('"observation":') == len(case.trajectory.calls)]
        return verdict(bool(done), "as it is")

    assert len(set(answers)) == len(answers)
    ran, report = audit(tmp_path, judge)
    assert ran.code == 0, ran.err
    assert counts(report) == (len(cases), 0, 0, len(cases))
    assert report.get("accuracy").value == report.get("kappa").value == 1
    assert report.get("accuracy", group="votes=each").n == 2 * len(cases), "the third vote is not needed"
    assert report.get("votes_agree").value == 1 and report.get("votes_agree").clusters == len(TASKS)
    assert "wrong number" in ran.said and "kappa" in ran.said


def test_a_report_and_the_viewer_call_it_by_the_model_that_is_audited(tmp_path: Path) -> None:
    audit(tmp_path, lambda request: verdict(True, "fine"), "--limit", 1)
    [run] = open_report([tmp_path / "audit"], "Audits").runs
    library = RunLibrary([tmp_path / "audit"], "Audits")
    assert [run.name] == list(library.names(library.runs().items()).values()) == ["judge-1"]


def test_a_judge_that_passes_everything(tmp_path: Path, cases: list[JudgedCase]) -> None:
    _, report = audit(tmp_path, lambda request: verdict(True, "fine"))
    broken = len(cases) - len(TASKS)
    assert counts(report) == (len(TASKS), broken, 0, len(cases))
    assert report.get("false_pass").value == 1 and report.get("false_fail").value == 0
    assert report.get("kappa").value == 0
    assert [report.get("accuracy", group=f"work={work}").value for work in ("plan", "idle_gold")] == [1, 0]


def test_a_judge_nobody_understands(tmp_path: Path) -> None:
    assert (
        command("run", "starter", "--agent", "plan", "--tasks", IDS, "--limit", 3, "-o", tmp_path / "run").code == 0
    )
    # Of five such replies one after the other the run would make an end.
    ran, report = audit(tmp_path, lambda r: "well, hard to say", "--from", tmp_path / "run", "--no-plans")
    assert ran.code == 3 and report.get("accuracy").value is None and report.get("kappa").unknown
    assert report.get("no_verdict").hits == len(samples_of(tmp_path / "audit"))


def test_probabilities(tmp_path: Path) -> None:
    ran, report = audit(tmp_path, lambda r: yes_or_no(0.1, 5), "--judge-method", "logprob", "--limit", 1)
    assert ran.code == 0, ran.err
    assert not report.get("accuracy", group="votes=each").n and report.get("false_fail").hits == 1


def test_stored_work(tmp_path: Path) -> None:
    assert command("run", "starter", "--agent", "plan", "--tasks", IDS, "-o", tmp_path / "run").code == 0
    _, report = audit(tmp_path, lambda r: verdict(False, None), "--from", tmp_path / "run", "--no-plans")
    assert counts(report) == (0, 0, len(TASKS), len(TASKS))
    assert {row["tags"]["variant"] for row in by_sample(tmp_path / "audit").values()} == {"stored"}


def test_a_judge_that_obeys_what_it_reads(tmp_path: Path) -> None:
    """It fails all broken work but that which tells it not to."""

    def judge(request: ScriptedRequest) -> Any:
        return verdict("The panel has decided already" in request.last_user_text, "as told")

    _, found = audit(tmp_path, judge)
    works = {one.group.removeprefix("work="): one.value for one in found.named("accuracy") if "work=" in one.group}
    assert works.pop("planted_verdict") == works.pop("plan") == 0
    assert {*works.values()} == {1.0}


@pytest.mark.parametrize("flags", [(), ("--parallel-votes",)])
def test_votes_of_an_audit_go_into_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: Any) -> None:
    soon = BatchPolicy(first_look=0.01, longest_wait=0.02, quiet=0.2)
    monkeypatch.setattr("worktrial.trials.BatchPolicy", lambda: soon)
    words = ["audit", "judge", "--judge", "judge-1", "--tasks", IDS, "--limit", 1, *flags]
    with ScriptedServer(Script(judge=lambda request: verdict(True, "fine"))) as server:
        here = ["--base-url", server.url]
        assert command(*words, *here, "-o", tmp_path / "alone").code == 0
        asked = server.count()
        ran = command(*words, *here, "--batch", "-o", tmp_path / "audit")
        assert ran.code == 0, ran.err
        assert sum(server.batches.sizes) == asked and server.count() == 2 * asked
    alone, batched = (figures_of(open_run(tmp_path / name)) for name in ("alone", "audit"))
    assert counts(alone) == counts(batched) and counts(batched)[3] == len(samples_of(tmp_path / "alone"))
