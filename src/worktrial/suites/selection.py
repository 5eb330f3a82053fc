"""Choosing tasks of a suite by id and industry. Nothing unknown is passed over in silence."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Protocol, TypeVar

from worktrial.errors import SettingError, option
from worktrial.options import CategoryOptions

# A message that lists more ids than this helps nobody.
_SHOWN_IDS = 12


class Selectable(Protocol):
    """Fields that a task is chosen by."""

    @property
    def id(self) -> str:
        """Id of the task."""
        ...

    @property
    def category(self) -> str:
        """Industry of the task."""
        ...


_Task = TypeVar("_Task", bound=Selectable)


def select(
    tasks: Sequence[_Task],
    ids: Sequence[str] = (),
    categories: Sequence[str] = (),
    limit: int | None = None,
    *,
    known: Collection[str] | None = None,
    source: str = "this suite",
    field: str = "tasks",
    noun: str = "task",
) -> list[_Task]:
    """Tasks to run, in their own order.

    Args:
        tasks: Where to choose from.
        ids: Only these tasks; empty is all.
        categories: Only these industries, by name or the beginning of it, whatever the case.
        limit: At most so many.
        known: The industries there are, where that is more than those of the tasks.
        source: Where the tasks are from, for messages.
        field: Option that the ids were given with, for messages.
        noun: What they name, for messages.

    Raises:
        SettingError: an id or a category is unknown, or nothing is left.
    """
    have = {task.id: None for task in tasks}
    if unknown := [i for i in ids if i not in have]:
        near = dict.fromkeys(n for i in unknown for n in get_close_matches(i, have, n=3))
        said = f"Did you mean {' or '.join(near)}? " if near else ""
        raise SettingError(
            f"{option(field)}: no {noun} {', '.join(unknown)} in {source}. {said}There is: {_some(tasks, noun)}"
        )
    industries = sorted(known or {task.category for task in tasks})
    wanted = {_industry(name, industries) for name in categories}
    chosen = [t for t in tasks if (not ids or t.id in ids) and (not wanted or t.category in wanted)]
    if not chosen:
        among = f" among task {', '.join(ids)}" if ids else ""
        raise SettingError(
            f"{option('category')}: no task of {', '.join(sorted(wanted))}{among}, so nothing is left to run"
        )
    return chosen[:limit]


def select_by(
    options: CategoryOptions, tasks: Sequence[_Task], *, known: Collection[str] | None = None, source: str
) -> list[_Task]:
    """Tasks that `options` choose; see `select`.

    Raises:
        SettingError: as `select`, and where an option was given and names nothing.
    """
    for field, noun in (("tasks", "task"), ("category", "industry")):
        if field in options.model_fields_set and not getattr(options, field):
            raise SettingError(f"{option(field)}: names no {noun}")
    return select(tasks, options.tasks, options.category, options.limit, known=known, source=source)


def _some(tasks: Sequence[Selectable], noun: str) -> str:
    shown = ", ".join(task.id for task in tasks[:_SHOWN_IDS])
    return shown if len(tasks) <= _SHOWN_IDS else f"{shown}, … ({len(tasks)} {noun}s)"


def _industry(name: str, industries: Sequence[str]) -> str:
    given = name.strip().casefold()
    exact = [i for i in industries if i.casefold() == given]
    found = exact or [i for i in industries if given and i.casefold().startswith(given)]
    if len(found) > 1:
        raise SettingError(f"{option('category')} {name!r}: more than one begins so: {', '.join(found)}")
    if not found:
        raise SettingError(f"{option('category')} {name!r}: not one of {', '.join(industries)}")
    return found[0]
