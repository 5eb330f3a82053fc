"""Tool calls that a model wrote into its text, because its endpoint did not take them out."""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from worktrial.language.extract import NotOneObject, json_parts
from worktrial.language.message import JsonObject, JsonValue
from worktrial.language.surroundings import Surroundings

MOST_CALLS = 1000
"""Marks of calls, or fences, of one text that are looked at."""

Offered = Mapping[str, JsonObject]
"""Tools that were offered: name to the JSON Schema of its arguments, {} where that is not known."""


class SpokenCall(NamedTuple):
    """One call as it was written."""

    name: str
    arguments: str
    """JSON, or what was written in its place."""


class SpokenCalls(NamedTuple):
    """A text with its calls taken out."""

    text: str
    """The rest; as it came where there were none."""
    calls: tuple[SpokenCall, ...] = ()
    is_unread: bool = False
    """Whether it calls in a spelling that could not be read."""


def may_call(text: str) -> bool:
    """Whether `text` has a character with which some spelling of a call begins; without one it needs no reading."""
    return "{" in text or "<" in text or "[" in text or "Action:" in text


def spoken_calls(text: str, offered: Offered) -> SpokenCalls:
    """Find calls in `text`, which is free of thinking, in time linear in the text.

    - Behind a mark: `<tool_call>` with JSON (one call, or several), with `<function=NAME><parameter=KEY>…` or with
      `NAME<arg_key>…`; `<function=NAME>{…}`; `[TOOL_CALLS]` and `<|python_tag|>`. Any name is a call there, also of
      a tool that does not exist, and so is one whose arguments are broken: whoever carries it out says so.
    - Without a mark: a text that is nothing but JSON objects `{"name", "arguments"}` (or `parameters`) of offered
      tools, or ends in them, on lines of their own or in a fence.

    A mark in code or in the flow of a sentence is a word like any other. Where no tools were offered, there are no
    calls.
    """
    if not offered:
        return SpokenCalls(text)
    found = _marked(text, offered) if _MARK.search(text) else SpokenCalls(text)
    if found.calls or found.is_unread:
        return found
    at_the_end = _fenced(text, offered) if text.rstrip().endswith("```") else _unmarked(text, offered)
    return at_the_end or SpokenCalls(text, is_unread=_is_foreign(text, offered))


_MARK = re.compile(
    r"<(?P<tag>tool_calls?|function_calls?)>|<function=(?P<name>[^<>\n]{1,200})>|\[TOOL_CALLS\]|<\|python_tag\|>"
)
_FENCE_START = re.compile(r"\s*```\w*")
_CLOSING = re.compile(r"(?:\s*(?:```|</function>|</tool_calls?>|</function_calls?>))*")
_MISTRAL = re.compile(r"\s*([\w.-]{1,200})(?:\[CALL_ID\]\w{1,200})?(?:\[ARGS\])?\s*(?=\{)")
_NAME = re.compile(r'"name"\s*:\s*"([^"\\\n]{1,200})"')


def _marked(text: str, offered: Offered) -> SpokenCalls:
    marks = list(islice(_MARK.finditer(text), MOST_CALLS))
    surroundings = Surroundings(text)
    rest: list[str] = []
    calls: list[SpokenCall] = []
    is_unread = False
    at = 0
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        if mark.start() < at or surroundings.is_quoted(mark.start()):
            continue
        stop = len(text) if following is None else following.start()
        if following is not None and following["name"] and not text[mark.end() : stop].strip():
            # `<tool_call><function=…>`: the inner mark has the name.
            end = stop
            found: list[SpokenCall] = []
        else:
            found, end = _behind(text, mark, stop, offered)
            if not found:
                start, behind = mark.span()
                is_unread |= not (surroundings.is_in_a_sentence(start) or surroundings.sentence_goes_on(behind))
                continue
        rest.append(text[at : mark.start()])
        calls += found
        at = end
    if not calls:
        return SpokenCalls(text, is_unread=is_unread)
    rest.append(text[at:])
    return SpokenCalls("".join(rest).strip(), tuple(calls))


def _behind(text: str, mark: re.Match[str], stop: int, offered: Offered) -> tuple[list[SpokenCall], int]:
    """Calls behind a mark, and where they end; `stop` is where the next mark begins."""
    fence = _FENCE_START.match(text, mark.end())
    start = fence.end() if fence is not None else mark.end()
    if mark["name"]:
        return _function(text, mark["name"].strip(), start, stop, offered)
    values, end = _leading_json(text, start)
    calls = [call for value in values if (call := _call_of(value)) is not None]
    if calls:
        return calls, _closed(text, end)
    if mark["tag"] is None:
        named = _MISTRAL.match(text, start)
        if named is not None:
            values, end = _leading_json(text, named.end())
            if values:
                return [SpokenCall(named[1], _as_json(values[0]))], _closed(text, end)
    body, end = _body(text, mark, start, stop)
    if "<arg_key>" in body or body in offered:
        name, _, _ = body.partition("<arg_key>")
        return [SpokenCall(name.strip(), _as_json(_parameters(body, offered.get(name.strip(), {}))))], end
    named = _NAME.search(body)
    return ([SpokenCall(named[1], body)] if named is not None else []), end


def _body(text: str, mark: re.Match[str], start: int, stop: int) -> tuple[str, int]:
    closing = text.find(f"</{mark['tag']}>", start, stop) if mark["tag"] else -1
    end = stop if closing < 0 else closing
    return text[start:end].strip(), _closed(text, end)


def _function(text: str, name: str, start: int, stop: int, offered: Offered) -> tuple[list[SpokenCall], int]:
    """The call `<function=NAME>` with JSON or with `<parameter=KEY>` behind it."""
    values, end = _leading_json(text, start)
    if values and isinstance(values[0], dict):
        return [SpokenCall(name, _as_json(values[0]))], _closed(text, end)
    closing = text.find("</function>", start, stop)
    end = stop if closing < 0 else closing
    body = text[start:end].strip()
    if not body or body.startswith("<parameter="):
        return [SpokenCall(name, _as_json(_parameters(body, offered.get(name, {}))))], _closed(text, end)
    return ([SpokenCall(name, body)] if name in offered else []), _closed(text, end)


_PARAMETER = re.compile(r"<parameter=([^<>\n]{1,200})>|<arg_key>([^<>]{1,200})</arg_key>\s*<arg_value>")
_PARAMETER_END = re.compile(r"\n?(?:</parameter>|</arg_value>)")


def _parameters(body: str, schema: JsonObject) -> JsonObject:
    """Arguments that stand in tags: JSON where the schema, or else their look, says that they are no text."""
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    _, *pieces = _PARAMETER.split(body)
    arguments: JsonObject = {}
    for one, other, rest in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        name = (one or other).strip()
        end = _PARAMETER_END.search(rest)
        text = (rest if end is None else rest[: end.start()]).removeprefix("\n")
        wanted = properties.get(name)
        is_text = isinstance(wanted, dict) and wanted.get("type") == "string"
        arguments[name] = text if is_text else _read_value(text)
    return arguments


def _read_value(text: str) -> JsonValue:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


_BETWEEN = re.compile(r"[\s,;]*")
_decoder = json.JSONDecoder()


def _leading_json(text: str, at: int) -> tuple[list[JsonValue], int]:
    """JSON objects and lists in a row from `at` on, and where they end."""
    values: list[JsonValue] = []
    end = at
    while True:
        start = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]  # it matches everywhere
        if text[start : start + 1] not in ("{", "["):
            return values, end
        try:
            value, end = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return values, end
        values += value if isinstance(value, list) else [value]


def _closed(text: str, at: int) -> int:
    """Position behind what closes a call that ends at `at`."""
    closing = _CLOSING.match(text, at)
    return closing.end() if closing is not None else at


def _fenced(text: str, offered: Offered) -> SpokenCalls | None:
    """Calls of a text that ends in fences with nothing else in them; None where it does not."""
    rest = text.rstrip()
    bodies: list[str] = []
    while rest.endswith("```") and len(bodies) < MOST_CALLS and (start := rest.rfind("```", 0, -3)) >= 0:
        bodies.insert(0, re.sub(r"\A```\w*", "", rest[start:-3]).strip())
        rest = rest[:start].rstrip()
    calls: list[SpokenCall] = []
    for body in bodies:
        found = _marked(body, offered) if _MARK.match(body) else _unmarked(body, offered)
        if found is None or found.text or not found.calls:
            return None
        calls += found.calls
    return SpokenCalls(rest, tuple(calls)) if calls else None


_GAP = re.compile(r"[\s,;]*")


def _unmarked(text: str, offered: Offered) -> SpokenCalls | None:
    """Calls of a text that ends in JSON, on lines of their own; None where it does not."""
    said = text.strip()
    if not said.endswith(("}", "]")):
        return None
    try:
        parts = list(json_parts(said))
    except NotOneObject:
        return None
    calls: list[SpokenCall] = []
    start = len(said)
    for part in reversed(parts):
        if not _GAP.fullmatch(said, part.end, start):
            break
        values = part.value if isinstance(part.value, list) else [part.value]
        found = [call for value in values if _is_offered(value, offered) and (call := _call_of(value)) is not None]
        if not values or len(found) < len(values):
            break
        calls[:0] = found
        start = part.start
    before = said[:start].rstrip(" \t")
    if not calls or (before and not before.endswith("\n")):
        return None
    return SpokenCalls(before.strip(), tuple(calls))


_ARGUMENTS = ("arguments", "parameters", "args", "input")
_CALL_KEYS = {"name", "arguments", "parameters", "type", "id", "function"}


def _is_offered(value: JsonValue, offered: Offered) -> bool:
    """Whether an object without any mark around it can be nothing but the call of an offered tool."""
    if not isinstance(value, dict) or not value.keys() <= _CALL_KEYS:
        return False
    inner = value.get("function", value)
    if not isinstance(inner, dict) or not inner.keys() <= _CALL_KEYS:
        return False
    name, arguments = inner.get("name"), inner.get("arguments", inner.get("parameters"))
    return isinstance(name, str) and name in offered and isinstance(arguments, dict | str)


def _call_of(value: JsonValue) -> SpokenCall | None:
    """The call that an object spells out, in one of the ways in which models do."""
    if not isinstance(value, dict):
        return None
    inner = value["function"] if isinstance(value.get("function"), dict) else value
    name = inner.get("name", inner.get("function"))
    if not isinstance(name, str):
        return None
    given: JsonValue = next((inner[key] for key in _ARGUMENTS if key in inner), {})
    return SpokenCall(name, given if isinstance(given, str) else _as_json(given))


def _as_json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


_FOREIGN = re.compile(
    r"<｜(?:tool|DSML)|<\|tool_calls?_|<minimax:tool_call>|<invoke name=|<xai:function_call|<start_function_call>"
)
_ACTION = re.compile(r"^Action: *(.{1,200})$", re.MULTILINE)
_PYTHONIC = re.compile(r"\s*\[\s*([\w.-]{1,200})\(")


def _is_foreign(text: str, offered: Offered) -> bool:
    """Whether `text` calls in a spelling that nobody here reads."""
    mark = _FOREIGN.search(text)
    if mark is not None:
        return not Surroundings(text).is_quoted(mark.start())
    named: Iterable[re.Match[str]] = filter(None, [_PYTHONIC.match(text), *_ACTION.finditer(text)])
    return any(match[1].strip() in offered for match in named)
