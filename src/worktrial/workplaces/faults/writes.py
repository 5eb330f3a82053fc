"""Writes of which only a part happens."""

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults.aim import Needed
from worktrial.workplaces.faults.content import copied, differ
from worktrial.workplaces.faults.draws import Chance, shuffled
from worktrial.workplaces.values import below

Path = tuple[str | int, ...]


class PartialEffect(NamedTuple):
    """A state in which only a part of a write has happened."""

    state: JsonObject
    lost: list[str]
    """JSON pointers to what did not happen."""


class _Change(NamedTuple):
    path: Path
    before: JsonValue
    """Value before the write; `_ABSENT` for what the write added."""
    now: JsonValue


_ABSENT = object()


def part_of(before: JsonObject, after: JsonObject, rng: Chance, needed: Needed | None) -> PartialEffect | None:
    """The state after a write about half of whose changes did not happen; None for a write with fewer than two.

    Args:
        before: State before the write.
        after: State after it.
        rng: Draws which changes are lost.
        needed: What to lose first; None for no aim.
    """
    changed = list(_changes(before, after, ()))
    if len(changed) < 2:
        return None
    order = shuffled(changed, rng)
    if needed is not None:
        order.sort(key=lambda c: not needed.any_of(str(c.path[-1]), c.now if c.now is not _ABSENT else c.before))
    lost = order[: len(order) // 2]
    state = copied(after)
    for change in lost:
        _undo(state, change)
    return PartialEffect(state, [reduce(below, c.path, "") for c in lost])


def _undo(state: JsonObject, change: _Change) -> None:
    owner: JsonValue = state
    for step in change.path[:-1]:
        owner = owner[step]
    if change.before is _ABSENT:
        del owner[change.path[-1]]
    else:
        owner[change.path[-1]] = copied(change.before)


def _changes(before: JsonValue, after: JsonValue, path: Path) -> Iterator[_Change]:
    """Changes from one state to the next, none within another; a list that grew or shrank is one change."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            here = (*path, key)
            if key not in after:
                yield _Change(here, before[key], _ABSENT)
            elif key not in before:
                yield _Change(here, _ABSENT, after[key])
            else:
                yield from _changes(before[key], after[key], here)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (was, now) in enumerate(zip(before, after, strict=True)):
            yield from _changes(was, now, (*path, index))
    elif differ(before, after):
        yield _Change(path, before, after)
