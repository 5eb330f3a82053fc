"""Both scores of the answers to one scenario, as far as no judge is needed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import fsum

from worktrial.language import JsonObject
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.scenario import Scenario
from worktrial.suites.orchestration.planning.turns import Answers, ValueCase, Verdicts
from worktrial.suites.orchestration.scoring.goals import GoalScore, Met, goal_score
from worktrial.suites.orchestration.scoring.layout import answers_in_layout, history_of, labels_of
from worktrial.suites.orchestration.scoring.ours import OurScenario, our_scenario
from worktrial.suites.orchestration.scoring.published import PublishedScenario, published_scenario
from worktrial.suites.orchestration.scoring.work import work_in_answers


@dataclass(frozen=True, slots=True)
class Scored:
    """The answers to one scenario scored both ways."""

    published: PublishedScenario
    ours: OurScenario
    goals: GoalScore
    """Counted as in a free-running trial, for the gap between the two."""

    @property
    def needs(self) -> list[ValueCase]:
        """Cases for a judge; each pair of values once.

        The two describe differently what the agent was asked. Where they agree on all else, the question of our
        scoring stands for all, so that no value is right in one and wrong in the other.
        """
        every = (*self.ours.needs, *self.published.needs, *self.goals.needs)
        # The first of several with the same values stays.
        return list({_values(case): case for case in reversed(every)}.values())[::-1]

    def measures(self, verdicts: Verdicts | None) -> JsonObject:
        """Sums (what adds up over scenarios) and rows (the details) by way of scoring.

        `goals`, `first_failure` and the sums `as_free` are counted as in a free-running trial.

        Args:
            verdicts: On all of `needs`; None without judges.
        """
        known = verdicts
        if verdicts is not None:
            by_values = {_values(case): verdict for case, verdict in verdicts.items()}
            every = (*self.ours.needs, *self.published.needs, *self.goals.needs)
            known = {case: by_values[_values(case)] for case in every}
        met = self.goals.met(known)
        return {
            "published": {"sums": self.published.sums(known), "rows": self.published.rows(known)},
            "ours": {"sums": self.ours.sums(known), "rows": self.ours.rows(known)},
            "as_free": {"goal_rate": goal_rate(met), "sums": goal_sums(self.goals, met)},
            "goals": list(met.goals),
            "first_failure": met.first_failure,
        }


def _values(case: ValueCase) -> ValueCase:
    """The case without its context."""
    return replace(case, context="")


def score(scenario: Scenario, team: Team, answers: Answers, nodes: int) -> Scored:
    """Score `answers` in both modes. Blocks for as long as the edit distances take; call it in a thread."""
    history = history_of(scenario, answers)
    return Scored(
        published_scenario(history, team, nodes=nodes),
        our_scenario(scenario, answers, team, nodes=nodes),
        goal_score(scenario, team, work_in_answers(scenario, answers), nodes=nodes),
    )


def floor_sums(scenario: Scenario, team: Team, floors: Mapping[str, Answers], nodes: int) -> JsonObject:
    """The sums of the floors on `scenario`, by floor and way of scoring: what a team gets that understands nothing.

    Blocks like `score`. No judge looks at what is open, as nobody pays for a floor.

    Args:
        scenario: The scenario.
        team: The domain agents.
        floors: Answers of each floor.
        nodes: See `score`.
    """
    label = labels_of(scenario)
    sums: JsonObject = {}
    for name, answers in floors.items():
        history = {**answers_in_layout(scenario, answers), "label": label}
        published = published_scenario(history, team, nodes=nodes)
        ours = our_scenario(scenario, answers, team, nodes=nodes)
        sums[name.replace("-", "_")] = {"published": published.sums(None), "ours": ours.sums(None)}
    return sums


def goal_rate(met: Met) -> float | None:
    """The share of goals that were reached, 0-1; None for a recording without any."""
    return sum(goal["reached"] for goal in met.goals) / len(met.goals) if met.goals else None


def goal_sums(score: GoalScore, met: Met) -> dict[str, float]:
    """Sums to add over scenarios of what was reached; for a turn-by-turn run as well, to take the difference."""
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
