"""Parts of the prompts of all stages. Sizes are kept so that a context of 8,000 tokens can do."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from worktrial.language import JsonObject, JsonValue
from worktrial.language.templates import templates
from worktrial.language.untrusted import mark
from worktrial.synthesis.artifacts import ToolDraft

T = TypeVar("T")

PROMPTS = Path(__file__).parent / "prompts"
LANGUAGES = {"en": "English", "ko": "Korean", "de": "German", "fr": "French", "es": "Spanish", "ja": "Japanese"}
_OTHER_SCRIPTS = 0.8
"""Tokens of a character beyond ASCII, roughly; of those within it four make one."""


def render(template: str, **values: object) -> str:
    """A prompt."""
    return templates(PROMPTS).get_template(f"{template}.j2").render(**values).strip() + "\n"


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    plain = sum(c < "\x80" for c in text)
    return round(plain / 4 + (len(text) - plain) * _OTHER_SCRIPTS)


def language_name(code: str) -> str:
    """Name of a language as prompts have it."""
    return LANGUAGES.get(code, f"the language with the code {code!r}")


def fenced(text: str) -> str:
    """Text that somebody else wrote, between two lines that it cannot forge."""
    name = mark(text)
    return f"BEGIN DATA {name}\n{text.strip()}\nEND DATA {name}"


def compact(value: JsonValue) -> str:
    """JSON as short as models read it well."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def within(texts: Iterable[str], most: int) -> list[str]:
    """The first of `texts` that together have at most `most` tokens."""
    kept: list[str] = []
    for text in texts:
        most -= tokens(text)
        if most < 0:
            break
        kept.append(text)
    return kept


def tools_text(tools: Sequence[ToolDraft], most: int) -> str:
    """The tools; without examples, then without their schemas in full, where they are too long."""
    for shown in (_in_full, _without_example, _signature):
        text = "\n".join(shown(tool) for tool in tools)
        if tokens(text) <= most:
            return text
    return "\n".join(within((_signature(tool) for tool in tools), most))


def _in_full(tool: ToolDraft) -> str:
    return f"{_without_example(tool)}\n  example of an answer: {compact(tool.example_output)}"


def _without_example(tool: ToolDraft) -> str:
    does = "changes the state" if tool.writes else "reads"
    return f"- {tool.name} ({does}): {tool.description}\n  arguments: {compact(tool.parameters)}"


def _signature(tool: ToolDraft) -> str:
    does = "changes the state" if tool.writes else "reads"
    return f"- {tool.name}{_brief(tool.parameters)} ({does}): {tool.description[:160]}"


def _brief(schema: JsonValue, depth: int = 0) -> str:
    """A schema as `(id: string, note?: string)`."""
    if not isinstance(schema, dict):
        return "any"
    if isinstance(schema.get("enum"), list):
        return "|".join(str(choice) for choice in schema["enum"][:8])
    named = schema.get("properties")
    if isinstance(named, dict) and depth < 3:
        required = schema.get("required", [])
        fields = (f"{n}{'' if n in required else '?'}: {_brief(p, depth + 1)}" for n, p in named.items())
        return f"({', '.join(fields)})"
    if schema.get("type") == "array":
        return f"[{_brief(schema.get('items', {}), depth + 1)}]"
    kind = schema.get("type", "any")
    return "|".join(kind) if isinstance(kind, list) else str(kind)


def size_of(value: JsonObject) -> int:
    """Characters of a value as a model writes it."""
    return len(json.dumps(value, ensure_ascii=False))
