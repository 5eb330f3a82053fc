"""Oddities of scenarios for the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from worktrial.cli.untrusted import printable
from worktrial.suites.orchestration.lint import ScenarioLint
from worktrial.suites.orchestration.planning.oddities import OddityCode
from worktrial.suites.orchestration.planning.scenario import Oddity

_MEANINGS = {
    OddityCode.BROKEN_FILE: "files that hold no scenario; a run leaves them out",
    OddityCode.CORRECTION_DOES_NOT_FIT: "corrections that this data is not what they were made for",
    OddityCode.BROKEN_STEP: "steps that hold no text; in no sound score",
    OddityCode.UNPARSABLE_PLAN: "gold plans that do not parse; in no sound score",
    OddityCode.UNPARSABLE_CALL: "gold calls that do not parse; in no sound score",
    OddityCode.STRAY_TEXT: "texts that are neither a call nor a refusal; in no sound score",
    OddityCode.RESULT_WITHOUT_CALL: "results without the call; in no sound score",
    OddityCode.ODD_CALL: "calls without a tool, without arguments or with a status",
    OddityCode.UNKNOWN_AGENT: "plans or steps with an agent that has no card",
    OddityCode.UNPLANNED_AGENT: "steps of an agent that the plan has no work for",
    OddityCode.UNKNOWN_TOOL: "calls of a tool that nobody has",
    OddityCode.FOREIGN_TOOL: "calls of a tool of another agent's card",
    OddityCode.DUPLICATE_KEY: "keys that are there twice",
    OddityCode.CALL_LIST: "bare lists of calls",
    OddityCode.ODD_CALL_KEY: "calls with other keys than usual",
    OddityCode.RESULT_COUNT: "several calls with another number of results",
    OddityCode.ODD_REFUSAL_STATUS: "refusals with a status that is no tag",
    OddityCode.REFUSAL_WITHOUT_TAG: "refusals without a status tag",
    OddityCode.REFUSAL_NOT_YAML: "refusals that do not parse and are read by line",
    OddityCode.CONTROL_ESCAPE: "control characters written out by a spreadsheet",
    OddityCode.ODD_PLAN_KEY: "keys of a plan that are no workflow",
    OddityCode.ODD_PLAN_STATUS: "workflows with a status that is none",
    OddityCode.STATUS_MISMATCH: "completed workflows with an open step",
    OddityCode.UNKNOWN_DEPENDENCY: "dependencies on a workflow that the plan lacks",
    OddityCode.DEPENDENCY_CYCLE: "plans whose workflows wait for each other",
    OddityCode.UNKNOWN_WORKFLOW: "steps of a workflow that the plan lacks",
    OddityCode.SAME_PROMPT: "steps that the published program asks in the same words, with different gold",
    OddityCode.ODD_FILE_NAME: "scenario files whose name is no number",
    OddityCode.STEP_COUNT: "scenarios with another number of steps than they say",
    OddityCode.SKILL_WITHOUT_TOOL: "cards that advertise skills they have no tool for",
    OddityCode.SCHEMA_VIOLATION: "gold calls that break the schema of their tool",
}

# Too many to read one after the other: they are counted, and listed when asked for.
_COUNTED = {OddityCode.SCHEMA_VIOLATION}


def print_scenarios(report: ScenarioLint, codes: Sequence[OddityCode], *, asked: bool) -> None:
    """A table for each kind that was found, then the counts.

    Args:
        codes: Which kinds to show.
        asked: Whether the kinds were asked for by name, so that the long lists are shown too.
    """
    console = Console(highlight=False)
    counted = [] if asked else [code for code in codes if code in _COUNTED and report.count(code)]
    for code in codes:
        rows = [oddity for oddity in report.oddities if oddity.code == code]
        if rows and code not in counted:
            console.print(_rows(code, rows))
    fixed = f", {report.fixes} corrections applied" if report.fixes else ""
    title = f"orchestration: {report.scenarios} scenarios, {report.agents} agents{fixed}"
    counts = Table(title=title, title_justify="left")
    counts.add_column("found", justify="right")
    counts.add_column("check")
    counts.add_column("what it counts")
    for code in codes:
        if asked or report.count(code):
            counts.add_row(str(report.count(code)), code.value, _MEANINGS[code])
    console.print(counts if counts.row_count else Text(f"{title}: nothing found"))
    for code in counted:
        console.print(f"Rows of {code.value}: add --only {code.value}")


def _rows(code: OddityCode, oddities: Sequence[Oddity]) -> Table:
    table = Table(title=code.value, title_justify="left")
    table.add_column("file", overflow="fold")
    table.add_column("step", justify="right")
    table.add_column("reason", overflow="fold")
    for oddity in oddities:
        step = "" if oddity.step is None else str(oddity.step)
        table.add_row(Text(printable(oddity.file)), step, Text(printable(oddity.reason)))
    return table
