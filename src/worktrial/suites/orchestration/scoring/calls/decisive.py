"""Decisive differences between a call and the recorded one: those that can change what comes of it."""

import json
import re
import unicodedata

from worktrial.language import JsonValue
from worktrial.suites.orchestration.scoring.calls.calls import Call
from worktrial.suites.orchestration.scoring.calls.matching import Argument, pair
from worktrial.suites.orchestration.scoring.calls.schema import ArgumentSchema
from worktrial.suites.orchestration.scoring.calls.values import ValueOutcome

RESTATED = "refinedQuery"
"""The argument in which every tool of the released data repeats the request in the agent's own words. Its wording
does not change what a tool does, so calls that differ in nothing else are the same call."""

_SAYS_NOTHING = ("null", "false", '""', "[]", "{}")
_WORDS = re.compile(r"\w+")


def decisive_arguments(
    gold: Call, made: Call, schema: ArgumentSchema, *, reads: bool, context: str = ""
) -> tuple[Argument, ...]:
    """The arguments of both calls, less `RESTATED` and those that cannot change what comes of the call.

    An argument that one of the calls has and the other lacks cannot, provided that the schema declares it optional,

    - where its value says no more than leaving it out: null, false, nothing in quotes, an empty list or object, or
      the schema's default;
    - in a call that only reads, where it is a switch (true or false), which narrows or presents what is found, and
      where the other call states the value in words in its `RESTATED`.

    A value that is there in both calls always counts, and so does everything in a call that changes something.

    Args:
        gold: The recorded call.
        made: A call of the same tool.
        schema: Of the tool's arguments.
        reads: Whether the tool only reads.
        context: What the agent was asked, for a judge.
    """
    said = {"gold": _restated(gold), "made": _restated(made)}
    kept = []
    for argument in pair(gold, made, schema, context).arguments:
        if argument.key == RESTATED:
            continue
        if argument.outcome in (ValueOutcome.MISSING, ValueOutcome.EXTRA) and schema.is_optional(argument.key):
            missing = argument.outcome is ValueOutcome.MISSING
            value = (argument.gold if missing else argument.predicted) or "null"
            other = said["made" if missing else "gold"]
            if value in _SAYS_NOTHING or (reads and (value == "true" or _stated(json.loads(value), other))):
                continue
        kept.append(argument)
    return tuple(kept)


def is_same_call(gold: Call, made: Call, schema: ArgumentSchema, *, reads: bool) -> bool:
    """Whether `made` comes to the same as `gold` without anybody having to judge.

    The tool and every decisive argument have to be equal, compared typed as in our score.
    """
    if gold.tool != made.tool or made.arguments is None:
        return False
    arguments = decisive_arguments(gold, made, schema, reads=reads)
    return all(argument.outcome is ValueOutcome.EQUAL for argument in arguments)


def _restated(call: Call) -> str:
    value = (call.arguments or {}).get(RESTATED)
    return _plain(value) if isinstance(value, str) else ""


def _stated(value: JsonValue, words: str) -> bool:
    """Whether every word and number of `value`, which is no switch, is among `words`."""
    match value:
        case bool() | None:
            return False
        case dict():
            return bool(value) and all(_stated(inner, words) for inner in value.values())
        case list():
            return bool(value) and all(_stated(inner, words) for inner in value)
        case int() | float():
            return re.search(rf"(?<![\d.]){re.escape(str(value))}(?![\d.]*\d)", words.replace(",", "")) is not None
    found = _WORDS.findall(_plain(str(value)).replace("_", " "))
    return bool(found) and all(word in words for word in found)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
