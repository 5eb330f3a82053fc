"""One scenario in our scoring: what a judge has to look at, the record's rows, and the sums."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum

from worktrial.language import JsonObject
from worktrial.suites.orchestration.options import SEARCH_NODES
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.duties import duties
from worktrial.suites.orchestration.planning.plan_text import our_plan
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    PlanStep,
    RefusalStep,
    Scenario,
    WorkflowPlan,
)
from worktrial.suites.orchestration.planning.turns import Answers, StepAnswer, ValueCase, Verdicts
from worktrial.suites.orchestration.scoring.calls.calls import CLASSES, StepDecision
from worktrial.suites.orchestration.scoring.calls.ours import OurStepScore, score_step
from worktrial.suites.orchestration.scoring.distance.edits import edits_of
from worktrial.suites.orchestration.scoring.distance.ours import PlanScore, remembered_score
from worktrial.suites.orchestration.scoring.figures import DECISIONS, decision_score, our_figures, our_macro

__all__ = ["OurScenario", "our_figures", "our_macro", "our_scenario"]


@dataclass(frozen=True, slots=True)
class _Plan:
    """A plan step beside its answer."""

    step: int
    score: PlanScore
    troubled: bool
    gold: WorkflowPlan
    written: WorkflowPlan | None
    """The answer as a plan; None where it is none."""

    def row(self) -> JsonObject:
        drawn = edits_of(self.gold, self.written, self.score)
        return {"step": self.step, "kind": "plan", "right": self.score.right, **self.score.row(), **drawn}


@dataclass(frozen=True, slots=True)
class _Agent:
    """A call or refusal step beside its answer."""

    step: int
    agent: str
    score: OurStepScore

    def row(self, verdicts: Verdicts | None) -> JsonObject:
        kind = "call" if self.score.gold is StepDecision.CALL else "refusal"
        return {"step": self.step, "kind": kind, "agent": self.agent, **self.score.row(verdicts)}


@dataclass(frozen=True, slots=True)
class OurScenario:
    """The answers to one scenario's steps beside the gold ones, scored as far as no judge is needed."""

    steps: tuple[_Plan | _Agent, ...]
    unasked: tuple[int, ...]
    """Gold steps that nobody was asked about, such as those of an agent without a card; in no mean."""

    @property
    def needs(self) -> tuple[ValueCase, ...]:
        """Cases for a judge, each once, in the order of the steps."""
        return tuple(dict.fromkeys(case for step in self._agents for case in step.score.needs))

    def rows(self, verdicts: Verdicts | None) -> JsonObject:
        """Every step with its scores and, for calls, every argument with its outcome and the reason.

        Args:
            verdicts: What the judges say about each of `needs`; null without judges, when none of them is right.

        Raises:
            KeyError: a verdict is missing.
        """
        rows = [step.row() if isinstance(step, _Plan) else step.row(verdicts) for step in self.steps]
        return {"steps": rows, "unasked": list(self.unasked)}

    def sums(self, verdicts: Verdicts | None) -> dict[str, float]:
        """Sums to add over scenarios, under the same keys for every scenario.

        Raises:
            KeyError: a verdict is missing.
        """
        plans = [step for step in self.steps if isinstance(step, _Plan)]
        agents = list(self._agents)
        troubled = sum(p.troubled for p in plans) + sum(a.score.predicted is StepDecision.NO_ANSWER for a in agents)
        return {
            "requests": len(self.steps),
            "troubled": troubled,
            "unasked": len(self.unasked),
            **_plan_sums([plan.score for plan in plans]),
            **_decision_sums([agent.score for agent in agents]),
            **_call_sums([agent.score for agent in agents], verdicts),
        }

    @property
    def _agents(self) -> Iterator[_Agent]:
        return (step for step in self.steps if isinstance(step, _Agent))


def our_scenario(scenario: Scenario, answers: Answers, team: Team, *, nodes: int = SEARCH_NODES) -> OurScenario:
    """Score the answers to one scenario.

    Args:
        scenario: The gold steps.
        answers: The answers; a request that failed for good has one too, with its trouble, and weighs one with
            score 0. A step without an entry was not asked and weighs nothing, but is counted.
        team: The domain agents, for their tools' schemas.
        nodes: How many nodes the search for an edit distance may expand.
    """
    known = duties(scenario)
    scored: list[_Plan | _Agent] = []
    unasked: list[int] = []
    for step in scenario.steps:
        if not isinstance(step, PlanStep | CallStep | RefusalStep):
            continue
        answer = answers.get(step.id)
        if answer is None:
            unasked.append(step.id)
        elif isinstance(step, PlanStep):
            written = our_plan(answer.text) if answer.trouble is None else None
            plan_score = _plan_score(step, answer, written, nodes)
            scored.append(_Plan(step.id, plan_score, answer.trouble is not None, step.plan, written))
        else:
            context = known[step.id].query if step.id in known else ""
            scored.append(_Agent(step.id, step.agent, score_step(step, answer, team, context)))
    return OurScenario(tuple(scored), tuple(unasked))


def _plan_score(gold: PlanStep, answer: StepAnswer, written: WorkflowPlan | None, nodes: int) -> PlanScore:
    if answer.trouble is not None:
        return PlanScore(0.0, 0.0, 0.0, error="no_answer")
    if written is None:
        return PlanScore(0.0, 0.0, 0.0, error="unparsed_prediction")
    return remembered_score(gold.plan, written, nodes=nodes)


def _plan_sums(scores: list[PlanScore]) -> dict[str, float]:
    total = fsum(score.score for score in scores)
    return {
        "plan": total,
        "plan_steps": len(scores),
        "plan_macro": total / len(scores) if scores else 0.0,
        "plan_scenarios": float(bool(scores)),
        "plan_unparsed": sum(score.error == "unparsed_prediction" for score in scores),
        "plan_bound_hit": sum(not score.exact for score in scores),
    }


def _decision_sums(scores: list[OurStepScore]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name, decision in zip(DECISIONS, CLASSES, strict=True):
        sums[f"{name}_gold"] = sum(score.gold is decision for score in scores)
        sums[f"{name}_predicted"] = sum(score.predicted is decision for score in scores)
        sums[f"{name}_right"] = sum(score.gold is decision is score.predicted for score in scores)
    sums["no_decision"] = sum(score.predicted is StepDecision.NO_DECISION for score in scores)
    sums["decision_macro"] = decision_score(sums) if scores else 0.0
    sums["decision_scenarios"] = float(bool(scores))
    return sums


def _call_sums(scores: list[OurStepScore], verdicts: Verdicts | None) -> dict[str, float]:
    calls = [score.calls(verdicts) for score in scores if score.gold is StepDecision.CALL]
    return {
        "tool": fsum(call.tool for call in calls),
        "keys": fsum(call.keys for call in calls),
        "values": fsum(call.values for call in calls),
        "call_steps": len(calls),
        "calls_macro": fsum(call.mean for call in calls) / len(calls) if calls else 0.0,
        "calls_scenarios": float(bool(calls)),
        "open_values": sum(len(score.needs) for score in scores),
    }
