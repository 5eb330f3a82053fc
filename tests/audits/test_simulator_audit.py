"""The audit of simulators over real HTTP, against simulators whose faults are known."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import Ran, command
from tests.support.run_files import work_of
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.true_simulator import TrueSimulator

from worktrial.audits.simulator_report import SimulatorReport, simulator_report
from worktrial.suites.executable.tasks import TASKS_FILE, read_tasks
from worktrial.suites.starter import FOLDER, load_workplace
from worktrial.workplaces.conformance import ConformanceCheck, SimulatorFailure
from worktrial.workplaces.fidelity.truth import CallKind

TASKS = [
    task
    for name in ("emergency_triage", "loan_covenants", "production_line")
    for task in read_tasks(FOLDER / name / TASKS_FILE, load_workplace(name))
]
IDS = ",".join(task.id for task in TASKS)


def audit(tmp_path: Path, simulator: Any, *words: Any) -> tuple[Ran, SimulatorReport]:
    with ScriptedServer(Script(simulator=simulator)) as server:
        ran = command(
            *("audit", "simulator", "--simulator", "simulator-1", "--base-url", server.url),
            *("--tasks", IDS, "-o", tmp_path / "audit", *words),
        )
    return ran, simulator_report(tmp_path / "audit")


@pytest.mark.parametrize("memory", ["history", "ledger"])
def test_the_truth_is_faithful_to_itself(tmp_path: Path, memory: str) -> None:
    ran, report = audit(tmp_path, TrueSimulator(TASKS), "--memory", memory)
    assert ran.code == 0, ran.err
    assert report.overall.share == 1.0 and report.overall.exact == report.overall.calls > 100
    assert report.kinds.keys() == set(CallKind)
    assert not any(report.failures.values()) and not any(report.conformance_failures.values())
    assert all(rate.share in (None, 1.0) for rate in report.conformance.values())
    assert report.input_tokens > 0 and report.output_tokens > 0 and report.sequences == 2 * len(TASKS)
    if memory == "history":
        assert not report.drift
    else:
        assert all(d.true == d.sequences and d.kept == d.changed and d.differing == 0 for d in report.drift)
        assert report.drift[-1].changed > 0
    assert "fidelity over" in ran.said and "known_ids" in ran.said
    rows = [row for line in work_of(tmp_path / "audit") for row in line["audit"]]
    assert len(rows) == report.overall.calls and all(row["equal"] and not row["differences"] for row in rows)


def test_a_task_that_forbids_nothing_adds_no_empty_sequence(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        command(
            *("audit", "simulator", "--simulator", "simulator-1", "--base-url", server.url),
            *("--tasks", "fleet-03", "-o", tmp_path / "audit"),
        )
    report = simulator_report(tmp_path / "audit")
    assert report.sequences == 1 and report.overall.calls > 0
    shown = command("show", tmp_path / "audit")
    assert shown.out == command("audit", "show", tmp_path / "audit").out, "an audit has no completion rate"
    assert shown.code == 0 and "fidelity over 1 sequence" in shown.said


def test_a_shortened_list_is_an_omission(tmp_path: Path) -> None:
    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return {**observation, "beds": observation["beds"][1:]} if "beds" in observation else observation

    # Only the ledger tells, after a write, how many beds there ought to be.
    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil), "--memory", "ledger")
    assert report.failures[SimulatorFailure.ENTITY_OMISSION] > 0
    assert sum(report.failures.values()) == report.failures[SimulatorFailure.ENTITY_OMISSION]
    # Matched by id, the other beds are as they should be.
    assert report.overall.wrong == report.overall.extra == 0 < report.overall.missing
    assert report.conformance[ConformanceCheck.WHOLE_LISTS].share != 1.0


def test_another_value_is_a_fabrication(tmp_path: Path) -> None:
    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return (
            {**observation, "weight_kg": 71.3, "patient_id": "P-999"} if "weight_kg" in observation else observation
        )

    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil))
    count = report.failures[SimulatorFailure.STATE_FABRICATION]
    assert 0 < count == sum(report.failures.values())
    assert report.overall.wrong == 2 * count and report.overall.missing == report.overall.extra == 0
    assert report.overall.calls - report.overall.exact == count
    assert (
        report.conformance[ConformanceCheck.KNOWN_IDS].applied
        - report.conformance[ConformanceCheck.KNOWN_IDS].passed
        == count
    )


def test_an_invented_error_is_rule_invention(tmp_path: Path) -> None:
    invented = {"error": {"type": "quota_used_up", "message": "Your weekly quota of downloads is exhausted."}}

    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return invented if tool == "get_vitals" else observation

    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil))
    count = report.failures[SimulatorFailure.RULE_INVENTION]
    assert 0 < count == sum(report.failures.values())
    # Where an id is unknown some error is in order, and conformance cannot tell that it is another one.
    assert 0 < report.conformance_failures[SimulatorFailure.RULE_INVENTION] <= count
    assert report.conformance[ConformanceCheck.LICENSED_ERRORS].applied >= count


def test_success_where_the_rules_forbid_it_is_a_fabrication(tmp_path: Path) -> None:
    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return {"status": "ok"} if "error" in observation else observation

    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil))
    errors = report.kinds[CallKind.ERROR]
    assert errors.equal == 0 < errors.calls == report.failures[SimulatorFailure.STATE_FABRICATION]
    assert report.kinds[CallKind.WRITE].share == 1


def test_a_reply_that_is_no_object_is_a_format_break(tmp_path: Path) -> None:
    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return '["no", "object"]' if tool == "get_policy" else observation

    ran, report = audit(tmp_path, TrueSimulator(TASKS, spoil))
    assert ran.code == 0, "an unusable reply is a finding, not an invalid sample"
    count = report.overall.unusable
    assert 0 < count == report.failures[SimulatorFailure.FORMAT_BREAK] == sum(report.failures.values())
    assert (
        report.conformance[ConformanceCheck.FORMAT].passed
        == report.conformance[ConformanceCheck.FORMAT].applied - count
    )
    assert report.kinds[CallKind.READ].missing > 0


def test_hidden_state_that_shows_is_a_leak(tmp_path: Path) -> None:
    hidden = {task.id: task.initial_state.get("bedside") for task in TASKS}["triage-02"]

    def spoil(tool: str, observation: dict[str, Any]) -> Any:
        return {**observation, "bedside": hidden} if "sets" in observation else observation

    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil))
    assert report.conformance_failures[SimulatorFailure.STATE_LEAK] > 0
    assert report.overall.extra > 0


def test_a_forgotten_write_is_drift(tmp_path: Path) -> None:
    _, report = audit(tmp_path, TrueSimulator(TASKS, spoil_patch=lambda patch: []), "--memory", "ledger")
    late = report.drift[-1]
    assert late.kept == 0 < late.changed and late.true < late.sequences and late.differing > 0
    first = report.drift[0]
    # No plan begins with a write.
    assert first.calls == 1 and first.true == first.sequences


def test_calls_of_a_stored_run(tmp_path: Path) -> None:
    assert command("run", "starter", "--agent", "plan", "--tasks", "triage-01", "-o", tmp_path / "run").code == 0
    ran, report = audit(tmp_path, TrueSimulator(TASKS), "--from", tmp_path / "run", "--no-plans")
    assert ran.code == 0, ran.err
    assert report.sequences == 1 and report.overall.share == 1.0


def test_calls_may_be_limited(tmp_path: Path) -> None:
    _, report = audit(tmp_path, TrueSimulator(TASKS), "--calls", 2)
    assert all(row.calls <= 2 * report.sequences for row in [report.overall])
    assert report.kinds[CallKind.READ].calls <= 2 * len(TASKS)


def test_an_endpoint_that_breaks_down_is_not_the_simulators_failure(tmp_path: Path) -> None:
    from tests.support.behaviours import Status

    ran, report = audit(
        tmp_path, Status(503), "--retries", 1, "--retry-seconds", 0, "--concurrency", 1, "--limit", 2
    )
    assert ran.code == 3 and report.invalid == 4 and report.sequences == 0
    assert report.overall.share is None


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
