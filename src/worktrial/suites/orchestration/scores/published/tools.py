"""The tool calls of one run as the published program scores them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.language import JsonObject, Message
from worktrial.suites.orchestration.planning.answers import Verdicts
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.toolcalls.published import Cell, StepScore, score_step


class Means(NamedTuple):
    """Name, key and value score of one run, 0-1."""

    name: float = 0.0
    key: float = 0.0
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class RunTools:
    """All steps of domain agents in one run."""

    steps: tuple[StepScore, ...] = ()
    gold_calls: int = 0
    gold_refusals: int = 0
    """Of all gold steps, asked or not."""
    troubled: int = 0

    @property
    def error(self) -> str | None:
        """The first exception on which the published program gives up on all calls of the file."""
        return next((step.error for step in self.steps if step.error), None)

    def count(self, cell: Cell) -> int:
        """How many steps are in a cell."""
        return sum(step.cell is cell for step in self.steps)

    def value(self, step: StepScore, verdicts: Verdicts | None) -> float | None:
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
