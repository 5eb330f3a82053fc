"""Findings in scenarios and cards: their kinds and places."""

from enum import StrEnum

from worktrial.finding import Finding
from worktrial.suites.orchestration.planning.scenario import Scenario


class FindingKind(StrEnum):
    """Kinds of findings, in the order in which a reader wants to see them."""

    BROKEN_FILE = "broken-file"
    CORRECTION_DOES_NOT_FIT = "correction-does-not-fit"
    BROKEN_STEP = "broken-step"
    UNPARSABLE_PLAN = "unparsable-plan"
    UNPARSABLE_CALL = "unparsable-call"
    STRAY_TEXT = "stray-text"
    RESULT_WITHOUT_CALL = "result-without-call"
    ODD_CALL = "odd-call"
    UNKNOWN_AGENT = "unknown-agent"
    UNPLANNED_AGENT = "unplanned-agent"
    UNKNOWN_TOOL = "unknown-tool"
    FOREIGN_TOOL = "foreign-tool"
    DUPLICATE_KEY = "duplicate-key"
    CALL_LIST = "call-list"
    ODD_CALL_KEY = "odd-call-key"
    RESULT_COUNT = "result-count"
    ODD_REFUSAL_STATUS = "odd-refusal-status"
    REFUSAL_WITHOUT_TAG = "refusal-without-tag"
    REFUSAL_NOT_YAML = "refusal-not-yaml"
    CONTROL_ESCAPE = "control-escape"
    ODD_PLAN_KEY = "odd-plan-key"
    ODD_PLAN_STATUS = "odd-plan-status"
    STATUS_MISMATCH = "status-mismatch"
    UNKNOWN_DEPENDENCY = "unknown-dependency"
    DEPENDENCY_CYCLE = "dependency-cycle"
    UNKNOWN_WORKFLOW = "unknown-workflow"
    SAME_PROMPT = "same-prompt"
    ODD_FILE_NAME = "odd-file-name"
    STEP_COUNT = "step-count"
    SKILL_WITHOUT_TOOL = "skill-without-tool"
    SCHEMA_VIOLATION = "schema-violation"


MEANINGS = {
    FindingKind.BROKEN_FILE: "files that hold no scenario; a run leaves them out",
    FindingKind.CORRECTION_DOES_NOT_FIT: "corrections that this data is not what they were made for",
    FindingKind.BROKEN_STEP: "steps that hold no text; in no score of ours",
    FindingKind.UNPARSABLE_PLAN: "gold plans that do not parse; in no score of ours",
    FindingKind.UNPARSABLE_CALL: "gold calls that do not parse; in no score of ours",
    FindingKind.STRAY_TEXT: "texts that are neither a call nor a refusal; in no score of ours",
    FindingKind.RESULT_WITHOUT_CALL: "results without the call; in no score of ours",
    FindingKind.ODD_CALL: "calls without a tool, without arguments or with a status",
    FindingKind.UNKNOWN_AGENT: "plans or steps with an agent that has no card",
    FindingKind.UNPLANNED_AGENT: "steps of an agent that the plan has no work for",
    FindingKind.UNKNOWN_TOOL: "calls of a tool that nobody has",
    FindingKind.FOREIGN_TOOL: "calls of a tool of another agent's card",
    FindingKind.DUPLICATE_KEY: "keys that are there twice",
    FindingKind.CALL_LIST: "bare lists of calls",
    FindingKind.ODD_CALL_KEY: "calls with other keys than usual",
    FindingKind.RESULT_COUNT: "several calls with another number of results",
    FindingKind.ODD_REFUSAL_STATUS: "refusals with a status that is no tag",
    FindingKind.REFUSAL_WITHOUT_TAG: "refusals without a status tag",
    FindingKind.REFUSAL_NOT_YAML: "refusals that do not parse and are read by line",
    FindingKind.CONTROL_ESCAPE: "control characters written out by a spreadsheet",
    FindingKind.ODD_PLAN_KEY: "keys of a plan that are no workflow",
    FindingKind.ODD_PLAN_STATUS: "workflows with a status that is none",
    FindingKind.STATUS_MISMATCH: "completed workflows with an open step",
    FindingKind.UNKNOWN_DEPENDENCY: "dependencies on a workflow that the plan lacks",
    FindingKind.DEPENDENCY_CYCLE: "plans whose workflows wait for each other",
    FindingKind.UNKNOWN_WORKFLOW: "steps of a workflow that the plan lacks",
    FindingKind.SAME_PROMPT: "steps that the published program asks in the same words, with different gold",
    FindingKind.ODD_FILE_NAME: "scenario files whose name is no number",
    FindingKind.STEP_COUNT: "scenarios with another number of steps than they say",
    FindingKind.SKILL_WITHOUT_TOOL: "cards that advertise skills they have no tool for",
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
