"""What lint finds in scenarios and cards: the kinds, and a finding's place."""

from enum import StrEnum

from worktrial.suites.orchestration.planning.scenario import Oddity, Scenario


class OddityCode(StrEnum):
    """What `Oddity.code` can be, in the order in which a reader wants to see them."""

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
    OddityCode.BROKEN_FILE: "files that hold no scenario; a run leaves them out",
    OddityCode.CORRECTION_DOES_NOT_FIT: "corrections that this data is not what they were made for",
    OddityCode.BROKEN_STEP: "steps that hold no text; in no score of ours",
    OddityCode.UNPARSABLE_PLAN: "gold plans that do not parse; in no score of ours",
    OddityCode.UNPARSABLE_CALL: "gold calls that do not parse; in no score of ours",
    OddityCode.STRAY_TEXT: "texts that are neither a call nor a refusal; in no score of ours",
    OddityCode.RESULT_WITHOUT_CALL: "results without the call; in no score of ours",
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
"""Kind to what it counts, in half a sentence."""


def oddity(scenario: Scenario, step: int, code: OddityCode, reason: str) -> Oddity:
    """An oddity of one of the scenario's steps."""
    return Oddity(f"{scenario.language}/scenario_data/{scenario.id}.yaml", step, code, reason)
