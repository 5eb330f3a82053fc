"""The audit of simulators over real HTTP, against simulators whose faults are known."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import Ran, command
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.true_simulator import TrueSimulator

from worktrial.audits.fidelity import CallKind
from worktrial.audits.observations import SimulatorFailure
from worktrial.engine.stored import open_run
from worktrial.results.figure import RunFigures, figures_of
from worktrial.statistics import Figure
from worktrial.suites.executable.tasks import TASKS_FILE, read_tasks
from worktrial.suites.starter import FOLDER, load_workplace
from worktrial.workplaces.seen import ConformanceCheck

TASKS = [
    task
    for name in ("emergency_triage", "loan_covenants", "production_line")
    for task in read_tasks(FOLDER / name / TASKS_FILE, load_workplace(name))
]
IDS = ",".join(task.id for task in TASKS)


def audit(tmp_path: Path, simulator: Any, *words: Any) -> tuple[Ran, RunFigures]:
    with ScriptedServer(Script(simulator=simulator)) as server:
        ran = command(
            *("audit", "simulator", "--simulator", "simulator-1", "--base-url", server.url),
            *("--tasks", IDS, "-o", tmp_path / "audit", *words),
        )
    return ran, figures_of(open_run(tmp_path / "audit"))


def fidelity(found: RunFigures, name: str, kind: str = "all") -> Figure:
    return found.get(name, group=f"calls={kind}")


def conforms(found: RunFigures, check: ConformanceCheck) -> Figure:
    return found.get("conforms", group=f"check={check}")


def failures(found: RunFigures, name: str = "failure") -> dict[str, int]:
    """Answers that show each kind of failure; those that none shows are left out."""
    return {
        one.group.removeprefix("failure="): one.hits for one in found.named(name) if one.name == name and one.hits
    }


@pytest.mark.parametrize("memory", ["history", "ledger"])
def test_the_truth_is_faithful_to_itself(tmp_path: Path, memory: str) -> None:
    ran, report = audit(tmp_path, TrueSimulator(TASKS), "--memory", memory)
    assert ran.code == 0, ran.err
    exact = fidelity(report, "exact")
    assert fidelity(report, "fields_equal").value == 1.0 and exact.hits == exact.n > 100
    assert exact.clusters == len(TASKS), "the answers of a task hang together"
    assert all(fidelity(report, "exact", kind).value == 1.0 for kind in CallKind)
    assert not failures(report) and not failures(report, "failure_alone")
    assert all(conforms(report, check).value in (None, 1.0) for check in ConformanceCheck)
    takes = [report.get(name).value or 0.0 for name in ("input_tokens", "output_tokens", "sequences")]
    assert takes[0] > 0 and takes[1] > 0 and takes[2] == 2 * len(TASKS)
    if memory == "history":
        assert not report.named("state_true")
    else:
        assert {one.value for one in report.named("state_true")} == {1.0}
        assert {one.value for one in report.named("changes_kept")} <= {1.0, None}
        assert {one.value for one in report.named("fields_off")} == {0.0}
        assert report.get("changes_kept", group="after call=the last").n > 0
    assert "fidelity" in ran.said and "known ids" in ran.said
    told = json.loads(command("show", tmp_path / "audit", "--json").out)
    assert [one["value"] for one in told["figures"] if (one["name"], one["group"]) == ("exact", "calls=all")] == [
        1.0
    ]
    rows = [row for line in work_of(tmp_path / "audit") for row in line["audit"]]
    assert len(rows) == exact.n and all(row["equal"] and not row["differences"] for row in rows)


def test_a_task_that_forbids_nothing_adds_no_empty_sequence(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        command(
            *("audit", "simulator", "--simulator", "simulator-1", "--base-url", server.url),
            *("--tasks", "fleet-03", "-o", tmp_path / "audit"),
        )
    report = figures_of(open_run(tmp_path / "audit"))
    assert report.get("sequences").value == 1 and fidelity(report, "exact").n > 0
    shown = command("show", tmp_path / "audit")
    assert shown.out == command("audit", "show", tmp_path / "audit").out, "an audit has no completion rate"
    assert shown.code == 0 and "fidelity" in shown.said


def test_a_shortened_list_is_an_omission(tmp_path: Path) -> None:
    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return {**observation, "beds": observation["beds"][1:]} if "beds" in observation else observation

    # Only the ledger tells, after a write, how many beds there ought to be.
    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil), "--memory", "ledger")
    assert failures(report).keys() == {SimulatorFailure.ENTITY_OMISSION}
    # Matched by id, the other beds are as they should be.
    off = [fidelity(report, f"fields_{how}").value or 0.0 for how in ("wrong", "extra", "missing")]
    assert off[:2] == [0, 0] and off[2] > 0
    assert conforms(report, ConformanceCheck.WHOLE_LISTS).value != 1.0


def test_another_value_is_a_fabrication(tmp_path: Path) -> None:
    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return (
            {**observation, "weight_kg": 71.3, "patient_id": "P-999"} if "weight_kg" in observation else observation
        )

    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil))
    (count,) = failures(report).values()
    assert failures(report) == {SimulatorFailure.STATE_FABRICATION: count}
    off = [fidelity(report, f"fields_{how}").value for how in ("wrong", "extra", "missing")]
    assert off == [2 * count, 0, 0]
    for one in (fidelity(report, "exact"), conforms(report, ConformanceCheck.KNOWN_IDS)):
        assert one.n - (one.hits or 0) == count


def test_an_invented_error_is_rule_invention(tmp_path: Path) -> None:
    invented = {"error": {"type": "quota_used_up", "message": "Your weekly quota of downloads is exhausted."}}

    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return invented if tool == "get_vitals" else observation

    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil))
    (count,) = failures(report).values()
    assert failures(report) == {SimulatorFailure.RULE_INVENTION: count}
    # Where an id is unknown some error is in order, and conformance cannot tell that it is another one.
    assert 0 < failures(report, "failure_alone")[SimulatorFailure.RULE_INVENTION] <= count
    assert conforms(report, ConformanceCheck.LICENSED_ERRORS).n >= count


def test_success_where_the_rules_forbid_it_is_a_fabrication(tmp_path: Path) -> None:
    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return {"status": "ok"} if "error" in observation else observation

    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil))
    assert fidelity(report, "fields_equal", CallKind.ERROR).hits == 0
    assert failures(report) == {SimulatorFailure.STATE_FABRICATION: fidelity(report, "exact", CallKind.ERROR).n}
    assert fidelity(report, "fields_equal", CallKind.WRITE).value == 1


def test_a_reply_that_is_no_object_is_a_format_break(tmp_path: Path) -> None:
    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return '["no", "object"]' if tool == "get_policy" else observation

    ran, report = audit(tmp_path, TrueSimulator(TASKS, spoil))
    assert ran.code == 0, "an unusable reply is a finding, not an invalid sample"
    count = fidelity(report, "unusable").value
    assert count and failures(report) == {SimulatorFailure.FORMAT_BREAK: count}
    of_format = conforms(report, ConformanceCheck.FORMAT)
    assert of_format.hits == of_format.n - count
    assert (fidelity(report, "fields_missing", CallKind.READ).value or 0) > 0


def test_hidden_state_that_shows_is_a_leak(tmp_path: Path) -> None:
    hidden = {task.id: task.initial_state.get("bedside") for task in TASKS}["triage-02"]

    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return {**observation, "bedside": hidden} if "sets" in observation else observation

    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil))
    assert failures(report, "failure_alone")[SimulatorFailure.STATE_LEAK] > 0
    assert (fidelity(report, "fields_extra").value or 0) > 0


def test_a_forgotten_write_is_drift(tmp_path: Path) -> None:
    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil_patch=lambda patch: []), "--memory", "ledger")
    late = {name: report.get(name, group="after call=the last") for name in ("state_true", "fields_off")}
    kept = report.get("changes_kept", group="after call=the last")
    assert kept.hits == 0 < kept.n and (late["state_true"].value or 0) < 1 and (late["fields_off"].value or 0) > 0
    # No plan begins with a write.
    assert report.get("state_true", group="after call=1").value == 1


def test_calls_of_a_stored_run(tmp_path: Path) -> None:
    assert command("run", "starter", "--agent", "plan", "--tasks", "triage-01", "-o", tmp_path / "run").code == 0
    ran, report = audit(tmp_path, TrueSimulator(TASKS), "--from", tmp_path / "run", "--no-plans")
    assert ran.code == 0, ran.err
    assert report.get("sequences").value == 1 and fidelity(report, "fields_equal").value == 1.0


def test_calls_may_be_limited(tmp_path: Path) -> None:
    _, report = audit(tmp_path, TrueSimulator(TASKS), "--calls", 2)
    assert fidelity(report, "exact").n <= 2 * (report.get("sequences").value or 0)
    assert fidelity(report, "exact", CallKind.READ).n <= 2 * len(TASKS)


def test_an_endpoint_that_breaks_down_is_not_the_simulators_failure(tmp_path: Path) -> None:
    from tests.support.behaviours import Status

    ran, report = audit(
        tmp_path, Status(503), "--retries", 1, "--retry-seconds", 0, "--concurrency", 1, "--limit", 2
    )
    assert ran.code == 3 and report.get("invalid").hits == 4 and report.get("sequences").value == 0
    assert fidelity(report, "fields_equal").value is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--no-plans"], "nothing to audit with"),
        (["--from", "nowhere"], "no such folder"),
        (["--calls", "0"], "--calls"),
        (["--tasks", "no-such-99"], "no task no-such-99"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], said: str) -> None:
    ran = command("audit", "simulator", "--simulator", "m", "--base-url", "http://127.0.0.1:9/v1", *words)
    assert ran.code == 2 and said in ran.said
