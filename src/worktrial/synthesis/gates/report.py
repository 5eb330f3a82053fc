"""Reports that say otherwise than is due, which checks have to notice: another outcome or sum, a line less."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from worktrial.finding import Finding
from worktrial.grading.check import Facts
from worktrial.grading.facts import is_number
from worktrial.grading.report_checks import ReportLine, ReportLines
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.gates.acts import as_day
from worktrial.synthesis.gates.catalogue import records_of
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.synthesis.gates.work import CarriedOut
from worktrial.workplaces.executable.report_form import REPORT_TOOL, outcomes_of
from worktrial.workplaces.session import Observation, Origin
from worktrial.workplaces.trajectory import ToolCall, Trajectory

_FIX = (
    "Say every field that is due (`amount` is 0 where nothing is paid) in the `report` of a situation, or in the "
    "check `report_line`, and that nothing else is reported (`report_lines`)"
)
_OFF = 1.01
_SHARE = 0.5
"""Share of the outcomes that may be right for one case at most."""


def report_findings(task: ExecutableTask, work: CarriedOut, *, with_money: bool) -> list[Finding]:
    """Findings on a task that passes though another report than the plan's was handed in.

    Args:
        task: What is to be done.
        work: What came of its plan; without a report there is nothing to look at.
        with_money: Whether sums are paid there: then every line says which.
    """
    if not work.calls or work.calls[-1][0] != REPORT_TOOL:
        return []
    tool = task.home.artifact.tool(REPORT_TOOL)
    outcomes = outcomes_of(tool) if tool is not None else ()
    checks = [check for check in task.checks if isinstance(check, ReportLine | ReportLines)]
    told = [
        f"{len(check.outcome)} of {len(outcomes)} outcomes are right for {check.case[0]}"
        for check in checks
        if isinstance(check, ReportLine) and len(check.outcome) > max(1, _SHARE * len(outcomes))
    ]
    for lines, how in _otherwise(task, work, outcomes, with_money=with_money):
        facts = Facts(task.initial_state, work.state, reporting(lines))
        if all(check.run(facts).passed for check in checks):
            told.append(f"all checks pass when {how}")
    return [finding(GateName.REPORTS, task.id, "checks", said, _FIX) for said in told[:1]]


def reporting(lines: Sequence[Mapping[str, JsonValue]] | None) -> Trajectory:
    """Work of which the report alone is known: its lines, or None where none was handed in."""
    observed = Observation({"handed_in": len(lines or ())}, Origin.EXECUTABLE)
    return Trajectory(calls=[] if lines is None else [ToolCall(0, 0, REPORT_TOOL, {"cases": [*lines]}, observed)])


def _otherwise(
    task: ExecutableTask, work: CarriedOut, outcomes: Sequence[str], *, with_money: bool
) -> Iterator[tuple[list[JsonObject] | None, str]]:
    """Other reports than the plan's, each with what is told of it."""
    _, given = work.calls[-1]
    lines: list[JsonObject] = given["cases"] if isinstance(given, dict) else []
    allowed = {id: check.outcome for check in task.checks if isinstance(check, ReportLine) for id in check.case}
    yield None, "no report is handed in"
    for at, line in enumerate(lines):
        case = line["case"]
        rest = [*lines[:at], *lines[at + 1 :]]
        if rest:
            yield rest, f"{case} is left out of the report"
        others = [code for code in outcomes if code != line["outcome"] and code not in allowed.get(case, ())]
        changes: list[tuple[str, JsonValue]] = [("outcome", code) for code in others]
        for name in ("amount", "number", "date", "ids"):
            changes += [(name, value) for value in _other_values(line.get(name))]
        if with_money and "amount" not in line:
            changes.append(("amount", 500.0))
        for name, value in changes:
            other = {**line, name: value} if value is not None else {k: v for k, v in line.items() if k != name}
            how = f"reports {name} {value!r}" if value is not None else f"reports no {name}"
            instead = f" instead of {line[name]!r}" if name in line else ""
            yield [*lines[:at], other, *lines[at + 1 :]], f"{case} {how}{instead}"
    records = records_of(task.initial_state)
    stranger = next((id for line in lines for id in records.neighbours(line["case"]) if id not in allowed), None)
    if stranger is not None:
        yield [*lines, {**lines[0], "case": stranger}], f"{stranger} is reported as well, which nobody asked about"


def _other_values(value: JsonValue) -> Iterator[JsonValue]:
    """Other values of a field, None for leaving it out; nothing for a field that the plan leaves out."""
    if value is None:
        return
    if value:  # nothing may be left out
        yield None
    if is_number(value):
        yield round(value + _OFF, 2) if value != int(value) or value == 0 else value + 1
    elif isinstance(value, list):
        yield from ([], value[:-1]) if value else ()
        yield [*value, "XX-1"]
    elif (day := as_day(str(value))) is not None:
        yield (day + timedelta(days=1)).isoformat()
