"""Arguments of writes emptied, or filled with what has nothing to do with the case, which checks have to notice."""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import count
from typing import NamedTuple

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.gates.acts import Variant, as_day, filled_otherwise, free_texts, options
from worktrial.synthesis.gates.catalogue import StateRecords, records_of, replaced
from worktrial.synthesis.gates.facts import ids_named
from worktrial.synthesis.gates.names import GateName
from worktrial.synthesis.gates.work import CarriedOut
from worktrial.workplaces import Tool

_JUNK = "XX"


class _Place(NamedTuple):
    """A list or a word among a call's arguments."""

    path: tuple[str | int, ...]
    value: JsonValue
    schema: JsonValue


def junk_arguments(task: ExecutableTask, work: CarriedOut) -> Iterator[Variant]:
    """The plan with an argument of a write left out, emptied, or filled with ids that say nothing of the case.

    A list of ids or codes may not be left open: whoever leaves it empty, or names what is not there or what nobody
    looked at, has not done what the clauses ask. Words of a text of one's own are a gate of their own.
    """
    calls = list(work.calls)
    before = records_of(task.initial_state)
    seen = ids_named([*(given for _, given in calls), *(one.content for one in work.outcomes)], before.ids)
    for index in work.writes:
        name, given = calls[index]
        tool = task.home.artifact.tool(name)
        if tool is None or not isinstance(given, dict):
            continue
        for path, other, how, closed in _fillings(tool, given, before, seen):
            yield filled_otherwise(GateName.JUNK, task, work, index, path, other, how, closed=closed)


def _fillings(
    tool: Tool, given: JsonObject, records: StateRecords, seen: Set[str]
) -> Iterator[tuple[tuple[str | int, ...], JsonObject, str, bool]]:
    """Place, arguments, what was done there, and whether no author may leave it open."""
    texts = {path for path, _ in free_texts(tool, given)}
    needed = tool.parameters.get("required", given)
    for key in given:
        if key not in needed and (key,) not in texts:
            left = {name: value for name, value in given.items() if name != key}
            yield (key,), left, "is left out", isinstance(given[key], list)
    for path, value, schema in _places(tool.parameters, given):
        if isinstance(value, list):
            for instead, how in ((), "is empty"), *_other_items(value, records, seen):
                yield path, replaced(given, path, list(instead)), how, True
        elif path not in texts and not options(schema) and as_day(str(value)) is None:
            if value in records.ids:
                continue  # a neighbouring record is a gate of its own, and one that is not there is refused
            yield path, replaced(given, path, _JUNK), f"is {_JUNK!r} instead of {value!r}", False


def _other_items(
    items: Sequence[JsonValue], records: StateRecords, seen: Set[str]
) -> Iterator[tuple[list[str], str]]:
    """Other items that a list of ids or words might have had, with what is told of them."""
    if not all(isinstance(one, str) for one in items):
        return
    strange = [_unknown(str(one), records) for one in items]
    yield strange, f"is {strange!r}, which stand nowhere"
    known = [one for one in items if one in records.ids]
    unseen = [next((other for other in records.neighbours(one) if other not in seen), None) for one in known]
    if known and (others := [one for one in unseen if one is not None]):
        yield others, f"is {others!r}, which nobody looked at"


def _unknown(item: str, records: StateRecords) -> str:
    """An id of the same form that no record has; junk for what is none."""
    found = re.search(r"\d+(?=\D*$)", item)
    if not found:
        return _JUNK
    tries = (
        f"{item[: found.start()]}{int(found[0]) + step:0{len(found[0])}}{item[found.end() :]}" for step in count(1)
    )
    return next(one for one in tries if one not in records.ids)


def _places(schema: JsonValue, value: JsonValue, path: tuple[str | int, ...] = ()) -> Iterator[_Place]:
    """Lists that hold something, and texts outside of lists of texts."""
    known = schema if isinstance(schema, dict) else {}
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(known.get("properties", {}).get(key), item, (*path, key))
    elif isinstance(value, list):
        if value:
            yield _Place(path, value, known)
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield from _places(known.get("items"), item, (*path, index))
    elif isinstance(value, str) and value:
        yield _Place(path, value, known)
