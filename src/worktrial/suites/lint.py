"""Findings on workplaces and their tasks: what runs, and yet misleads a simulator, an agent or a judge."""

import json
from collections.abc import Collection, Iterator
from dataclasses import replace

from worktrial.finding import Finding
from worktrial.language import JsonObject
from worktrial.workplaces import Workplace
from worktrial.workplaces.lint import (
    LintCheck,
    clashing_examples,
    dates_without_a_clock,
    tools_missing_from_rubric,
    undescribed_state,
    unknown_calls,
    values_out_of_reach,
)

MEANINGS = {
    LintCheck.RUBRIC_TOOLS.value: "tasks whose rubric names tools that the workplace lacks",
    LintCheck.RUBRIC_VALUES.value: "tasks whose rubric asks for codes that no tool can show",
    LintCheck.DATES_WITHOUT_CLOCK.value: "tasks with absolute dates and nothing that tells the date",
    LintCheck.UNDESCRIBED_STATE.value: "workplaces with fields of the state that nobody describes",
    LintCheck.EXAMPLE_CLASH.value: "workplaces whose example outputs clash with the initial state",
    LintCheck.PROMPT_CALLS.value: "workplaces whose rules show calls to tools that do not exist",
}
"""Names of the checks here, in the order in which they are shown, and what a count of each counts."""


def placed(finding: Finding, subject: str, file: str, field: str | None = None) -> Finding:
    """`finding` with its place: the task or workplace, the file, and what the file calls the field."""
    return replace(finding, subject=subject, file=file, field=field or finding.field)


def workplace_findings(workplace: Workplace) -> Iterator[Finding]:
    """Findings of the checks of workplaces; subject and file are still to be told."""
    tools = {tool.name for tool in workplace.tools}
    for finding in (
        undescribed_state(workplace.initial_state, workplace.state_description),
        clashing_examples(workplace.tools, workplace.initial_state),
        unknown_calls(workplace.system_prompt, tools),
    ):
        if finding:
            yield finding


def text_of(workplace: Workplace) -> str:
    """All text of a workplace that its tools may show: rules, state, its description, tools with their examples."""
    tools = [[tool.description, tool.parameters, tool.example_output] for tool in workplace.tools]
    shown = [workplace.initial_state, workplace.state_description, tools]
    return f"{workplace.system_prompt}\n{json.dumps(shown, ensure_ascii=False)}"


def task_findings(
    instruction: str,
    rubric: str,
    state: JsonObject,
    tools: Collection[str],
    *,
    verbs: Collection[str],
    held: str | None = None,
    has_clock: bool = False,
) -> Iterator[Finding]:
    """Findings of the checks of tasks; subject and file are still to be told.

    Args:
        instruction: The task as the agent is given it.
        rubric: What a judge is held to.
        state: The initial state.
        tools: Names of the workplace's tools.
        verbs: As for `tools_missing_from_rubric`.
        held: All text in which a value of the rubric may stand; None where code makes what the tools show.
        has_clock: Whether the task itself says what day it is, so that no tool has to.
    """
    for finding in (
        tools_missing_from_rubric(rubric, tools=tools, verbs=verbs, state=state, instruction=instruction),
        None if held is None else values_out_of_reach(rubric, held),
        None if has_clock else dates_without_a_clock(instruction, state, tools),
    ):
        if finding:
            yield finding
