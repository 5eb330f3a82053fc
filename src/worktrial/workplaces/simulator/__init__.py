"""A language model plays the workplace."""

from worktrial.workplaces.simulator.ledger import FACTS, LedgerEntry
from worktrial.workplaces.simulator.simulator import (
    HistorySession,
    LanguageSimulator,
    LedgerSession,
    Memory,
    PromptStyle,
)

__all__ = [
    "FACTS",
    "HistorySession",
    "LanguageSimulator",
    "LedgerEntry",
    "LedgerSession",
    "Memory",
    "PromptStyle",
]
