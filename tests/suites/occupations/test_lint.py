"""Hazards of a release: our tiny one, and the published one with its known counts."""

from pathlib import Path

import pytest
from tests.support.data import real_data_dir
from tests.support.occubench import TinyRelease

from worktrial.suites.occupations.load import load_release
from worktrial.suites.simulated.suite import lint_tasks
from worktrial.workplaces.lint import LintCheck


def test_each_row_names_file_field_and_fix(tmp_path: Path) -> None:
    release = TinyRelease()
    for n in range(5):
        release.workplaces["env_ward"]["action_set_definitions"].append(
            {"name": f"book_{n}", "description": "", "parameters": {"type": "object", "properties": {}}}
        )
    release.task(11)["verification_plan"] = "`book_berth` and `book_tug` were called."
    report = lint_tasks(load_release(release.write(tmp_path)))
    assert (report.looked_at, report.unread) == ({"tasks": 4, "workplaces": 3}, [])
    got = {(h.check, h.subject): (Path(h.file).name, h.field) for h in report.findings}
    tasks = "eval_benchmark_solvable.jsonl"
    assert got["rubric-tools", "11"] == (tasks, "verification_plan")
    assert got["dates-without-clock", "7"] == ("env_ward.json", "task_initial_state")
    assert got["undescribed-state", "env_tide"] == ("env_tide.json", "state_description")
    assert report.count(LintCheck.DATES_WITHOUT_CLOCK) == 4
    assert all(h.what and h.fix for h in report.findings)
    assert "book_tug" in next(h.what for h in report.findings if h.check == LintCheck.RUBRIC_TOOLS)
    assert {h.check for h in report.only([LintCheck.RUBRIC_TOOLS]).findings} == {LintCheck.RUBRIC_TOOLS}


def test_a_code_that_nothing_holds_can_only_be_made_up(tmp_path: Path) -> None:
    release = TinyRelease()
    release.task(11)["verification_plan"] = "Berth QZ-9041 was booked."
    [found] = lint_tasks(load_release(release.write(tmp_path))).only([LintCheck.RUBRIC_VALUES]).findings
    assert (found.subject, found.field) == ("11", "verification_plan") and "QZ-9041" in found.what
    release.task(11)["agent_instruction"] += " Take berth QZ-9041."
    assert not lint_tasks(load_release(release.write(tmp_path))).count(LintCheck.RUBRIC_VALUES)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    release = TinyRelease()
    release.task(7)["env_name"] = "env_none"
    release.task(42)["difficulty_level"] = "hard"
    release.workplaces["env_vault"]["task_initial_state"] = 3
    report = lint_tasks(load_release(release.write(tmp_path)))
    assert report.looked_at == {"tasks": 2, "workplaces": 2}
    said = " ".join(report.unread)
    assert len(report.unread) == 3
    assert all(word in said for word in ("difficulty_level", "task_initial_state", "env_none"))


@pytest.mark.real_data
def test_the_published_release_has_its_known_hazards() -> None:
    report = lint_tasks(load_release(real_data_dir() / "occubench"))
    assert (report.looked_at, report.unread) == ({"tasks": 382, "workplaces": 382}, [])
    assert {name.value: report.count(name) for name in LintCheck} == {
        "rubric-tools": 42,
        "rubric-values": 3,
        "dates-without-clock": 101,
        "undescribed-state": 4,
        "example-clash": 293,
        "prompt-calls": 313,
    }
    # One row for each task or workplace.
    assert len({(h.check, h.subject) for h in report.findings}) == len(report.findings)
    assert all(Path(h.file).is_file() and h.field and h.what and h.fix for h in report.findings)
