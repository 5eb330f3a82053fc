"""Summary of a stored run: rates with intervals, costs, reasons."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from worktrial.engine.figures import usage_of
from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome, majority
from worktrial.results.completion import CompletionEstimate, completion
from worktrial.results.conditions import by_condition, headline, repeats_of, robustness_by_setting
from worktrial.results.duties import DutyCounts, duty_counts
from worktrial.results.fault_metrics import FaultMetrics, excess_of, sample_faults, total
from worktrial.results.reasks import ExcessReask
from worktrial.results.spending import paid, quantity_in, replayed, sum_of
from worktrial.statistics import Agreement, Repeats, Robustness, ZeroCleanRate, agreement
from worktrial.workplaces import ContextUse
from worktrial.workplaces.conformance import SimulatorHealth


@dataclass(frozen=True, slots=True)
class Group:
    """Samples that share a tag."""

    name: str
    completion: CompletionEstimate


@dataclass(frozen=True, slots=True)
class Condition:
    """Figures of the samples under one condition."""

    name: str
    completion: CompletionEstimate
    calls: float
    """Mean tool calls of a sample."""
    faults: FaultMetrics | None
    """Fault metrics of all its samples together; None where no fault was planned."""
    excess_reask: ExcessReask | None = None
    """Excess re-ask rate after silent faults; None where no answer was silently degraded."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One run at a glance."""

    headline: str
    """The condition that `overall` and `groups` are about: E0 where the run has it. Conditions are never mixed
    into one rate."""
    overall: CompletionEstimate
    conditions: list[Condition]
    """E0 first; one in most runs."""
    robustness: Mapping[str, Robustness | ZeroCleanRate]
    """Count and duration of the faults (`3x2`; "" where there is only one setting) to R, or to why it has no
    value; {} where not all of E0 to E3 were tried."""
    repeats: Repeats | None
    """Shares of tasks that pass every time, or at least once, in the headline condition; None without repeats."""
    tries: tuple[int, int]
    """Fewest and most samples of a task in the headline condition; each counts in the rates."""
    missing: int
    """Samples that have not finished."""
    groups: Mapping[str, list[Group]]
    """Tag (`category`, `difficulty`, …) to its groups."""
    usage: Mapping[str, RoleUsage]
    """Totals by role."""
    cost: float | None
    """US dollars paid; None where a price is unknown."""
    takes: float | None
    """US dollars that the samples take together: as `cost`, but replayed requests at what they would have cost.
    None where that is not known, or where nobody sees what the agent spends."""
    replayed: str
    """Mark of `takes` where some samples were answered from the request cache; else ""."""
    seconds: float | None
    """Mean wall-clock seconds of a sample, of those that were not answered from the request cache; None where all
    were, or where stored work was only judged again."""
    calls: float
    """Mean tool calls of a sample."""
    stop_reasons: Mapping[str, int]
    invalid_reasons: Mapping[str, int]
    agreement: Agreement | None
    """Between the judge's votes; None where no sample was voted on."""
    simulation: SimulatorHealth | None
    """Checks of the simulator's answers; None where no simulator was watched."""
    context: ContextUse | None
    """Counts of what was dropped of conversations; None where everything was kept."""
    duties: DutyCounts | None
    """Counts of how the agent kept to its duties beside the tasks; None where it had none."""


GROUPED_BY = ("category", "difficulty")


def summarise(run: StoredRun) -> Summary:
    """The summary of `run`.

    Raises:
        DataError: a trajectory of a sample with faults is damaged.
    """
    records = run.records
    conditions = by_condition(records)
    chosen = headline(list(conditions))
    shown = conditions.get(chosen, [])
    figures = _conditions(run, conditions)
    overall = next((one.completion for one in figures if one.name == chosen), None)
    timed = [s for s in map(quantity_in(run, "seconds"), records) if s is not None]
    stops = Counter(r.stop_reason for r in records if r.stop_reason and r.outcome is not Outcome.INVALID)
    return Summary(
        headline=chosen,
        overall=completion(shown) if overall is None else overall,
        conditions=figures,
        robustness=robustness_by_setting(conditions),
        repeats=repeats_of(shown),
        tries=_tries(shown),
        missing=run.missing,
        groups={tag: _groups(shown, tag) for tag in GROUPED_BY},
        usage=usage_of(records) if run.usage is None else run.usage,
        cost=paid(records),
        takes=sum_of(map(quantity_in(run, "cost"), records)),
        replayed=replayed(records),
        seconds=_mean(timed) if timed else None,
        calls=_mean(r.calls for r in records),
        stop_reasons=dict(stops.most_common()),
        invalid_reasons=dict(
            Counter(r.reason.partition(":")[0] for r in records if r.outcome is Outcome.INVALID).most_common()
        ),
        agreement=_agreement(run),
        simulation=simulator_health(records),
        context=_context(records),
        duties=duty_counts(run),
    )


def simulator_health(records: Iterable[SampleRecord]) -> SimulatorHealth | None:
    """Checks of the simulator's answers over `records`; None where no simulator was watched."""
    watched = [r.simulation for r in records if r.simulation is not None]
    return sum(watched, SimulatorHealth()) if watched else None


def _context(records: Iterable[SampleRecord]) -> ContextUse | None:
    uses = [r.context for r in records if r.context is not None]
    return sum(uses, ContextUse()) if uses else None


def _conditions(run: StoredRun, conditions: Mapping[str, Sequence[SampleRecord]]) -> list[Condition]:
    metrics = sample_faults(run)
    found = []
    for name, records in conditions.items():
        faults = [metrics[r.key] for r in records if r.key in metrics] if metrics else []
        calls = _mean(r.calls for r in records)
        excess = excess_of(records, metrics) if faults else None
        found.append(Condition(name, completion(records), calls, total(faults) if faults else None, excess))
    return found


def _tries(records: Iterable[SampleRecord]) -> tuple[int, int]:
    counts = Counter(record.sample for record in records).values()
    return min(counts, default=0), max(counts, default=0)


def _groups(records: Iterable[SampleRecord], tag: str) -> list[Group]:
    members: dict[str, list[SampleRecord]] = {}
    for record in records:
        if tag in record.tags:
            members.setdefault(str(record.tags[tag]), []).append(record)
    return [Group(name, completion(members[name])) for name in sorted(members)]


def _agreement(run: StoredRun) -> Agreement | None:
    settings = run.manifest.settings
    planned = settings.get("votes", 1)
    voted = [[vote.is_correct for vote in record.votes] for record in run.records if record.votes]
    # By the log-probability method a vote is an opinion on one statement, not on the sample.
    if not voted or planned < 2 or settings.get("judge_method") == "logprob":
        return None
    # Votes up to the majority are always cast; later ones only where those differ, which would bias it.
    return agreement(voted, first=majority(planned))


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
