"""Plans written by a model or a person, read into typed plans; `published_plan_text` has the published reader."""

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from worktrial.language import JsonObject, JsonValue
from worktrial.language.nesting import nested_deeper_than
from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import MAX_CHARS, MAX_DEPTH, load_yaml
from worktrial.suites.orchestration.planning.scenario import Workflow, WorkflowPlan, WorkflowStep

_MAX_FENCES = 100
_REMEMBERED_CHARS = 20_000
"""Longer replies are read anew each time, so that what is remembered stays small."""
_WRAPPERS = 3
"""Most mappings or lists around a plan, as in `{"status": …, "workflows": {…}}`."""


def our_plan(text: str) -> WorkflowPlan | None:
    """The plan in a reply, free of thinking; null when there is none that is whole.

    The first of these places that holds a plan counts:
    fences, JSON anywhere in the text (comments and trailing commas are let pass), YAML, YAML among prose, and an
    object in single quotes. Within a place, mappings with different workflows, such as those of a list or of
    several fences, are parts of one plan; where a workflow comes again, a new plan begins, and the last one counts.

    Circles and unknown workflows among the dependencies make it no less a plan. Time grows linearly with the reply;
    one of more than a million characters is not read.
    """
    return _remembered(text) if len(text) <= _REMEMBERED_CHARS else _read(text)


def _read(text: str) -> WorkflowPlan | None:
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


def plan_text(plan: WorkflowPlan) -> str:
    """A plan in the form in which the planner writes one, a workflow a line."""
    lines = [f"{json_text(w.id)}: {json_text(_written(w))}" for w in plan.workflows]
    return "{" + ",\n ".join(lines) + "}"


def _written(workflow: Workflow) -> JsonObject:
    depends = list(workflow.depends_on)
    return {
        "status": workflow.status,
        "type": workflow.type,
        **({"depend_on": depends[0] if len(depends) == 1 else depends} if depends else {}),
        "steps": [{"status": s.status, "name": s.agent, "refined_query": s.query} for s in workflow.steps],
    }


def json_text(value: JsonValue) -> str:
    """A value of a plan or a card as JSON on one line; a date, which YAML knows and JSON does not, as a text."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)


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


UNSTATED = "UNK"
"""The status of a workflow or step that states none: it equals no real one."""

_NUMBERED = re.compile(r"(?:\w+_)?workflow[_ -]?\d[\w-]*", re.IGNORECASE)
_NO_DEPENDENCY = {"", "none", "null", "[]", "-"}


class NotAPlan(ValueError):
    """A value is no plan. The message names the place and what is wrong there."""


def read_plan(raw: JsonValue) -> WorkflowPlan:
    """The workflows of a parsed plan, in the order written.

    A workflow is a key such as `workflow_2`, `workflow_2-1`, `workflow2` or `interrupted_workflow_2-1`, or any
    other that starts with `workflow_` and holds a mapping; other keys are passed over. Where plans vary:

    - Dependencies are those of `depends_on` and `depend_on` together, each once; a list, one id, or ids with
      commas. Whether the workflows exist, or wait for each other in a circle, is not asked here.
    - A step's agent is `agent_id`, else `name`; "" where both are missing.
    - A status that is missing is `UNK`, a type that is missing follows from the dependencies.
    - Numbers and booleans in place of a text are that text.

    Raises:
        NotAPlan: `raw` is no mapping, has no workflow, or one of them is not of this shape.
    """
    if not isinstance(raw, Mapping):
        raise NotAPlan(f"{_kind(raw)}, where a mapping of workflow ids is needed")
    workflows = tuple(_workflow(key, value) for key, value in raw.items() if is_workflow(key, value))
    if not workflows:
        raise NotAPlan("no workflow: no key such as `workflow_1`")
    return WorkflowPlan(workflows, raw)


def is_workflow(key: object, value: JsonValue) -> bool:
    """Whether `key: value` is meant as a workflow; a numbered id always is, so that damage to it shows."""
    if not isinstance(key, str):
        return False
    return _NUMBERED.fullmatch(key) is not None or (key.startswith("workflow_") and isinstance(value, Mapping))


def _workflow(key: str, value: JsonValue) -> Workflow:
    if not isinstance(value, Mapping):
        raise NotAPlan(f"{key}: {_kind(value)}, where a mapping is needed")
    steps = value.get("steps")
    if steps is not None and not isinstance(steps, list):
        raise NotAPlan(f"{key}.steps: {_kind(steps)}, where a list is needed")
    depends_on = _dependencies(key, value)
    return Workflow(
        id=key,
        status=_text(value.get("status"), f"{key}.status") or UNSTATED,
        type=_text(value.get("type"), f"{key}.type") or ("dependent" if depends_on else "independent"),
        depends_on=depends_on,
        steps=tuple(_step(step, f"{key}.steps[{n}]") for n, step in enumerate(steps or [])),
    )


def _step(value: JsonValue, where: str) -> WorkflowStep:
    if not isinstance(value, Mapping):
        raise NotAPlan(f"{where}: {_kind(value)}, where a mapping is needed")
    agent = "agent_id" if value.get("agent_id") else "name"
    return WorkflowStep(
        agent=_text(value.get(agent), f"{where}.{agent}"),
        status=_text(value.get("status"), f"{where}.status") or UNSTATED,
        query=_text(value.get("refined_query"), f"{where}.refined_query"),
    )


def _dependencies(key: str, value: Mapping[str, JsonValue]) -> tuple[str, ...]:
    ids: list[str] = []
    for field in ("depends_on", "depend_on"):
        found = value.get(field)
        where = f"{key}.{field}"
        if isinstance(found, list):
            ids += [_text(item, f"{where}[{n}]") for n, item in enumerate(found)]
        else:
            ids += _text(found, where).split(",")
    stripped = (id_.strip() for id_ in ids)
    return tuple(dict.fromkeys(id_ for id_ in stripped if id_.lower() not in _NO_DEPENDENCY))


def _text(value: JsonValue, where: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise NotAPlan(f"{where}: {_kind(value)}, where a text is needed")


def _kind(value: JsonValue) -> str:
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else f"a {type(value).__name__}"
