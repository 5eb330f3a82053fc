"""Our score of one call or refusal step: decision, tools, arguments and values."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from worktrial.language import JsonObject
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.scenario import CallStep, GoldCall, RefusalStep
from worktrial.suites.orchestration.planning.turns import StepAnswer, ValueCase, Verdicts
from worktrial.suites.orchestration.scoring.calls.calls import Call, StepDecision, decision_of, read_calls
from worktrial.suites.orchestration.scoring.calls.matching import Pair, match
from worktrial.suites.orchestration.scoring.calls.schema import ArgumentSchema, argument_schema

JUDGED_RIGHT = 0.5
"""A value counts as right in a yes-or-no question when more than this share of the judges say so."""


@dataclass(frozen=True, slots=True)
class CallScores:
    """Likeness of a step's calls to the gold ones; each 0-1, 1 is as in the gold step."""

    tool: float
    """F1 of the calls by their tool."""
    keys: float
    """F1 of the calls, each match weighing the F1 of its arguments' names."""
    values: float
    """F1 of the calls, each match weighing the F1 of its arguments with their values."""

    @property
    def mean(self) -> float:
        """The function-call score of the step."""
        return (self.tool + self.keys + self.values) / 3


@dataclass(frozen=True, slots=True)
class OurStepScore:
    """One call or refusal step beside the answer to it."""

    gold: StepDecision
    predicted: StepDecision
    pairs: tuple[Pair, ...] = ()
    """Pairs of a gold call step: its calls with the predicted ones, then what was called beyond them."""

    @property
    def needs(self) -> tuple[ValueCase, ...]:
        """Cases for a judge."""
        return tuple(a.case for pair in self.pairs for a in pair.arguments if a.case is not None)

    def calls(self, verdicts: Verdicts | None) -> CallScores:
        """Likeness of the calls to the gold ones; all 0 where none was made.

        Zeros count: an argument, a value or a step that is all wrong stays in every mean.
        """
        # Twice the matches over all calls, gold and predicted: both a missing and an extra call cost.
        there = sum((pair.gold is not None) + (pair.predicted is not None) for pair in self.pairs)
        matches = [pair for pair in self.pairs if pair.is_match]
        if not matches:
            return CallScores(0.0, 0.0, 0.0)
        return CallScores(
            2 * len(matches) / there,
            2 * fsum(pair.keys for pair in matches) / there,
            2 * fsum(pair.values(verdicts) for pair in matches) / there,
        )

    def is_right(self, verdicts: Verdicts | None) -> bool:
        """Whether the whole step is: the decision, and every call with exactly its arguments.

        An open value is right when more than half of the judges say so, and never without judges.
        """
        if self.predicted is not self.gold:
            return False
        values = [a for pair in self.pairs for a in pair.arguments]
        return all(pair.is_match and pair.keys == 1 for pair in self.pairs) and all(
            a.score(verdicts) > JUDGED_RIGHT for a in values
        )

    def row(self, verdicts: Verdicts | None) -> JsonObject:
        """Row for a record."""
        row: JsonObject = {
            "gold": self.gold.value,
            "predicted": self.predicted.value,
            "right": self.is_right(verdicts),
        }
        if self.gold is StepDecision.CALL:
            scores = self.calls(verdicts)
            row |= {"score": scores.mean, "tool": scores.tool, "keys": scores.keys, "values": scores.values}
            row["calls"] = [pair.row(verdicts) for pair in self.pairs]
        return row


def score_step(gold: CallStep | RefusalStep, answer: StepAnswer, team: Team, context: str = "") -> OurStepScore:
    """Compare the answer to one step with the gold step.

    Args:
        gold: The step.
        answer: What the domain agent answered; nothing in it raises.
        team: Whose tools' schemas the arguments are held to: first those of the step's agent.
        context: What the agent was asked, for a judge.
    """
    predicted = decision_of(answer)
    if isinstance(gold, RefusalStep):
        return OurStepScore(StepDecision(gold.type.value), predicted)
    made = read_calls(answer.tool_calls) if predicted is StepDecision.CALL else ()
    pairs = match(_gold(gold.calls), made, lambda tool: _schema(team, gold.agent, tool), context)
    return OurStepScore(StepDecision.CALL, predicted, pairs)


def _gold(calls: Sequence[GoldCall]) -> tuple[Call, ...]:
    return tuple(Call(call.tool, call.arguments) for call in calls)


def _schema(team: Team, agent: str, tool: str) -> ArgumentSchema:
    """The tool's schema; of another agent's card where the gold step calls a tool that its agent does not have."""
    cards = [team[agent]] if agent in team else []
    found = (card.tool_by_name[tool] for card in (*cards, *team.values()) if tool in card.tool_by_name)
    first = next(found, None)
    return argument_schema(None if first is None else first.parameters)
