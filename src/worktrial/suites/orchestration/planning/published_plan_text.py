"""Plans in replies as the published evaluation finds them.

The rules are facts of that program, accidents included: only the first fence counts, and braces are matched without
regard to strings. Each is written so that its time grows linearly with the reply; that of the program's patterns
can grow with its square.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from worktrial.language import JsonObject, JsonValue
from worktrial.language.nesting import nested_deeper_than
from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import load_yaml

_MAX_DEPTH = 200
_MAX_REFERENCE_CHARS = 100_000
_REMEMBERED_CHARS = 20_000
"""Longer replies are read anew each time, so that what is remembered stays small."""

_JSON_FENCE = re.compile(r"```json\s*(?=\{)")
_FENCE_END = re.compile(r"\}\s*```")
_FLAT_CONTINUED = re.compile(r'\s*,\s*\{[^}]*"workflow_[^}]*\}')
_NESTED_KEY = re.compile(r'"workflow_\d+":\s*\{')
_BRACE = re.compile(r"[{}]")
_YAML_FENCE = re.compile(r"```yaml\s*(?=workflow_)")


@dataclass(frozen=True, slots=True)
class PublishedReading:
    """Reply as the published evaluation reads it."""

    plan: JsonObject | None
    """The plan; null when it finds none."""
    error: str | None = None
    """The class of the exception that it dies of, for the few replies that bring it down."""


def published_plan(text: str) -> JsonObject | None:
    """The plan that the published evaluation finds in a reply; null when there is none, or when it dies of it."""
    return published_reading(text).plan


def published_reading(text: str) -> PublishedReading:
    """Read a reply as the published evaluation does: the first of its places that holds a plan.

    Readings are remembered, so a plan must not be changed.

    A plan is a mapping with a key that starts with `workflow_`. In order, after the last `</think>`: a JSON fence;
    an object that closes at the first brace; the braces around the first `"workflow_`; the whole as JSON; a YAML
    fence; the whole as YAML; the whole as YAML indented anew. Values are those of `json` and, in YAML, of
    `load_yaml`. JSON nested more than 200 levels deep is no plan here.
    """
    return _remembered(text) if len(text) <= _REMEMBERED_CHARS else _reading(text)


def _reading(text: str) -> PublishedReading:
    text = text.rsplit("</think>", 1)[-1]
    try:
        for value in _values(text):
            if isinstance(value, dict) and any(key.startswith("workflow_") for key in value):
                return PublishedReading(value)
    except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        return PublishedReading(None, type(error).__name__)
    return PublishedReading(None)


# A scenario's plans are read once for every team that is scored on it: the one on trial and the floors.
_remembered = lru_cache(maxsize=256)(_reading)


def _values(text: str) -> Iterator[JsonValue]:
    for part in (_json_fence(text), _flat_object(text), _around_first_key(text), text):
        if part is not None:
            yield _json_value(part)
    for part in (_yaml_fence(text), text if "workflow_" in text else None, _indented_anew(text)):
        if part is not None:
            yield _yaml_value(part)


def _json_value(text: str) -> JsonValue:
    # Only what the program itself expects is caught: a number of thousands of digits brings it down.
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return None
    return None if nested_deeper_than(value, _MAX_DEPTH) else value


def _yaml_value(text: str) -> JsonValue:
    import yaml

    try:
        value = load_yaml(text, where="plan").value
        if _parsers_disagree(text):
            value = load_yaml(text, where="plan", reference=True).value
    except BadYaml as error:
        # Likewise: impossible dates, for one, are an exception that is not PyYAML's own.
        cause = error.__cause__
        if isinstance(cause, Exception) and not isinstance(cause, yaml.YAMLError | UnicodeError):
            raise cause from error
        return None
    return value


def _parsers_disagree(text: str) -> bool:
    """Whether PyYAML's parser, which the program uses, may read `text` in another way than libyaml does."""
    odd = "\t" in text or "\ufeff" in text or ("?" in text and ("{" in text or "[" in text))
    return odd and len(text) <= _MAX_REFERENCE_CHARS


def _json_fence(text: str) -> str | None:
    start = _JSON_FENCE.search(text)
    end = _FENCE_END.search(text, start.end()) if start else None
    return text[start.end() : end.start() + 1] if start and end else None


def _flat_object(text: str) -> str | None:
    """Text from the first brace whose object mentions a workflow before any brace closes."""
    begin = 0
    while (close := text.find("}", begin)) >= 0:
        start = text.find("{", begin, close)
        if start >= 0 and text.find('"workflow_', start + 1, close) >= 0:
            # Several of them in a row are taken as one text, which is no JSON.
            return None if _FLAT_CONTINUED.match(text, close + 1) else text[start : close + 1]
        begin = close + 1
    return None


def _around_first_key(text: str) -> str | None:
    nested = _NESTED_KEY.search(text)
    if nested is None or text.find("}", nested.end()) < 0:
        return None
    start = text.rfind("{", 0, text.find('"workflow_'))
    if start < 0:
        return None
    open_braces = 0
    for brace in _BRACE.finditer(text, start):
        open_braces += 1 if brace.group() == "{" else -1
        if open_braces == 0:
            return text[start : brace.end()]
    return None


def _yaml_fence(text: str) -> str | None:
    start = _YAML_FENCE.search(text)
    end = text.find("```", start.end()) if start else -1
    return text[start.end() : end].rstrip() if start and end >= 0 else None


def _indented_anew(text: str) -> str | None:
    lines = text.strip().split("\n")
    if not lines[0].startswith("workflow_"):
        return None
    return "".join(_indented_line(line) for line in lines)


def _indented_line(line: str) -> str:
    words = line.strip()
    if words.startswith("workflow_"):
        return f"{line}:\n"
    if words.startswith("-"):
        return f"    {words}\n"
    return f"  {words}\n" if ":" in line else f"      {words}\n"
