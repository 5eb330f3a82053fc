"""Domain agents at work on requests of the plan, within the bounds of a scenario."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from worktrial.agents.assignment import Assignment
from worktrial.errors import ContextOverflow
from worktrial.language import Completion, JsonObject, Message
from worktrial.suites.orchestration.planning.cards import AgentCard
from worktrial.suites.orchestration.planning.scenario import Language, Scenario
from worktrial.suites.orchestration.planning.turns import FREE_WORK, AgentMoment, HistoryEntry, StepRequest, ToolUse
from worktrial.suites.orchestration.run.cast import Cast
from worktrial.suites.orchestration.run.free.log import AgentRun, Log
from worktrial.suites.orchestration.run.free.tools import TeamTools
from worktrial.suites.orchestration.run.prompts import after_a_call, agent_messages, agent_tools
from worktrial.suites.orchestration.scoring.calls.calls import StepDecision, decision_in, read_calls
from worktrial.workplaces import Origin


@dataclass(frozen=True, slots=True)
class RequestBudget:
    """Requests of a scenario, whoever makes them, within the limits of its assignment."""

    assignment: Assignment
    log: Log

    def take(self) -> bool:
        """Book one request; False when a limit is hit and there must be none."""
        if self.is_spent():
            return False
        self.log.trajectory.turns += 1
        return True

    def is_spent(self) -> bool:
        """Whether a limit is hit; the log then has the reason."""
        hit = self.assignment.limit_hit()
        if hit is not None:
            self.log.trajectory.stop_reason = hit
        return hit is not None


DONE = "done"
ASKED = "asked"


class AgentAtWork:
    """Lets domain agents work on requests of the plan."""

    def __init__(self, scenario: Scenario, cast: Cast, tools: TeamTools, budget: RequestBudget, turns: int) -> None:
        self._scenario = scenario
        self._cast = cast
        self._tools = tools
        self._budget = budget
        self._turns = turns

    async def __call__(
        self, run: AgentRun, moment: AgentMoment, card: AgentCard, seen: Sequence[HistoryEntry]
    ) -> HistoryEntry:
        """Work on the request of `run` until the agent says how it ended, or a bound is hit.

        Args:
            run: The request; gets the messages, the calls and the end.
            moment: Where in the plan this is.
            card: The agent's.
            seen: What the agent may see of what has been said and done.

        Returns:
            What was done, for the history.

        Raises:
            InvalidSample: the agent's endpoint, or whoever plays the tools, fails for good.
        """
        scenario = self._scenario
        uses: list[ToolUse] = []
        request = agent_messages(scenario.language, card, scenario.note, run.query, seen)
        request[-1] = _with_hint(request[-1], scenario.language)
        for _ in range(self._turns):
            if not self._budget.take():
                run.end = f"failed: {self._budget.log.trajectory.stop_reason}"
                break
            try:
                messages, draw = [*request, *run.messages], 100 * moment.user_turn
                asked = StepRequest(FREE_WORK, messages, agent_tools(card), run.query, draw, moment)
                completion = await self._cast(asked)
            except ContextOverflow:
                run.end = "failed: its conversation outgrew its context"
                break
            run.messages.append(completion.message)
            if not completion.tool_calls:
                _conclude(run, completion)
                break
            run.decision = StepDecision.CALL
            uses += await self._carry_out(completion, run, card)
        else:
            # Some models know no other way to go on than to call again; what they got is worth having.
            run.end = DONE if uses else f"failed: no outcome after {self._turns} answers"
        return HistoryEntry("agent", run.text, run.agent, run.workflow, tuple(uses))

    async def _carry_out(self, completion: Completion, run: AgentRun, card: AgentCard) -> list[ToolUse]:
        uses, results = [], []
        for raw, call in zip(completion.tool_calls, read_calls(completion.tool_calls), strict=True):
            given = _given(raw)
            observation = await self._tools.call(card, run, call, given)
            results.append(msgspec.json.encode(observation.content).decode())
            arguments = given if observation.origin is Origin.REFUSAL else call.arguments
            uses.append(ToolUse(call.tool, arguments, observation.content))
        run.messages += completion.answered(results)
        return uses


def _conclude(run: AgentRun, completion: Completion) -> None:
    run.text = completion.text.strip()
    decision = decision_in(completion.text)
    if decision.is_refusal:
        run.decision = decision
    if decision is StepDecision.AWAITING_USER_INPUT:
        run.end = ASKED
    elif decision is StepDecision.TOOL_CONSTRAINT_VIOLATION:
        run.end = f"failed: {run.text}"
    elif completion.withheld() is not None:
        run.end = f"failed: {completion.shortfall}"
    elif completion.reply.has_unread_call:
        run.end = "failed: it called a tool in a form that cannot be read"
    elif not run.text and not run.calls:
        run.end = "failed: neither a call nor a word"
    else:
        run.end = DONE


def _given(raw: JsonObject) -> object:
    function = raw.get("function")
    return function.get("arguments") if isinstance(function, dict) else None


def _with_hint(message: Message, language: Language) -> Message:
    return {**message, "content": f"{message['content']}\n\n{after_a_call(language)}"}
