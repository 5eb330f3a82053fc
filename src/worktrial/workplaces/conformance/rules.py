"""Errors that somebody laid down, and hidden matter that stays hidden."""

import re
from collections.abc import Iterator

from worktrial.language import JsonValue
from worktrial.workplaces.conformance.context import Stay, is_error
from worktrial.workplaces.conformance.finding import Check, Finding
from worktrial.workplaces.conformance.seen import SeenCall
from worktrial.workplaces.conformance.values import below, ids, is_telling, leaves, names, objects, scalars
from worktrial.workplaces.simulator.json_text import excerpt, json_text
from worktrial.workplaces.tools import Tool

_WORD = re.compile(r"[^\W\d_]{4,}")
_OWN_MATTER = frozenset({"_facts", "initial_state", "state_description", "state_descriptions", "system_prompt"})
# Words of any error message, which say nothing about the rule behind it.
_PLAIN = frozenset({"error", "invalid", "failed", "cannot", "with", "that", "this", "does", "have", "been", "from"})
_LEAST_SHARE = 0.5


def check_licensed_errors(call: SeenCall, tool: Tool, stay: Stay) -> Finding | None:
    """An error names a code of the rules, or concerns an id nobody knows, or speaks in the rules' own words.

    The last is a matter of degree: at least half of the words of four letters and more, without those of any
    error message, stand in the rules or in the tools' descriptions.
    """
    if not is_error(call.content):
        return None
    error = call.content.get("error")
    codes = [
        error[name] for name in ("type", "code") if isinstance(error, dict) and isinstance(error.get(name), str)
    ]
    if any(code and code.lower().replace("_", " ") in stay.rules for code in codes):
        return Finding(Check.LICENSED_ERRORS, call.index)
    if any(not stay.knows(value) for _, value in ids(call.arguments)):
        return Finding(Check.LICENSED_ERRORS, call.index)
    given = {str(value).lower() for value in scalars(call.arguments)}
    message = json_text(error if error is not None else call.content).lower().replace("_", " ")
    words = {word for word in _WORD.findall(message) if word not in _PLAIN and word not in given}
    words -= {"type", "code", "message", "success", "false", "status"}
    known = {word for word in words if word in stay.rules}
    if words and len(known) >= _LEAST_SHARE * len(words):
        return Finding(Check.LICENSED_ERRORS, call.index)
    said = excerpt(json_text(error if error is not None else call.content), 160)
    return Finding(Check.LICENSED_ERRORS, call.index, (f"/error: no rule accounts for {said}",))


def check_no_leak(call: SeenCall, tool: Tool, stay: Stay) -> Finding:
    """Nothing hidden shows: no hidden field, no value that only a hidden field holds, no word of the prompt."""
    declared = names(tool.example_output)
    evidence = [
        f"{below(at, key)}: the simulator's own matter"
        for at, found in objects(call.content)
        for key in found
        if key in _OWN_MATTER and key not in declared
    ]
    for field, secrets in stay.hidden.items():
        if tool.name not in stay.revealed_by(field):
            evidence += _leaks(field, secrets, call.content, declared, stay)
    quotes = stay.instructions
    for at, value in leaves(call.content):
        if isinstance(value, str) and any(quote in value for quote in quotes):
            evidence.append(f"{at}: quotes the simulator's instructions")
    return Finding(Check.NO_LEAK, call.index, tuple(evidence))


def _leaks(
    field: str, secrets: frozenset[JsonValue], content: JsonValue, declared: set[str], stay: Stay
) -> Iterator[str]:
    for at, found in objects(content):
        if field in found and field not in declared:
            yield f"{below(at, field)}: a hidden field"
    for at, value in leaves(content):
        # What was once shown by right is no secret any more.
        if is_telling(value) and value in secrets and not _was_seen(value, stay):
            yield f"{at}: a value of the hidden field {field!r}"


def _was_seen(value: JsonValue, stay: Stay) -> bool:
    return any(value == inner for _, _, content in stay.seen.values() for inner in scalars(content))
