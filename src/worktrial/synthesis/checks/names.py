"""The checks by name. Those that `worktrial lint` knows from the published data are called the same here."""

from enum import StrEnum

from worktrial.workplaces.lint import HazardName


class CheckName(StrEnum):
    """The checks of a slot."""

    TOOL_COUNT = "tool-count"
    DUPLICATE_TOOLS = "duplicate-tools"
    SCHEMAS = "schemas"
    EXAMPLE_SHAPE = "example-shape"
    EXAMPLE_CLASH = HazardName.EXAMPLE_CLASH.value
    UNDESCRIBED_STATE = HazardName.UNDESCRIBED_STATE.value
    PROMPT_CALLS = HazardName.PROMPT_CALLS.value
    PLACEHOLDERS = "placeholders"
    DATES_WITHOUT_CLOCK = HazardName.DATES_WITHOUT_CLOCK.value
    PLAN_CALLS = "plan-calls"
    PLAN_LENGTH = "plan-length"
    PLAN_GIVEN_AWAY = "plan-given-away"
    RUBRIC_TOOLS = HazardName.RUBRIC_TOOLS.value
    RUBRIC_NUMBERS = "rubric-numbers"


MEANINGS = {
    CheckName.TOOL_COUNT: "workplaces with too few tools to choose from, or too many to write well",
    CheckName.DUPLICATE_TOOLS: "workplaces with two tools of one name",
    CheckName.SCHEMAS: "tools whose arguments have no valid schema, or are not described",
    CheckName.EXAMPLE_SHAPE: "tools whose example output has not the shape that the state has",
    CheckName.EXAMPLE_CLASH: "workplaces whose example outputs clash with the initial state",
    CheckName.UNDESCRIBED_STATE: "workplaces with fields of the state that nobody describes",
    CheckName.PROMPT_CALLS: "workplaces whose rules show calls to tools that do not exist",
    CheckName.PLACEHOLDERS: "texts that were left to be filled in",
    CheckName.DATES_WITHOUT_CLOCK: "tasks with absolute dates and nothing that tells the date",
    CheckName.PLAN_CALLS: "plans with calls that the workplace would refuse",
    CheckName.PLAN_LENGTH: "plans too short or too long for the task's level",
    CheckName.PLAN_GIVEN_AWAY: "instructions that name the plan's tools in order",
    CheckName.RUBRIC_TOOLS: "tasks whose rubric names tools that the workplace lacks",
    CheckName.RUBRIC_NUMBERS: "tasks whose rubric has numbers that come from nowhere",
}
"""What a count of each check counts."""
