"""Duties beside the tasks: violations of a policy, budgets, requests for a human."""

from markupsafe import Markup

from worktrial.reports.links import samples_href, trajectory_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.wording import joined, strong, takeaway
from worktrial.results.duties import DutyCounts, duty_counts
from worktrial.results.writing import ShownTable, Value, counted, to_html

_MOST = 20  # violations of a run that are shown with their evidence
_KEPT = ("agent", "policy", "samples with a violation", "violations", "refused", "within budget", "human asked")


def duties(report: Report) -> Section | None:
    """Duties of every run that had any; None where none had."""
    found = [(run, counts) for run in report.runs if (counts := duty_counts(run.run)) is not None]
    if not found:
        return None
    parts = [takeaway(_sentence(run, counts)) for run, counts in found if counts.policy]
    parts.append(
        to_html(ShownTable("How agents kept to their duties", _KEPT, [_row(run, counts) for run, counts in found]))
    )
    parts += [_evidence(run) for run, counts in found if counts.broken_in]
    return Section("duties", "Duties and policies", joined(parts))


def _sentence(run: ReportRun, counts: DutyCounts) -> Markup:
    if not counts.broken_in:
        return Markup("{} broke no rule of the policy “{}” in {}.").format(
            strong(run.name), counts.policy, counted(counts.samples, "sample")
        )
    rule, times = next(iter(counts.rules.items()))
    samples, often = counted(counts.samples, "sample"), counted(times, "time")
    return Markup("{} broke the policy “{}” in {} of {}; most often {} ({}).").format(
        strong(run.name), counts.policy, counts.broken_in, samples, rule, often
    )


def _row(run: ReportRun, counts: DutyCounts) -> list[Value]:
    broken = sum(counts.rules.values())
    cells = [
        f"{counts.policy} ({counts.mode})" if counts.policy else "–",
        f"{counts.broken_in:,} of {counts.samples:,}" if counts.policy else "–",
        f"{broken:,}" if counts.policy else "–",
        f"{counts.refused:,}" if counts.policy else "–",
        f"{counts.within:,} of {counts.budgeted:,}" if counts.budgeted else "–",
        "–" if counts.human_requests is None else f"{counts.human_requests:,}",
    ]
    return [Value(run.name, href=samples_href(run.slug)), *map(Value, cells)]


def _evidence(run: ReportRun) -> Markup:
    """The first violations of a run, each with what shows it."""
    broken = [(record, violation) for record in run.run.records for violation in record.violations]
    rows = [
        [
            Value(record.sample, href=trajectory_href(run.slug, record.key)),
            Value(f"{violation.call + 1}", violation.call + 1),
            Value(f"{violation.rule} ({violation.kind})"),
            Value(violation.tool),
            Value(violation.evidence + (" – refused" if violation.refused else "")),
        ]
        for record, violation in broken[:_MOST]
    ]
    title = f"Violations of {run.name}, {run.slug}"
    if len(broken) > _MOST:
        title += f": the first {_MOST} of {len(broken):,}"
    return to_html(ShownTable(title, ("sample", "call", "rule", "tool", "evidence"), rows))
