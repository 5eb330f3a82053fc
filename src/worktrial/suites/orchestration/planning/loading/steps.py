"""From a step as the file has it to a typed one."""

import re
from typing import TypedDict

from worktrial.suites.orchestration.planning.loading.content import NotReadable, agent_content, duplicates
from worktrial.suites.orchestration.planning.oddities import OddityCode
from worktrial.suites.orchestration.planning.plan_text import NotAPlan, read_plan
from worktrial.suites.orchestration.planning.records import StepRecord
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    OddStep,
    PlanStep,
    RefusalStep,
    Reply,
    Step,
    SystemNote,
    UserTurn,
)
from worktrial.suites.orchestration.planning.yaml_text import BadYaml, load_yaml

SYSTEM = "system"
"""The `workflow_id` of what everyone is told at the start."""

# What the first line of a plan looks like: `workflow_2:`, `workflow_2-1:`, `interrupted_workflow_2-1:`.
_PLAN = re.compile(r"\s*(?:interrupted_)?workflow_?\d[\w-]*\s*:")
# A spreadsheet's way to write a control character (`_x0008_` for a backspace) that went astray.
_ESCAPE = re.compile(r"_x00[0-1][0-9A-Fa-f]_")

Odd = list[tuple[OddityCode, str]]


def typed_step(record: StepRecord) -> tuple[Step, Odd]:
    """The step, and what is odd about it."""
    text = record.text
    if record.left_out:
        return OddStep(**_common(record), why=record.left_out, is_left_out=True), []
    if text is None:
        return _odd(record, OddityCode.BROKEN_STEP, "data.content is not text")
    step, odd = _typed(record, text)
    if escape := _ESCAPE.search(text):
        odd.append((OddityCode.CONTROL_ESCAPE, f"{escape[0]}, a control character that a spreadsheet wrote out"))
    return step, odd


def _typed(record: StepRecord, text: str) -> tuple[Step, Odd]:
    match record.agent_type:
        case "user":
            return UserTurn(**_common(record)), []
        case "main" if record.workflow == SYSTEM:
            return SystemNote(**_common(record)), []
        case "main" if _PLAN.match(text):
            return _plan(record, text)
        case "main":
            return Reply(**_common(record)), []
        case _:
            return _agent(record, text)


def _plan(record: StepRecord, text: str) -> tuple[Step, Odd]:
    try:
        yaml = load_yaml(text, where="content")
        if not isinstance(yaml.value, dict):
            raise NotAPlan("not a mapping of workflows")
        plan = read_plan(yaml.value)
    except BadYaml as e:
        return _odd(record, OddityCode.UNPARSABLE_PLAN, f"a plan that does not parse: {e.why}")
    except NotAPlan as e:
        return _odd(record, OddityCode.UNPARSABLE_PLAN, f"begins like a plan, and is none: {e}")
    return PlanStep(**_common(record), plan=plan), duplicates(yaml)


def _agent(record: StepRecord, text: str) -> tuple[Step, Odd]:
    try:
        content = agent_content(text)
    except NotReadable as e:
        return _odd(record, e.code, e.why)
    if content.refusal is not None:
        return RefusalStep(**_common(record), type=content.refusal, info=content.info), content.odd
    return CallStep(**_common(record), calls=content.calls), content.odd


def _odd(record: StepRecord, code: OddityCode, why: str) -> tuple[Step, Odd]:
    return OddStep(**_common(record), why=why), [(code, why)]


class _Common(TypedDict):
    id: int
    workflow: str | None
    agent: str
    text: str


def _common(record: StepRecord) -> _Common:
    return {"id": record.id, "workflow": record.workflow, "agent": record.agent, "text": record.text or ""}
