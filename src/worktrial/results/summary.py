"""What a stored run says: rates with intervals, costs, reasons."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.grading import Outcome, majority
from worktrial.results.stored import StoredRun
from worktrial.statistics import Agreement, CompletionRate, agreement


@dataclass(frozen=True, slots=True)
class Group:
    """Samples that share a tag."""

    name: str
    rate: CompletionRate


@dataclass(frozen=True, slots=True)
class Summary:
    """One run at a glance."""

    overall: CompletionRate
    missing: int
    """Samples that have not finished."""
    groups: Mapping[str, list[Group]]
    """Tag (`category`, `difficulty`, …) to its groups."""
    usage: Mapping[str, RoleUsage]
    """Totals by role."""
    cost: float | None
    """US dollars; None where a price is unknown."""
    seconds: float
    """Mean wall-clock seconds of a sample."""
    calls: float
    """Mean tool calls of a sample."""
    stop_reasons: Mapping[str, int]
    invalid_reasons: Mapping[str, int]
    agreement: Agreement | None
    """Between the judge's votes; None where no sample was voted on."""


GROUPED_BY = ("category", "difficulty")


def summarise(run: StoredRun) -> Summary:
    """The summary of `run`."""
    records = run.records
    stops = Counter(r.stop_reason for r in records if r.stop_reason and r.outcome is not Outcome.INVALID)
    costs = [r.cost for r in records]
    return Summary(
        overall=completion(records),
        missing=run.missing,
        groups={tag: _groups(records, tag) for tag in GROUPED_BY},
        usage=_usage(records),
        cost=None if None in costs else sum(c for c in costs if c is not None),
        seconds=_mean(r.seconds for r in records),
        calls=_mean(r.calls for r in records),
        stop_reasons=dict(stops.most_common()),
        invalid_reasons=dict(
            Counter(r.reason.partition(":")[0] for r in records if r.outcome is Outcome.INVALID).most_common()
        ),
        agreement=_agreement(run),
    )


def completion(records: Iterable[SampleRecord]) -> CompletionRate:
    """The completion rate over `records`."""
    counts = Counter(r.outcome for r in records)
    return CompletionRate(counts[Outcome.PASS], counts[Outcome.FAIL], counts[Outcome.INVALID])


def _groups(records: Iterable[SampleRecord], tag: str) -> list[Group]:
    members: dict[str, list[SampleRecord]] = {}
    for record in records:
        if tag in record.tags:
            members.setdefault(str(record.tags[tag]), []).append(record)
    return [Group(name, completion(members[name])) for name in sorted(members)]


def _usage(records: Iterable[SampleRecord]) -> dict[str, RoleUsage]:
    total: dict[str, RoleUsage] = {}
    for record in records:
        for role, u in record.usage.items():
            t = total.get(role, RoleUsage())
            cost = None if t.cost is None or u.cost is None else t.cost + u.cost
            total[role] = RoleUsage(
                t.requests + u.requests,
                t.input_tokens + u.input_tokens,
                t.output_tokens + u.output_tokens,
                t.cached_tokens + u.cached_tokens,
                cost,
            )
    return dict(sorted(total.items()))


def _agreement(run: StoredRun) -> Agreement | None:
    settings = run.manifest.settings
    planned = settings.get("votes", 1)
    voted = [[vote["is_correct"] for vote in record.votes] for record in run.records if record.votes]
    # By the log-probability method a vote is an opinion on one statement, not on the sample.
    if not voted or planned < 2 or settings.get("judge_method") == "logprob":
        return None
    # Votes up to the majority are always cast; later ones only where those differ, which would bias it.
    return agreement(voted, first=majority(planned))


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
