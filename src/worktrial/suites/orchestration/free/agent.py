"""A domain agent at work on one step of a workflow."""

from collections.abc import Sequence

import msgspec

from worktrial.errors import ContextOverflow
from worktrial.language import Completion, JsonObject, Message
from worktrial.suites.orchestration.free.bounds import Budget
from worktrial.suites.orchestration.free.log import AgentRun
from worktrial.suites.orchestration.free.prompting import after_a_call
from worktrial.suites.orchestration.free.tools import TeamTools
from worktrial.suites.orchestration.free.voices import AgentMoment, Voices
from worktrial.suites.orchestration.planning.cards import AgentCard
from worktrial.suites.orchestration.planning.history import Entry, ToolUse
from worktrial.suites.orchestration.planning.scenario import Language, Scenario
from worktrial.suites.orchestration.prompting import agent_messages, agent_tools
from worktrial.suites.orchestration.toolcalls.calls import read_calls
from worktrial.suites.orchestration.toolcalls.decision import Decision, decision_in
from worktrial.workplaces import Observation, Origin

DONE = "done"
ASKED = "asked"


class AgentAtWork:
    """Lets domain agents work on requests of the plan."""

    def __init__(self, scenario: Scenario, voices: Voices, tools: TeamTools, budget: Budget, turns: int) -> None:
        self._scenario = scenario
        self._voices = voices
        self._tools = tools
        self._budget = budget
        self._turns = turns

    async def __call__(self, run: AgentRun, moment: AgentMoment, card: AgentCard, seen: Sequence[Entry]) -> Entry:
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
                run.end = f"failed: {self._budget.log.stop_reason}"
                break
            try:
                completion = await self._voices.act(moment, [*request, *run.messages], agent_tools(card))
            except ContextOverflow:
                run.end = "failed: its conversation outgrew its context"
                break
            run.messages.append(completion.message)
            if not completion.tool_calls:
                _conclude(run, completion)
                break
            run.decision = Decision.CALL
            uses += await self._carry_out(completion, run, card)
        else:
            # Some models know no other way to go on than to call again; what they got is worth having.
            run.end = DONE if uses else f"failed: no outcome after {self._turns} answers"
        return Entry("agent", run.text, run.agent, run.workflow, tuple(uses))

    async def _carry_out(self, completion: Completion, run: AgentRun, card: AgentCard) -> list[ToolUse]:
        uses = []
        for raw, call in zip(completion.tool_calls, read_calls(completion.tool_calls), strict=True):
            given = _given(raw)
            observation = await self._tools.call(card, run, call, given)
            run.messages.append(_tool_message(raw, observation))
            arguments = given if observation.origin is Origin.REFUSAL else call.arguments
            uses.append(ToolUse(call.tool, arguments, observation.content))
        return uses


def visible(text: str) -> str:
    """`text` without what a model thinks aloud before it."""
    return text.rpartition("</think>")[2].strip()


def _conclude(run: AgentRun, completion: Completion) -> None:
    run.text = visible(completion.text)
    decision = decision_in(completion.text)
    if decision.is_refusal:
        run.decision = decision
    if decision is Decision.AWAITING_USER_INPUT:
        run.end = ASKED
    elif decision is Decision.TOOL_CONSTRAINT_VIOLATION:
        run.end = f"failed: {run.text}"
    elif not run.text and not run.calls:
        run.end = "failed: neither a call nor a word"
    else:
        run.end = DONE


def _given(raw: JsonObject) -> object:
    function = raw.get("function")
    return function.get("arguments") if isinstance(function, dict) else None


def _tool_message(raw: JsonObject, observation: Observation) -> Message:
    call_id = raw.get("id")
    return {
        "role": "tool",
        "tool_call_id": call_id if isinstance(call_id, str) else "",
        "content": msgspec.json.encode(observation.content).decode(),
    }


def _with_hint(message: Message, language: Language) -> Message:
    return {**message, "content": f"{message['content']}\n\n{after_a_call(language)}"}
