"""Audits in a report: how far simulators and judges can be trusted, and rates without a judge's errors."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from worktrial.audits.corrected import corrected_by_audit
from worktrial.audits.judge import SUITE as JUDGES
from worktrial.engine.identity import TrialIdentity
from worktrial.engine.stored import StoredRun
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, Section
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import joined, strong, takeaway
from worktrial.results.figure import figures_of
from worktrial.results.writing import Content, ShownTable, Value, number, percent, percents, to_html
from worktrial.statistics import Figure

if TYPE_CHECKING:
    from worktrial.audits.suites import Audit


def audit_section(
    report: Report, audit: "Audit", runs: Sequence[StoredRun], tables: Iterable[ShownTable]
) -> list[Section]:
    """Section about audits of one kind.

    Args:
        report: The report.
        audit: Their kind.
        runs: The audits in the report, at least one.
        tables: Their figures.
    """
    name, group, said = audit.leads
    found = {audit.called(run): _figure(run, name, group) for run in runs}
    who, best = max(found.items(), key=lambda one: one[1].value or 0.0)
    first = takeaway(Markup(said).format(strong(who), number(best), f"{best.n:,}") + ".")
    parts = [first, *map(to_html, tables), *(_corrected(report, runs) if audit.name == JUDGES else ())]
    return [Section(audit.title_of_section.lower(), audit.title_of_section, joined(parts))]


def _figure(run: StoredRun, name: str, group: str) -> Figure:
    listed = (one for one in figures_of(run).listed if (one.name, one.group) == (name, group))
    return next(listed, Figure(name=name, value=None, unknown="nothing was audited"))


_CORRECTED = (
    "What share of the work is right, where the judge passes some that is wrong and fails some that is right "
    "(Rogan and Gladen, 1978; interval of Lang and Reiczigel, 2014, with the doubt about the audit in it). Of "
    "samples with a verdict. It stands beside the rate as judged, never in its place: it supposes that the judge "
    "errs as often on this work as on the audited. An audit of another judge, of other votes or another prompt "
    "corrects nothing."
)


def _corrected(report: Report, audits: Sequence[StoredRun]) -> list[Markup]:
    """Rates beside what is left of them once the judge's errors are taken out; none where no judge decided."""
    rows: list[list[Content]] = []
    for run in distinct(report):
        manifest = run.run.manifest
        if TrialIdentity.of(manifest).judge is None or not any("judge" in name for name in manifest.roles):
            continue
        told = [corrected_by_audit(run.run, audit) for audit in audits]
        one = next((correction for correction in told if correction.found is not None), told[0])
        name = Value(run.name, run.name, samples_href(run.slug, {"condition": one.condition}))
        if one.found is None:
            rows.append([name, one.condition, None, None, f"Not corrected: {one.why_not}"])
            continue
        shares = [
            Value(percent(of.value), of.value, None, (percents(of.interval),)) for of in (one.found.raw, one.found)
        ]
        rows.append([name, one.condition, *shares, one.basis])
    heads = ["Agent", "Condition", "As judged", "Corrected", "By"]
    title = "Completion beside the same without the judge’s errors"
    return [to_html(ShownTable(title, heads, rows, _CORRECTED))] if rows else []
