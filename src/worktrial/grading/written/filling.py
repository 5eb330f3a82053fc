"""Calls filled from the words of a request, understanding none of it: what a score has to be seen against."""

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from worktrial.grading.written.dates import dates
from worktrial.grading.written.spelling import one_spelling
from worktrial.grading.written.times import times
from worktrial.language import JsonObject, JsonValue

_NUMBER = re.compile(r"(?<![\w.:,-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:-]|\.\d)")
_TOKEN = re.compile(
    r"(?<![A-Za-z\d-])(?:[A-Z]+(?:-[A-Z\d]+)+|[A-Za-z]+-?\d+(?:[-.][A-Z\d]+)*|[A-Z]{2,}\d*|\(?\d[\d()-]{6,}\d)(?![A-Za-z\d-])"
)
_QUOTED = re.compile(r"[\"'“‘]([^\"'“”‘’]{2,60})[\"'”’]")
_NAMED = re.compile(r"(?<=[a-z,] )[A-Z][\w&']*(?: [A-Z][\w&']*)*(?![\w-])")
_LABELLED = re.compile(r"([^\W\d_][\w ]{1,24})\"?\s*:\s*\"?([^\"\n,}{\[\]]+)")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]{2,}|[가-힣]+")
_FREE = re.compile(
    r"query|question|note|message|reason|purpose|text|content|comment|body|subject|질의|질문|내용|사유", re.I
)


# Every argument of every tool is filled from the same text.
@lru_cache(maxsize=32)
def _all(pattern: re.Pattern[str], text: str) -> Sequence[Any]:
    return tuple(pattern.findall(text))


@lru_cache(maxsize=1024)
def words_of(text: str) -> frozenset[str]:
    """Beginnings of the words in a text or a name, and pairs of letters of Korean ones."""
    found: set[str] = set()
    for word in _all(_WORD, text):
        if "가" <= word[0] <= "힣":
            found.update(word[at : at + 2] for at in range(len(word) - 1))
        elif len(word) > 2:
            found.add(word[:4].lower())
    return frozenset(found)


def likest(request: str, about: Sequence[str]) -> int:
    """Position of the text that shares most words with a request, each the more the fewer others have it."""
    asked, known = words_of(request), [words_of(text) for text in about]

    def share(words: frozenset[str]) -> float:
        shared = sum(1 / sum(word in other for other in known) for word in sorted(words & asked))
        return shared / math.sqrt(1 + len(words))

    return max(range(len(known)), key=lambda at: share(known[at]))


def ids_in(text: str) -> Sequence[str]:
    """Words of a text that look like ids."""
    return _all(_TOKEN, text)


def shape(text: str) -> str:
    """The form of an id: `AR-2` and `FR-10` have the same."""
    return re.sub(r"[A-Z]+", "A", re.sub(r"[a-z]+", "a", re.sub(r"\d+", "9", text)))


def filled(schema: JsonObject, request: str, record: str = "") -> JsonObject:
    """Arguments of a call as far as words fill them.

    Args:
        schema: JSON Schema of the arguments.
        request: The words that they are to be filled from.
        record: What was told before it; fills what the request leaves open.
    """
    required = set(schema.get("required", ()))
    values: JsonObject = {}
    for name, said in (schema.get("properties") or {}).items():
        found = [candidates(name, said, text, name in required) for text in (request, f"{request}\n{record}")]
        if (value := next(chain(*found), None)) is not None:
            values[name] = value
    return values


def candidates(name: str, schema: JsonValue, text: str, required: bool = True) -> Iterator[JsonValue]:
    """Values that an argument may be meant to have, likeliest first.

    Args:
        name: The argument's name.
        schema: Its JSON Schema.
        text: The request.
        required: Whether it has to be given; others are given only what the request says in so many words.
    """
    if not isinstance(schema, dict):
        return
    branches = [one for key in ("anyOf", "oneOf", "allOf") for one in schema.get(key, ()) if isinstance(one, dict)]
    for branch in branches:
        yield from candidates(name, {"description": schema.get("description", ""), **branch}, text, required)
    kind = schema.get("type")
    options = schema.get("enum", ())
    yield from (o for o in options if str(o).replace("_", " ").casefold() in text.casefold())
    if options:
        yield from options if required else ()
    elif kind == "array" and "properties" in (items := schema.get("items", {})):
        key = next(iter(items.get("required", ())), None)
        own = dict.fromkeys(candidates(key, items["properties"].get(key), text)) if key else ()
        if lines := [{**filled(items, text), key: value} for value in own]:
            yield lines
    elif kind == "array":
        if items := list(candidates(name, schema.get("items", {}), text, required=False)):
            yield items
    elif kind == "object":
        yield filled(schema, text)
    elif kind in ("integer", "number"):
        numbers = [float(number.replace(",", "")) for number in _all(_NUMBER, text)]
        said = [int(one) if one.is_integer() else one for one in numbers if kind == "number" or one.is_integer()]
        yield from said if required or len(said) == 1 else ()
    elif kind == "boolean":
        yield from (True, False) if required else ()
    elif kind == "string" or not (kind or branches):
        yield from _texts(name, f"{name} {schema.get('description', '')}", text, required)


def _texts(name: str, about: str, text: str, required: bool) -> Iterator[str]:
    wanted = words_of(name)
    for label, value in reversed(_all(_LABELLED, text)):
        if words_of(label) >= wanted:
            yield value.strip()
    is_day = re.search(r"date|day|due|날짜|일자|\d{4}-\d\d-\d\d|YYYY", about, re.I)
    is_time = re.search(r"time|시간|시각|\d\d:\d\d|HH", about, re.I)
    if is_day or is_time:
        spelled = one_spelling(text)
        days = [str(day.date) for day in dates(spelled) if day.date is not None and day.date.year is not None]
        clocks = [f"{moment.time:%H:%M}" for moment in times(spelled)]
        if re.search(r"\dT\d|DDT", about):
            yield from (f"{days[-1]}T{clock}" for clock in clocks if days)
        else:
            yield from days if is_day else ()
            yield from clocks if is_time else ()
        return
    shapes = {shape(token): token for token in ids_in(about)}
    alike = [token for token in ids_in(text) if shape(token) in shapes]
    # Of ids of one form, those that begin like the example.
    yield from sorted(alike, key=lambda token: token[0] != shapes[shape(token)][0])
    if _FREE.search(name):
        yield text.strip()
    elif required:
        yield from chain(_all(_QUOTED, text), _all(_NAMED, text))
