"""The checks on a suite folder, and on the published release."""

from pathlib import Path

import pytest
from tests.support.data import real_data_dir
from tests.support.own_suite import OwnSuite

from worktrial.suites.occupations.load import load_release
from worktrial.synthesis.checks import CheckName
from worktrial.synthesis.checks.suite import OF_PUBLISHED, lint_suite


def test_a_sound_suite(tmp_path: Path) -> None:
    report = lint_suite(load_release(OwnSuite().write(tmp_path)))
    assert (report.tasks, report.workplaces, report.hazards, report.unread) == (2, 2, [], [])


def test_hazards_name_the_file_to_change(tmp_path: Path) -> None:
    own = OwnSuite()
    own.tasks[0]["rubric"] = "1. `assign_berth` was called, and 98,765 paid."
    own.tasks[1]["plan"][1]["tool"] = "moor"
    own.workplaces["berths-2"]["tools"][0]["description"] = "TODO"
    own.workplaces["berths-2"]["initial_state"]["tides"] = 3
    report = lint_suite(load_release(own.write(tmp_path)))
    home = tmp_path / "workplaces" / "berths-2"
    assert {(str(h.name), h.subject, h.file, h.field) for h in report.hazards} == {
        ("rubric-tools", "berths-2", str(tmp_path / "tasks.jsonl"), "rubric"),
        ("rubric-numbers", "berths-2", str(tmp_path / "tasks.jsonl"), "rubric"),
        ("plan-calls", "berths-2-ko", str(tmp_path / "tasks.jsonl"), "plan[1].tool"),
        ("placeholders", "berths-2", str(home / "tools.yaml"), "tools[0].description"),
        ("undescribed-state", "berths-2", str(home / "state_description.yaml"), "state_description"),
    }


def test_tasks_that_share_a_workplace_count_once_for_it(tmp_path: Path) -> None:
    own = OwnSuite()
    own.tasks[1]["workplace"] = "berths-2"
    own.tasks[1].pop("plan")
    for tool in own.workplaces["berths-2"]["tools"]:
        tool["description"] = "TODO"
    report = lint_suite(load_release(own.write(tmp_path)))
    assert report.count(CheckName.PLACEHOLDERS) == 1
    # The other workplace is no task's, and a task without a plan has none to find fault with.
    assert {h.name for h in report.hazards} == {CheckName.PLACEHOLDERS}


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    own = OwnSuite()
    own.workplaces["berths-2-ko"]["tools"][1]["parameters"]["type"] = "objekt"
    report = lint_suite(load_release(own.write(tmp_path)))
    assert (report.tasks, report.workplaces) == (1, 1)
    assert len(report.unread) == 1
    assert "tools.yaml: tools[1].parameters of tool 'get_vessel'" in report.unread[0]


@pytest.mark.real_data
def test_the_published_release() -> None:
    report = lint_suite(load_release(real_data_dir() / "occubench"))
    assert (report.tasks, report.workplaces, report.unread) == (382, 382, [])
    assert {name.value: report.count(name) for name in OF_PUBLISHED} == {
        "rubric-tools": 42,
        "dates-without-clock": 101,
        "undescribed-state": 4,
        "example-clash": 293,
        "prompt-calls": 313,
        "schemas": 94,
        "placeholders": 6,
        # Of 1,900 numbers: what the rule cannot follow would be noise, for these tasks have been solved.
        "rubric-numbers": 2,
    }
    assert all(Path(h.file).is_file() and h.field and h.what and h.fix for h in report.hazards)
