"""A language model plays the workplace."""

from worktrial.workplaces.simulator.ledger import LedgerEntry
from worktrial.workplaces.simulator.prompting import SIMULATOR_VERSION
from worktrial.workplaces.simulator.recall import FACTS_SHOWN
from worktrial.workplaces.simulator.simulator import (
    HistorySession,
    LanguageSimulator,
    LedgerSession,
    Memory,
    PromptStyle,
)

__all__ = [
    "FACTS_SHOWN",
    "SIMULATOR_VERSION",
    "HistorySession",
    "LanguageSimulator",
    "LedgerEntry",
    "LedgerSession",
    "Memory",
    "PromptStyle",
]
