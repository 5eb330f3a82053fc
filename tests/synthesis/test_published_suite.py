"""What selection writes is a suite that can be run."""

from pathlib import Path

from tests.support.own_suite import drafts, slot

from worktrial.suites.simulated.folder import load_own
from worktrial.synthesis.artifacts import Calibration, JobSpec, PassRate, Slot, SubTopic
from worktrial.synthesis.checks.suite import lint_suite
from worktrial.synthesis.files import content_hash
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.pipeline import SlotEnd
from worktrial.synthesis.publish import publish
from worktrial.synthesis.stages.report import report


def _publish(root: Path) -> None:
    place = Slot(subtopic=SubTopic(id="berths", title="Berth planning", about="Berths."), level=2)
    home, work = drafts(*slot())
    rate = PassRate(passed=4, n=4, invalid=0, low=0.5, high=1.0, decision="inside")
    content = content_hash(home, work)
    known = Calibration(slot=place.id, content=content, plan=rate, free=rate, verdict="kept", why="For the test")
    ends = [SlotEnd(place, known, None, home, work)]
    publish(SuiteFolder(root), JobSpec(role="harbour clerk"), ends, [place.id], report(1, [known], [], [work]))


def test_a_published_suite_is_loaded_as_it_was_drafted(tmp_path: Path) -> None:
    root = tmp_path / "my-suite"
    _publish(root)
    release = load_own(root)
    (task,) = release.tasks
    home, work = drafts(*slot())
    assert release.title == "my-suite"
    assert (task.id, task.scenario, task.category) == ("berths-2", "Berth planning", "Business & Enterprise")
    assert (task.domain, task.difficulty, task.language) == ("harbour clerk", 2, "en")
    assert (task.instruction, task.rubric) == (work.instruction, work.rubric)
    assert [step["tool"] for step in task.plan] == [step.tool for step in work.plan]
    workplace = release.workplaces[task.workplace]
    assert (workplace.system_prompt, workplace.initial_state) == (home.system_prompt, home.initial_state)
    assert [(t.name, t.parameters, t.example_output, t.writes) for t in workplace.tools] == [
        (t.name, t.parameters, t.example_output, t.writes) for t in home.tools
    ]
    linted = lint_suite(release)
    assert (linted.findings, linted.unread) == ([], [])
    _publish(root)
    assert load_own(root).fingerprint == release.fingerprint
