"""Comparing one argument's value with the gold one: equal, wrong, or for a judge to say."""

import datetime as dt
import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from worktrial.language import JsonValue
from worktrial.language.kinds import type_word
from worktrial.language.untrusted import encodable
from worktrial.suites.orchestration.scoring.calls.schema import ArgumentSchema, Schema, child, items


class ValueOutcome(StrEnum):
    """Outcomes of comparing one argument."""

    EQUAL = "equal"
    WRONG = "wrong"
    OPEN = "open"
    """Neither: only who knows what was meant can tell."""
    MISSING = "missing"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True)
class ValueComparison:
    """The outcome and, unless equal, why."""

    outcome: ValueOutcome
    reason: str = ""


def canonical(value: JsonValue, schema: Schema | None = None) -> str:
    """`value` as compact JSON with sorted keys, the same text exactly for what counts as equal.

    Typed: 5 and 5.0 are one number, true is not "true", "5" is not 5. Strings are compared in Unicode
    normalisation form C without white space around them, otherwise to the letter. Lists are ordered, except where
    the schema says `uniqueItems`; objects are not.
    """
    return json.dumps(_plain(value, schema or {}), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def compare(gold: JsonValue, predicted: JsonValue, tool: ArgumentSchema, schema: Schema) -> ValueComparison:
    """Compare `predicted` with `gold`, two values of the argument that `schema` describes.

    1. Equal to the gold value: equal. Where the gold value itself violates its schema, and the schema leaves one
       way to read it ("walk" for a list of strings, "false" for a boolean), equal to that reading is equal too.
    2. A value that violates the schema is wrong, as is a blank too many around a choice of an enumeration.
    3. Another choice of an enumeration, another number, boolean, date or time, and another text where the schema
       has a pattern, is wrong, provided that the gold value satisfies the schema.
    4. Everything else is open.
    """
    written, wanted = canonical(predicted, schema), canonical(gold, schema)
    if written == wanted and gold == predicted:
        return ValueComparison(ValueOutcome.EQUAL)
    reading = _reading(gold, tool, schema)
    is_equal = written == wanted or (reading is not gold and written == canonical(reading, schema))
    if is_equal and (gold == predicted or tool.problem(gold, schema) is not None):
        return ValueComparison(ValueOutcome.EQUAL)
    problem = tool.problem(predicted, schema)
    if is_equal and problem is None:
        return ValueComparison(ValueOutcome.EQUAL)
    if problem is not None:
        return ValueComparison(ValueOutcome.WRONG, problem)
    different = _difference(reading, predicted, tool, schema)
    if different is not None:
        return ValueComparison(ValueOutcome.WRONG, different)
    # A judge's prompt has to stay small, and a value that holds everything would be right about anything.
    if len(written) > 2000 + 20 * len(canonical(gold)):
        return ValueComparison(ValueOutcome.WRONG, "far longer than the gold value")
    return ValueComparison(ValueOutcome.OPEN, "differs from the gold value")


def _plain(value: JsonValue, schema: Schema) -> JsonValue:
    match value:
        case None | bool() | int():
            return value
        case float():
            return int(value) if value.is_integer() else value
        case str():
            return _text(value)
        case list():
            plain = [_plain(item, items(schema)) for item in value]
            return sorted(plain, key=canonical) if schema.get("uniqueItems") is True else plain
        case dict():
            return {_text(str(key)): _plain(item, child(schema, key)) for key, item in value.items()}
    # What YAML knows and JSON does not, such as a date.
    return _text(str(value))


def _text(text: str) -> str:
    return encodable(unicodedata.normalize("NFC", text).strip())


def _reading(gold: JsonValue, tool: ArgumentSchema, schema: Schema) -> JsonValue:
    """A gold value that violates its schema, read as the type that the schema wants; `gold` where that fails."""
    if tool.problem(gold, schema) is None:
        return gold
    read = gold
    match schema.get("type"), gold:
        case "array", str() | int() | float() | dict():
            read = [gold]
        case "object", [dict() as only]:
            read = only
        case "boolean", "true" | "True" | "false" | "False":
            read = gold.lower() == "true"
        case (("number" | "integer"), str()) if _NUMBER.fullmatch(gold):
            read = json.loads(gold)
        case "string", int() | float() if not isinstance(gold, bool):
            read = canonical(gold)
    return read if tool.problem(read, schema) is None else gold


def _difference(gold: JsonValue, predicted: JsonValue, tool: ArgumentSchema, schema: Schema) -> str | None:
    """Why the two, which are not equal, surely mean different things; None when they may mean the same."""
    sound = tool.problem(gold, schema) is None
    kinds = type_word(gold), type_word(predicted)
    if kinds[0] != kinds[1]:
        scalar = {"null", "boolean", "number"} & set(kinds)
        return f"a {kinds[1]} instead of a {kinds[0]}" if scalar and sound else None
    if sound and "enum" in schema:
        return "another choice"
    match gold, predicted:
        case str(), str():
            return _text_difference(gold, predicted, sound and "pattern" in schema)
        case list(), list():
            return _list_difference(gold, predicted, sound, items(schema))
        case dict(), dict():
            return _member_difference(gold, predicted, tool, schema)
    return f"another {kinds[0]}"


def _text_difference(gold: str, predicted: str, by_pattern: bool) -> str | None:
    times = _time(gold), _time(predicted)
    if times[0] is not None and times[1] is not None:
        # Two spellings of one time, or one of a date and one of a time of day, are not surely different.
        if type(times[0]) is not type(times[1]) or times[0] == times[1] or _aware(times[0]) != _aware(times[1]):
            return None
        return "another date or time"
    return "another text where the schema has a pattern" if by_pattern else None


def _list_difference(gold: list[JsonValue], predicted: list[JsonValue], sound: bool, schema: Schema) -> str | None:
    if Counter(map(canonical, gold)) == Counter(map(canonical, predicted)):
        return None  # another order: whether it matters, the schema does not say
    if sound and "enum" in schema:
        return "other choices"
    if all(type_word(item) in ("number", "boolean") for item in (*gold, *predicted)):
        return "other numbers or booleans"
    return None


def _member_difference(
    gold: dict[str, JsonValue], predicted: dict[str, JsonValue], tool: ArgumentSchema, schema: Schema
) -> str | None:
    for key in sorted(gold.keys() & predicted.keys(), key=str):
        of_key = child(schema, key)
        if canonical(gold[key], of_key) != canonical(predicted[key], of_key):
            different = _difference(gold[key], predicted[key], tool, of_key)
            if different is not None:
                return f"{key}: {different}"
    return None


_NUMBER = re.compile(r"-?(0|[1-9]\d{0,17})(\.\d{1,17})?", re.ASCII)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2})?")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?")


def _time(text: str) -> dt.date | dt.datetime | dt.time | None:
    """The date, the time of day, or both, that `text` is in ISO 8601; None where it is something else."""
    text = text.strip()
    try:
        if _DATE.fullmatch(text):
            return dt.date.fromisoformat(text)
        if _CLOCK.fullmatch(text):
            return dt.time.fromisoformat(text.rjust(5, "0") if len(text) <= 5 else text.rjust(8, "0"))
        if _MOMENT.fullmatch(text):
            return dt.datetime.fromisoformat(text)
    except ValueError:  # such as the 31st of June
        return None
    return None


def _aware(time: dt.date | dt.datetime | dt.time) -> bool:
    return isinstance(time, dt.datetime) and time.tzinfo is not None
