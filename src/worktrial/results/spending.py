"""The one place that says what a sample took: money, time, calls, tokens.

A request that was answered from the request cache costs nothing and takes no time. So what a run has *paid* is one
figure, and what its samples *take* another: of replayed requests it is what they would have cost, where that is on
record, and nobody knows how long they would have taken.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum
from typing import Protocol

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import RoleUsage, SampleRecord, total_tokens
from worktrial.engine.roles import Role

REPORTS_ITSELF = "cli"
"""Kind of agents of one's own that tell what they have spent: programs with a preset."""
_ON_TRIAL = (Role.AGENT.value, Role.SUB_AGENT.value)  # the other roles belong to the trial


class OfRun(Protocol):
    """Anything that knows the manifest of a run."""

    @property
    def manifest(self) -> Manifest:
        """The run's manifest."""
        ...


def cost_of(record: SampleRecord) -> float | None:
    """US dollars that the sample takes, all roles; None where a price is unknown.

    Replayed requests count with what they would have cost; None where that is not on record.
    """
    if not record.replayed:
        return record.cost
    return sum_of(cost for usage in record.usage.values() for cost in (usage.cost, usage.replayed_cost))


def agent_cost_of(record: SampleRecord) -> float | None:
    """US dollars of the agent's own requests, and of the domain agents it directs; None as for `cost_of`.

    A sample that broke before the agent said a word costs nothing.
    """
    own = _own(record)
    if len(own) == 1 and not record.replayed:
        return own[0].cost
    return sum_of(cost for usage in own for cost in (usage.cost, usage.replayed_cost))


def seconds_of(record: SampleRecord) -> float | None:
    """Wall-clock seconds that the sample takes; None where the request cache answered."""
    return None if record.replayed else record.seconds


def replayed(records: Iterable[SampleRecord]) -> str:
    """Mark for figures over `records` of which some were answered from the request cache; "" where none was."""
    listed = list(records)
    return replayed_mark(sum(bool(record.replayed) for record in listed), len(listed))


def replayed_mark(n: int, samples: int) -> str:
    """Mark for figures over samples of which `n` were answered from the request cache; "" where none was."""
    return f"{n} of {_samples(samples)} replayed from the request cache" if n else ""


Quantity = Callable[[SampleRecord], float | None]

QUANTITIES: Mapping[str, Quantity] = {
    "cost": cost_of,
    "agent cost": agent_cost_of,
    "seconds": seconds_of,
    "calls": lambda record: record.calls,
    "tokens": lambda record: total_tokens(record.usage),
    "agent tokens in": lambda record: _told(record, "input_tokens"),
    "agent tokens out": lambda record: _told(record, "output_tokens"),
}
"""Everything that a sample takes, by name; None where it is not known."""


def quantity_in(run: OfRun, name: str) -> Quantity:
    """A quantity of the samples of `run`, by its name in `QUANTITIES`.

    It is None for all where nobody can know it (`unseen`); the agent's cost also where it is no model whose
    requests went through us.
    """
    settings = run.manifest.settings
    has_model = any(role in settings.get("roles", {}) for role in _ON_TRIAL)
    has_model |= str(settings.get("agent")).startswith(f"{REPORTS_ITSELF}:")
    if name in unseen(run) or settings.get("regraded") or (name == "agent cost" and not has_model):
        return lambda record: None
    return QUANTITIES[name]


def unseen(run: OfRun) -> dict[str, str]:
    """Quantities that no record of the run can tell, with the reason."""
    settings = run.manifest.settings
    if settings.get("regraded"):
        # Its records hold what the judging took.
        return dict.fromkeys((name for name in QUANTITIES if name != "calls"), "stored work was only judged again")
    # A model's name may hold a colon, too, but a model has a role.
    members = [
        str(settings.get(role.replace("-", "_")) or "") for role in _ON_TRIAL if role not in run.manifest.roles
    ]
    kinds = [member.partition(":")[0] for member in members if ":" in member]
    if kinds := [kind for kind in kinds if kind != REPORTS_ITSELF]:
        spent = [name for name in QUANTITIES if "cost" in name or "tokens" in name]
        return dict.fromkeys(spent, f"nobody sees what an agent of one's own ({kinds[0]}:…) spends")
    return {}


def why_unknown(records: Iterable[SampleRecord], value: Quantity) -> str | None:
    """Reason for which the mean of `value` is not known; None where it is."""
    unknown = [record for record in records if value(record) is None]
    if not unknown:
        return None
    cached = sum(bool(record.replayed) for record in unknown)
    if cached:
        was = "was" if cached == 1 else "were"
        return f"{_samples(cached)} {was} answered from the request cache"
    return f"the price of a model is unknown in {_samples(len(unknown))}"


def _told(record: SampleRecord, field: str) -> int | None:
    """Tokens of the agent, those of a field of its usage; None where it has made calls and told none."""
    tokens, is_priced = 0, True
    # For each of a million samples.
    for role in _ON_TRIAL:
        if (usage := record.usage.get(role)) is not None:
            tokens += getattr(usage, field)
            is_priced = is_priced and usage.cost is not None
    return tokens if tokens or is_priced else None


def _own(record: SampleRecord) -> list[RoleUsage]:
    usage = record.usage
    return [usage[role] for role in _ON_TRIAL if role in usage]


def sum_of(costs: Iterable[float | None]) -> float | None:
    """Sum of amounts, the same in any order; None where one of them is not known."""
    total = Total()
    total.add_all([*costs])
    return total.value


class Total:
    """Amounts added up, exactly: in whatever order they come, the sum is the same."""

    def __init__(self) -> None:
        self._amounts = array("d")
        self._is_known = True

    def add_all(self, amounts: Sequence[float | None]) -> None:
        """Add amounts; None is one that is not known."""
        if None in amounts:
            self._is_known = False
        elif self._is_known:
            self._amounts.extend(amounts)  # type: ignore[arg-type]

    @property
    def value(self) -> float | None:
        """Sum; None where an amount is not known."""
        return fsum(self._amounts) if self._is_known else None


def _samples(n: int) -> str:
    return "1 sample" if n == 1 else f"{n} samples"
