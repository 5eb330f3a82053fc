"""The one place that says what a sample took: money, time, calls, tokens.

A request that was answered from the request cache costs nothing and takes no time. So a run's total is what was
paid, and of a sample with such requests nobody knows what it takes.
"""

from collections.abc import Callable, Iterable, Mapping

from worktrial.engine.record import RoleUsage, SampleRecord, total_tokens
from worktrial.engine.roles import Role
from worktrial.engine.stored import StoredRun

_ON_TRIAL = (Role.AGENT.value, Role.SUB_AGENT.value)  # the other roles belong to the trial


def cost_of(record: SampleRecord) -> float | None:
    """US dollars that the sample takes, all roles; None where a price is unknown, or the request cache answered."""
    return None if record.replayed else record.cost


def agent_cost_of(record: SampleRecord) -> float | None:
    """US dollars of the agent's own requests, and of the domain agents it directs; None as for `cost_of`.

    A sample that broke before the agent said a word costs nothing.
    """
    return None if record.replayed else _sum(usage.cost for usage in _own(record))


def seconds_of(record: SampleRecord) -> float | None:
    """Wall-clock seconds that the sample takes; None where the request cache answered."""
    return None if record.replayed else record.seconds


def agent_tokens_of(record: SampleRecord) -> int:
    """Tokens of the agent's own requests, in and out."""
    return sum(usage.input_tokens + usage.output_tokens for usage in _own(record))


def paid(records: Iterable[SampleRecord]) -> float | None:
    """US dollars that `records` have cost together, all roles; None where a price is unknown."""
    return _sum(record.cost for record in records)


Quantity = Callable[[SampleRecord], float | None]

QUANTITIES: Mapping[str, Quantity] = {
    "cost": cost_of,
    "agent cost": agent_cost_of,
    "seconds": seconds_of,
    "calls": lambda record: record.calls,
    "tokens": lambda record: total_tokens(record.usage),
    "agent tokens in": lambda record: sum(usage.input_tokens for usage in _own(record)),
    "agent tokens out": lambda record: sum(usage.output_tokens for usage in _own(record)),
}
"""Everything that a sample takes, by name; None where it is not known."""


def quantity_in(run: StoredRun, name: str) -> Quantity:
    """A quantity of the samples of `run`, by its name in `QUANTITIES`.

    It is None for all where stored work was only judged again; the agent's cost also where it is no model whose
    requests went through us.
    """
    settings = run.manifest.settings
    has_model = any(role in settings.get("roles", {}) for role in _ON_TRIAL)
    if settings.get("regraded") or (name == "agent cost" and not has_model):
        return lambda record: None
    return QUANTITIES[name]


def unseen(run: StoredRun) -> dict[str, str]:
    """Quantities that no record of the run can tell, with the reason."""
    settings = run.manifest.settings
    if settings.get("regraded"):
        # Its records hold what the judging took.
        return dict.fromkeys((name for name in QUANTITIES if name != "calls"), "stored work was only judged again")
    if any(str(settings.get(member, "")).startswith("python:") for member in ("agent", "sub_agent")):
        spent = [name for name in QUANTITIES if "cost" in name or "tokens" in name]
        return dict.fromkeys(spent, "nobody sees what an agent of one's own (python:…) spends")
    return {}


def why_unknown(records: Iterable[SampleRecord], value: Quantity) -> str | None:
    """Reason for which the mean of `value` is not known; None where it is."""
    unknown = [record for record in records if value(record) is None]
    if not unknown:
        return None
    replayed = sum(bool(record.replayed) for record in unknown)
    if replayed:
        was = "was" if replayed == 1 else "were"
        return f"{_samples(replayed)} {was} answered from the request cache"
    return f"the price of a model is unknown in {_samples(len(unknown))}"


def _own(record: SampleRecord) -> list[RoleUsage]:
    return [usage for role, usage in record.usage.items() if role in _ON_TRIAL]


def _sum(costs: Iterable[float | None]) -> float | None:
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total


def _samples(n: int) -> str:
    return "1 sample" if n == 1 else f"{n} samples"
