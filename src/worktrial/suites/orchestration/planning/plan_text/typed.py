"""A plan as it was parsed, read into types: lenient in what real plans vary, clear about what is no plan."""

import re
from collections.abc import Mapping

from worktrial.language import JsonValue
from worktrial.suites.orchestration.planning.workflows import Workflow, WorkflowPlan, WorkflowStep

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
