"""Audits in a report: how far simulators and judges can be trusted, and rates without a judge's errors."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from worktrial.audits.corrected import corrected_by_audit
from worktrial.engine.identity import TrialIdentity
from worktrial.engine.stored import StoredRun
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import strong, takeaway
from worktrial.results.writing import Content, ShownTable, Value, link, number, percent, percents, to_html
from worktrial.statistics import Figure


def leading(figures: Mapping[str, Figure], said: str) -> Markup:
    """Sentence on the audit that comes out best.

    Args:
        figures: Name of each audit, at least one, to the figure by which they are ranked.
        said: The sentence, with places for name, figure and count.
    """
    who, best = max(figures.items(), key=lambda one: one[1].value or 0.0)
    return takeaway(Markup(said).format(strong(who), number(best), f"{best.n:,}") + ".")


def samples_of(audits: Sequence[ReportRun]) -> Markup:
    """Line of links to the samples of audits."""
    links = (link(one.name, samples_href(one.slug)) for one in audits)
    return Markup('<p class="note">Samples of {}.</p>').format(Markup(", ").join(links))


_CORRECTED = (
    "What share of the work is right, where the judge passes some that is wrong and fails some that is right "
    "(Rogan and Gladen, 1978; interval of Lang and Reiczigel, 2014, with the doubt about the audit in it). Of "
    "samples with a verdict. It stands beside the rate as judged, never in its place: it supposes that the judge "
    "errs as often on this work as on the audited. An audit of another judge, of other votes or another prompt "
    "corrects nothing."
)


def corrected_rates(report: Report, audits: Sequence[StoredRun]) -> list[Markup]:
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
