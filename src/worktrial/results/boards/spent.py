"""What a sample took, told apart by who took it."""

from worktrial.engine.record import SampleRecord
from worktrial.engine.roles import Role
from worktrial.engine.stored import StoredRun

_AGENTS = (Role.AGENT.value, Role.SUB_AGENT.value)


def cost_of(run: StoredRun, record: SampleRecord) -> float | None:
    """US dollars of a sample, all roles; None where a price is unknown or stored work was only judged again."""
    return None if _is_regraded(run) else record.cost


def agent_cost_of(run: StoredRun, record: SampleRecord) -> float | None:
    """US dollars of the agent's own requests; None where it made none that we saw, or a price is unknown.

    A sample that broke before the agent said a word costs nothing.
    """
    if _is_regraded(run) or not _has_model(run):
        return None
    costs = [usage.cost for role, usage in record.usage.items() if role in _AGENTS]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def seconds_of(run: StoredRun, record: SampleRecord) -> float | None:
    """Wall-clock seconds of a sample; None where stored work was only judged again."""
    return None if _is_regraded(run) else record.seconds


def agent_tokens(record: SampleRecord) -> int:
    """Tokens of the agent's own requests, in and out."""
    return sum(u.input_tokens + u.output_tokens for role, u in record.usage.items() if role in _AGENTS)


def _is_regraded(run: StoredRun) -> bool:
    return bool(run.manifest.settings.get("regraded"))


def _has_model(run: StoredRun) -> bool:
    return any(role in run.manifest.settings.get("roles", {}) for role in _AGENTS)
