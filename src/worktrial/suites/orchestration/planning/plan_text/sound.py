"""Where we find a plan in a reply: wherever a careful reader would."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.orchestration.planning.plan_text.depth import nested_deeper_than
from worktrial.suites.orchestration.planning.plan_text.places import (
    json_within,
    written_loosely,
    yaml_blocks,
    yaml_within,
)
from worktrial.suites.orchestration.planning.plan_text.typed import NotAPlan, is_workflow, read_plan
from worktrial.suites.orchestration.planning.workflows import WorkflowPlan
from worktrial.suites.orchestration.planning.yaml_text import MAX_CHARS, MAX_DEPTH

_MAX_FENCES = 100
_REMEMBERED_CHARS = 20_000
"""Longer replies are read anew each time, so that what is remembered stays small."""
_WRAPPERS = 3
"""How many mappings or lists may lie around a plan, as in `{"status": …, "workflows": {…}}`."""


def sound_plan(text: str) -> WorkflowPlan | None:
    """The plan in a reply; null when there is none that is whole.

    Thinking (`<think>…</think>`) is no part of the reply. The first of these places that holds a plan counts:
    fences, JSON anywhere in the text (comments and trailing commas are let pass), YAML, YAML among prose, and an
    object in single quotes. Within a place, mappings with different workflows, such as those of a list or of
    several fences, are parts of one plan; where a workflow comes again, a new plan begins, and the last one counts.

    Circles and unknown workflows among the dependencies make it no less a plan. Time grows linearly with the reply;
    one of more than a million characters is not read.
    """
    return _remembered(text) if len(text) <= _REMEMBERED_CHARS else _read(text)


def _read(text: str) -> WorkflowPlan | None:
    text = _without_thinking(text)
    if len(text) > MAX_CHARS or "workflow" not in text.lower():
        return None
    for values in _places(text):
        mapping = _joined(part for value in values for part in _parts(value, _WRAPPERS))
        if mapping:
            try:
                return read_plan(mapping)
            except NotAPlan:
                # Damaged here; the same reply may hold it whole elsewhere.
                continue
    return None


# The same reply is scored as a plan and again for the goals, and a floor says the same to every request.
_remembered = lru_cache(maxsize=256)(_read)


def _without_thinking(text: str) -> str:
    for tag in ("think", "thinking"):
        text = text.rsplit(f"</{tag}>", 1)[-1].split(f"<{tag}>", 1)[0]
    return text


def _places(text: str) -> Iterator[Iterable[JsonValue]]:
    fences = [body for body in _fences(text) if "workflow" in body.lower()][-_MAX_FENCES:]
    yield (value for body in fences for value in _any_form(body))
    yield json_within(text)
    yield _json_written_loosely(text)
    yield yaml_within(text)
    yield (value for block in yaml_blocks(text) for value in yaml_within(block))
    start, end = text.find("{"), text.rfind("}") + 1
    yield yaml_within(text[start:end]) if 0 <= start < end else ()


def _any_form(text: str) -> list[JsonValue]:
    """The values in a fence, in the first form that holds a plan."""
    for values in (json_within(text), _json_written_loosely(text), yaml_within(text)):
        found = list(values)
        if any(True for value in found for _ in _parts(value, _WRAPPERS)):
            return found
    return []


def _json_written_loosely(text: str) -> Iterator[JsonValue]:
    loose = written_loosely(text)
    # Where nothing was loose, its JSON has been looked at already.
    return json_within(loose) if loose != text else iter(())


def _fences(text: str) -> list[str]:
    # An unclosed fence goes to the end of the text.
    return [_without_language(body) for body in text.split("```")[1::2]]


def _without_language(body: str) -> str:
    first, newline, rest = body.partition("\n")
    if newline and first.strip().isalnum():
        return rest
    word, space, rest = body.lstrip().partition(" ")
    return rest if space and word.lower() in ("json", "yaml", "yml") else body


def _parts(value: JsonValue, wrappers: int) -> Iterator[JsonObject]:
    """The mappings of workflows in `value`, in order."""
    if not isinstance(value, dict | list) or nested_deeper_than(value, MAX_DEPTH):
        return
    if isinstance(value, list):
        inner: Iterable[JsonValue] = (_with_id(item) for item in value)
    elif any(is_workflow(key, item) for key, item in value.items()):
        yield value
        return
    else:
        inner = value.values()
    if wrappers:
        for item in inner:
            yield from _parts(item, wrappers - 1)


def _with_id(item: JsonValue) -> JsonValue:
    """`{"workflow_id": "workflow_1", "steps": …}` in a list as `{"workflow_1": {…}}`; anything else as it is."""
    if isinstance(item, dict) and "steps" in item:
        for field in ("workflow_id", "id", "name"):
            if is_workflow(item.get(field), item):
                return {item[field]: item}
    return item


def _joined(parts: Iterable[JsonObject]) -> Mapping[str, JsonValue]:
    plan: JsonObject = {}
    for part in parts:
        ids = {key for key, value in part.items() if is_workflow(key, value)}
        plan = dict(part) if ids & plan.keys() else plan | part
    return plan
