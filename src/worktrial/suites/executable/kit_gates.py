"""Gates of a workplace of the kit: work that is wrong in one place has to lose, whatever its author has freed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from worktrial.finding import Finding, Findings
from worktrial.grading.state_checks import run_checks
from worktrial.language import JsonObject, JsonValue
from worktrial.suite import Proof
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.validate import Validation
from worktrial.workplaces import ToolCall, Trajectory
from worktrial.workplaces.executable.report_form import REPORT_TOOL
from worktrial.workplaces.kit import Recording
from worktrial.workplaces.session import at_once

CHECKS = {
    "agents": "a reference agent whose outcome is known has another",
    "left-out": "a call that writes can be left out, and the work still passes",
    "doubled": "a call that writes can be made twice, and the work still passes",
    "neighbour": "a call can be made on another record, and the work still passes",
    "report": "a report can say something else, and the work still passes",
}


_Calls = Sequence[tuple[str, JsonObject]]
"""Tools and arguments."""


class _Disturbed(NamedTuple):
    """Work that is wrong in one place."""

    gate: str
    what: str
    calls: _Calls


def proof_of(
    title: str,
    tasks: Sequence[ExecutableTask],
    shown: Mapping[str, Sequence[Recording]],
    validations: Sequence[Validation],
    file: str,
) -> Proof:
    """Prove that a workplace's tasks tell right work from wrong.

    Args:
        title: Its name.
        tasks: Its tasks.
        shown: Right ends of each, as they were shown.
        validations: Reference agents whose outcome is known, on every task.
        file: File that holds it, for findings.
    """
    found: list[Finding] = []
    counts = dict.fromkeys(CHECKS, 0)
    wrong: dict[str, int] = dict.fromkeys(CHECKS, 0)

    def finding(gate: str, task: str, what: str) -> None:
        found.append(Finding(gate, task, file, "", what))
        wrong[gate] += 1

    for one in validations:
        counts["agents"] += len(one.records)
        for record in one.wrong:
            finding("agents", record.sample, f"{record.outcome} with {one.agent}: {record.reason}")
    for task in tasks:
        for disturbed in _disturbances(task, shown[task.id][0]):
            counts[disturbed.gate] += 1
            if passes(task, disturbed.calls):
                finding(disturbed.gate, task.id, f"passes with {disturbed.what}")
    rows = [(gate, str(counts[gate]), str(wrong[gate])) for gate in CHECKS]
    looked_at = {"tasks": len(tasks), "agents": len(validations)}
    return Proof(("gate", "checked", "findings"), rows, Findings(list(CHECKS), found, looked_at, about=CHECKS))


def passes(task: ExecutableTask, calls: _Calls) -> bool:
    """Whether these calls, made one after the other, pass the task."""
    end, done = _played(task, calls)
    results = run_checks(task.checks, initial_state=task.initial_state, final_state=end, trajectory=done)
    return all(result.passed for result in results)


def _played(task: ExecutableTask, calls: _Calls) -> tuple[JsonObject, Trajectory]:
    """State and record after these calls."""
    session, done = task.open(), Trajectory()
    for number, (tool, arguments) in enumerate(calls):
        done.calls.append(ToolCall(number, number, tool, arguments, at_once(session.call(tool, arguments))))
    return session.state, done


def _disturbances(task: ExecutableTask, right: Recording) -> Iterator[_Disturbed]:
    calls = [(call.tool, call.arguments) for call in right.calls]
    report = [] if right.report is None else [(REPORT_TOOL, right.report)]
    collections = [one for one in right.start.values() if isinstance(one, dict)]
    for number, call in enumerate(right.calls):
        if not call.writes:
            continue
        before, own, after = calls[:number], calls[number], calls[number + 1 :]
        yield _Disturbed("left-out", f"{own[0]} left out", [*before, *after, *report])
        # A call that does the same again, such as setting a field, may be made twice.
        if _played(task, [*before, own])[0] != _played(task, [*before, own, own])[0]:
            yield _Disturbed("doubled", f"{own[0]} twice", [*before, own, own, *after, *report])
        for name, value in own[1].items():
            for other in _neighbours(value, collections):
                given = {**own[1], name: other}
                what = f"{own[0]} on {other} in place of {value}"
                yield _Disturbed("neighbour", what, [*before, (own[0], given), *after, *report])
    for name, value in (right.report or {}).items():
        said = {**(right.report or {}), name: _another(value)}
        yield _Disturbed("report", f"{name} reported as {said[name]!r}", [*calls, (REPORT_TOOL, said)])


def _neighbours(value: JsonValue, collections: Sequence[Mapping[str, JsonValue]]) -> list[str]:
    """Another record of the collection that a value names one of, if there is any."""
    for kept in collections:
        if isinstance(value, str) and value in kept:
            return [key for key in kept if key != value][:1]
    return []


def _another(value: JsonValue) -> JsonValue:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return [*value, "another"] if isinstance(value, list) else f"not {value}"
