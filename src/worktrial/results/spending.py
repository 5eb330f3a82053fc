"""The one place that says what a sample took: money, time, calls, tokens.

A request that was answered from the request cache costs nothing and takes no time. So what a run has *paid* is one
figure, and what its samples *take* another: of replayed requests it is what they would have cost, where that is on
record, and nobody knows how long they would have taken.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import NamedTuple, Protocol

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import SampleRecord
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


class Spent(NamedTuple):
    """Everything that a sample takes; None where it is not known.

    Replayed requests count with what they would have cost; None where that is not on record.
    """

    cost: float | None
    """US dollars of all roles; None where a price is unknown."""
    agent_cost: float | None
    """US dollars of the agent's own requests, and of the domain agents it directs; None as for `cost`.
    A sample that broke before the agent said a word costs nothing."""
    seconds: float | None
    """Wall-clock seconds; None where the request cache answered."""
    calls: float | None
    tokens: float | None
    """Tokens of all roles, in and out."""
    agent_tokens_in: float | None
    """Tokens that the agent's own requests sent; None where it has made calls and told none."""
    agent_tokens_out: float | None
    """Tokens that these brought back; None as for those sent."""


QUANTITIES = Spent._fields
"""Names of everything that a sample takes."""


def spent(record: SampleRecord) -> Spent:
    """Everything that a sample takes, as its record tells it."""
    # One walk, for each of a million samples.
    tokens = sent = brought = own = 0
    agent_cost: float | None = 0.0
    for role, usage in record.usage.items():
        tokens += usage.input_tokens + usage.output_tokens
        if role in _ON_TRIAL:
            own += 1
            sent += usage.input_tokens
            brought += usage.output_tokens
            agent_cost = None if agent_cost is None or usage.cost is None else agent_cost + usage.cost
    told = agent_cost is not None
    cost = record.cost
    seconds = None if record.replayed else record.seconds
    if record.replayed or own > 1:
        roles = [usage for role, usage in record.usage.items() if role in _ON_TRIAL]
        agent_cost = sum_of(part for usage in roles for part in (usage.cost, usage.replayed_cost))
    if record.replayed:
        cost = sum_of(part for usage in record.usage.values() for part in (usage.cost, usage.replayed_cost))
    known_in, known_out = (sent if sent or told else None), (brought if brought or told else None)
    return Spent(cost, agent_cost, seconds, record.calls, tokens, known_in, known_out)


def cost_of(record: SampleRecord) -> float | None:
    """US dollars that a sample takes; see `Spent.cost`."""
    return spent(record).cost if record.replayed else record.cost


def replayed(records: Iterable[SampleRecord]) -> str:
    """Mark for figures over `records` of which some were answered from the request cache; "" where none was."""
    listed = list(records)
    return replayed_mark(sum(bool(record.replayed) for record in listed), len(listed))


def replayed_mark(n: int, samples: int) -> str:
    """Mark for figures over samples of which `n` were answered from the request cache; "" where none was."""
    return f"{n} of {_samples(samples)} replayed from the request cache" if n else ""


def spent_in(run: OfRun) -> Callable[[SampleRecord], Spent]:
    """Function from a sample of `run` to what it takes.

    A quantity is None for all where nobody can know it (`unseen`); the agent's cost also where it is no model whose
    requests went through us.
    """
    settings = run.manifest.settings
    has_model = any(role in settings.get("roles", {}) for role in _ON_TRIAL)
    has_model |= str(settings.get("agent")).startswith(f"{REPORTS_ITSELF}:")
    hidden = {*unseen(run), *(() if has_model else ("agent_cost",))}
    if not hidden:
        return spent
    nothing = dict.fromkeys(hidden)
    return lambda record: spent(record)._replace(**nothing)


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
        hidden = [name for name in QUANTITIES if "cost" in name or "tokens" in name]
        return dict.fromkeys(hidden, f"nobody sees what an agent of one's own ({kinds[0]}:…) spends")
    return {}


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
