"""JSON and YAML anywhere in a text, each in time that grows linearly with it."""

import json
import re
import textwrap
from collections.abc import Iterator

from worktrial.language import JsonValue
from worktrial.suites.orchestration.planning.yaml_text import BadYaml, load_yaml

_MAX_ATTEMPTS = 200
_MAX_BLOCKS = 50
_MAX_VALUES = 20_000

_OPENING = re.compile(r"[\[{]")
# A string is matched so that nothing within it is taken for a comment or a comma; its end may be missing, because a
# pattern that insisted on it would look for it again from every quotation mark.
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*"?)|//[^\n]*')
_TRAILING_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*"?)|,(?=\s*[}\]])')
_ANY_TRAILING_COMMA = re.compile(r",\s*[}\]]")
_WORKFLOW_LINE = re.compile(r"""[ \t]*["']?(?:\w+_)?workflow_?\d[\w-]*["']?[ \t]*:[ \t]*(?:#.*)?""", re.IGNORECASE)


def json_within(text: str) -> Iterator[JsonValue]:
    """The JSON objects and arrays in `text` that lie in no other, in order."""
    decoder = json.JSONDecoder()
    attempts = position = 0
    while attempts < _MAX_ATTEMPTS and (opening := _OPENING.search(text, position)):
        attempts += 1
        try:
            value, position = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            position = opening.end()
        else:
            yield value


def written_loosely(text: str) -> str:
    """`text` without what JSON does not allow but people write: `//` comments and trailing commas."""
    if "//" in text:
        text = _COMMENT.sub(r"\1", text)
    return _TRAILING_COMMA.sub(r"\1", text) if _ANY_TRAILING_COMMA.search(text) else text


def yaml_within(text: str) -> list[JsonValue]:
    """The value of `text`, if it is YAML of a plan's size."""
    try:
        return [load_yaml(text, where="plan", max_values=_MAX_VALUES).value]
    except BadYaml:
        return []


def yaml_blocks(text: str) -> list[str]:
    """The stretches of `text` that begin with a line such as `workflow_1:`, each with all that belongs to it."""
    blocks: list[list[str]] = []
    indent: int | None = None
    for line in text.splitlines():
        words = line.strip()
        depth = len(line) - len(line.lstrip())
        if _WORKFLOW_LINE.fullmatch(line) and (indent is None or depth <= indent):
            if depth != indent:
                blocks.append([])
            indent = depth
        elif words and not words.startswith("#") and indent is not None and depth <= indent:
            indent = None
        if indent is not None:
            blocks[-1].append(line)
    return [textwrap.dedent("\n".join(block)) for block in blocks[:_MAX_BLOCKS]]
