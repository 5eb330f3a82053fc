"""Rows with a domain agent's answer and the gold messages around it, in the published layout."""

from collections.abc import Mapping
from statistics import fmean

from worktrial.grading.bad_row import BadRow
from worktrial.language import JsonObject, JsonValue, Message
from worktrial.suites.orchestration.mode import Mode
from worktrial.suites.orchestration.planning.answers import StepAnswer
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.loading.content import NotReadable, agent_content
from worktrial.suites.orchestration.planning.scenario import CallStep, RefusalStep
from worktrial.suites.orchestration.toolcalls import published, sound
from worktrial.suites.orchestration.toolcalls.decision import Decision


def score_toolcalls(row: Mapping[str, JsonValue], team: Team, mode: Mode) -> JsonObject:
    """The score of one row, without judges.

    Args:
        row: `label` (gold messages by step id, the calls of step N at `N-1`) and `step` (the answer: `step_id`,
            `agent_id`, `content`, `tool_calls`).
        team: The domain agents, for the schemas of their tools.
        mode: Which score.

    Returns:
        `score` (of the calls, 0-1; null where there is none to score), `decision`, the parts of the score, the
        arguments that only a judge can compare (`open`), and `error` (null, or why there is no score).

    Raises:
        BadRow: a field is missing or of the wrong kind.
    """
    label, step = row.get("label"), row.get("step")
    if not isinstance(label, dict) or not isinstance(step, dict) or "step_id" not in step:
        raise BadRow("needs label (an object of gold messages) and step (an object with step_id)")
    score = _published if mode is Mode.PUBLISHED else _sound
    return score(step, label, team)


def _published(step: Message, label: Mapping[str, Message], team: Team) -> JsonObject:
    schemas = {tool.name: tool.parameters for card in team.values() for tool in card.tools}
    scored = published.score_step(step, label, schemas)
    value = scored.values.counts(None).f1 if scored.values is not None else None
    parts = [part for part in (scored.name, scored.key, value) if part is not None]
    return {
        "score": fmean(parts) if parts else None,
        "decision": scored.cell,
        "name": scored.name,
        "key": scored.key,
        "value": value,
        "open": [key.case.key for key in scored.values.open] if scored.values is not None else [],
        "error": scored.error or scored.undecidable,
    }


def _sound(step: Message, label: Mapping[str, Message], team: Team) -> JsonObject:
    number, gold = str(step["step_id"]), label.get(str(step["step_id"]))
    if gold is None:
        raise BadRow(f"label has no gold message of step {number}")
    content, calls = step.get("content"), step.get("tool_calls")
    answer = StepAnswer(
        0,
        content if isinstance(content, str) else "",
        tuple(call for call in calls if isinstance(call, dict)) if isinstance(calls, list) else (),
    )
    scored = sound.score_step(_gold_step(gold), answer, team)
    parts = scored.calls(None)
    is_call = scored.gold is Decision.CALL
    return {
        "score": fmean((parts.tool, parts.keys, parts.values)) if is_call else None,
        "decision": f"{scored.predicted} for {scored.gold}",
        "name": parts.tool if is_call else None,
        "key": parts.keys if is_call else None,
        "value": parts.values if is_call else None,
        "open": [case.key for case in scored.needs],
        "error": None,
    }


def _gold_step(message: Message) -> CallStep | RefusalStep:
    text, agent = str(message.get("content", "")), str(message.get("agent_id", ""))
    try:
        content = agent_content(text)
    except NotReadable as e:
        raise BadRow(f"the gold step is neither calls nor a refusal: {e.why}") from None
    if content.refusal is not None:
        return RefusalStep(id=0, workflow=None, agent=agent, text=text, type=content.refusal, info=content.info)
    return CallStep(id=0, workflow=None, agent=agent, text=text, calls=content.calls)
