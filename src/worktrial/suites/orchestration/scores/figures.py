"""The figures of the orchestration suite, in either scoring mode."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Sums = Mapping[str, Any]
"""Sums over scenarios under fixed keys: numbers, or numpy arrays with one entry per bootstrap draw."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Plan, call/refuse and function-call score, each 0-1: numbers, or arrays with one entry per bootstrap draw."""

    plan: Any
    call_refuse: Any
    function_call: Any

    @property
    def average(self) -> Any:
        """The mean of the three (OrchestrationBench, published evaluation)."""
        return (self.plan + self.call_refuse + self.function_call) / 3
