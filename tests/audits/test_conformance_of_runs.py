"""Conformance of stored runs, and of the truth itself."""

import asyncio
from pathlib import Path

import pytest
from tests.support.cli import at, command
from tests.support.occubench import TinyRelease
from tests.support.scripted_server import ScriptedServer

from worktrial.agents.plan import follow
from worktrial.audits.conformance import run_conformance
from worktrial.audits.fidelity import CallKind, true_call
from worktrial.audits.observations import SimulatorFailure, examine, failures
from worktrial.language import JsonObject
from worktrial.suites.starter import load_tasks, load_workplace
from worktrial.workplaces.seen import ConformanceCheck, SeenCall


def test_the_truth_conforms_and_is_of_every_kind() -> None:
    """No check may blame a workplace for being what it is."""
    kinds: set[CallKind] = set()
    for task in load_tasks():
        workplace = load_workplace(task.workplace).starting_from(task.initial_state)
        done = asyncio.run(follow(task.plan, workplace.open()))
        truth = workplace.open()
        for call in done.calls:
            tool = workplace.artifact.tool(call.tool)
            assert tool is not None
            true = asyncio.run(true_call(truth, tool, call.arguments))
            assert all(f.status == "equal" or f.status == "free" for f in true.compare(call.observation.content))
            kinds.add(true.kind)
        shown = ((call, call.observation) for call in done.calls)
        seen = [SeenCall(c.index, c.tool, c.arguments, o.content, o.origin) for c, o in shown]
        failed = [f for f in examine(workplace.artifact, seen, task=task.instruction) if not f.passed]
        assert not failed, (task.id, failed)
    assert {CallKind.READ, CallKind.COMPUTED, CallKind.WRITE} <= kinds


def test_a_run_of_occupations(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer() as server:
        assert command("run", "occupations", "--data", data, *at(server.url), "-o", tmp_path / "run").code == 0
    found = run_conformance(tmp_path / "run", data)
    (of_format,) = (one for one in found.figures if one.group == f"check={ConformanceCheck.FORMAT}")
    assert found.simulator == "simulator-1" and of_format.n > 0
    assert of_format.value == 1
    # The scripted simulator says {"status": "ok"} whatever the tool's example.
    ran = command("audit", "conformance", tmp_path / "run", "--data", data)
    assert ran.code == 0 and "simulator-1" in ran.said and "format break" in ran.said


def test_the_data_must_be_that_of_the_run(tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer() as server:
        assert command("run", "occupations", "--data", data, *at(server.url), "-o", tmp_path / "run").code == 0
    assert "--data DIR" in command("audit", "conformance", tmp_path / "run").said
    tasks = next(data.glob("eval*"))
    tasks.write_text(tasks.read_text().replace('"difficulty_level": 1', '"difficulty_level": 2'))
    ran = command("audit", "conformance", tmp_path / "run", "--data", data)
    assert ran.code == 2 and "fingerprint" in ran.said


def test_a_run_of_the_starter_suite(tmp_path: Path) -> None:
    assert command("run", "starter", "--agent", "plan", "--limit", "3", "-o", tmp_path / "run").code == 0
    found = run_conformance(tmp_path / "run")
    assert {one.clusters for one in found.figures if one.name == "conforms" and "format" in one.group} == {3}
    assert not found.failed and found.simulator == "executable"


@pytest.mark.parametrize("spoiled", ["other", "without_one", "wrapped", "renamed"])
def test_conformance_sees_the_breaks_of_format_that_the_truth_sees(spoiled: str) -> None:
    """A shape check that asked only what is present called 139 of these answers right."""

    def spoil(content: JsonObject) -> JsonObject:
        match spoiled:
            case "other":
                return {"status": "ok"}
            case "without_one":
                return dict(list(content.items())[:-1])
            case "wrapped":
                return {"result": content}
        return {f"{name}_value": value for name, value in content.items()}

    broken = 0
    for task in load_tasks():
        workplace = load_workplace(task.workplace).starting_from(task.initial_state)
        truth = workplace.open()
        for call in asyncio.run(follow(task.plan, workplace.open())).calls:
            tool = workplace.artifact.tool(call.tool)
            assert tool is not None
            true = asyncio.run(true_call(truth, tool, call.arguments))
            said = spoil(call.observation.content)
            by_truth = SimulatorFailure.FORMAT_BREAK in true.failures(said, true.compare(said))
            found = examine(workplace.artifact, [SeenCall(call.index, call.tool, call.arguments, said)])
            assert (SimulatorFailure.FORMAT_BREAK in failures(found)) is by_truth, (task.id, call.tool, said)
            broken += by_truth
    assert broken > 400
