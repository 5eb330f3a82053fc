"""What a sample took: cost, time, calls, tokens."""

from collections.abc import Callable, Iterable, Mapping

from worktrial.engine.record import RoleUsage, SampleRecord, total_tokens
from worktrial.engine.stored import StoredRun
from worktrial.results.comparison.changes import Measure

AGENT_SEATS = ("agent", "sub-agent")
"""The roles that are on trial; the others belong to the trial."""


def cost_of(record: SampleRecord) -> float | None:
    """US dollars of all roles; None where a price is unknown, or a cache answered, which costs nothing."""
    return None if record.replayed else record.cost


def agent_cost_of(record: SampleRecord) -> float | None:
    """US dollars of the agent's own requests, and of the domain agents it directs."""
    costs = [usage.cost for usage in _own(record)]
    return None if record.replayed or None in costs else sum(cost for cost in costs if cost is not None)


def seconds_of(record: SampleRecord) -> float | None:
    """Wall-clock seconds; None where a cache answered, which takes no time."""
    return None if record.replayed else record.seconds


MEASURES: Mapping[str, Measure] = {
    "cost": Measure(cost_of),
    "agent cost": Measure(agent_cost_of),
    "seconds": Measure(seconds_of),
    "calls": Measure(lambda record: record.calls),
    "tokens": Measure(lambda record: total_tokens(record.usage)),
    "agent tokens in": Measure(lambda record: sum(usage.input_tokens for usage in _own(record))),
    "agent tokens out": Measure(lambda record: sum(usage.output_tokens for usage in _own(record))),
}
"""Means over the samples with a verdict: one that broke off took less, whoever worked on it."""


def unseen(run: StoredRun) -> dict[str, str]:
    """The quantities that this run's records cannot tell, with the reason."""
    settings = run.manifest.settings
    if settings.get("regraded"):
        # Its records hold what the judging took.
        return dict.fromkeys((name for name in MEASURES if name != "calls"), "stored work was only judged again")
    if any(str(settings.get(member, "")).startswith("python:") for member in ("agent", "sub_agent")):
        spent = [name for name in MEASURES if "cost" in name or "tokens" in name]
        return dict.fromkeys(spent, "nobody sees what an agent of one's own (python:…) spends")
    return {}


def why_unknown(records: Iterable[SampleRecord], value: Callable[[SampleRecord], float | None]) -> str | None:
    """Why the mean of `value` is not known; None where it is."""
    unknown = [record for record in records if value(record) is None]
    if not unknown:
        return None
    replayed = sum(bool(record.replayed) for record in unknown)
    if replayed:
        was = "was" if replayed == 1 else "were"
        return f"{_samples(replayed)} {was} answered from the request cache"
    return f"the price of a model is unknown in {_samples(len(unknown))}"


def _own(record: SampleRecord) -> list[RoleUsage]:
    return [usage for role, usage in record.usage.items() if role in AGENT_SEATS]


def _samples(n: int) -> str:
    return "1 sample" if n == 1 else f"{n} samples"
