"""Choice of a simulator's memory by what it costs, prompt caching counted in, and by what its model can hold."""

from typing import NamedTuple

from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.effects import ToolEffect
from worktrial.workplaces.simulator.json_text import json_text
from worktrial.workplaces.simulator.prompting import CompactPrompting, FullPrompting, Prompting
from worktrial.workplaces.simulator.simulator import Memory, PromptStyle

CACHED = 0.1
"""Price of an input token that the endpoint has cached, as a share of one that it has not."""

_OUTPUT = 5  # price of an output token, likewise
# Growth of a conversation by a call and its answer, in characters: what the published harness sends its simulator
# grows by 364 K^2 characters over K calls.
_TURN = 728
_CALL = 120  # characters of a call
_EFFECTS = 90  # characters of patch and facts that a ledger's reply has on average
_EARLIER = 900  # characters of the earlier calls and the facts that a ledger's prompt shows
# Bytes of a token at least, as JSON in English or Korean has them; most tokenizers do with fewer tokens.
_TOKEN = 3
# Calls that a history must have room for, for each expected one: agents take more than a plan has.
_ROOM = 2


class MemoryCost(NamedTuple):
    """Cost of simulating one episode, in characters of uncached input, and the length that a history comes to."""

    history: float
    ledger: float
    tokens: int
    """Tokens of a history of twice as many calls, with its last answer: a bound from above, not an estimate."""

    def choice(self, context: int | None) -> Memory:
        """The memory that costs less; history where they cost the same, and never where it may not fit.

        Args:
            context: Tokens of prompt and answer together that the model can hold; None where nobody knows.
        """
        if context is not None and self.tokens > context:
            return Memory.LEDGER
        return Memory.LEDGER if self.ledger < self.history else Memory.HISTORY


def memory_cost(workplace: Workplace, calls: int, *, prompt: PromptStyle | str, clock: str) -> MemoryCost:
    """Cost of an episode of `calls` calls under each memory.

    With history each request re-reads the whole conversation so far, which is cached but for the last answer and
    the new call; it grows by a call and its answer each time. With a ledger the system message is cached, and the
    state until a call writes; action, facts and earlier calls are read anew, and the reply is longer by its
    effects.

    Args:
        workplace: Whose prompts are counted.
        calls: Calls of the episode that reach the model, at least 1.
        prompt: Style of the prompts.
        clock: The trial's date and time, ISO 8601.
    """
    style = FullPrompting if PromptStyle(prompt) is PromptStyle.FULL else CompactPrompting
    with_history: Prompting = style(workplace, with_ledger=False, clock=clock, task=None)
    with_ledger: Prompting = style(workplace, with_ledger=True, clock=clock, task=None)
    later = max(0, calls - 1)
    # Sums over the requests after the first: 0 + 1 + … turns lie behind what the request before had in its cache.
    reread = later * (len(with_history.system) + _CALL) + _TURN * later * (later - 1) / 2
    history = len(with_history.system) + _CALL + CACHED * reread + later * _TURN
    action = sum(len(with_ledger.action(tool)) for tool in workplace.tools) / len(workplace.tools)
    # The state stands first in the message: while no call writes, it is cached with the system message before it.
    writes = sum(tool.effect is not ToolEffect.READ for tool in workplace.tools) / len(workplace.tools)
    state = len(json_text(workplace.initial_state)) * (writes + CACHED * (1 - writes))
    asked = state + action + _CALL + _EARLIER + _OUTPUT * _EFFECTS
    ledger = len(with_ledger.system) * (1 + CACHED * later) + calls * asked
    longest = len(with_history.system.encode(errors="replace")) + _ROOM * calls * _TURN
    return MemoryCost(history, ledger, -(-longest // _TOKEN))
