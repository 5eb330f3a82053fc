"""A language model plays the workplace."""

from worktrial.workplaces.simulator.history import HistorySession
from worktrial.workplaces.simulator.ledger import FACTS, LedgerEntry
from worktrial.workplaces.simulator.ledger_session import LedgerSession
from worktrial.workplaces.simulator.simulator import LanguageSimulator, Memory, PromptStyle

__all__ = [
    "FACTS",
    "HistorySession",
    "LanguageSimulator",
    "LedgerEntry",
    "LedgerSession",
    "Memory",
    "PromptStyle",
]
