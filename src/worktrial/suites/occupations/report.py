"""Figures of the authors of OccuBench beside one's own runs in a report; never ranked or tested together."""

from collections.abc import Iterable, Mapping

from markupsafe import Markup

from worktrial.engine.record import CLEAN
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import caveat, heading, share_cell
from worktrial.results.figure import figures_of
from worktrial.results.writing import Content, ShownTable, Value, cell_of, to_html
from worktrial.suites.occupations.published import published_occubench

_HERE = "run here"
_THEIRS = "published by OccuBench, not run here"

Rows = list[list[Content]]


def published_beside(report: Report) -> list[Markup]:
    """Figures of OccuBench's authors beside the runs in `report`; [] where none is of this suite."""
    runs = [run for run in distinct(report) if run.run.records and run.run.manifest.suite == "occupations"]
    if not runs:
        return []
    theirs = published_occubench()
    rows: Rows = []
    faulted: Rows = []
    for run in runs:
        figures = figures_of(run.run)
        if CLEAN in figures.conditions:
            own = figures.get("completion", CLEAN)
            cell = cell_of(own, href=samples_href(run.slug, {"condition": CLEAN}))
            rows.append([run.name, _HERE, cell, own.n])
        # Of a sweep every setting is another trial; the published one is two faults of two calls each.
        found = next((one for one in figures.named("robustness") if not one.group), None)
        if found is not None and found.value is not None:
            rates = [
                share_cell(figures.get("completion", mode).value, href=samples_href(run.slug, {"condition": mode}))
                for mode in ("E0", "E1", "E2", "E3")
            ]
            faulted.append([run.name, _HERE, *rates, Value(f"{found.value:.2f}", found.value)])
    rows += [
        [row.model, _THEIRS, share_cell(row.rate), Value(str(theirs.tasks), theirs.tasks)]
        for row in theirs.completion
    ]
    parts = [
        heading("OccuBench"),
        to_html(
            ShownTable("OccuBench: completed without faults", ["Agent", "Whose", "Completed", "Samples"], rows),
            sortable=False,
        ),
    ]
    if faulted:
        faulted += [
            [
                row.model,
                _THEIRS,
                *(share_cell(rate) for rate in row.rates.values()),
                Value(f"{row.robustness:.2f}", row.robustness),
            ]
            for row in theirs.robustness
        ]
        headers = ["Agent", "Whose", "E0", "E1", "E2", "E3", "R"]
        parts.append(to_html(ShownTable("OccuBench: completed under faults", headers, faulted), sortable=False))
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
    """Largest difference that the simulator alone makes, in points."""
    return f"{100 * max(max(rates.values()) - min(rates.values()) for rates in by_simulator):.0f}"
