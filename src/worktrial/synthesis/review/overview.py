"""The suite as a whole: what became of its slots, what the suite is worth, what it cost."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from worktrial.synthesis.artifacts import TaskDraft
from worktrial.synthesis.review.reading import Reading
from worktrial.synthesis.review.shown_slot import ShownSlot
from worktrial.synthesis.review.standing import DONE, MEANINGS, Standing
from worktrial.synthesis.stages.report import SuiteReport, described, report

_PROPERTIES = ("solvable", "verifiable", "discriminative", "diverse")


@dataclass(frozen=True, slots=True)
class Row:
    """A slot in the table of slots."""

    id: str
    subtopic: str
    level: int
    language: str
    standing: Standing
    problems: int
    is_edited: bool


@dataclass(frozen=True, slots=True)
class Fate:
    """How many slots came to one end."""

    count: int
    label: str
    meaning: str


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What stands above the slots."""

    stage: str
    """How far the whole has come, in a sentence."""
    fates: Sequence[Fate]
    found: SuiteReport | None
    """None as long as not every slot has come to its end."""
    properties: Sequence[tuple[str, str]]
    resume: str
    """Commands."""
    run: str | None


def row(shown: ShownSlot) -> Row:
    """What the table of slots says of one."""
    return Row(
        id=shown.slot.id,
        subtopic=shown.slot.subtopic.title,
        level=shown.slot.level,
        language=shown.slot.language,
        standing=shown.standing,
        problems=len(shown.problems),
        is_edited=any(o.is_edited or (o.record is not None and o.record.edited) for o in shown.origins),
    )


def overview(reading: Reading, rows: Sequence[Row], selected: Sequence[TaskDraft]) -> Overview:
    """Sum up.

    Args:
        reading: The folder.
        rows: Of every slot.
        selected: The tasks of the selected slots, in their order.
    """
    root = reading.folder.root
    found = _report(reading, rows, selected)
    counts = Counter(row.standing.state for row in rows)
    named = shlex.quote(str(root if root.is_absolute() else f"./{root}"))
    run = f"worktrial run {named} --agent MODEL --simulator MODEL --judge MODEL"
    return Overview(
        stage=_stage(reading, rows),
        fates=[Fate(counts[state], *meaning) for state, meaning in MEANINGS.items() if counts[state]],
        found=found,
        properties=_properties(found) if found is not None and selected else [],
        resume=f"worktrial synthesize -o {shlex.quote(str(root))}",
        run=run if selected or reading.is_published else None,
    )


def _report(reading: Reading, rows: Sequence[Row], selected: Sequence[TaskDraft]) -> SuiteReport | None:
    if not rows or any(row.standing.state not in DONE for row in rows):
        return None
    ids = [row.id for row in rows]
    calibrations = [reading.calibrations[id] for id in ids if id in reading.calibrations]
    rejects = [reading.rejects[id] for id in ids if id in reading.rejects]
    try:
        return report(len(rows), calibrations, rejects, selected)
    except ValueError:
        # Files of two sessions that do not belong together: the slots speak for themselves.
        return None


def _properties(found: SuiteReport) -> list[tuple[str, str]]:
    parts = (line.partition(": ") for line in described(found))
    return [(name, said) for name, _, said in parts if name in _PROPERTIES]


def _stage(reading: Reading, rows: Sequence[Row]) -> str:
    if reading.spec is None:
        return "Nothing has been asked for yet."
    if not rows:
        return "The sub-topics are not written yet."
    states = [row.standing.state for row in rows]
    done = sum(state in DONE for state in states)
    if done == len(rows):
        chosen = states.count("selected")
        tasks = (
            f"{chosen} {'task is' if chosen == 1 else 'tasks are'} selected" if chosen else "No task is selected"
        )
        return f"Every slot has come to its end. {tasks}."
    if done or "running" in states:
        rest = len(rows) - done - states.count("running")
        said = f"{done} of {len(rows)} slots have come to their end."
        if "running" in states:
            said += f" In runs: {states.count('running')}."
        return said + (f" Still without runs: {rest}." if rest else "")
    drafted = sum(state in ("drafted", "problems") for state in states)
    return f"{drafted} of {len(rows)} slots are drafted; nothing has been run."
