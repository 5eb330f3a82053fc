"""Rows with a gold and a predicted plan, parsed or as text."""

from collections.abc import Mapping

from worktrial.grading.bad_row import BadRow
from worktrial.language import JsonValue
from worktrial.suites.orchestration.mode import Mode
from worktrial.suites.orchestration.planning.plan_text import NotAPlan, read_plan, sound_plan
from worktrial.suites.orchestration.planning.workflows import WorkflowPlan
from worktrial.suites.orchestration.workflow_distance.published import published_score, published_text_score
from worktrial.suites.orchestration.workflow_distance.score import PlanScore
from worktrial.suites.orchestration.workflow_distance.sound import sound_score


def score_workflow(row: Mapping[str, JsonValue], mode: Mode, *, seconds: float) -> PlanScore:
    """The score of one row.

    Args:
        row: `gold_workflow` and `predicted_workflow` (mappings), or `gold_text` and `predicted_text`
            (to be parsed).
        mode: Which score.
        seconds: Bound on the search for the edit distances.

    Raises:
        BadRow: the row has neither pair of fields, or a text is none.
    """
    if "gold_workflow" in row and "predicted_workflow" in row:
        gold, predicted = row["gold_workflow"], row["predicted_workflow"]
        if mode is Mode.PUBLISHED:
            return published_score(gold, predicted, seconds=seconds)
        return _sound(_typed(gold), _typed(predicted), seconds)
    if "gold_text" in row and "predicted_text" in row:
        texts = row["gold_text"], row["predicted_text"]
        if not all(isinstance(text, str) for text in texts):
            raise BadRow("gold_text and predicted_text must be strings")
        if mode is Mode.PUBLISHED:
            return published_text_score(*texts, seconds=seconds)
        return _sound(sound_plan(texts[0]), sound_plan(texts[1]), seconds)
    raise BadRow("needs gold_workflow and predicted_workflow, or gold_text and predicted_text")


def _sound(gold: WorkflowPlan | None, predicted: WorkflowPlan | None, seconds: float) -> PlanScore:
    if gold is None or predicted is None:
        return _unparsed(gold_read=gold is not None)
    return sound_score(gold, predicted, seconds=seconds)


def _typed(raw: JsonValue) -> WorkflowPlan | None:
    try:
        return read_plan(raw)
    except NotAPlan:
        return None


def _unparsed(*, gold_read: bool) -> PlanScore:
    return PlanScore(0.0, 0.0, 0.0, error="unparsed_prediction" if gold_read else "unparsed_gold")
