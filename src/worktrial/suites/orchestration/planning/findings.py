"""Findings in scenarios and cards: their kinds and places."""

from enum import StrEnum

from worktrial.finding import Finding
from worktrial.suites.orchestration.planning.scenario import Scenario


class FindingKind(StrEnum):
    """Kinds of findings that change a score, in the order in which a reader wants to see them."""

    BROKEN_FILE = "broken-file"
    CORRECTION_DOES_NOT_FIT = "correction-does-not-fit"
    UNSCORED_STEP = "unscored-step"
    UNKNOWN_AGENT = "unknown-agent"
    UNKNOWN_TOOL = "unknown-tool"
    FOREIGN_TOOL = "foreign-tool"
    ODD_CALL = "odd-call"
    ODD_REFUSAL = "odd-refusal"
    DUPLICATE_KEY = "duplicate-key"
    ODD_STATUS = "odd-status"
    ODD_DEPENDENCY = "odd-dependency"
    SAME_PROMPT = "same-prompt"
    SCHEMA_VIOLATION = "schema-violation"


MEANINGS = {
    FindingKind.BROKEN_FILE: "files that hold no scenario; a run leaves them out",
    FindingKind.CORRECTION_DOES_NOT_FIT: "corrections that this data is not what they were made for",
    FindingKind.UNSCORED_STEP: "gold steps that cannot be read; in no score of ours",
    FindingKind.UNKNOWN_AGENT: "plans or steps with an agent that has no card; nobody is asked",
    FindingKind.UNKNOWN_TOOL: "calls of a tool that nobody has",
    FindingKind.FOREIGN_TOOL: "calls of a tool of another agent's card",
    FindingKind.ODD_CALL: "calls in a form that the published program reads otherwise",
    FindingKind.ODD_REFUSAL: "refusals without a status tag, or that are no YAML",
    FindingKind.DUPLICATE_KEY: "keys that are there twice; the last one counts",
    FindingKind.ODD_STATUS: "statuses that are none, and control characters written out by a spreadsheet",
    FindingKind.ODD_DEPENDENCY: "dependencies on a workflow that the plan lacks, or in a circle",
    FindingKind.SAME_PROMPT: "steps that the published program asks in the same words, with different gold",
    FindingKind.SCHEMA_VIOLATION: "gold calls that break the schema of their tool",
}
"""Kind to what it counts, in half a sentence."""


def finding_at(file: str, step: int | None, kind: FindingKind, what: str) -> Finding:
    """Finding in a file of the data folder.

    Args:
        file: Name within the folder, such as `EN/scenario_data/85.yaml`.
        step: `step_id`; None where it concerns the whole file.
        kind: Kind of what was found.
        what: Description in half a sentence.
    """
    field = "" if step is None else f"step {step}"
    return Finding(kind.value, f"{file}, {field}" if field else file, file, field, what)


def step_finding(scenario: Scenario, step: int, kind: FindingKind, what: str) -> Finding:
    """Finding in one of the scenario's steps."""
    return finding_at(f"{scenario.language}/scenario_data/{scenario.id}.yaml", step, kind, what)


def step_of(finding: Finding) -> int | None:
    """`step_id` of the step that the finding is in; None where it concerns the whole file."""
    return int(finding.field.removeprefix("step ")) if finding.field else None
