"""One run of one scenario in the layout of the published program, from our scenario and answers."""

import json
from functools import lru_cache

from worktrial.language import JsonObject, JsonValue, Message
from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import load_yaml
from worktrial.suites.orchestration.planning.scenario import Scenario, ScenarioStep, SystemNote
from worktrial.suites.orchestration.planning.turns import Answers, StepAnswer

_MAIN = "main"
_USER = "user"
_NO_TOOL = "tool_name"
"""The tool's name where a call does not name one, in the published layout."""


def labels_of(scenario: Scenario) -> dict[str, Message]:
    """The gold messages of a scenario by step id, as the published program writes them into its runs.

    A step N of a domain agent that mentions a tool also has `N-1`, its calls, and `N-2`, their result. The
    published program reads calls more narrowly than `planning.loading` does: a bare list of calls, or a text that
    does not parse, is repeated at `N-1` without calls and so counts as a refusal. That is kept here.
    """
    labels: dict[str, Message] = {}
    for step in scenario.steps:
        labels[str(step.id)] = _message(step)
        if _is_agent(step) and "tool" in step.text:
            labels |= _tool_messages(step)
    return labels


def history_of(scenario: Scenario, answers: Answers) -> JsonObject:
    """One run in the published layout: `main_agent_history`, `sub_agent_history` and `label`."""
    return {**answers_in_layout(scenario, answers), "label": labels_of(scenario)}


def answers_in_layout(scenario: Scenario, answers: Answers) -> JsonObject:
    """The part of a run in the published layout that the team has said: all but `label`.

    Entries have `trouble` where the request failed for good. The published program leaves such steps out of its
    runs, and so out of its denominators; ours scores them as wrong.
    """
    main: list[JsonObject] = []
    domain: list[JsonObject] = []
    for step in scenario.steps:
        answer = answers.get(step.id)
        if answer is None:
            continue
        if _is_agent(step):
            domain.append({"step_id": str(step.id), "agent_id": step.agent} | _said(answer))
        else:
            main.append({"step_id": step.id} | _said(answer))
    return {"main_agent_history": main, "sub_agent_history": domain}


def _said(answer: StepAnswer) -> JsonObject:
    said: JsonObject = {"role": "assistant", "content": answer.text, "tool_calls": list(answer.tool_calls)}
    told = {"thinking": answer.thinking, "trouble": answer.trouble}
    return said | {name: text for name, text in told.items() if text}


def _is_agent(step: ScenarioStep) -> bool:
    return step.agent not in {_MAIN, _USER} and not isinstance(step, SystemNote) and not _opens_a_plan(step)


def _opens_a_plan(step: ScenarioStep) -> bool:
    return step.text.startswith("workflow_")


def _message(step: ScenarioStep) -> Message:
    if isinstance(step, SystemNote):
        return {"role": "system", "content": step.text}
    if _is_agent(step):
        return {"role": "assistant", "content": step.text, "agent_id": step.agent}
    role = "user" if step.agent == _USER and not _opens_a_plan(step) else "assistant"
    return {"role": role, "content": step.text}


def _tool_messages(step: ScenarioStep) -> dict[str, Message]:
    read = _read(step.text.strip())
    if read is None:
        return {f"{step.id}-1": {"role": "assistant", "agent_id": step.agent, "content": step.text}}
    calls, result = read
    call_id = f"call_{step.id}"
    return {
        f"{step.id}-1": {
            "role": "assistant",
            "agent_id": step.agent,
            "content": "",
            "tool_calls": [
                {"type": "function", "id": call_id, "function": {"name": name, "arguments": arguments}}
                for name, arguments in calls
            ],
        },
        f"{step.id}-2": {
            "role": "tool",
            "agent_id": step.agent,
            "tool_call_id": call_id,
            "content": result,
            "name": calls[0][0],
        },
    }


# A scenario's labels are made once for the team on trial and once for the floors.
@lru_cache(maxsize=256)
def _read(text: str) -> tuple[list[tuple[JsonValue, str]], JsonValue] | None:
    """The calls of a step, and their result; None where the published program finds no calls."""
    try:
        content = load_yaml(text, where="step").value
    except BadYaml:
        return None
    calls = _calls(content) if isinstance(content, dict) else None
    return None if calls is None else (calls, content.get("tool_call_result", ""))


def _calls(content: JsonObject) -> list[tuple[JsonValue, str]] | None:
    """(name, arguments as JSON) of each call, or None where the published program finds none."""
    several = content.get("tool_call") or []
    if not several:
        arguments = content.get("arguments") if "arguments" in content else content.get("parameters")
        return [(content.get("tool", _NO_TOOL), json.dumps(arguments or {}, ensure_ascii=False))]
    if not isinstance(several, list) or not all(isinstance(call, dict) for call in several):
        return None
    first = several[0].get("tool", _NO_TOOL)
    return [
        (call.get("tool", first), json.dumps(call.get("arguments", {}), ensure_ascii=False)) for call in several
    ]
