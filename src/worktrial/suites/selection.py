"""Choosing tasks of a suite by id and industry. Nothing unknown is passed over in silence."""

from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

from worktrial.errors import SettingError

# A message that lists more ids than this helps nobody.
_SHOWN_IDS = 12


class Selectable(Protocol):
    """What a task is chosen by."""

    @property
    def id(self) -> str: ...
    @property
    def category(self) -> str: ...


_Task = TypeVar("_Task", bound=Selectable)


def select(
    tasks: Sequence[_Task],
    ids: Sequence[str] = (),
    categories: Sequence[str] = (),
    limit: int | None = None,
    *,
    known: Collection[str] | None = None,
    source: str = "this suite",
    option: str = "--tasks",
    noun: str = "task",
) -> list[_Task]:
    """The tasks to run, in their own order.

    Args:
        tasks: Where to choose from.
        ids: Only these tasks; empty is all.
        categories: Only these industries, by name or the beginning of it, whatever the case.
        limit: At most so many.
        known: The industries there are, where that is more than those of the tasks.
        source: Where the tasks are from, for messages.
        option: What ids were given with, and
        noun: what they name, likewise.

    Raises:
        SettingError: an id or a category is unknown, or nothing is left.
    """
    have = {task.id for task in tasks}
    if unknown := [i for i in ids if i not in have]:
        raise SettingError(f"{option}: no {noun} {', '.join(unknown)} in {source}. There is: {_some(tasks, noun)}")
    industries = sorted(known or {task.category for task in tasks})
    wanted = {_industry(name, industries) for name in categories}
    chosen = [t for t in tasks if (not ids or t.id in ids) and (not wanted or t.category in wanted)]
    if not chosen:
        among = f" among task {', '.join(ids)}" if ids else ""
        raise SettingError(f"--category: no task of {', '.join(sorted(wanted))}{among}, so nothing is left to run")
    return chosen[:limit]


def _some(tasks: Sequence[Selectable], noun: str) -> str:
    shown = ", ".join(task.id for task in tasks[:_SHOWN_IDS])
    return shown if len(tasks) <= _SHOWN_IDS else f"{shown}, … ({len(tasks)} {noun}s)"


def _industry(name: str, industries: Sequence[str]) -> str:
    given = name.strip().casefold()
    exact = [i for i in industries if i.casefold() == given]
    found = exact or [i for i in industries if given and i.casefold().startswith(given)]
    if len(found) > 1:
        raise SettingError(f"--category {name!r}: more than one begins so: {', '.join(found)}")
    if not found:
        raise SettingError(f"--category {name!r}: not one of {', '.join(industries)}")
    return found[0]
