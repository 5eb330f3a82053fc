"""Scorers of what other programs produced, for `worktrial score`: no run is made, and no model is asked.

One is registered under the entry-point group `worktrial.scorers`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from worktrial.language import JsonObject
from worktrial.options import Options
from worktrial.registry import Registry

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, slots=True)
class Scorer:
    """A way to score what other programs produced, one row of a file at a time, with no run and no model."""

    about: str
    """Help text: what a row has, and what it becomes."""
    options: type[Options]
    """Options beside the file and the output."""
    score: Callable[[Any], Callable[[JsonObject], JsonObject]]
    """Function of the options that returns the function of a row; that raises `errors.BadRow`."""
    nothing: JsonObject = field(default_factory=dict)
    """Row of one that cannot be scored, without its error."""


@dataclass(frozen=True, slots=True)
class RunScores:
    """Scores of a whole run that another program stored."""

    tables: "Sequence[RenderableType]"
    """Tables for the terminal."""
    notes: Sequence[str]
    """Sentences on what was not scored, for the error stream."""
    details: JsonObject
    """Everything, for a file."""


@dataclass(frozen=True, slots=True)
class RunScorer:
    """A way to score a whole run that another program stored, with no model."""

    about: str
    """Help text: what the run looks like on disk, and what is scored."""
    options: type[Options]
    """Options beside the run and the output."""
    score: Callable[[Path, Any], RunScores]
    """Function of the run's place and the options."""


scorers: "Registry[Scorer | RunScorer]" = Registry("worktrial.scorers", "scorer")
"""Scorers of what other programs produced, rows in a file or whole runs."""
