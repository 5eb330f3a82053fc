"""One scenario, or one file with several runs of it, as the published program scores it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from worktrial.grading.characters import encodable
from worktrial.language import JsonObject
from worktrial.suites.orchestration.planning.answers import ValueCase, Verdicts
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.scores.published.plans import RunPlans, score_plans
from worktrial.suites.orchestration.scores.published.tools import RunTools, score_tools
from worktrial.suites.orchestration.toolcalls.published import Cell, StepScore


@dataclass(frozen=True, slots=True)
class PublishedScenario:
    """One run of one scenario, scored up to what a judge has to look at."""

    plans: RunPlans
    tools: RunTools

    @property
    def needs(self) -> tuple[ValueCase, ...]:
        """What a judge has to look at, each case once."""
        found = [key.case for step in self.tools.steps if step.values for key in step.values.open]
        return tuple(dict.fromkeys(found))

    def sums(self, verdicts: Verdicts | None) -> dict[str, float]:
        """What to add over scenarios; see `file_sums`."""
        return file_sums([self], verdicts)

    def rows(self, verdicts: Verdicts | None) -> JsonObject:
        """The details of every step, as JSON."""
        return {
            "plans": [{"step": row.step, **asdict(row.score)} for row in self.plans.rows],
            "plan_failures": self.plans.failures,
            "plan_error": self.plans.error,
            "steps": [self._row(step, verdicts) for step in self.tools.steps],
            "step_error": self.tools.error,
        }

    def _row(self, step: StepScore, verdicts: Verdicts | None) -> JsonObject:
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


def published_scenario(history: JsonObject, team: Team, *, seconds: float | None = 10.0) -> PublishedScenario:
    """Score one run in the published layout (`main_agent_history`, `sub_agent_history`, `label`).

    Blocks for as long as the edit distances take, so call it in a thread.

    Args:
        history: the run, as `history_of` or `stored_runs` give it.
        team: the domain agents of its language.
        seconds: the time bound of each edit distance.
    """
    label = history["label"]
    return PublishedScenario(
        score_plans(history["main_agent_history"], label, seconds=seconds),
        score_tools(history["sub_agent_history"], label, team),
    )


def file_sums(runs: Sequence[PublishedScenario], verdicts: Verdicts | None) -> dict[str, float]:
    """What one file of the published layout contributes to the figures, with all runs in it.

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
    cells = {cell.value: sum(tools.count(cell) for tools in counted) for cell in Cell}
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
