"""Third stage, second part: what is to be done there, how, and what counts as done."""

import re
from collections.abc import Sequence
from typing import Annotated

import msgspec

from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import (
    SCALES,
    JobSpec,
    PlannedCall,
    Reference,
    Slot,
    TaskDraft,
    Text,
    ToolDraft,
    WorkplaceDraft,
)
from worktrial.synthesis.author import Author
from worktrial.synthesis.checks.case import schema_fault
from worktrial.synthesis.checks.placeholders import unfilled
from worktrial.synthesis.checks.task import PLAN_STEPS
from worktrial.synthesis.prompting import (
    compact,
    fenced,
    language_name,
    reference_text,
    render,
    tokens,
    tools_text,
)
from worktrial.workplaces.tools import Tool

MOST_INSTRUCTION = 3000
"""Characters."""
STATEMENTS = (2, 12)
_ROOM = 4400
"""Tokens of the workplace; what the other parts leave of it is for the tools, but never less than the last."""
_LEAST_TOOLS = 700
_REFERENCE = 500
_NUMBERED = re.compile(r"\s*(?:\(?\d{1,2}[.)]|[-*•])\s+")


class TaskText(msgspec.Struct, kw_only=True, frozen=True):
    """Reply of the author in this stage."""

    instruction: Text
    plan: Annotated[list[PlannedCall], msgspec.Meta(min_length=1)]
    rubric: Annotated[list[Text], msgspec.Meta(min_length=1)]
    """One statement each."""


async def task(
    spec: JobSpec, slot: Slot, reference: Reference, workplace: WorkplaceDraft, author: Author
) -> TaskDraft:
    """Instruction, solution plan and rubric for one slot.

    Raises:
        Unusable: the author's replies cannot be used.
        InvalidSample: the model cannot be reached.
    """
    prompt = render(
        "task",
        spec=spec,
        subtopic=slot.subtopic,
        level=slot.level,
        scale=SCALES[slot.level],
        workplace=fenced(workplace_text(workplace)),
        reference=fenced(reference_text(reference, _REFERENCE)),
        language=language_name(slot.language),
    )

    def check(draft: TaskText) -> list[str]:
        return problems(draft, slot, workplace)

    written = await author.write(prompt, TaskText, salt=f"task/{slot.id}", check=check)
    return TaskDraft(
        slot=slot.id,
        subtopic=slot.subtopic.id,
        level=slot.level,
        language=slot.language,
        instruction=written.instruction.strip(),
        plan=written.plan,
        rubric=numbered(written.rubric),
    )


def numbered(statements: Sequence[str]) -> str:
    """Statements as a rubric: one a line, numbered."""
    lines = (" ".join(_NUMBERED.sub("", statement, count=1).split()) for statement in statements)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def workplace_text(workplace: WorkplaceDraft) -> str:
    """A workplace as a prompt shows it; the tools shortened where it would be too long."""
    rest = [
        f"Rules:\n{workplace.system_prompt.strip()}",
        f"State:\n{compact(workplace.initial_state)}",
        f"What it means:\n{compact(workplace.state_description)}",
    ]
    room = max(_ROOM - sum(tokens(text) for text in rest), _LEAST_TOOLS)
    return "\n\n".join([*rest, f"Tools:\n{tools_text(workplace.tools, room)}"])


def problems(draft: TaskText, slot: Slot, workplace: WorkplaceDraft) -> list[str]:
    """Faults in the structure of a task, for its author to put right."""
    found = [*_of_instruction(draft.instruction, workplace.tools), *_of_plan(draft.plan, slot.level, workplace)]
    fewest, most = STATEMENTS
    if not fewest <= len(draft.rubric) <= most:
        found.append(f"rubric: has {len(draft.rubric)} statements; 3 to 8 are wanted")
    for number, statement in enumerate(draft.rubric):
        where = f"rubric[{number}]"
        if not _NUMBERED.sub("", statement, count=1).strip():
            found.append(f"{where}: is blank")
        found += unfilled(where, statement)
    return found


def _of_instruction(instruction: str, tools: Sequence[ToolDraft]) -> list[str]:
    found = unfilled("instruction", instruction)
    if len(instruction.strip()) < 20:
        found.append("instruction: is too short to say what is to be achieved")
    if len(instruction) > MOST_INSTRUCTION:
        found.append(f"instruction: has {len(instruction):,} characters; {MOST_INSTRUCTION:,} are the most")
    # One ordinary word, such as `search`, may well be meant as such.
    telling = [tool.name for tool in tools if not tool.name.isalpha() or not tool.name.islower()]
    named = [name for name in telling if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", instruction)]
    if named:
        found.append(f"instruction: names {', '.join(named)}; say what is to be achieved, not with which tools")
    return found


def _of_plan(plan: Sequence[PlannedCall], level: int, workplace: WorkplaceDraft) -> list[str]:
    found = []
    fewest, most = PLAN_STEPS[level]
    if not fewest <= len(plan) <= most:
        found.append(f"plan: has {len(plan)} calls; a task of this level takes {fewest} to {most}")
    tools = {tool.name: tool for tool in workplace.tools}
    for number, step in enumerate(plan):
        where = f"plan[{number}]"
        if step.tool not in tools:
            found.append(f"{where}: there is no tool {step.tool!r}; there are {', '.join(tools)}")
            continue
        found += [f"{where} {step.tool}: {problem}" for problem in _refused(tools[step.tool], step)]
        for text in _texts(step.arguments):
            found += unfilled(f"{where} {step.tool}", text)
    return found


def _refused(tool: ToolDraft, step: PlannedCall) -> list[str]:
    """Objections of a tool's schema to a call; none where a person wrote a schema that says nothing."""
    from referencing.exceptions import Unresolvable

    if schema_fault(tool) is not None:
        return []
    try:
        refused = Tool(tool.name, tool.description, tool.parameters).problems(step.arguments)
    except (Unresolvable, re.error):
        # The static checks report the schema itself.
        return []
    return [f"{problem['argument']}: {problem['problem']}" for problem in refused]


def _texts(value: JsonValue) -> list[str]:
    """Every text in a value."""
    if isinstance(value, dict):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []
