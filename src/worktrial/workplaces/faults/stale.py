"""Older answers: what the same read showed before, or the same answer with values that things had earlier."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import is_

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults.content import copied, differ
from worktrial.workplaces.signals import is_identifier

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class StateChange:
    """One field of the state that a write changed."""

    field: str
    now: JsonValue
    before: JsonValue
    whose: frozenset[str]
    """Names of the innermost thing with a name that holds the field, such as its id; empty when none has one."""


def changes(before: JsonObject, now: JsonObject) -> tuple[StateChange, ...]:
    """Differences between two states: changed values, and lists that grew or shrank."""
    return tuple(_changes(before, now, frozenset()))


def rolled_back(value: JsonValue, changed: Sequence[StateChange], arguments: JsonValue) -> JsonValue:
    """`value` with every field that shows a changed value of the same thing as it was before.

    Args:
        value: An observation.
        changed: What the last write did.
        arguments: Of the call; they too say which thing the observation is about.
    """
    about = frozenset(_plain_values(arguments))
    return _rolled_back(value, changed, "", about)


Facts = Mapping[str, JsonValue]
"""Plain values of a thing in a document by the name of their field; None where it has several."""


def outdated(observation: JsonObject, known: Callable[[str], Sequence[Facts]], arguments: JsonValue) -> JsonValue:
    """`observation` with plain values that the same things had in earlier documents, where they had others.

    The newest document that shows another value of the same field of the same thing counts. Which thing a value
    belongs to is told by the identifier beside it, or by the key of a table that is keyed by identifiers; where a
    document has two values of one field of a thing, neither counts. Without any, it is `observation` itself.

    Args:
        observation: An answer.
        known: Function from a thing's name to the facts about it in the initial state and in observations, oldest
            first.
        arguments: Of the call; they say what an answer without an identifier is about.
    """
    given = list(_plain_values(arguments))
    return _Outdated(known, given).of(observation, given[0] if len(given) == 1 else None)


def without_newest(value: JsonValue) -> JsonValue:
    """`value` without the newest entries of every list of dated ones: as a copy shows it that lags behind.

    Where no list has any, it is `value` itself.
    """
    if isinstance(value, dict):
        # Most values are plain and stay.
        nested = [(key, inner) for key, inner in value.items() if isinstance(inner, dict | list)]
        found = [(key, without_newest(inner)) for key, inner in nested]
        same = all(left is inner for (_, left), (_, inner) in zip(found, nested, strict=True))
        return value if same else {**value, **dict(found)}
    if not isinstance(value, list):
        return value
    dates = [_dated(item) for item in value]
    known = [date for date in dates if date is not None]
    if len(known) < len(value) or len(set(known)) < 2:
        return value
    newest = max(known)
    return [item for item, date in zip(value, dates, strict=True) if date != newest]


# When something was noted, not until when it holds.
_NOTED = re.compile(
    r"(?:.*_)?(?:date|time|timestamp|at|on|logged|recorded|created|updated|reported|measured|received|posted)",
    re.IGNORECASE,
)
_AHEAD = re.compile(r"expir|due|deadline|end|until|arriv|depart|sched|deliver|valid|renew|next", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?)?")


@lru_cache(maxsize=4096)
def _is_noted(key: str) -> bool:
    """Whether a field of this name says when something was noted."""
    return _NOTED.fullmatch(key) is not None and _AHEAD.search(key) is None


def _dated(item: JsonValue) -> str | None:
    """Date of an entry of a log: of its field for that, or in its text."""
    if isinstance(item, str):
        found = _DATE.search(item)
        return found[0] if found else None
    if not isinstance(item, dict):
        return None
    for key, inner in item.items():
        if isinstance(inner, str) and _is_noted(key):
            found = _DATE.match(inner)
            if found:
                return found[0]
    return None


class _Outdated:
    """Values that things had earlier, in the place of those in an answer."""

    def __init__(self, known: Callable[[str], Sequence[Facts]], given: Iterable[str]) -> None:
        self._known = known
        self._given = frozenset(given)
        self._asked: dict[str, Sequence[Facts]] = {}

    def of(self, thing: JsonObject, whose: str | None) -> JsonObject:
        """The thing as it was; `thing` itself where nothing was another."""
        whose = _own_name(thing) or whose
        known = () if whose is None else self._newest_first(whose)
        older: dict[str, JsonValue] = {}
        for key, inner in thing.items():
            if isinstance(inner, dict):
                if not is_identifier(key):
                    was: JsonValue = self.of(inner, key if _has_digit(key) else whose)
                    if was is not inner:
                        older[key] = was
            elif isinstance(inner, list):
                rows = [self.of(item, whose) if isinstance(item, dict) else item for item in inner]
                if not all(map(is_, rows, inner)) and not is_identifier(key):
                    older[key] = rows
            elif known and inner is not None and not is_identifier(key):
                was = _before(known, key, inner)
                if was is not None and str(inner) not in self._given:
                    older[key] = was
        return {**thing, **older} if older else thing

    def _newest_first(self, name: str) -> Sequence[Facts]:
        if name not in self._asked:
            self._asked[name] = self._known(name)[::-1]
        return self._asked[name]


def _before(known: Sequence[Facts], field: str, value: JsonValue) -> JsonValue:
    """The newest other value of a field; None for none."""
    for facts in known:
        before = facts.get(field)
        if before is not None and before != value and type(before) is type(value):
            return before
    return None


def facts_of(document: JsonObject) -> Mapping[str, Facts]:
    """Every plain value of a thing with a name, by that name."""
    found: dict[str, dict[str, JsonValue]] = {}
    _add_facts(document, _own_name(document), found)
    return found


def _add_facts(thing: JsonObject, whose: str | None, found: dict[str, dict[str, JsonValue]]) -> None:
    facts = None if whose is None else found.setdefault(whose, {})
    for key, inner in thing.items():
        if isinstance(inner, dict):
            _add_facts(inner, key if _has_digit(key) else _own_name(inner) or whose, found)
        elif isinstance(inner, list):
            for item in inner:
                if isinstance(item, dict):
                    _add_facts(item, _own_name(item) or whose, found)
        elif facts is not None and not is_identifier(key):
            facts[key] = inner if key not in facts or facts[key] == inner else None


def _own_name(thing: JsonObject) -> str | None:
    """The first identifier in `thing`."""
    for key, value in thing.items():
        if is_identifier(key) and isinstance(value, str | int):
            return str(value)
    return None


@lru_cache(maxsize=4096)
def _has_digit(key: str) -> bool:
    return _DIGIT.search(key) is not None


def _changes(before: JsonValue, now: JsonValue, whose: frozenset[str]) -> Iterator[StateChange]:
    if isinstance(before, dict) and isinstance(now, dict):
        whose = _names(now) or whose
        for key in now:
            if key not in before or before[key] == now[key]:
                continue
            was, shown = before[key], now[key]
            if isinstance(was, list) and isinstance(shown, list) and len(was) != len(shown):
                yield StateChange(key, shown, was, whose)
            elif isinstance(was, dict | list) and type(was) is type(shown):
                yield from _changes(was, shown, frozenset({key}) if _DIGIT.search(key) else whose)
            else:
                yield StateChange(key, shown, was, whose)
    elif isinstance(before, list) and isinstance(now, list):
        for was, shown in zip(before, now, strict=False):
            yield from _changes(was, shown, whose)


def _names(thing: JsonObject) -> frozenset[str]:
    return frozenset(str(v) for k, v in thing.items() if is_identifier(k) and isinstance(v, str | int))


def _rolled_back(value: JsonValue, changed: Sequence[StateChange], field: str, about: frozenset[str]) -> JsonValue:
    for change in changed:
        same_thing = not change.whose or change.whose & about
        if change.field == field and same_thing and not differ(change.now, value):
            return copied(change.before)
    if isinstance(value, dict):
        about = about | frozenset(_plain_values([v for v in value.values() if isinstance(v, str | int)]))
        return {key: _rolled_back(inner, changed, key, about | {key}) for key, inner in value.items()}
    if isinstance(value, list):
        return [_rolled_back(item, changed, field, about) for item in value]
    return value


def _plain_values(value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _plain_values(inner)
    elif isinstance(value, str | int):
        yield str(value)
