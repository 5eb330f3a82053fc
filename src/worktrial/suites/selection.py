"""Choosing tasks of a suite: by id, range and industry, and a sample in which every beginning looks like the whole.

Nothing unknown is passed over in silence.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from hashlib import sha256
from typing import Protocol, TypeVar

from worktrial.errors import SettingError, option
from worktrial.language import JsonObject
from worktrial.options import CategoryOptions, ChoiceOptions

# A message that lists more ids than this helps nobody.
_SHOWN_IDS = 12


class Tagged(Protocol):
    """Fields of a task that a sample is drawn by."""

    @property
    def id(self) -> str:
        """Id of the task."""
        ...

    @property
    def tags(self) -> JsonObject:
        """Tags of the task; `category` and `difficulty` are its stratum, where it has them."""
        ...


class Selectable(Tagged, Protocol):
    """Fields that a task is chosen by."""

    @property
    def category(self) -> str:
        """Industry of the task."""
        ...


_Task = TypeVar("_Task", bound=Selectable)
_Drawn = TypeVar("_Drawn", bound=Tagged)


def select(
    tasks: Sequence[_Task],
    ids: Sequence[str] = (),
    categories: Sequence[str] = (),
    *,
    known: Collection[str] | None = None,
    source: str = "this suite",
    field: str = "tasks",
    noun: str = "task",
) -> list[_Task]:
    """Tasks that were named, in their own order.

    Args:
        tasks: Where to choose from.
        ids: Only these tasks, each an id or a range (see `ids_in`); empty is all.
        categories: Only these industries, by name or the beginning of it, whatever the case.
        known: The industries there are, where that is more than those of the tasks.
        source: Where the tasks are from, for messages.
        field: Option that the ids were given with, for messages.
        noun: What they name, for messages.

    Raises:
        SettingError: an id or a category is unknown, a range is none, or nothing is left.
    """
    have = [task.id for task in tasks]
    named = {word: ids_in(word, have, field) for word in ids}
    if unknown := [word for word, found in named.items() if not found]:
        near = dict.fromkeys(n for i in unknown for n in get_close_matches(i, have, n=3))
        said = f"Did you mean {' or '.join(near)}? " if near else ""
        raise SettingError(
            f"{option(field)}: no {noun} {', '.join(unknown)} in {source}. {said}There is: {_some(tasks, noun)}"
        )
    wanted_ids = {one for found in named.values() for one in found}
    industries = sorted(known or {task.category for task in tasks})
    wanted = {_industry(name, industries) for name in categories}
    chosen = [t for t in tasks if (not ids or t.id in wanted_ids) and (not wanted or t.category in wanted)]
    if not chosen:
        among = f" among task {', '.join(ids)}" if ids else ""
        raise SettingError(
            f"{option('category')}: no task of {', '.join(sorted(wanted))}{among}, so nothing is left to run"
        )
    return chosen


_SPAN = re.compile(r"(\d{1,18})-(\d{1,18})", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_COUNTED = re.compile(r"(?P<stem>.*?)\d+", re.ASCII | re.DOTALL)


def ids_in(word: str, ids: Sequence[str], field: str = "tasks") -> list[str]:
    """Ids that a word of `--tasks` names; [] where it names none.

    A word that is an id is that id, whatever hyphens it has. Else `A-B` is a range, ends included:

    - of two ids, all from A to B in the suite's own order; B may leave out what it shares with A, so `lab-01-05` is
      `lab-01` to `lab-05`;
    - of two numbers, where all ids are numbers, the ids whose number lies between them; where ids are names, the
      rows from A to B as `worktrial list` numbers them. A single number is then one row.

    Args:
        word: As the user wrote it.
        ids: All ids, in their own order.
        field: Option that it was given with, for messages.

    Raises:
        SettingError: the range ends before it begins, or can be read in two ways.
    """
    if word in ids:
        return [word]
    are_numbers = are_all_numbers(ids)
    if span := _SPAN.fullmatch(word):
        first, last = int(span[1]), int(span[2])
        if first > last:
            raise SettingError(f"{option(field)} {word}: the range ends before it begins")
        if are_numbers:
            return [one for one in ids if first <= int(one) <= last]
        return [*ids[max(first, 1) - 1 : last]] if first <= len(ids) else []
    if not are_numbers and _NUMBER.fullmatch(word):
        return [ids[int(word) - 1]] if 1 <= int(word) <= len(ids) else []
    return _between(word, ids, field)


def are_all_numbers(ids: Sequence[str]) -> bool:
    """Whether a range of numbers means ids, not rows of the list."""
    return all(_NUMBER.fullmatch(one) for one in ids)


def _between(word: str, ids: Sequence[str], field: str) -> list[str]:
    """Ids of a range of ids; [] where `word` is none."""
    places = {one: place for place, one in enumerate(ids)}
    ends = set()
    for hyphen in (found.start() for found in re.finditer("-", word)):
        first, last = word[:hyphen], word[hyphen + 1 :]
        if first not in places:
            continue
        counted = _COUNTED.fullmatch(first)
        for end in (last, f"{counted['stem']}{last}" if counted else last):
            if end in places:
                ends.add((first, end))
    if len(ends) > 1:
        ways = " or ".join(sorted(f"{first} to {last}" for first, last in ends))
        raise SettingError(f"{option(field)} {word}: may mean {ways}; name the tasks one by one")
    for first, last in ends:
        if places[first] > places[last]:
            raise SettingError(f"{option(field)} {word}: {last} comes before {first} in the list")
        return [*ids[places[first] : places[last] + 1]]
    return []


def sample(tasks: Sequence[_Drawn], options: ChoiceOptions) -> list[_Drawn]:
    """Tasks that `limit` and `shuffle` leave, in the order in which they run.

    `limit` draws a stratified sample (see `balanced_order`), the same for the same seed; a larger one holds it.
    Without `shuffle` tasks keep their own order; with it they run in the order of the draw.
    """
    if options.limit is None and options.shuffle is None:
        return [*tasks]
    drawn = balanced_order(tasks, options.shuffle or 0)[: options.limit]
    if options.shuffle is not None:
        return drawn
    kept = {task.id for task in drawn}
    return [task for task in tasks if task.id in kept]


def select_by(
    options: CategoryOptions, tasks: Sequence[_Task], *, known: Collection[str] | None = None, source: str
) -> list[_Task]:
    """Tasks that `options` choose, in the order in which they run; see `select` and `sample`.

    Raises:
        SettingError: as `select`, and where an option was given and names nothing.
    """
    for field, noun in (("tasks", "task"), ("category", "industry")):
        if field in options.model_fields_set and not getattr(options, field):
            raise SettingError(f"{option(field)}: names no {noun}")
    return sample(select(tasks, options.tasks, options.category, known=known, source=source), options)


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


def balanced_order(tasks: Sequence[_Drawn], seed: int) -> list[_Drawn]:
    """All of `tasks` in an order of which any first n are a stratified sample.

    The first n hold each category in its share, rounded up or down (a just-in-time sequence: of the categories that
    are behind their share the one with the earliest deadline is next; G. Steiner and S. Yeomans, "Level schedules
    for mixed-model, just-in-time processes", Management Science 39(6), 1993). Within a category the next task is of
    the difficulty that is furthest behind, in the whole sample and in the category. Among tasks of the same
    category and difficulty the seed decides; so it does where tasks have no such tags.

    So a smaller sample is part of every larger one of the same seed. The order of `tasks` does not matter.

    Args:
        tasks: Where to draw from.
        seed: Another seed draws other tasks in the same shares.
    """
    strata = {task.id: _stratum(task) for task in tasks}
    waiting: dict[str, dict[str, list[_Drawn]]] = {}
    for task in sorted(tasks, key=lambda task: _draw(seed, task.id), reverse=True):
        category, difficulty = strata[task.id]
        waiting.setdefault(category, {}).setdefault(difficulty, []).append(task)
    # Counts by category, by difficulty and by both: of all tasks, and of those taken so far.
    whole: Counter[_Part] = Counter(part for stratum in strata.values() for part in _parts(*stratum))
    taken: Counter[_Part] = Counter()
    order: list[_Drawn] = []
    for n in range(1, len(tasks) + 1):
        # In units of 1 / len(tasks), so that all of it stays exact.
        behind = {part: n * count - taken[part] * len(tasks) for part, count in whole.items()}
        category = min(
            (c for c in waiting if behind[c, None] > 0),
            key=lambda c: ((taken[c, None] + 1) / whole[c, None], _draw(seed, f"category {c}")),
        )
        own = waiting[category]
        difficulty = max(own, key=lambda d: (behind[None, d] + behind[category, d], _draw(seed, f"difficulty {d}")))
        order.append(own[difficulty].pop())
        if not own[difficulty]:
            del own[difficulty]
        taken.update(_parts(category, difficulty))
    return order


_Part = tuple[str | None, str | None]


def _parts(category: str, difficulty: str) -> tuple[_Part, _Part, _Part]:
    return (category, None), (None, difficulty), (category, difficulty)


def _stratum(task: Tagged) -> tuple[str, str]:
    return str(task.tags.get("category", "")), str(task.tags.get("difficulty", ""))


def _draw(seed: int, name: str) -> bytes:
    """A number for `name` that is the same everywhere for the same seed, whatever other tasks there are."""
    return sha256(f"{seed}\0{name}".encode(errors="surrogatepass")).digest()


_WORKPLACE_TAGS = ("category", "domain", "scenario", "difficulty", "workplace", "language")


def workplace_tags(task: object) -> JsonObject:
    """Tags of a task in a workplace, which has a field for each."""
    return {name: getattr(task, name) for name in _WORKPLACE_TAGS}
