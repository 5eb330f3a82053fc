"""Hazards of a suite: each with the file and the field that hold it, and how to mend it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from worktrial.language import JsonObject
from worktrial.workplaces import Workplace
from worktrial.workplaces.lint import (
    Finding,
    HazardName,
    clashing_examples,
    dates_without_a_clock,
    tools_missing_from_rubric,
    undescribed_state,
    unknown_calls,
)


@dataclass(frozen=True, slots=True)
class Hazard:
    """One finding with its place."""

    name: StrEnum
    """Of the check: a `HazardName`, or one of those that only a suite of one's own can be asked."""
    subject: str
    """The task's id, or the workplace's name."""
    file: str
    field: str
    """As the file calls it."""
    what: str
    fix: str


@dataclass(frozen=True, slots=True)
class LintReport:
    """What was looked at, and what was found."""

    tasks: int
    workplaces: int
    hazards: list[Hazard]
    unread: list[str]
    """Tasks and workplaces that could not be read and so were not looked at, with the reason."""

    def count(self, name: StrEnum) -> int:
        """How many tasks or workplaces have the hazard."""
        return len({hazard.subject for hazard in self.hazards if hazard.name == name})

    def only(self, names: Collection[StrEnum]) -> "LintReport":
        """The report without the hazards of other names."""
        return replace(self, hazards=[hazard for hazard in self.hazards if hazard.name in names])


def workplace_findings(workplace: Workplace) -> Iterator[tuple[HazardName, Finding]]:
    """What the checks of workplaces find."""
    found = {
        HazardName.UNDESCRIBED_STATE: undescribed_state(workplace.initial_state, workplace.state_description),
        HazardName.EXAMPLE_CLASH: clashing_examples(workplace.tools, workplace.initial_state),
        HazardName.PROMPT_CALLS: unknown_calls(workplace.system_prompt, {tool.name for tool in workplace.tools}),
    }
    yield from ((name, finding) for name, finding in found.items() if finding)


def task_findings(
    instruction: str,
    rubric: str,
    state: JsonObject,
    tools: Collection[str],
    *,
    verbs: Collection[str],
    has_clock: bool = False,
) -> Iterator[tuple[HazardName, Finding]]:
    """What the checks of tasks find.

    Args:
        instruction: The task as the agent is given it.
        rubric: What a judge is held to.
        state: The initial state.
        tools: Names of the workplace's tools.
        verbs: As for `tools_missing_from_rubric`.
        has_clock: Whether the task itself says what day it is, so that no tool has to.
    """
    found = {
        HazardName.RUBRIC_TOOLS: tools_missing_from_rubric(
            rubric, tools=tools, verbs=verbs, state=state, instruction=instruction
        ),
        HazardName.DATES_WITHOUT_CLOCK: None if has_clock else dates_without_a_clock(instruction, state, tools),
    }
    yield from ((name, finding) for name, finding in found.items() if finding)
