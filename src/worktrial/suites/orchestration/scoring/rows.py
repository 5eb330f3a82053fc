"""Rows of files scored one by one: plans, and answers of domain agents."""

from collections.abc import Mapping
from statistics import fmean

from worktrial.errors import BadRow
from worktrial.language import Completion, JsonObject, JsonValue, Message, visible
from worktrial.suites.orchestration.options import Scoring
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.plan_text import NotAPlan, our_plan, read_plan
from worktrial.suites.orchestration.planning.scenario import CallStep, RefusalStep, WorkflowPlan
from worktrial.suites.orchestration.planning.steps import NotReadable, agent_content
from worktrial.suites.orchestration.planning.turns import StepAnswer
from worktrial.suites.orchestration.scoring.calls import ours, published
from worktrial.suites.orchestration.scoring.calls.calls import StepDecision
from worktrial.suites.orchestration.scoring.distance.ours import PlanScore, our_score
from worktrial.suites.orchestration.scoring.distance.published import published_score, published_text_score


def score_workflow(row: Mapping[str, JsonValue], scoring: Scoring, *, nodes: int) -> PlanScore:
    """The score of one row.

    Args:
        row: `gold_workflow` and `predicted_workflow` (mappings), or `gold_text` and `predicted_text`
            (to be parsed).
        scoring: Which score.
        nodes: How many nodes the search for an edit distance may expand.

    Raises:
        BadRow: the row has neither pair of fields, or a text is none.
    """
    if "gold_workflow" in row and "predicted_workflow" in row:
        gold, predicted = row["gold_workflow"], row["predicted_workflow"]
        if scoring is Scoring.PUBLISHED:
            return published_score(gold, predicted, nodes=nodes)
        return _our_plan_score(_read(gold), _read(predicted), nodes)
    if "gold_text" in row and "predicted_text" in row:
        texts = row["gold_text"], row["predicted_text"]
        if not all(isinstance(text, str) for text in texts):
            raise BadRow("gold_text and predicted_text must be strings")
        if scoring is Scoring.PUBLISHED:
            return published_text_score(*texts, nodes=nodes)
        return _our_plan_score(our_plan(visible(texts[0])), our_plan(visible(texts[1])), nodes)
    raise BadRow("needs gold_workflow and predicted_workflow, or gold_text and predicted_text")


def _our_plan_score(gold: WorkflowPlan | None, predicted: WorkflowPlan | None, nodes: int) -> PlanScore:
    if gold is None or predicted is None:
        return _unparsed(gold_read=gold is not None)
    return our_score(gold, predicted, nodes=nodes)


def _read(raw: JsonValue) -> WorkflowPlan | None:
    try:
        return read_plan(raw)
    except NotAPlan:
        return None


def _unparsed(*, gold_read: bool) -> PlanScore:
    return PlanScore(0.0, 0.0, 0.0, error="unparsed_prediction" if gold_read else "unparsed_gold")


def score_toolcalls(row: Mapping[str, JsonValue], team: Team, scoring: Scoring) -> JsonObject:
    """The score of one row, without judges.

    Args:
        row: `label` (gold messages by step id, the calls of step N at `N-1`) and `step` (the answer: `step_id`,
            `agent_id`, `content`, `tool_calls`).
        team: The domain agents, for the schemas of their tools.
        scoring: Which score.

    Returns:
        `score` (of the calls, 0-1; null where there is none to score), `decision`, the parts of the score, the
        arguments that only a judge can compare (`open`), and `error` (null, or why there is no score).

    Raises:
        BadRow: a field is missing or of the wrong kind.
    """
    label, step = row.get("label"), row.get("step")
    if not isinstance(label, dict) or not isinstance(step, dict) or "step_id" not in step:
        raise BadRow("needs label (an object of gold messages) and step (an object with step_id)")
    score = _published_call_score if scoring is Scoring.PUBLISHED else _our_call_score
    return score(step, label, team)


def _published_call_score(step: Message, label: Mapping[str, Message], team: Team) -> JsonObject:
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


def _our_call_score(step: Message, label: Mapping[str, Message], team: Team) -> JsonObject:
    number, gold = str(step["step_id"]), label.get(str(step["step_id"]))
    if gold is None:
        raise BadRow(f"label has no gold message of step {number}")
    scored = ours.score_step(_gold_step(gold), StepAnswer.of(0, Completion(step)), team)
    parts = scored.calls(None)
    is_call = scored.gold is StepDecision.CALL
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
