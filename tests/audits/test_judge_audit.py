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
from worktrial.audits.judge_report import Confusion, JudgeReport, confusion, judge_report
from worktrial.interop.view.library import RunLibrary
from worktrial.reports.report import open_report
from worktrial.suites.executable.tasks import TASKS_FILE, read_tasks
from worktrial.suites.starter import FOLDER, load_workplace

TASKS = read_tasks(FOLDER / "emergency_triage" / TASKS_FILE, load_workplace("emergency_triage"))
IDS = ",".join(task.id for task in TASKS)


@pytest.fixture(scope="module")
def cases() -> list[JudgedCase]:
    return asyncio.run(planned_cases(TASKS))


def audit(tmp_path: Path, judge: Any, *words: Any) -> tuple[Ran, JudgeReport]:
    with ScriptedServer(Script(judge=judge)) as server:
        ran = command(
            *("audit", "judge", "--judge", "judge-1", "--base-url", server.url, "--tasks", IDS),
            *("-o", tmp_path / "audit", *words),
        )
    return ran, judge_report(tmp_path / "audit")


def test_only_broken_work_that_the_checks_notice_is_a_case(cases: list[JudgedCase]) -> None:
    assert {case.task.id for case in cases if case.passes} == {task.id for task in TASKS}
    assert all(case.passes is (case.variant == "plan") for case in cases)
    variants = {case.variant for case in cases}
    assert variants == {"plan", "idle_gold", "read_only", "last_write_missing", "wrong_number"}
    for case in cases:
        if case.variant == "idle_gold":
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
    assert report.verdicts == Confusion(true_pass=len(TASKS), true_fail=len(cases) - len(TASKS))
    assert report.verdicts.accuracy.share == 1 and report.verdicts.kappa == 1
    assert report.single_votes.judged == 2 * len(cases), "the third vote is not needed"
    assert "wrong_number" in ran.said and "kappa" in ran.said
    shown = command("audit", "show", tmp_path / "audit", tmp_path / "audit")
    assert shown.code == 0 and shown.said.count("requests,") == 2


def test_a_report_and_the_viewer_call_it_by_the_model_that_is_audited(tmp_path: Path) -> None:
    audit(tmp_path, lambda request: verdict(True, "fine"), "--limit", 1)
    [run] = open_report([tmp_path / "audit"], "Audits").runs
    library = RunLibrary([tmp_path / "audit"], "Audits")
    assert [run.name] == list(library.names(library.runs().items()).values()) == ["judge-1"]


def test_a_judge_that_passes_everything(tmp_path: Path, cases: list[JudgedCase]) -> None:
    _, report = audit(tmp_path, lambda request: verdict(True, "fine"))
    broken = len(cases) - len(TASKS)
    assert report.verdicts == Confusion(true_pass=len(TASKS), false_pass=broken)
    assert report.verdicts.false_pass_rate.share == 1 and report.verdicts.false_fail_rate.share == 0
    assert report.verdicts.kappa == 0
    assert report.variants["plan"].share == 1 and report.variants["idle_gold"].share == 0


def test_a_judge_nobody_understands(tmp_path: Path) -> None:
    ran, report = audit(tmp_path, lambda request: "well, hard to say", "--limit", 1)
    assert ran.code == 3 and report.verdicts.judged == 0 and report.verdicts.kappa is None
    assert report.verdicts.invalid == len(samples_of(tmp_path / "audit"))


def test_probabilities(tmp_path: Path) -> None:
    ran, report = audit(tmp_path, lambda r: yes_or_no(0.1, 5), "--judge-method", "logprob", "--limit", 1)
    assert ran.code == 0, ran.err
    assert report.single_votes.judged == 0 and report.verdicts.false_fail == 1


def test_stored_work(tmp_path: Path) -> None:
    assert command("run", "starter", "--agent", "plan", "--tasks", IDS, "-o", tmp_path / "run").code == 0
    _, report = audit(tmp_path, lambda r: verdict(False, None), "--from", tmp_path / "run", "--no-plans")
    assert report.verdicts == Confusion(false_fail=len(TASKS))
    assert {row["tags"]["variant"] for row in by_sample(tmp_path / "audit").values()} == {"stored"}


def test_kappa() -> None:
    # 20 yes-yes, 15 no-no, 5 and 10 mixed: a textbook's table, kappa 0.4.
    found = confusion([(True, True)] * 20 + [(False, False)] * 15 + [(False, True)] * 5 + [(True, False)] * 10)
    assert found.kappa == pytest.approx(0.4)
    assert confusion([(True, True)] * 3).kappa is None
    assert confusion([(True, None)]).invalid == 1
