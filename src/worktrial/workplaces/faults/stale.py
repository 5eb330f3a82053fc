"""An observation as it would have been before the last write."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults.paths import copied, differ
from worktrial.workplaces.faults.signals import is_identifier

_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Change:
    """One field of the state that a write changed."""

    field: str
    now: JsonValue
    before: JsonValue
    whose: frozenset[str]
    """Names of the innermost thing with a name that holds the field, such as its id; empty when none has one."""


def changes(before: JsonObject, now: JsonObject) -> tuple[Change, ...]:
    """What differs between two states: changed values, and lists that grew or shrank."""
    return tuple(_changes(before, now, frozenset()))


def rolled_back(value: JsonValue, changed: Sequence[Change], arguments: JsonValue) -> JsonValue:
    """`value` with every field that shows a changed value of the same thing as it was before.

    Args:
        value: An observation.
        changed: What the last write did.
        arguments: Of the call; they too say which thing the observation is about.
    """
    about = frozenset(_plain_values(arguments))
    return _rolled_back(value, changed, "", about)


def _changes(before: JsonValue, now: JsonValue, whose: frozenset[str]) -> Iterator[Change]:
    if isinstance(before, dict) and isinstance(now, dict):
        whose = _names(now) or whose
        for key in now:
            if key not in before or before[key] == now[key]:
                continue
            was, is_ = before[key], now[key]
            if isinstance(was, list) and isinstance(is_, list) and len(was) != len(is_):
                yield Change(key, is_, was, whose)
            elif isinstance(was, dict | list) and type(was) is type(is_):
                yield from _changes(was, is_, frozenset({key}) if _DIGIT.search(key) else whose)
            else:
                yield Change(key, is_, was, whose)
    elif isinstance(before, list) and isinstance(now, list):
        for was, is_ in zip(before, now, strict=False):
            yield from _changes(was, is_, whose)


def _names(thing: JsonObject) -> frozenset[str]:
    return frozenset(str(v) for k, v in thing.items() if is_identifier(k) and isinstance(v, str | int))


def _rolled_back(value: JsonValue, changed: Sequence[Change], field: str, about: frozenset[str]) -> JsonValue:
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
