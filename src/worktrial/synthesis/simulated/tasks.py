"""Tasks in a simulated workplace, each about clauses of its own: as the author writes them, and what gates find."""

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from random import Random
from typing import Annotated

import msgspec

from worktrial.synthesis.artifacts import SCALES, JobSpec, PlannedCall, TaskDraft, Text, WorkplaceDraft
from worktrial.synthesis.author import Author
from worktrial.synthesis.checks import check_slot
from worktrial.synthesis.compose.languages import language_of
from worktrial.synthesis.gates.facts import shingles
from worktrial.synthesis.gates.leaks import RUN, rubric_told
from worktrial.synthesis.gates.twins import ALIKE, likeness, masked_pairs
from worktrial.synthesis.prompting import LANGUAGES, compact, fenced, language_name, render, tokens, tools_text
from worktrial.synthesis.simulated.workplace import SimulatedPlace

LEAST_INSTRUCTION, MOST_INSTRUCTION = 20, 3000
"""Characters."""
STATEMENTS = (2, 12)
_ROOM = 6000
"""Tokens of the workplace; what the other parts leave of it is for the tools, but never less than the last."""
_LEAST_TOOLS = 700
_NUMBERED = re.compile(r"\s*(?:\(?\d{1,2}[.)]|[-*•])\s+")


class TaskText(msgspec.Struct, kw_only=True, frozen=True):
    """One reply of the author."""

    instructions: dict[str, Text]
    """Instruction by language."""
    plan: Annotated[list[PlannedCall], msgspec.Meta(min_length=1)]
    rubric: Annotated[list[Text], msgspec.Meta(min_length=1)]
    """One statement each."""
    clauses: list[str]


def focus_of(number: int, place: SimulatedPlace, seed: int) -> tuple[int, list[str]]:
    """Level of the task with a number from 1 on, and the clauses that it is about.

    Levels go round. A task is about as many clauses as its level says, and all clauses have their turn, in an order
    that follows from the seed.
    """
    ids = sorted(place.rules)
    Random(seed).shuffle(ids)
    level = 1 + (number - 1) % len(SCALES)
    before = sum(1 + at % len(SCALES) for at in range(number - 1))
    turns = (ids[(before + at) % len(ids)] for at in range(len(ids)))
    return level, sorted(islice(turns, level))


async def written_task(
    id: str, level: int, focus: Sequence[str], spec: JobSpec, place: SimulatedPlace, author: Author
) -> TaskDraft:
    """Write a task that turns on the clauses of `focus`.

    Raises:
        UnusableReplies: the author's replies cannot be used.
        InvalidSample: the model cannot be reached.
    """
    prompt = render(
        "task",
        spec=spec,
        level=level,
        scale=SCALES[level],
        focus=list(focus),
        workplace=fenced(_workplace_text(place.whole)),
        languages=", ".join(f'"{code}" ({language_name(code)})' for code in spec.languages),
        language=language_name(spec.languages[0]),
        example=compact(dict.fromkeys(spec.languages, "…")),
    )

    def draft_of(reply: TaskText) -> TaskDraft:
        return TaskDraft(
            id=id,
            level=level,
            instructions={code: text.strip() for code, text in reply.instructions.items()},
            plan=reply.plan,
            rubric=numbered(reply.rubric),
            clauses=sorted({*reply.clauses}),
        )

    def check(reply: TaskText) -> list[str]:
        fewest, most = STATEMENTS
        found = []
        if list(reply.instructions) != spec.languages:
            found.append(
                f"instructions: are in {', '.join(reply.instructions)}; {', '.join(spec.languages)} is wanted"
            )
        if not fewest <= len(reply.rubric) <= most:
            found.append(f"rubric: has {len(reply.rubric)} statements; 3 to 8 are wanted")
        if blank := [at for at, line in enumerate(reply.rubric) if not _NUMBERED.sub("", line, count=1).strip()]:
            found.append(f"rubric[{blank[0]}]: is blank")
        if not set(focus) & set(reply.clauses):
            found.append(f"clauses: names none of {', '.join(focus)}, which the task is to be about")
        return found or faults_of(draft_of(reply), place)

    return draft_of(await author.write(prompt, TaskText, salt=f"task/{id}", check=check))


def numbered(statements: Sequence[str]) -> str:
    """Statements as a rubric: one a line, numbered."""
    lines = (" ".join(_NUMBERED.sub("", statement, count=1).split()) for statement in statements)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def faults_of(task: TaskDraft, place: SimulatedPlace) -> list[str]:
    """Findings of static checks and of gates in a task, each in a sentence; [] where it holds."""
    found = [f"{one.field}: {one.what}" for one in check_slot(place.whole, task)]
    if strange := [id for id in task.clauses if id not in place.rules]:
        found.append(f"clauses: {', '.join(strange)} is no clause that an agent can read")
    for code, text in task.instructions.items():
        if (read := language_of(text, [*LANGUAGES, *task.languages])) != code:
            found.append(f"instructions: the one in {code} reads as {read}")
        if not LEAST_INSTRUCTION <= len(text) <= MOST_INSTRUCTION:
            bounds = f"{LEAST_INSTRUCTION} to {MOST_INSTRUCTION:,} are wanted"
            found.append(f"instructions: the one in {code} has {len(text):,} characters; {bounds}")
    if found:
        # What leaks can be asked of a sound workplace only.
        return found
    said = shingles(task.rubric, RUN)
    told = rubric_told(task.id, task.instruction, task.rubric)
    leaking = [tool.name for tool in place.draft.tools if said & shingles(tool.description, RUN)]
    return [
        *(f"{one.check}: {one.field}: {one.what}" for one in told),
        *(f"leaks: the description of {name} repeats the rubric" for name in leaking),
    ]


def twin_of(task: TaskDraft, earlier: Mapping[str, TaskDraft], place: SimulatedPlace) -> str | None:
    """Id of a task before this one that asks for nearly the same: same tools and clauses, and words alike."""
    state = place.draft.initial_state
    mine = masked_pairs(task.instruction, state)
    for id, other in earlier.items():
        same = (task.tools, task.clauses) == (other.tools, other.clauses)
        if id < task.id and same and likeness(mine, masked_pairs(other.instruction, state)) >= ALIKE:
            return id
    return None


def _workplace_text(workplace: WorkplaceDraft) -> str:
    """A workplace as a prompt shows it; the tools shortened where it would be too long."""
    rest = [
        f"Rules:\n{workplace.system_prompt.strip()}",
        f"State:\n{compact(workplace.initial_state)}",
        f"What it means:\n{compact(workplace.state_description)}",
    ]
    room = max(_ROOM - sum(tokens(text) for text in rest), _LEAST_TOOLS)
    return "\n\n".join([*rest, f"Tools:\n{tools_text(workplace.tools, room)}"])
