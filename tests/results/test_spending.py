"""What samples take: replayed requests at what they would have cost, an own agent's spending unknown."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.results.runs import record, store
from tests.support.cli import command

from worktrial.engine.record import RoleUsage
from worktrial.engine.spend import Meter
from worktrial.language import Usage
from worktrial.reports.live_page import live_page
from worktrial.reports.report import open_report
from worktrial.reports.sections import sections
from worktrial.reports.shelf_page import shelf_page
from worktrial.reports.viewer.columns import columns_of, values_of
from worktrial.results.figure import figures_of
from worktrial.results.following import FollowedRun
from worktrial.results.spending import cost_of, spent, spent_in


def _replayed(cost: float | None = 0.05) -> dict[str, RoleUsage]:
    judge = RoleUsage(1, 10, 1, 0, 0.02)
    return {"agent": RoleUsage(2, 100, 10, 0, 0.0, replayed=2, replayed_cost=cost), "judge": judge}


def test_a_meter_keeps_apart_what_was_paid_and_what_was_spared() -> None:
    meter = Meter()
    meter.add("agent", Usage(10, 5), 0.5)
    meter.replay("agent", Usage(10, 5), 0.25)
    meter.replay("judge", Usage(10, 5), None)
    assert (meter.cost, meter.replayed, meter.replays) == (0.5, 2, {"agent": 1, "judge": 1})
    assert meter.spared == {"agent": 0.25, "judge": None}


def test_replayed_requests_count_with_what_they_would_have_cost() -> None:
    known = record("1", usage=_replayed(), cost=0.02, replayed=2, seconds=0.007)
    assert cost_of(known) == spent(known).cost == pytest.approx(0.07)
    assert (spent(known).agent_cost, spent(known).seconds) == (0.05, None)
    unpriced = record("1", usage=_replayed(None), cost=0.02, replayed=2)
    assert (spent(unpriced).cost, spent(unpriced).agent_cost) == (None, None)


def test_every_surface_marks_a_replayed_run(tmp_path: Path) -> None:
    roles = {"agent": {"model": "m"}}
    again = [record(str(n), usage=_replayed(), cost=0.02, replayed=2, seconds=0.007) for n in range(3)]
    run = store(tmp_path / "a", again, roles=roles)
    found = figures_of(run)
    assert found.get("cost_per_task").value == pytest.approx(0.07) and found.get("seconds").value is None
    assert found.get("seconds").unknown == "3 samples were answered from the request cache"
    shown = command("show", run.folder).out
    assert "time unknown" in shown and "$0.0600 paid; 3 of 3 samples replayed from the request cache" in shown
    assert json.loads(command("show", run.folder, "--json").out)["takes"] == pytest.approx(0.21)
    store(tmp_path / "b", [record(str(n), usage=_replayed(), cost=0.02) for n in range(3)], roles=roles)
    assert "replayed from the request cache" in command("compare", run.folder, tmp_path / "b").out
    gated = command("gate", run.folder, "--max-cost-per-task", 0.1)
    assert gated.code == 0 and "$0.0700 a sample, mean of 3 samples, 3 of 3 samples replayed" in gated.out
    assert command("gate", run.folder, "--max-seconds", 100).code == 1


@pytest.mark.parametrize("agent", ["python:my.agent:run", "http:http://localhost:1/a"])
def test_an_agent_of_ones_own_is_not_free(agent: str, tmp_path: Path) -> None:
    usage = {"simulator": RoleUsage(1, 9, 9, 0, 0.5)}
    run = store(tmp_path / "a", [record("1", usage=usage, cost=0.5)], agent=agent)
    assert spent_in(run)(run.records[0]).cost is None
    assert figures_of(run).get("cost_per_task").value is None
    assert "total cost: $0.5000, and the agent's own, which it does not report" in command("show", run.folder).out
    assert command("export", run.folder, "-o", tmp_path / "summary.md").code == 0
    assert "| unknown |" in (tmp_path / "summary.md").read_text()


def test_nowhere_does_an_agent_of_ones_own_cost_nothing(tmp_path: Path) -> None:
    """The list of runs said $0.00 of an agent in Python."""
    run = store(tmp_path / "mine", [record("1")], agent="python:my.agent:run")
    followed = FollowedRun(run.folder)
    followed.look()
    now = datetime.now(UTC)
    report = open_report([run.folder], "r")
    pages = [
        shelf_page({"mine": followed}, {"mine": "mine"}, "compare", "live", now),
        live_page("mine", "mine", followed, now),
        *(section.html for section in sections(report)),
        str(columns_of(run, run.records, values_of(run.records))["cost"]),
    ]
    assert all("$0" not in page for page in pages) and pages[-1] == "[None]"
