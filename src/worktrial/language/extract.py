"""Finding JSON in what a model wrote."""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from worktrial.language.kinds import type_word
from worktrial.language.message import JsonObject, JsonValue

_decoder = json.JSONDecoder()
# A bracket that JSON can begin with; most of those in prose are none.
_BEGINNING = re.compile(r'\{(?=\s*["}])|\[(?=\s*[\]\[{"0-9tfnNI-])')

# A broken beginning is read up to where it breaks, and the text goes on right behind it; all of them together may
# cost this many readings of the whole text.
_READINGS = 16
_LEAST_ROOM = 100_000
# Characters of which the lines are counted in the time in which one is read.
_QUICKER = 64


class NotOneObject(ValueError):
    """The text does not hold exactly one JSON object; the message tells the model what to do better."""


class JsonPart(NamedTuple):
    """A JSON object or list within a text."""

    value: JsonValue
    start: int
    end: int


def one_object(text: str) -> JsonObject:
    """The single JSON object in `text`: bare, in a code fence, in a tag, or with prose around it.

    Two objects that say the same count as one; two that differ are ambiguous, never a choice of ours.

    Args:
        text: What a model said, free of its thinking: `Completion.text`.

    Raises:
        NotOneObject: there is none, it is a list or a scalar, or there are several that differ.
    """
    stripped = text.strip()
    if not stripped:
        raise NotOneObject("the reply is empty")
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        pass
    else:
        if isinstance(value, dict):
            return value
        raise NotOneObject(f"the reply is a JSON {type_word(value)}, not a JSON object")
    # An object inside a top-level list does not count.
    found = [part.value for part in json_parts(stripped) if isinstance(part.value, dict)]
    if not found:
        raise NotOneObject("the reply holds no complete JSON object")
    if any(other != found[0] for other in found[1:]):
        raise NotOneObject(f"the reply holds {len(found)} different JSON objects")
    return found[0]


def json_parts(text: str) -> Iterator[JsonPart]:
    """Outermost JSON objects and lists in reading order, in time linear in the text.

    Raises:
        NotOneObject: it is nested too deeply, or has too many broken beginnings of JSON.
    """
    room = _READINGS * len(text) + _LEAST_ROOM
    at = 0
    while beginning := _BEGINNING.search(text, at):
        at = beginning.start()
        try:
            value, end = _decoder.raw_decode(text, at)
        except RecursionError as e:
            raise NotOneObject("the reply is nested too deeply") from e
        # Not only JSONDecodeError: a number of thousands of digits is refused by int().
        except ValueError as e:
            # The error itself counts the lines before it, which is quick, and yet grows with the text.
            room -= _broke_at(e, text) - at + at // _QUICKER
            if room < 0:
                raise NotOneObject("the reply holds too many broken beginnings of JSON") from e
            at += 1
            continue
        yield JsonPart(value, at, end)
        at = end


def _broke_at(error: ValueError, text: str) -> int:
    """Position up to which the text was read before it turned out to be broken."""
    # Of a string without an end the error names the beginning.
    if not isinstance(error, json.JSONDecodeError) or error.msg.startswith("Unterminated"):
        return len(text)
    return error.pos
