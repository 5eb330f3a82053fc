"""JSON values as the text that prompts hold."""

import json

import msgspec

from worktrial.language import JsonValue

_BRIEF = 80  # characters


def json_text(value: JsonValue) -> str:
    """`value` as compact JSON; what UTF-8 cannot carry (lone surrogates) is escaped."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))


def canonical_text(value: JsonValue) -> str:
    """`value` as JSON with sorted keys: equal values give equal texts."""
    try:
        return msgspec.json.encode(value, order="sorted").decode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), sort_keys=True)


def question(tool: str, arguments: JsonValue) -> str:
    """Question that a call asks: the same for the same tool with equal arguments, whatever the order of fields."""
    return canonical_text([tool, arguments])


def brief(value: JsonValue) -> str:
    """`value` as JSON, as far as a message shows it."""
    return excerpt(json_text(value), _BRIEF)


def excerpt(text: str, length: int) -> str:
    """`text` in at most `length` characters."""
    return text if len(text) <= length else text[: length - 1] + "…"


def shortened(text: str, length: int) -> str:
    """`text` in at most `length` characters, without its middle: names and paths differ at their ends."""
    if len(text) <= length:
        return text
    tail = (length - 1) // 2
    return f"{text[: length - 1 - tail]}…{text[-tail:]}" if tail else text[: length - 1] + "…"
