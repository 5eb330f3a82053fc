"""The plans of one run as the published program scores them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worktrial.language import JsonObject, JsonValue, Message
from worktrial.suites.orchestration.planning.plan_text import published_plan, published_reading
from worktrial.suites.orchestration.workflow_distance.published import published_score
from worktrial.suites.orchestration.workflow_distance.score import PlanScore

_NO_PREDICTION = PlanScore(0.0, 0.0, 0.0, error="unparsed_prediction")


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One gold plan, with the score of what was planned at its step."""

    step: int
    score: PlanScore


@dataclass(frozen=True, slots=True)
class RunPlans:
    """All plans of one run. A gold plan that does not parse is none."""

    rows: tuple[PlanRow, ...] = ()
    failures: int = 0
    """Answers that are no plan, plus gold plans without a parsed answer: a failed plan weighs three, one that
    was never answered two."""
    error: str | None = None
    """The class of the exception on which the published program gives up on all plans of the run."""
    troubled: int = 0
    """Requests that failed for good; they are not answered."""


def score_plans(
    answers: Sequence[Message], label: Mapping[str, Message], *, seconds: float | None = 10.0
) -> RunPlans:
    """Score the answers of the main model against the gold plans among `label`.

    Args:
        answers: `main_agent_history`.
        label: gold messages by step.
        seconds: the time bound of each edit distance.
    """
    troubled = failures = 0
    errors: list[str] = []
    predicted: dict[JsonValue, JsonObject] = {}
    for answer in answers:
        if answer.get("trouble"):
            troubled += 1
            continue
        content = answer.get("content")
        reading = published_reading(content) if isinstance(content, str) else None
        if reading and reading.error:
            errors.append(reading.error)
        elif reading and reading.plan is not None:
            predicted[answer["step_id"]] = reading.plan
        else:
            failures += 1
    rows = []
    for step, gold in sorted(_gold_plans(label).items()):
        if step in predicted:
            score = published_score(gold, predicted[step], seconds=seconds)
            rows.append(PlanRow(step, score))
            errors += [score.error] if score.error else []
        else:
            failures += 1
            rows.append(PlanRow(step, _NO_PREDICTION))
    return RunPlans(tuple(rows), failures, errors[0] if errors else None, troubled)


def _gold_plans(label: Mapping[str, Message]) -> dict[int, JsonObject]:
    plans = {}
    for key, message in label.items():
        content = message.get("content", "")
        if key.isdecimal() and isinstance(content, str) and "workflow_" in content:
            plan = published_plan(content)
            if plan is not None:
                plans[int(key)] = plan
    return plans
