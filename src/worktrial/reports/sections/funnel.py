"""What became of the faults: met, noticed, overcome."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from worktrial.reports import charts
from worktrial.reports.charts import Stage
from worktrial.reports.figures import NONE, percent
from worktrial.reports.html import Value, table
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import NOTHING, caveat, joined, listed, strong, takeaway
from worktrial.results.conditions import by_condition
from worktrial.results.fault_metrics import FaultMetrics, Funnel, sample_faults, total

_DRAWN = 4
"""Runs with funnels of their own; further ones are in the table."""

_KINDS = {"explicit": "open faults", "implicit": "silent faults"}

Found = Mapping[str, FaultMetrics]
"""Condition to its faults."""


def funnel(report: Report) -> Section | None:
    """Exposure, detection and recovery; None where no fault was planned."""
    by_run = [(run, metrics) for run in distinct(report) if (metrics := _metrics(run))]
    rows = [
        (run, condition, kind, found)
        for run, metrics in by_run
        for condition, of_condition in metrics.items()
        for kind, found in (("explicit", of_condition.explicit), ("implicit", of_condition.implicit))
        if found.planned or found.exposure
    ]
    if not rows:
        return None
    drawn = [
        charts.funnel(f"{run.name}: {_KINDS[kind]} under {condition}", _stages(found))
        for run, condition, kind, found in rows
        if any(run is one for one, _ in by_run[:_DRAWN])
        and condition.startswith("E1" if kind == "explicit" else "E2")
    ]
    headers = [
        "Agent",
        "Condition",
        "Faults",
        "Events met",
        "Answers spoilt",
        "Asked again",
        "Recovered",
        "Calls later",
    ]
    parts = [
        takeaway(
            _takeaway([(run, condition, found) for run, condition, kind, found in rows if kind == "implicit"])
        ),
        Markup('<div class="pairs">\n{}\n</div>').format(joined(drawn)),
        table("From planned faults to recovered answers", headers, [_row(*row) for row in rows]),
        caveat(
            "Open faults announce themselves (an error, a timeout); silent ones look like an answer. Asked again "
            "means: the same tool with the same arguments, after the spoilt answer was seen. An agent that checks "
            "in another way is not counted, so noticing and recovering are lower bounds. Calls later is the mean "
            "over the recovered answers."
        ),
    ]
    return Section("funnel", "Noticing and recovering", joined(parts))


def _metrics(run: ReportRun) -> Found:
    metrics = sample_faults(run.run)
    found = {}
    for condition, records in by_condition(run.run.records).items():
        of_condition = [metrics[record.key] for record in records if record.key in metrics]
        if of_condition:
            found[condition] = total(of_condition)
    return found


def _takeaway(silent: Sequence[tuple[ReportRun, str, Funnel]]) -> Markup:
    """About one condition; conditions are never mixed into one rate."""
    met = [(run, condition, found) for run, condition, found in silent if found.exposure]
    if not met:
        return Markup("No agent met a silent fault.")
    chosen = min((condition for _, condition, _ in met), key=lambda name: (not name.startswith("E2"), name))
    ranked = sorted(
        ((found.recovered / found.exposure, run, found) for run, condition, found in met if condition == chosen),
        key=lambda one: -one[0],
    )
    # With many agents, the best and the worst.
    told = ranked if len(ranked) <= 3 else [ranked[0], ranked[-1]]
    said = [
        Markup("{} put right {} ({} of {})").format(
            strong(run.name), percent(share, 0), found.recovered, found.exposure
        )
        for share, run, found in told
    ]
    rest = "" if len(told) == len(ranked) else "; the other agents are in between"
    return Markup("Of the silently spoilt answers under {}, {}{}.").format(chosen, listed(said), rest)


def _stages(found: Funnel) -> list[Stage]:
    return [
        Stage("Spoilt answers seen", found.exposure, found.exposure),
        Stage("Asked for again", found.asked_again, found.exposure),
        Stage("Put right", found.recovered, found.exposure),
    ]


def _row(run: ReportRun, condition: str, kind: str, found: Funnel) -> list[Value | str | Markup]:
    later = found.mean_calls_to_recovery
    return [
        Value(run.name, run.name, samples_href(run.slug, {"condition": condition})),
        condition,
        _KINDS[kind],
        _part(found.reached, found.planned),
        Value(f"{found.exposure:,}", found.exposure),
        _part(found.asked_again, found.exposure),
        _part(found.recovered, found.exposure),
        Value(NONE, NOTHING) if later is None else Value(f"{later:.1f}", later),
    ]


def _part(part: int, whole: int) -> Value:
    if not whole:
        return Value(NONE, NOTHING)
    return Value(f"{part:,} of {whole:,} ({percent(part / whole, 0)})", part / whole)
