"""Effort and money: what more of it buys, and who gives most for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from worktrial.engine.roles import Role
from worktrial.language import JsonObject
from worktrial.results.boards.rows import Row
from worktrial.results.boards.shared import Basis

# As endpoints name them, from little to much; what they leave to themselves comes first.
_EFFORTS = ("", "none", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class Sweep:
    """One agent, tried with several reasoning efforts."""

    agent: str
    rows: tuple[tuple[str, Row], ...]
    """Effort ("" where it was left to the endpoint) and the row, from little to much."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Completion and cost of an agent."""

    row: Row
    cost: float
    """US dollars per sample."""
    efficient: bool
    """No other offer completes at least as much for at most the cost, and is better in one of the two."""


def sweeps(rows: Sequence[Row]) -> list[Sweep]:
    """The agents of one group (`groups`) that were tried with more than one effort."""
    found: list[tuple[JsonObject, list[tuple[str, Row]]]] = []
    for row in rows:
        role = row.run.manifest.settings.get("roles", {}).get(Role.AGENT.value)
        if role is None:
            continue
        same = _but_effort(row, role)
        effort = str(role.get("effort") or "")
        for agent, tried in found:
            if agent == same:
                tried.append((effort, row))
                break
        else:
            found.append((same, [(effort, row)]))
    return [
        Sweep(str(agent["role"].get("model", "?")), tuple(sorted(tried, key=lambda one: _place(one[0]))))
        for agent, tried in found
        if len({effort for effort, _ in tried}) > 1
    ]


def offers(rows: Sequence[Row]) -> tuple[list[Offer], Basis | None]:
    """Completion against cost, for the rows whose cost is known, and whose cost that is.

    It is the cost of the agents' own requests where that is known of as many rows as the cost of the whole trial.
    """
    agents = [(row, row.agent_cost.value) for row in rows if row.agent_cost.value is not None]
    trials = [(row, row.cost.value) for row in rows if row.cost.value is not None]
    chosen, basis = (agents, Basis.AGENT) if len(agents) >= len(trials) else (trials, Basis.TRIAL)
    known = [(row, cost) for row, cost in chosen if cost is not None and row.of_all.value is not None]
    points = [(cost, row.of_all.value or 0.0) for row, cost in known]
    return (
        [
            Offer(row, cost, not any(_beats(other, point) for other in points))
            for (row, cost), point in zip(known, points, strict=True)
        ],
        basis if known else None,
    )


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[0] and one[1] >= other[1] and one != other


def _but_effort(row: Row, role: JsonObject) -> JsonObject:
    settings = row.run.manifest.settings
    return {
        "agent": settings.get("agent"),
        "role": {name: value for name, value in role.items() if name != "effort"},
        "limits": settings.get("limits"),
    }


def _place(effort: str) -> tuple[int, str]:
    return (_EFFORTS.index(effort) if effort in _EFFORTS else len(_EFFORTS)), effort
