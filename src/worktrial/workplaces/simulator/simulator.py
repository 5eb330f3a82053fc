"""A workplace played by a language model."""

from enum import StrEnum

from worktrial.language import Complete
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.simulator.history import HistorySession
from worktrial.workplaces.simulator.ledger_session import LedgerSession
from worktrial.workplaces.simulator.prompting import CompactPrompting, FullPrompting, Prompting


class Memory(StrEnum):
    """Where a simulated workplace keeps its state."""

    HISTORY = "history"  # in the conversation: every call sends all earlier calls and observations
    LEDGER = "ledger"  # explicitly: every call sends the state and gets back a patch


class PromptStyle(StrEnum):
    """How much a simulator is told."""

    FULL = "full"  # the workplace's whole rules
    COMPACT = "compact"  # for small models: fields and state only, and schemas without room for errors


class LanguageSimulator:
    """Plays one workplace; each `open()` is a new stay in the initial state.

    Example:
        >>> simulator = LanguageSimulator(workplace, complete, memory="ledger", clock="2026-01-15T09:00:00")
        >>> observation = await simulator.open().call("get_order", {"order_id": "A-1"})
    """

    def __init__(
        self,
        workplace: Workplace,
        complete: Complete,
        *,
        memory: Memory | str = Memory.HISTORY,
        prompt: PromptStyle | str = PromptStyle.FULL,
        clock: str,
        task: str | None = None,
    ) -> None:
        """Set up the simulator; the prompt is rendered at the first `open()`.

        Args:
            workplace: The workplace to play.
            complete: The simulator's model.
            memory: Where the state lives.
            prompt: How much the model is told.
            clock: The trial's date and time, ISO 8601.
            task: The agent's instruction, as background; None keeps it from the simulator.

        Raises:
            ValueError: `memory` or `prompt` names nothing.
        """
        self.workplace = workplace
        self.memory = Memory(memory)
        self.prompt = PromptStyle(prompt)
        self._complete = complete
        style = FullPrompting if self.prompt is PromptStyle.FULL else CompactPrompting
        self._prompting: Prompting = style(
            workplace, with_ledger=self.memory is Memory.LEDGER, clock=clock, task=task
        )

    def open(self) -> HistorySession | LedgerSession:
        """A new stay, in the workplace's initial state.

        Raises:
            DataError: the state uses the ledger's reserved key.
        """
        if self.memory is Memory.LEDGER:
            return LedgerSession(self._prompting, self._complete)
        return HistorySession(self._prompting, self._complete)
