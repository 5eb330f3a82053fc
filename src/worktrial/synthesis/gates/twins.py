"""Tasks that are nearly the same."""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from worktrial.finding import Finding
from worktrial.grading.facts import at, changed_pointers
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.gates.catalogue import records_of
from worktrial.synthesis.gates.facts import id_like, words
from worktrial.synthesis.gates.names import GateName, finding
from worktrial.synthesis.gates.work import CarriedOut
from worktrial.workplaces.values import leaves

ALIKE = 0.8
"""Share of two instructions' pairs of words, names and numbers masked, from which on they are alike."""
_NAME = 4
"""Words of the longest name."""
_PRONOUNS = frozenset({"he", "she", "him", "her", "his", "hers"})
_DIGITS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Twin:
    """A task that may be left out, and the earlier one that it repeats."""

    task: str
    of: str
    why: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """A task without its particulars."""

    instruction: frozenset[tuple[str, str]]
    steps: tuple[str, ...]
    difference: frozenset[str]
    exactly: frozenset[str]
    """The difference with its particulars."""
    clauses: frozenset[str]
    """Clauses that it cites: the same words and calls may try another rule."""


def twins(tasks: Sequence[ExecutableTask], works: Sequence[CarriedOut]) -> list[Twin]:
    """Tasks to leave out because an earlier one asks for nearly the same.

    Two tasks are twins when they make the same calls, cite the same clauses, leave the same difference behind but
    for the records, and have instructions that are alike; or when the same records end up the same. One task in two
    languages is no twin.

    Args:
        tasks: Tasks of one workplace, whose plans pass.
        works: What came of the plan of each.
    """
    if len(tasks) < 2:
        return []
    kept: list[tuple[ExecutableTask, _Shape]] = []
    found: list[Twin] = []
    for task, work in zip(tasks, works, strict=True):
        shape = _shape(task, work)
        twin = next((t for one, other in kept if (t := _twin(task, shape, one, other)) is not None), None)
        if twin is None:
            kept.append((task, shape))
        else:
            found.append(twin)
    return found


def twin_findings(tasks: Sequence[ExecutableTask], works: Sequence[CarriedOut]) -> list[Finding]:
    """Findings on tasks that `twins` would leave out."""
    return [
        finding(
            GateName.TWINS, twin.task, "instruction", f"is nearly the same as {twin.of}: {twin.why}", "Leave it out"
        )
        for twin in twins(tasks, works)
    ]


def cited(task: ExecutableTask) -> Iterator[str]:
    """Ids of the clauses that a task and its checks cite."""
    yield from getattr(task, "clauses", ())
    for check in task.checks:
        yield from getattr(check, "clauses", ())


def _twin(task: ExecutableTask, shape: _Shape, one: ExecutableTask, other: _Shape) -> Twin | None:
    if _is_pair(task, one):
        return None
    # Reads are made in any order and number; what counts is what they are for.
    same_words = likeness(shape.instruction, other.instruction)
    if shape.difference and shape.exactly == other.exactly and task.initial_state == one.initial_state:
        return Twin(task.id, one.id, "the same records end up the same")
    like = (shape.steps, shape.difference, shape.clauses) == (other.steps, other.difference, other.clauses)
    if like and same_words >= ALIKE:
        return Twin(task.id, one.id, "calls, changes and words are the same but for the records")
    return None


def _is_pair(task: ExecutableTask, one: ExecutableTask) -> bool:
    pair = getattr(task, "pair", None), getattr(one, "pair", None)
    return task.language != one.language and (pair[0] in (one.id, pair[1]) or pair[1] == task.id) and any(pair)


def masked_pairs(instruction: str, state: JsonObject) -> frozenset[tuple[str, str]]:
    """Pairs of neighbouring words of an instruction, with ids, numbers and names of the state masked."""
    names = _names(state)
    return frozenset(pairwise([_masked(word, names) for word in words(_without_ids(instruction))]))


def likeness(one: frozenset[tuple[str, str]], other: frozenset[tuple[str, str]]) -> float:
    """Share of the pairs of both that are in each, 0 to 1; from `ALIKE` on two instructions are alike."""
    return len(one & other) / len(one | other) if one | other else 1.0


def _shape(task: ExecutableTask, work: CarriedOut) -> _Shape:
    ids = records_of(task.initial_state).ids | records_of(work.state).ids
    general: set[str] = set()
    exactly: set[str] = set()
    for pointer in changed_pointers(task.initial_state, work.state):
        for place, value in leaves(at(work.state, pointer), pointer):
            exactly.add(f"{place}={value!r}")
            parts = ["*" if part in ids or _DIGITS.search(part) else part for part in place.split("/")]
            general.add(f"{'/'.join(parts)}={_kind(value, ids)}")
    return _Shape(
        masked_pairs(task.instruction, task.initial_state),
        tuple(dict.fromkeys(step.call for step in task.plan_alone.steps)),
        frozenset(general),
        frozenset(exactly),
        frozenset(cited(task)),
    )


def _kind(value: JsonValue, ids: Set[str]) -> str:
    """A value that was written, as far as it is a decision: an id, a number or a text of somebody's own is none."""
    if isinstance(value, str):
        free = value in ids or _DIGITS.search(value) or len(value.split()) > 2
        return "…" if free else value
    return str(value) if value is None or isinstance(value, bool) else "#"


def _without_ids(text: str) -> str:
    for id in sorted(id_like(text), key=len, reverse=True):
        text = text.replace(id, " id ")
    return text


def _names(state: JsonObject) -> set[str]:
    """Words of the short texts that the state holds: names of people, places and things; and pronouns."""
    texts = (value for _, value in leaves(state) if isinstance(value, str))
    return {word for text in texts if len(text.split()) <= _NAME for word in words(text)} | _PRONOUNS


def _masked(word: str, names: set[str]) -> str:
    return "#" if _DIGITS.search(word) else "@" if word in names else word
