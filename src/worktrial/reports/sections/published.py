"""What others published, beside one's own; never ranked or tested together."""

from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup

from worktrial.engine.record import CLEAN
from worktrial.reports.figures import percent
from worktrial.reports.html import Value, table
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import caveat, heading, joined, share_cell, takeaway
from worktrial.results.boards import completion_estimate
from worktrial.results.conditions import by_condition, robustness_by_setting
from worktrial.statistics import Robustness
from worktrial.suites.documents.figures import document_figures
from worktrial.suites.documents.published import published_officeqa
from worktrial.suites.occupations.published import published_occubench
from worktrial.suites.orchestration import suite as orchestration

_HERE = "run here"
_THEIRS = "published by {}, not run here"

Rows = list[list[Value | str | Markup]]

# Set-ups of ours to the settings that were published.
_SETTINGS = {
    "archive": ("agent_pdf", "agent_parsed"),
    "oracle-pages": ("pages_pdf", "pages_parsed", "pages_pdf_web"),
}


def published(report: Report) -> Section | None:
    """Published figures for the suites in the report that have any; None where none has."""
    by_suite: dict[str, list[ReportRun]] = {}
    for run in distinct(report):
        if run.run.records:
            by_suite.setdefault(run.run.manifest.suite, []).append(run)
    parts = [
        *_occupations(by_suite.get("occupations", [])),
        *orchestration.published(report),
        *_documents(by_suite.get("documents", [])),
    ]
    if not parts:
        return None
    first = takeaway(
        Markup(
            "Rows marked “not run here” are what others published of their own runs. They stand here for "
            "orientation, and take part in no ranking, recommendation or test."
        )
    )
    return Section("published", "What others published", joined([first, *parts]))


def _occupations(runs: Sequence[ReportRun]) -> list[Markup]:
    if not runs:
        return []
    theirs = published_occubench()
    rows: Rows = []
    faulted: Rows = []
    for run in runs:
        conditions = by_condition(run.run.records)
        if records := conditions.get(CLEAN):
            own = completion_estimate(records)
            href = samples_href(run.slug, {"condition": CLEAN})
            cell = share_cell(own.value, own.interval, href=href)
            rows.append([run.name, _HERE, cell, Value(str(len(records)), len(records))])
        # Of a sweep every setting is another trial; the published one is two faults of two calls each.
        found = robustness_by_setting(conditions).get("")
        if isinstance(found, Robustness):
            rates = [
                share_cell(
                    completion_estimate(conditions[mode]).value, href=samples_href(run.slug, {"condition": mode})
                )
                for mode in ("E0", "E1", "E2", "E3")
            ]
            faulted.append([run.name, _HERE, *rates, Value(f"{found.value:.2f}", found.value)])
    rows += [
        [row.model, _THEIRS.format("OccuBench"), share_cell(row.rate), Value(str(theirs.tasks), theirs.tasks)]
        for row in theirs.completion
    ]
    parts = [
        heading("OccuBench"),
        table(
            "OccuBench: completed without faults", ["Agent", "Whose", "Completed", "Samples"], rows, sortable=False
        ),
    ]
    if faulted:
        faulted += [
            [
                row.model,
                _THEIRS.format("OccuBench"),
                *(share_cell(rate) for rate in row.rates.values()),
                Value(f"{row.robustness:.2f}", row.robustness),
            ]
            for row in theirs.robustness
        ]
        headers = ["Agent", "Whose", "E0", "E1", "E2", "E3", "R"]
        parts.append(table("OccuBench: completed under faults", headers, faulted, sortable=False))
    return [
        *parts,
        caveat(
            Markup(
                "Published by the authors of OccuBench ({}; {}): {} tasks, with their simulator and judge. Only "
                "runs of all of these tasks, with the same simulator, mean the same; with another simulator the "
                "published rates themselves differ by up to {} points."
            ).format(theirs.source, theirs.licence, theirs.tasks, _spread(theirs.simulators.values()))
        ),
    ]


def _spread(by_simulator: Iterable[Mapping[str, float]]) -> str:
    """The largest difference that the simulator alone makes."""
    return f"{100 * max(max(rates.values()) - min(rates.values()) for rates in by_simulator):.0f}"


def _documents(runs: Sequence[ReportRun]) -> list[Markup]:
    own = [(run, figures) for run in runs if (figures := document_figures(run.run)) is not None]
    theirs = published_officeqa()
    parts: list[Markup] = []
    for setup, settings in _SETTINGS.items():
        mine = [(run, figures) for run, figures in own if figures.setup == setup]
        if not mine:
            continue
        tolerances = sorted(mine[0][1].curve[0].shares)
        rows: Rows = []
        for run, figures in mine:
            shares = next(row.shares for row in figures.curve if row.scorer == "published")
            href = samples_href(run.slug, {"condition": figures.condition})
            cells = [share_cell(shares[t].value, shares[t].interval, href=href) for t in tolerances]
            rows.append([run.name, _HERE, f"set-up {setup}", *cells, Value(str(figures.samples), figures.samples)])
        rows += [
            [
                row.model,
                _THEIRS.format("OfficeQA"),
                f"{row.questions.replace('_', ' ')}, {row.setting.replace('_', ' ')}",
                *(share_cell(row.shares.get(tolerance)) for tolerance in tolerances),
                Value(str(theirs.questions[row.questions]), theirs.questions[row.questions]),
            ]
            for row in theirs.rows
            if row.setting in settings
        ]
        headers = ["Agent", "Whose", "Questions", *(_tolerance(tolerance) for tolerance in tolerances), "Samples"]
        parts.append(table(f"OfficeQA: answers right, set-up {setup}", headers, rows, sortable=False))
    if not parts:
        return []
    said = (
        f"Published by the authors of OfficeQA ({theirs.source}; {theirs.licence}). One’s own rows are by the "
        "published score, over samples with a verdict; they mean the same only on the same questions."
    )
    return [heading("OfficeQA"), *parts, caveat(said)]


def _tolerance(tolerance: float) -> str:
    return "exact" if tolerance == 0 else f"within {percent(tolerance, 1)}"
