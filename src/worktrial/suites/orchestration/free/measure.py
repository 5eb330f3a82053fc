"""What a free-running sample's record holds."""

from math import fsum

from worktrial.language import JsonObject
from worktrial.suites.orchestration.free.goals import GoalScore, Met
from worktrial.suites.orchestration.free.log import Log
from worktrial.suites.orchestration.planning.answers import Verdicts
from worktrial.suites.orchestration.planning.scenario import PlanStep
from worktrial.workplaces import Origin


def free_measures(score: GoalScore, met: Met, log: Log) -> JsonObject:
    """The entry `free` of `SampleResult.measures`.

    `plans` has the sound score of the first plan of every turn of the user that has one in the recording; `sums`
    adds up over scenarios and has the same keys for all.
    """
    plans = [
        {
            "step": step.id,
            "turn": met.turns[step.id],
            "score": (plan := score.plans[step.id]).score,
            "structure": plan.structure,
            "components": plan.components,
            "exact": plan.exact,
            "error": plan.error,
        }
        for step in score.scenario.steps
        if isinstance(step, PlanStep)
    ]
    stuck = log.stuck
    return {
        "goals": list(met.goals),
        "goal_rate": goal_rate(met),
        "completed": met.completed,
        "plans": plans,
        "first_failure": met.first_failure,
        "failures": met.failures,
        "user_turns": log.user_turns,
        "requests": log.requests,
        "stuck": stuck,
        "simulated_calls": log.answered_by(Origin.SIMULATOR, Origin.LEDGER),
        "gold_calls": met.calls,
        "calls_made": met.calls_made,
        "unread_plans": sum(turn.unread for turn in log.planner),
        "sums": goal_sums(score, met) | _work_sums(log),
    }


def goal_rate(met: Met) -> float | None:
    """The share of goals that were reached, 0-1; None for a recording without any."""
    return sum(goal["reached"] for goal in met.goals) / len(met.goals) if met.goals else None


def goal_sums(score: GoalScore, met: Met) -> dict[str, float]:
    """What adds up over scenarios of what was reached; for a turn-by-turn run as well, to take the difference."""
    plans = list(score.plans.values())
    return {
        "scenarios": 1,
        "completed": float(met.completed),
        "goals": len(met.goals),
        "goals_reached": sum(goal["reached"] for goal in met.goals),
        "plans": len(plans),
        "plan_sum": fsum(plan.score for plan in plans),
        "gold_calls": met.calls,
        "calls_matched": met.calls_made,
        "steps": sum(goal["steps"] for goal in met.goals),
        "steps_right": sum(goal["right"] for goal in met.goals),
        **{f"failed_{kind}": count for kind, count in met.failures.items()},
        "no_failure": float(met.first_failure is None),
    }


def goals_of_turns(score: GoalScore, verdicts: Verdicts | None) -> JsonObject:
    """`goals` and `sums` of a turn-by-turn run, counted as in a free-running one.

    Args:
        score: Of `work_in_answers`.
        verdicts: What judges say about `score.needs`; null without judges.
    """
    met = score.met(verdicts)
    return {"goals": list(met.goals), "goal_rate": goal_rate(met), "sums": goal_sums(score, met)}


def _work_sums(log: Log) -> dict[str, float]:
    return {
        "user_turns": log.user_turns,
        "requests": log.requests,
        "calls": len(log.calls),
        "recorded_calls": sum(made.gold is not None for made in log.calls),
        "simulated_calls": log.answered_by(Origin.SIMULATOR, Origin.LEDGER),
        "refused_calls": log.answered_by(Origin.REFUSAL),
        "stuck": len(log.stuck),
    }
