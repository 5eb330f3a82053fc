"""Scores of one scenario as the published program computes them, its defects included."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.language import JsonObject, JsonValue, Message
from worktrial.language.untrusted import encodable
from worktrial.suites.orchestration.options import SEARCH_NODES
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.published_plan_text import published_plan, published_reading
from worktrial.suites.orchestration.planning.turns import ValueCase, Verdicts
from worktrial.suites.orchestration.scoring.calls.published import ConfusionCell, PublishedStepScore, score_step
from worktrial.suites.orchestration.scoring.distance.ours import PlanScore
from worktrial.suites.orchestration.scoring.distance.published import published_score

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
    answers: Sequence[Message], label: Mapping[str, Message], *, nodes: int | None = SEARCH_NODES
) -> RunPlans:
    """Score the answers of the main model against the gold plans among `label`.

    Args:
        answers: `main_agent_history`.
        label: gold messages by step.
        nodes: how many nodes the search for each edit distance may expand; None for any number.
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
            score = published_score(gold, predicted[step], nodes=nodes)
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


class Means(NamedTuple):
    """Name, key and value score of one run, 0-1."""

    name: float = 0.0
    key: float = 0.0
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class RunTools:
    """All steps of domain agents in one run."""

    steps: tuple[PublishedStepScore, ...] = ()
    gold_calls: int = 0
    gold_refusals: int = 0
    """Number of all gold steps, asked or not."""
    troubled: int = 0

    @property
    def error(self) -> str | None:
        """The first exception on which the published program gives up on all calls of the file."""
        return next((step.error for step in self.steps if step.error), None)

    def count(self, cell: ConfusionCell) -> int:
        """Number of steps in a cell."""
        return sum(step.cell is cell for step in self.steps)

    def value(self, step: PublishedStepScore, verdicts: Verdicts | None) -> float | None:
        """The value score of one step, or None where it is no call.

        Where the published program cannot compare the values of one step, it takes the key score for the value
        score in all steps of the run.
        """
        if step.values is None or any(s.undecidable for s in self.steps):
            return step.key
        return step.values.counts(verdicts).f1

    def means(self, verdicts: Verdicts | None) -> Means:
        """Means over the steps that are calls, names and keys to four digits; values of 0 are left out."""
        called = [step for step in self.steps if step.key is not None]
        if not called:
            return Means()
        values = [value for step in called if (value := self.value(step, verdicts))]
        return Means(
            round(sum(step.name or 0.0 for step in called) / len(called), 4),
            round(sum(step.key or 0.0 for step in called) / len(called), 4),
            sum(values) / len(values) if values else 0.0,
        )

    def perfect(self, verdicts: Verdicts | None) -> int:
        """Steps with every key and every value right."""
        return sum(step.key == 1.0 and self.value(step, verdicts) == 1.0 for step in self.steps)


def score_tools(answers: list[Message], label: Mapping[str, Message], team: Team) -> RunTools:
    """Score the answers of the domain agents.

    Args:
        answers: `sub_agent_history`.
        label: gold messages by step.
        team: whose tools say what types arguments have; tools of all agents are one pool.
    """
    schemas: dict[str, JsonObject] = {tool.name: tool.parameters for card in team.values() for tool in card.tools}
    agent_steps = [key for key, message in label.items() if "-" not in key and "agent_id" in message]
    calls = sum(f"{key}-1" in label for key in agent_steps)
    return RunTools(
        tuple(score_step(answer, label, schemas) for answer in answers),
        calls,
        len(agent_steps) - calls,
        sum(bool(answer.get("trouble")) for answer in answers),
    )


@dataclass(frozen=True, slots=True)
class PublishedScenario:
    """One run of one scenario, scored up to what a judge has to look at."""

    plans: RunPlans
    tools: RunTools

    @property
    def needs(self) -> tuple[ValueCase, ...]:
        """Cases for a judge, each once."""
        found = [key.case for step in self.tools.steps if step.values for key in step.values.open]
        return tuple(dict.fromkeys(found))

    def sums(self, verdicts: Verdicts | None) -> dict[str, float]:
        """Sums to add over scenarios; see `file_sums`."""
        return file_sums([self], verdicts)

    def rows(self, verdicts: Verdicts | None) -> JsonObject:
        """The details of every step, as JSON."""
        return {
            "plans": [{"step": row.step, **row.score.row()} for row in self.plans.rows],
            "plan_failures": self.plans.failures,
            "plan_error": self.plans.error,
            "steps": [self._row(step, verdicts) for step in self.tools.steps],
            "step_error": self.tools.error,
        }

    def _row(self, step: PublishedStepScore, verdicts: Verdicts | None) -> JsonObject:
        row: JsonObject = {"step": step.step, "cell": step.cell, "name": step.name, "key": step.key}
        row["value"] = self.tools.value(step, verdicts)
        if step.type_mismatch:
            row["type_mismatch"] = True
        if step.error:
            row["error"] = step.error
        if detail := step.detail or step.undecidable:
            row["detail"] = detail
        if step.values:
            row["arguments"] = [
                {
                    "key": encodable(r.key),
                    "tp": r.counts.tp,
                    "fp": r.counts.fp,
                    "fn": r.counts.fn,
                    "reason": r.reason,
                }
                for r in step.values.settled
            ] + [
                {
                    "key": encodable(o.case.key),
                    "gold": list(o.case.gold),
                    "predicted": list(o.case.predicted),
                    "confirmed": o.confirmed,
                    "judges": None if verdicts is None else verdicts.get(o.case),
                }
                for o in step.values.open
            ]
        return row


def published_scenario(history: JsonObject, team: Team, *, nodes: int | None = SEARCH_NODES) -> PublishedScenario:
    """Score one run in the published layout (`main_agent_history`, `sub_agent_history`, `label`).

    Blocks for as long as the edit distances take, so call it in a thread.

    Args:
        history: the run, as `history_of` or `stored_runs` give it.
        team: the domain agents of its language.
        nodes: how many nodes the search for each edit distance may expand; None for any number.
    """
    label = history["label"]
    return PublishedScenario(
        score_plans(history["main_agent_history"], label, nodes=nodes),
        score_tools(history["sub_agent_history"], label, team),
    )


def file_sums(runs: Sequence[PublishedScenario], verdicts: Verdicts | None) -> dict[str, float]:
    """Sums that one file of the published layout contributes to the figures, with all runs in it.

    Plans are pooled over the runs, name, key and value scores are means of the runs' and have four digits. An
    exception takes all plans of its run, or all calls of the file, out of the sums and leaves a score of 0.

    Args:
        runs: the runs of one scenario (at least one).
        verdicts: of the judges; None to score without.

    Returns:
        Sums under fixed keys, to be added over files.
    """
    kept = [run.plans for run in runs if run.plans.error is None]
    rows = [row.score for plans in kept for row in plans.rows]
    failures = sum(plans.failures for plans in kept)
    points = sum(score.score for score in rows)
    counted = [run.tools for run in runs] if all(run.tools.error is None for run in runs) else []
    means = [tools.means(verdicts) for tools in counted]
    name, key, value = (round(sum(m) / len(runs), 4) for m in zip(*means, strict=True)) if means else (0.0,) * 3
    cells = {cell.value: sum(tools.count(cell) for tools in counted) for cell in ConfusionCell}
    return {
        "files": 1,
        "plan": _mean(points, len(rows) + failures),
        "plan_without_failure": _mean(points, len(rows)),
        "structure": _mean(sum(score.structure for score in rows), len(rows)),
        "components": _mean(sum(score.components for score in rows), len(rows)),
        "plan_steps": len(rows),
        "plan_failures": failures,
        "plan_errors": len(runs) - len(kept),
        "inexact_plans": sum(not score.exact for score in rows),
        "name": name,
        "key": key,
        "value": value,
        **cells,
        "type_mismatches": sum(step.type_mismatch for tools in counted for step in tools.steps),
        "perfect": sum(tools.perfect(verdicts) for tools in counted),
        "gold_calls": sum(tools.gold_calls for tools in counted),
        "gold_refusals": sum(tools.gold_refusals for tools in counted),
        "call_errors": 0 if counted else 1,
        "troubled": sum(run.plans.troubled + run.tools.troubled for run in runs),
    }


def _mean(total: float, count: int) -> float:
    return total / count if count else 0.0
