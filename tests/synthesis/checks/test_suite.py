"""The checks on a suite folder, and on the published release."""

from pathlib import Path

import pytest
from tests.support.data import real_data_dir
from tests.support.own_suite import OwnSuite

from worktrial.finding import Findings
from worktrial.suite import find_suite
from worktrial.synthesis.checks import CheckName


def _lint(folder: Path) -> Findings:
    suite = find_suite(folder)
    return suite.lint(suite.data())


def test_a_sound_suite(tmp_path: Path) -> None:
    report = _lint(OwnSuite().write(tmp_path))
    assert (report.looked_at, report.findings, report.unread) == ({"tasks": 2, "workplaces": 2}, [], [])


def test_hazards_name_the_file_to_change(tmp_path: Path) -> None:
    own = OwnSuite()
    own.tasks[0]["rubric"] = "1. `assign_berth` was called."
    own.tasks[1]["plan"][1]["tool"] = "moor"
    own.workplaces["berths-2"]["tools"][0]["description"] = "TODO"
    own.workplaces["berths-2"]["initial_state"]["tides"] = 3
    report = _lint(own.write(tmp_path))
    home = tmp_path / "workplaces" / "berths-2"
    assert {(h.check, h.subject, h.file, h.field) for h in report.findings} == {
        ("rubric-tools", "berths-2", str(tmp_path / "tasks.jsonl"), "rubric"),
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
    report = _lint(own.write(tmp_path))
    assert report.count(CheckName.PLACEHOLDERS) == 1
    # The other workplace is no task's, and a task without a plan has none to find fault with.
    assert {h.check for h in report.findings} == {CheckName.PLACEHOLDERS}


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    own = OwnSuite()
    own.workplaces["berths-2-ko"]["tools"][1]["parameters"]["type"] = "objekt"
    report = _lint(own.write(tmp_path))
    assert report.looked_at == {"tasks": 1, "workplaces": 1}
    assert len(report.unread) == 1
    assert "tools.yaml: tools[1].parameters of tool 'get_vessel'" in report.unread[0]


@pytest.mark.real_data
def test_the_published_release() -> None:
    suite = find_suite("occupations")
    report = suite.lint(suite.data(data=real_data_dir() / "occubench"))
    assert (report.looked_at, report.unread) == ({"tasks": 382, "workplaces": 382}, [])
    assert {name: report.count(name) for name in report.checks} == {
        "rubric-tools": 42,
        "rubric-values": 3,
        "dates-without-clock": 101,
        "undescribed-state": 4,
        "example-clash": 293,
        "prompt-calls": 313,
        "schemas": 94,
        "placeholders": 6,
    }
    assert all(Path(h.file).is_file() and h.field and h.what and h.fix for h in report.findings)
