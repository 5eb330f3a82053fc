"""Effort and money: what more of it buys, and who gives most for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from worktrial.engine.roles import Role
from worktrial.engine.stored import StoredRun
from worktrial.language import JsonObject
from worktrial.results.conclusion import is_reference
from worktrial.results.figure import figures_of
from worktrial.statistics import Figure

# As endpoints name them, from little to much; what they leave to themselves comes first.
_EFFORTS = ("", "none", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class Sweep:
    """One agent, tried with several reasoning efforts."""

    agent: str
    runs: tuple[tuple[str, StoredRun], ...]
    """Effort ("" where it was left to the endpoint) and the run, from little to much."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Completion and cost of an agent."""

    run: StoredRun
    completion: Figure
    cost: float
    """US dollars per task."""
    efficient: bool
    """No other offer completes at least as much for at most the cost, and is better in one of the two."""


def sweeps(runs: Sequence[StoredRun]) -> list[Sweep]:
    """The agents of one group (`groups`) that were tried with more than one effort."""
    found: list[tuple[JsonObject, list[tuple[str, StoredRun]]]] = []
    for run in runs:
        role = run.manifest.settings.get("roles", {}).get(Role.AGENT.value)
        if role is None:
            continue
        same = _but_effort(run, role)
        effort = str(role.get("effort") or "")
        for agent, tried in found:
            if agent == same:
                tried.append((effort, run))
                break
        else:
            found.append((same, [(effort, run)]))
    return [
        Sweep(str(agent["role"].get("model", "?")), tuple(sorted(tried, key=lambda one: _place(one[0]))))
        for agent, tried in found
        if len({effort for effort, _ in tried}) > 1
    ]


def offers(runs: Sequence[StoredRun], condition: str) -> tuple[list[Offer], str]:
    """Completion against cost of the runs whose cost is known, and the name of the figure that it is.

    It is the cost of the agents' own requests where that is known of as many runs as the cost of the whole trial.
    Reference agents need no model and make no offer.
    """
    agents = [run for run in runs if not is_reference(run)]
    known = {
        name: [run for run in agents if figures_of(run).get(name, condition).value is not None]
        for name in ("agent_cost_per_task", "cost_per_task")
    }
    basis = max(known, key=lambda name: len(known[name]))
    told = [(run, figures_of(run).get("completion", condition)) for run in known[basis]]
    points = [(figures_of(run).get(basis, condition).value or 0.0, done.value or 0.0) for run, done in told]
    return [
        Offer(run, done, point[0], not any(_beats(other, point) for other in points))
        for (run, done), point in zip(told, points, strict=True)
    ], basis


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[0] and one[1] >= other[1] and one != other


def _but_effort(run: StoredRun, role: JsonObject) -> JsonObject:
    settings = run.manifest.settings
    return {
        "agent": settings.get("agent"),
        "role": {name: value for name, value in role.items() if name != "effort"},
        "limits": settings.get("limits"),
    }


def _place(effort: str) -> tuple[int, str]:
    return (_EFFORTS.index(effort) if effort in _EFFORTS else len(_EFFORTS)), effort
