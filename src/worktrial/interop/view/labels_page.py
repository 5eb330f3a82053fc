"""The page of labels: who agrees with whom, and the samples to look at again. It needs no script."""

from collections.abc import Iterator

from markupsafe import Markup

from worktrial.audits.labels import DisputedSample, LabelReport, report_of
from worktrial.engine.stored import open_run
from worktrial.errors import DataError
from worktrial.interop.view.library import RunLibrary
from worktrial.reports.links import trajectory_href
from worktrial.results.labels import Label, LabelBook
from worktrial.results.writing import NONE, ShownTable, Value, amount, to_html

LABELS = "labels.html"
"""Address of the page."""

_SHOWN = 500
_REASON = 240  # characters


def labels_page(library: RunLibrary) -> Markup:
    """Body of the page, over all runs that have labels."""
    runs = library.runs()
    names = library.names(runs.items())
    parts = [Markup('<h1 id="heading" tabindex="-1">Labels</h1>')]
    for slug, run in runs.items():
        try:
            labels = LabelBook(run.folder, run.manifest).read(run.calls)
            if labels:
                parts += _run(slug, names[slug], report_of(open_run(run.folder), labels))
        except DataError as e:
            parts.append(Markup('<h2>{}</h2>\n<p class="warning">{}</p>').format(names[slug], e))
    if len(parts) == 1:
        parts.append(
            Markup('<p class="empty">No sample has a label yet. Open a sample: its page ends with a form.</p>')
        )
    return Markup("\n").join(parts)


def _run(slug: str, name: str, report: LabelReport) -> Iterator[Markup]:
    yield Markup("<h2>{}</h2>").format(name)
    readers = ", ".join(f"{reader} {amount(count)}" for reader, count in report.readers.items())
    yield Markup("<p>{} of {} samples with a verdict have a label ({}).</p>").format(
        amount(report.samples), amount(report.of), readers
    )
    headers = ("Who", "Samples", "Agree", "Kappa", "AC1")
    among = (*report.with_judge, *report.among_people)
    rows = [(" / ".join(row.raters), row.agree.n, row.agree, row.kappa, row.ac1) for row in among]
    if rows:
        yield to_html(ShownTable(f"Agreement, {name}", headers, rows), sortable=False)
    yield Markup("<p>{}</p>").format(report.corrected.line)
    if report.lines:
        lines = [
            [
                Value(line.line),
                Value(amount(line.disagreements), line.disagreements),
                Value(amount(line.labels), line.labels),
            ]
            for line in report.lines
        ]
        yield to_html(
            ShownTable(f"Causes, {name}", ("Check or line", "Labels against the verdict", "Labels"), lines)
        )
    if report.queue:
        shown = [_disagreement(slug, one) for one in report.queue[:_SHOWN]]
        headers = ("Sample", "Condition", f"{report.judge.capitalize()} says", "Readers say", "Call")
        yield to_html(ShownTable(f"To look at again, {name}", headers, shown))
    else:
        yield Markup('<p class="empty">Nobody disagrees.</p>')


def _disagreement(slug: str, one: DisputedSample) -> list[Value]:
    again = f", repeat {one.repeat}" if one.repeat else ""
    calls = ", ".join(str(call + 1) for call in sorted({x.call for x in one.labels if x.call is not None}))
    return [
        Value(f"{one.sample}{again}", href=trajectory_href(slug, one.key)),
        Value(one.condition),
        Value(one.outcome.value),
        Value("; ".join(map(_said, one.labels))),
        Value(calls or NONE),
    ]


def _said(label: Label) -> str:
    reason = label.reason if len(label.reason) <= _REASON else f"{label.reason[:_REASON]}…"
    return f"{label.reader}: {label.verdict}" + (f" ({reason})" if reason else "")
