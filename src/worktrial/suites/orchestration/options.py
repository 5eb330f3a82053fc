"""Options of the suite, and the choices that they offer."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, PlainSerializer

from worktrial.options import (
    AgentOptions,
    Count,
    EndpointOptions,
    FaultOptions,
    Flag,
    Names,
    Options,
    RunOptions,
    TaskOptions,
)

Gold = Literal["released", "corrected"]
"""Gold steps as released, or with the corrections that Worktrial ships."""
Cards = Literal["full", "compact"]
"""Detail of the agents' cards in the planner's prompt: `compact` names skills without describing them."""
Mode = Literal["turns", "free"]
"""Base of the team's work: the recorded history, or what it did itself."""

_WHO = "Who takes part"
_WHAT = "Which tasks"
_TRIAL = "Trial"
_FREE = "Free running"


class Scoring(StrEnum):
    """Ways of scoring."""

    OURS = "ours"
    """Exact, and without the defects of the published one."""
    PUBLISHED = "published"
    """Scores as the published evaluation computes them, its defects included."""

    @property
    def phrase(self) -> str:
        """Name in a title: `our scoring`, `published scoring`."""
        return "our scoring" if self is Scoring.OURS else "published scoring"


def _listed(value: Any) -> Any:
    """A single text as a list of one; addresses may hold commas."""
    return [value] if isinstance(value, str) else value


def spec_of(agent: "str | Callable[..., Any] | None") -> str | None:
    """Name of an agent for the manifest: what the user wrote, or where a function was defined."""
    if agent is None or isinstance(agent, str):
        return agent
    name = getattr(agent, "__qualname__", type(agent).__qualname__)
    return f"python:{getattr(agent, '__module__', '?')}:{name}"


SEARCH_NODES = 50_000
"""Nodes that the search for one edit distance may expand, unless a user says otherwise."""


class DataOptions(Options):
    """Source of the scenarios."""

    data: Annotated[Path | None, Flag(_WHAT, common=True, neutral=True, metavar="DIR")] = None
    """Folder of the OrchestrationBench release (with EN/ and KO/). Default: the worked example in the package."""
    language: Annotated[Literal["en", "ko", "both"], Flag(_WHAT, common=True, neutral=True)] = "both"
    """Languages of the scenarios."""
    gold: Annotated[Gold, Flag(_WHAT)] = "released"
    """Gold steps as released, or with the corrections that we ship."""


class ComparisonOptions(Options):
    """Runs and figures that a run is shown beside."""

    compare_published: Annotated[bool, Flag(_TRIAL, neutral=True)] = False
    """Show the published figures beside this run's."""
    turns_run: Annotated[Path | None, Flag(_FREE, neutral=True, metavar="RUN")] = None
    """A turn-by-turn run of the same team, for the cascade gap of a free-running one."""


class OrchestrationOptions(
    EndpointOptions, AgentOptions, RunOptions, FaultOptions, ComparisonOptions, TaskOptions, DataOptions
):
    """Every option of a run."""

    sub_agent: Annotated[
        str | Callable[..., Any] | None,
        PlainSerializer(spec_of, when_used="json"),
        Flag(_WHO, neutral=True, metavar="AGENT"),
    ] = None
    """Player of the domain agents, if someone else than the agent: a model's name, a reference team, or
    python:MODULE:FUNCTION."""
    judges: Annotated[
        list[str], BeforeValidator(_listed), Flag(_WHO, common=True, neutral=True, metavar="MODEL", default="none")
    ] = []  # noqa: RUF012 - pydantic copies it
    """Judges of argument values that only a reader can compare: MODEL, or MODEL@URL, or MODEL@URL@KEY_VARIABLE;
    repeat it for an ensemble, whose mean counts. none: values count as right only when equal."""
    scenarios: Annotated[Names, Flag(_WHAT, neutral=True, metavar="IDS")] = []  # noqa: RUF012 - pydantic copies it
    """Ids of the only scenarios to run, such as EN/12; the same as tasks."""
    limit: Annotated[Count | None, Flag(_WHAT, common=True, neutral=True)] = None
    """Largest number of tasks of each language: a sample in which the kinds of plans have their shares."""
    mode: Annotated[Mode, Flag(_TRIAL, common=True)] = "turns"
    """turns: every request sees the recorded history up to its step. free: the model's own plan drives its own
    domain agents."""
    cards: Annotated[Cards | None, Flag(_TRIAL)] = None
    """Detail of the agents' cards in the planner's prompt. Default: full; compact for the embedded model."""
    search_nodes: Annotated[Count, Flag(_TRIAL)] = SEARCH_NODES
    """Nodes of a search tree that may be expanded for one edit distance of plans. A count, so that scores do not
    depend on the machine's speed; where it is not enough, a score is a lower bound and says so."""
    simulator: Annotated[str | None, Flag(_FREE, common=True, neutral=True, metavar="MODEL")] = None
    """Player of the tools for calls that the recording does not hold: a model, or none (they get an error)."""
    max_requests: Annotated[Count, Flag(_FREE, neutral=True)] = 60
    """Requests of one scenario; its work ends there and is scored."""
    concurrency: Annotated[Count | None, Flag("Run", common=True, neutral=True)] = None
    """Requests in flight. Default: 16; 1 with the embedded model."""
