"""The suite as everything else knows it: options in, trials and what they have to show out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.support.orchestration import SHORT, TinyTeam
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.team import agrees, gold_team

from worktrial.agents.candidates import Candidate
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.engine.stored import StoredRun, open_run, trajectory
from worktrial.errors import SettingError
from worktrial.grading import Outcome
from worktrial.suites.orchestration import suite


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return TinyTeam({"EN/1": SHORT, "EN/2": SHORT, "KO/1": SHORT}).write(tmp_path / "data")


def options(**given: Any) -> Any:
    return suite.every_option.read(given, suite=suite.name)


def candidate(spec: str) -> Candidate:
    # What a name means is the registry's to say; here only the two kinds matter.
    return Candidate("reference" if spec in suite.reference_agents else "model", spec)  # type: ignore[arg-type]


def run(folder: Path, agent: str, given: Mapping[str, Any]) -> StoredRun:
    read, who = options(**given), candidate(agent)
    models = suite.models(read, who)
    trial = suite.trial(read, who, models)
    run_trial(trial, models, suite.pace(read, trial, RunSettings(folder=folder)))
    return open_run(folder)


def shown(parts: Any) -> str:
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    for part in parts:
        console.print(part)
    return console.export_text()


def test_turn_by_turn(data: Path, tmp_path: Path) -> None:
    stored = run(tmp_path / "run", "gold", {"data": data})
    assert [r.outcome for r in stored.records] == [Outcome.PASS] * 3
    assert stored.manifest.settings["options"] == {
        **stored.manifest.settings["options"],
        "mode": "turns",
        "gold": "released",
        "cards": "full",
    }
    text = shown(suite.tables(stored, suite.beside(compare_published=True)))
    assert "GLM-4.7" in text
    figures = {(f.group, f.name): f for f in suite.figures(stored)}
    assert figures["EN ours", "plan"].value == 1.0
    assert figures["KO published", "function_call"].n == 1
    record = stored.records[0]
    assert "right" in shown(suite.trajectory(trajectory(tmp_path / "run", "EN/1", 0, "E0", record), record))


def test_free_with_judges_faults_and_a_turn_by_turn_run(data: Path, tmp_path: Path) -> None:
    """All of it was for the command line alone once."""
    run(tmp_path / "turns", "gold", {"data": data})
    script = Script(agent=gold_team(data, free=True), judge=agrees)
    with ScriptedServer(script) as server:
        given = {
            "data": data,
            "mode": "free",
            "simulator": "none",
            "base_url": server.url,
            "judges": ["judge-a", f"judge-b@{server.url}"],
            "faults": "E0,E1",
            "turns_run": tmp_path / "turns",
            "max_requests": 40,
        }
        stored = run(tmp_path / "free", "agent-1", given)
    assert {r.condition for r in stored.records} == {"E0", "E1"}
    assert stored.manifest.settings["judges"] == ["judge", "judge-2"]
    text = shown(suite.tables(stored, suite.beside(turns_run=tmp_path / "turns")))
    assert "Cascade gap" in text
    assert "What teams reach on their own" in text
    assert {f.group for f in suite.figures(stored)} >= {"EN free E0", "EN free E1"}


def test_a_function_as_the_domain_agents(data: Path, tmp_path: Path) -> None:
    asked = []

    def says_nothing(messages: Any, tools: Any) -> str:
        asked.append(tools)
        return "Hm."

    stored = run(tmp_path / "run", "gold", {"data": data, "sub_agent": says_nothing})
    assert asked
    assert stored.manifest.settings["sub_agent"].endswith("says_nothing")
    assert {r.outcome for r in stored.records} == {Outcome.FAIL}


@pytest.mark.parametrize("mode", ["turns", "free"])
def test_the_traceback_of_a_crash_lies_in_the_trajectory(mode: str, data: Path, tmp_path: Path) -> None:
    def loses_its_notes(messages: Any, tools: Any) -> str:
        return {}["berth"]  # type: ignore[no-any-return]

    given = {"data": data, "mode": mode, "simulator": "none"} if mode == "free" else {"data": data}
    stored = run(tmp_path / "run", "gold", given | {"sub_agent": loses_its_notes})
    assert {r.outcome for r in stored.records} == {Outcome.INVALID}
    for record in stored.records:
        line = trajectory(tmp_path / "run", record.sample, 0, "E0", record)
        told = line["traceback"].splitlines()
        assert told[0] == "Traceback (most recent call last):"
        assert told[-1] == "KeyError: 'berth'"
        assert any("loses_its_notes" in row for row in told)


@pytest.mark.parametrize("name", suite.reference_agents)
def test_reference_agents_come_out_as_they_must(name: str, tmp_path: Path) -> None:
    must = suite.reference_agents[name].must
    outcomes = {record.outcome for record in run(tmp_path / "run", name, {}).records}
    assert must is None or outcomes == {must}


def test_a_limit_is_of_each_language(data: Path) -> None:
    read, who = options(data=data, limit=1), candidate("gold")
    assert [job.sample for job in suite.trial(read, who, {}).jobs] == ["EN/2", "KO/1"]
    mixed = options(data=data, shuffle=0)
    assert [job.sample for job in suite.trial(mixed, who, {}).jobs] == ["EN/2", "KO/1", "EN/1"]


def test_concurrency_counts_requests(tmp_path: Path) -> None:
    read = options()
    trial = suite.trial(read, candidate("gold"), {})
    paced = suite.pace(read, trial, RunSettings(folder=tmp_path, concurrency=60))
    assert paced.requests == 60
    assert 1 < paced.concurrency < 60, "scenarios ask for several things at once"


def test_files_that_hold_no_scenario_are_told(data: Path) -> None:
    (data / "EN" / "scenario_data" / "7.yaml").write_text("steps: [")
    read = options(data=data)
    (notice,) = suite.notices(read, suite.trial(read, candidate("gold"), {}))
    assert notice.startswith("left out: EN/scenario_data/7.yaml: ")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"judges": ["none", "x"]}, "judges none: names no judge"),
        ({"judges": "x@ftp://y"}, "a URL that begins with http"),
        ({"faults": "E1"}, "faults are for mode free"),
        ({"scenarios": ["EN/77"]}, "scenarios: no scenario EN/77 in"),
        ({"tasks": ["EN/77"]}, "tasks: no scenario EN/77 in"),
        ({"mode": "free", "agent": "m"}, "simulator none"),
        ({"sub_agent": "python:nope"}, "sub_agent python:nope"),
    ],
)
def test_options_that_make_no_sense(given: dict[str, Any], said: str) -> None:
    who = candidate(given.pop("agent", "gold"))
    with pytest.raises(SettingError, match=said.replace("(", r"\(")):
        read = options(**given)
        suite.trial(read, who, suite.models(read, who))


def test_findings_of_the_lint(data: Path) -> None:
    (data / "EN" / "scenario_data" / "7.yaml").write_text("steps: [")
    found = suite.lint(suite.data(data=data))
    (finding,) = [f for f in found.findings if f.check == "broken-file"]
    assert finding.file == "EN/scenario_data/7.yaml"
    assert found.looked_at["scenarios"] == 3
    assert set(found.about) == set(found.checks)
