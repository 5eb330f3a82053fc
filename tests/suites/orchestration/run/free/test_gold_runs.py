"""The team that follows the recording, free running: it proves the runner."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.data import real_data_dir
from tests.support.free_runs import run_free
from tests.support.orchestration import BERTH, SHORT, TinyTeam, call, note, plan, reply, user, waits, workflow
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.team import gold_team

from worktrial.suites.orchestration.planning.scenario import Language

BOTH = tuple(Language)


def _added(records: dict[str, dict[str, Any]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for record in records.values():
        for key, value in record["measures"]["free"]["sums"].items():
            total[key] = total.get(key, 0) + value
    return total


# An interruption, work that goes on without a plan, and finished work with other wishes.
INTERRUPTED = (
    note(),
    user("Find me a berth for tomorrow and book it."),
    plan(
        workflow_1=workflow(("harbour_agent", "Find berths")),
        workflow_2=workflow(("harbour_agent", "Book a berth"), after="workflow_1"),
    ),
    call("harbour_agent", "findBerths", "workflow_1", result={"free": ["B1"]}, day="2026-03-03"),
    waits("harbour_agent", "The ship's name", "workflow_2"),
    reply("B1 is free. For which ship?"),
    user("How will the weather be in Skagen tomorrow?"),
    plan(
        workflow_1=workflow(("harbour_agent", "Find berths"), status="completed"),
        workflow_2=workflow(("harbour_agent", "Book a berth"), status="paused", after="workflow_1"),
        interrupted_workflow_2_1=workflow(("weather_agent", "The weather in Skagen tomorrow")),
    ),
    call("weather_agent", "forecast", "workflow_2", place="Skagen", day="2026-03-03"),
    reply("Calm."),
    user("Then book it for the Gannet."),
    call("harbour_agent", "bookBerth", "workflow_2", berth="B1", ship="Gannet"),
    reply("Booked."),
    user("And is anything free on the day after?"),
    plan(
        workflow_1=workflow(("harbour_agent", "Find berths"), status="completed"),
        workflow_2=workflow(("harbour_agent", "Book a berth"), status="completed", after="workflow_1"),
        interrupted_workflow_2_1=workflow(("weather_agent", "The weather in Skagen tomorrow"), status="completed"),
        workflow_1_1=workflow(("harbour_agent", "Find berths on the day after"), ("post_agent", "Tell Ida")),
    ),
    call("harbour_agent", "findBerths", "workflow_1", result={"free": ["B4"]}, day="2026-03-04"),
    call("post_agent", "send", to="Ida", text="B4"),
    call("post_agent", "send", to="Bo", text="B4"),
    reply("B4 is free; Ida and Bo know."),
)


def test_the_gold_reaches_all_goals_of_tiny_scenarios(tmp_path: Path) -> None:
    data = TinyTeam({"EN/1": BERTH, "EN/2": SHORT, "EN/3": INTERRUPTED, "KO/1": SHORT}).write(tmp_path / "data")
    records = run_free(data, tmp_path / "run", "gold", languages=BOTH)
    assert {r["outcome"] for r in records.values()} == {"pass"}
    assert {r["measures"]["free"]["first_failure"] is None for r in records.values()} == {True}
    sums = _added(records)
    assert (sums["scenarios"], sums["goals"], sums["goals_reached"]) == (4, 4 + 1 + 4 + 1, 4 + 1 + 4 + 1)
    assert sums["plan_sum"] == sums["plans"] == 2 + 1 + 3 + 1
    assert sums["calls_matched"] == sums["gold_calls"] == sums["recorded_calls"] == 4 + 1 + 6 + 1
    assert sums["stuck"] == sums["simulated_calls"] == sums["refused_calls"] == 0


def test_a_server_that_follows_the_recording_reaches_what_the_gold_reaches(tmp_path: Path) -> None:
    alone = run_free(None, tmp_path / "alone", "gold", languages=BOTH)
    with ScriptedServer(Script(agent=gold_team(_example(), free=True))) as server:
        served = run_free(None, tmp_path / "served", url=server.url, languages=BOTH)
    assert {r["outcome"] for r in alone.values()} == {"pass"}
    for sample, record in served.items():
        assert record["measures"]["free"] == alone[sample]["measures"]["free"]


@pytest.mark.parametrize("floor", ["always-call", "always-refuse", "fill-from-words"])
def test_the_floors_reach_nothing(tmp_path: Path, floor: str) -> None:
    sums = _added(run_free(TinyTeam().write(tmp_path / "data"), tmp_path / "run", floor))
    assert sums["goals_reached"] == 0
    assert (sums["calls"] > 0) == (floor != "always-refuse")


@pytest.mark.real_data
def test_the_gold_reaches_all_goals_of_the_published_scenarios_that_can_be_reached(tmp_path: Path) -> None:
    data = real_data_dir() / "orchestrationbench"
    records = run_free(data, tmp_path / "run", "gold", languages=BOTH)
    missed = {sample: r["reason"] for sample, r in records.items() if r["outcome"] != "pass"}
    assert len(records) == 441
    # Plans that name an agent which has no card, or another agent than the one that the recording has at work;
    # tools of another agent's card; a dependency on a workflow that is not in the plan (`workflow1`).
    no_such_agent = {"EN/195", "KO/71"}
    another_agent = {"EN/96", "EN/188"}
    another_tool = {"EN/94", "EN/109", "EN/145", "KO/94", "KO/109", "KO/135"}
    assert missed.keys() == no_such_agent | another_agent | another_tool | {"KO/202"}
    sums = _added(records)
    assert (sums["goals"], sums["goals_reached"]) == (1287, 1273)
    assert sums["plan_sum"] == sums["plans"]
    assert (sums["failed_plan"], sums["failed_order"], sums["simulated_calls"]) == (0, 0, 0)


def _example() -> Path:
    from worktrial.suites.orchestration.example import example_folder

    return example_folder()
