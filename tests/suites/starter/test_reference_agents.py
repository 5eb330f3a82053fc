"""The reference agents: floor and ceiling of the suite, and faults that show without a model."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import command

import worktrial as wt
from worktrial.engine.stored import StoredRun, open_run
from worktrial.suites.starter import suite


def stored(agent: str, folder: Path, **options: Any) -> StoredRun:
    wt.run("starter", agent=agent, out=folder / agent, **options)
    return open_run(folder / agent)


def passed(run: StoredRun) -> Counter[str]:
    return Counter(record.condition for record in run.records if record.outcome == "pass")


def test_careful_is_clearly_better_than_greedy_where_answers_are_wrong(tmp_path: Path) -> None:
    plan, careful, greedy = (stored(name, tmp_path, faults="all") for name in ("plan", "careful", "greedy"))
    tasks = len(suite.load_tasks())
    assert [passed(run)["E0"] for run in (plan, careful, greedy)] == [tasks] * 3
    for condition in ("E1", "E2", "E3"):
        assert passed(careful)[condition] > passed(greedy)[condition] + tasks / 4, condition
        assert passed(careful)[condition] >= passed(plan)[condition], condition
    assert passed(careful)["E2"] >= 0.95 * tasks


def test_a_report_names_them_as_references(tmp_path: Path) -> None:
    for name in suite.reference_agents:
        stored(name, tmp_path / "runs", tasks=["lab-00"])
    assert command("report", *(tmp_path / "runs").iterdir(), "-o", tmp_path / "report").code == 0
    page = (tmp_path / "report" / "index.html").read_text()
    assert page.count("<small>reference, needs no model</small>") == len(suite.reference_agents)


@pytest.mark.parametrize("name", ["careful", "greedy"])
def test_the_help_says_what_a_reference_agent_does(name: str) -> None:
    assert suite.reference_agents[name].about
    assert suite.reference_agents[name].must is None
