"""Suites with simulated workplaces that are written can be run, and hold what was drafted."""

from pathlib import Path

import msgspec
from tests.support.own_suite import drafts, slot

from worktrial.suites.simulated.folder import load_own
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.checks.suite import lint_suite
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.simulated.session import publish, withdraw
from worktrial.synthesis.simulated.workplace import SimulatedPlace

RULE = Clause(id="C-01", document="job", section="0", quote="A berth takes one vessel.", kind="limit")
HIDDEN = msgspec.structs.replace(RULE, id="C-02", quote="A pilot may object.", private=True)


def _publish(root: Path) -> None:
    home, work = drafts(*slot())
    place = SimulatedPlace("harbour", home, [RULE, HIDDEN])
    publish(SuiteFolder(root), JobSpec(role="harbour clerk"), place, [work], {"tasks": 1})


def test_a_published_suite_is_loaded_as_it_was_drafted(tmp_path: Path) -> None:
    root = tmp_path / "my-suite"
    _publish(root)
    release = load_own(root)
    (task,) = release.tasks
    home, work = drafts(*slot())
    assert release.title == "my-suite"
    assert (task.id, task.scenario, task.category) == ("berths-2", "harbour clerk", "Business & Enterprise")
    assert (task.domain, task.difficulty, task.language) == ("harbour clerk", 2, "en")
    assert (task.instruction, task.rubric) == (work.instruction, work.rubric)
    assert [step["tool"] for step in task.plan] == [step.tool for step in work.plan]
    workplace = release.workplaces[task.workplace]
    assert workplace.system_prompt == f"C-01. A berth takes one vessel.\n\n{home.system_prompt}"
    assert workplace.initial_state == home.initial_state
    assert [(t.name, t.parameters, t.example_output, t.writes) for t in workplace.tools] == [
        (t.name, t.parameters, t.example_output, t.writes) for t in home.tools
    ]
    linted = lint_suite(release)
    assert (linted.findings, linted.unread) == ([], [])
    _publish(root)
    assert load_own(root).fingerprint == release.fingerprint
    withdraw(SuiteFolder(root))
    assert not (root / "suite.yaml").exists()
