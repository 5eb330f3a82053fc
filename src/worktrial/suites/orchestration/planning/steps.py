"""Steps read from a file: which kind each is, and the calls or refusals in its text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypedDict

from worktrial.language import JsonObject, JsonValue
from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import YamlText, load_yaml
from worktrial.suites.orchestration.planning.findings import FindingKind
from worktrial.suites.orchestration.planning.plan_text import NotAPlan, read_plan
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    GoldCall,
    OddStep,
    PlanStep,
    RefusalStep,
    RefusalType,
    Reply,
    ScenarioStep,
    StepRecord,
    SystemNote,
    UserTurn,
)

SYSTEM = "system"
"""The `workflow_id` of what everyone is told at the start."""

# What the first line of a plan looks like: `workflow_2:`, `workflow_2-1:`, `interrupted_workflow_2-1:`.
_PLAN = re.compile(r"\s*(?:interrupted_)?workflow_?\d[\w-]*\s*:")
# A spreadsheet's way to write a control character (`_x0008_` for a backspace) that went astray.
_ESCAPE = re.compile(r"_x00[0-1][0-9A-Fa-f]_")

Odd = list[tuple[FindingKind, str]]


def typed_step(record: StepRecord) -> tuple[ScenarioStep, Odd]:
    """The step, and what is odd about it."""
    text = record.text
    if record.left_out:
        return OddStep(**_common(record), why=record.left_out, is_left_out=True), []
    if text is None:
        return _odd(record, "data.content is not text")
    step, odd = _typed(record, text)
    if escape := _ESCAPE.search(text):
        odd.append((FindingKind.ODD_STATUS, f"{escape[0]}, a control character that a spreadsheet wrote out"))
    return step, odd


def _typed(record: StepRecord, text: str) -> tuple[ScenarioStep, Odd]:
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


def _plan(record: StepRecord, text: str) -> tuple[ScenarioStep, Odd]:
    try:
        yaml = load_yaml(text, where="content")
        if not isinstance(yaml.value, dict):
            raise NotAPlan("not a mapping of workflows")
        plan = read_plan(yaml.value)
    except BadYaml as e:
        return _odd(record, f"a plan that does not parse: {e.why}")
    except NotAPlan as e:
        return _odd(record, f"begins like a plan, and is none: {e}")
    return PlanStep(**_common(record), plan=plan), duplicates(yaml)


def _agent(record: StepRecord, text: str) -> tuple[ScenarioStep, Odd]:
    try:
        content = agent_content(text)
    except NotReadable as e:
        return _odd(record, e.why)
    if content.refusal is not None:
        return RefusalStep(**_common(record), type=content.refusal, info=content.info), content.odd
    return CallStep(**_common(record), calls=content.calls), content.odd


def _odd(record: StepRecord, why: str) -> tuple[ScenarioStep, Odd]:
    return OddStep(**_common(record), why=why), [(FindingKind.UNSCORED_STEP, why)]


class _Common(TypedDict):
    id: int
    workflow: str | None
    agent: str
    text: str


def _common(record: StepRecord) -> _Common:
    return {"id": record.id, "workflow": record.workflow, "agent": record.agent, "text": record.text or ""}


RESULT = "tool_call_result"
_CALL_KEYS = ("tool", "tool_call", "name", "arguments", "parameters")
_STATUS_LINE = re.compile(r"\s*status\s*:(?P<status>[^\n]*)(?:\n(?P<rest>.*))?\Z", re.DOTALL)
_INFO_KEY = re.compile(r"\A\s*(?:required_info|violation_message)\s*:\s*")
_CALL_LINE = re.compile(r"\s*(?:-\s+)?(?:tool|tool_call|name|arguments|parameters|tool_call_result)\s*:")

# A refusal is a sentence; what is longer, or has paragraphs, is something else.
_LONGEST_BARE_REFUSAL = 300


class NotReadable(ValueError):
    """The content is neither calls nor a refusal."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a domain agent's step: calls, or a refusal."""

    calls: tuple[GoldCall, ...] = ()
    refusal: RefusalType | None = None
    info: str = ""
    odd: list[tuple[FindingKind, str]] = field(default_factory=list)
    """Findings about the way it is written."""


def agent_content(text: str) -> Content:
    """The content of a domain agent's step.

    Raises:
        NotReadable: it is neither calls nor a refusal.
    """
    try:
        yaml = load_yaml(text, where="content")
    except BadYaml as e:
        return _without_yaml(text, e.why)
    value = yaml.value
    odd = duplicates(yaml)
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        odd.append((FindingKind.ODD_CALL, "a bare list of calls, not under `tool_call`"))
        return Content(tuple(_call(item, item.get(RESULT), odd) for item in value), odd=odd)
    if isinstance(value, dict):
        if any(key in value for key in _CALL_KEYS):
            return Content(tuple(_calls(value, odd)), odd=odd)
        if "status" in value and RESULT not in value:
            return _refusal(str(value["status"]), value.get("required_info", value.get("violation_message")), odd)
        if RESULT in value:
            raise NotReadable("a tool's result, and no call that it belongs to")
    return _bare(text)


def duplicates(yaml: YamlText) -> list[tuple[FindingKind, str]]:
    """Keys that a content has more than once."""
    paths = yaml.duplicates
    return [(FindingKind.DUPLICATE_KEY, f"{', '.join(paths)}: there twice; the last one counts")] if paths else []


def _calls(value: JsonObject, odd: list[tuple[FindingKind, str]]) -> Iterator[GoldCall]:
    if "status" in value:
        odd.append((FindingKind.ODD_CALL, "a call and a `status` at once; it counts as a call"))
    if "tool_call" not in value:
        yield _call(value, value.get(RESULT), odd)
        return
    listed = value["tool_call"]
    calls = [listed] if isinstance(listed, dict) else listed
    if not isinstance(calls, list) or not calls or not all(isinstance(call, dict) for call in calls):
        raise NotReadable("`tool_call` holds no call")
    for call, result in zip(calls, _results(value.get(RESULT), len(calls)), strict=True):
        yield _call(call, call.get(RESULT, result), odd)


def _results(result: JsonValue, calls: int) -> list[JsonValue]:
    """One result for each of `calls`; the last gets all that cannot be told apart."""
    if isinstance(result, list) and len(result) == calls:
        return result
    return [None] * (calls - 1) + [result]


def _call(value: JsonObject, result: JsonValue, odd: list[tuple[FindingKind, str]]) -> GoldCall:
    usual = {"tool": "name", "arguments": "parameters"}
    others = [f"`{other}` for `{key}`" for key, other in usual.items() if key not in value and other in value]
    if others:
        odd.append((FindingKind.ODD_CALL, " and ".join(others)))
    tool = value.get("tool", value.get("name"))
    if not isinstance(tool, str) or not tool:
        raise NotReadable("a call that does not name its tool")
    arguments = value.get("arguments", value.get("parameters"))
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise NotReadable(f"the arguments of {tool} are not a mapping")
    return GoldCall(tool, arguments, result)


def _refusal(status: str, info: JsonValue, odd: list[tuple[FindingKind, str]]) -> Content:
    found = _type_in(status)
    if found is None:
        raise NotReadable(f"`status` is {status.strip()!r}, which is no refusal")
    if status.strip() != found:
        odd.append((FindingKind.ODD_REFUSAL, f"`status` is {status.strip()!r}; it is read as {found.value}"))
    return Content(refusal=found, info="" if info is None else str(info), odd=odd)


def _without_yaml(text: str, why: str) -> Content:
    match = _STATUS_LINE.match(text)
    if match and _type_in(match["status"]):
        odd = [(FindingKind.ODD_REFUSAL, f"{why}; it is read line by line")]
        return _refusal(match["status"], _INFO_KEY.sub("", match["rest"] or "").strip(), odd)
    if _CALL_LINE.match(text):
        raise NotReadable(f"a call that does not parse: {why}")
    return _bare(text)


def _bare(text: str) -> Content:
    """A sentence with no tag that says why there is no call."""
    sentence = text.strip()
    if not sentence or "\n" in sentence or len(sentence) > _LONGEST_BARE_REFUSAL:
        what = f"{len(sentence.splitlines())} lines of text" if sentence else "nothing"
        raise NotReadable(f"{what}, neither a call nor a refusal")
    kind = _type_in(sentence) or RefusalType.AWAITING_USER_INPUT
    why = f"a sentence in place of a call, with no status; it is read as {kind.value}"
    return Content(refusal=kind, info=sentence, odd=[(FindingKind.ODD_REFUSAL, why)])


def _type_in(text: str) -> RefusalType | None:
    return next((kind for kind in RefusalType if kind in text), None)
