"""The pages of samples and of trajectories."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from markupsafe import Markup

from worktrial.engine.record import SampleRecord, total_tokens
from worktrial.reports.links import SAMPLES, TRAJECTORY
from worktrial.reports.page import render_page
from worktrial.reports.report import Report, ReportRun
from worktrial.reports.viewer.chunks import StoredLines, encoded, key_files, write_data, write_trajectories
from worktrial.results.spending import cost_of, seconds_of

ROWS = 5000
"""Samples in a chunk."""

_MOST_VALUES = 1000  # of a tag that samples can be filtered by
_REASON = 240  # characters

Values = Mapping[str, Sequence[str]]
"""Tags that samples are grouped by, to the values there are, sorted."""


def values_of(records: Sequence[SampleRecord]) -> Values:
    """Everything that samples can be filtered by: outcome, condition, stop reason, and the tags.

    A tag that nearly names the sample, with thousands of values, groups nothing and is left out.
    """
    found: dict[str, set[str]] = {}
    for record in records:
        for name, value in _grouped(record):
            values = found.setdefault(name, set())
            if len(values) <= _MOST_VALUES:
                values.add(value)
    return {name: sorted(values) for name, values in found.items() if len(values) <= _MOST_VALUES}


def chunks(records: Sequence[SampleRecord], values: Values) -> Iterator[dict[str, Any]]:
    """The columns of every `ROWS` samples, in the run's order.

    `groups` holds, for each name of `values`, the place of the sample's value in that list, or -1.
    """
    places = {name: {value: n for n, value in enumerate(listed)} for name, listed in values.items()}
    for first in range(0, len(records), ROWS):
        yield _columns(records[first : first + ROWS], places)


def _columns(records: Sequence[SampleRecord], places: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    groups: dict[str, list[int]] = {name: [-1] * len(records) for name in places}
    for row, record in enumerate(records):
        for name, value in _grouped(record):
            if name in places:
                groups[name][row] = places[name][value]
    reasons: dict[str, int] = {}
    reason = [reasons.setdefault(_short(record.reason), len(reasons)) for record in records]
    return {
        "sample": [record.sample for record in records],
        "repeat": [record.repeat for record in records],
        "cost": [cost_of(record) for record in records],
        "seconds": [seconds_of(record) for record in records],
        "calls": [record.calls for record in records],
        "tokens": [total_tokens(record.usage) for record in records],
        "reasons": list(reasons),
        "reason": reason,
        "groups": groups,
    }


def _grouped(record: SampleRecord) -> Iterator[tuple[str, str]]:
    # A tag of one of these names would be another thing: the record's own fields come last.
    for name, value in record.tags.items():
        if value is not None and name not in _OWN:
            yield str(name), str(value)
    yield "outcome", record.outcome.value
    yield "condition", record.condition
    if record.stop_reason is not None:
        yield "stop_reason", record.stop_reason


# Also what the page's address uses for itself.
_OWN = frozenset({"outcome", "condition", "stop_reason", "run", "q", "sort", "page"})


def _short(reason: str) -> str:
    return reason if len(reason) <= _REASON else f"{reason[:_REASON]}…"


_STYLES = ("viewer.css",)
_SHARED = ("viewer-data.js", "viewer-dom.js")
_SCRIPTS = {
    SAMPLES: (*_SHARED, "samples-rows.js", "samples.js"),
    TRAJECTORY: (
        *_SHARED,
        "viewer-json.js",
        "viewer-call.js",
        "viewer-work.js",
        "viewer-team.js",
        "viewer-verdict.js",
        "viewer-measures.js",
        "trajectory.js",
    ),
}
_TITLES = {SAMPLES: "Samples", TRAJECTORY: "Sample"}

_BODY = Markup("""<h1 id="heading" tabindex="-1">{title}</h1>
<noscript><p>This page reads its data by a script. Allow scripts for it, or use <code>worktrial show</code> and
<code>worktrial trajectory</code> in a terminal.</p></noscript>
<p id="status" class="status" role="status"></p>
<div id="viewer"></div>""")


def write_viewer(report: Report, into: Path, progress: Callable[[str, int], None] | None = None) -> None:
    """Write `samples.html`, `trajectory.html`, their assets, and the data of every run.

    Reads trajectories one at a time, so memory does not grow with a run.

    Args:
        report: Whose runs.
        into: The site's folder; made where it is not there.
        progress: Told the name of a run and how many more of its samples are written.

    Raises:
        DataError: a trajectory is damaged.
    """
    assets = into / "assets"
    assets.mkdir(parents=True, exist_ok=True)
    for name in sorted({*_STYLES, *(script for scripts in _SCRIPTS.values() for script in scripts)}):
        (assets / name).write_bytes(files("worktrial.reports.viewer").joinpath("assets", name).read_bytes())
    for page, scripts in _SCRIPTS.items():
        title = _TITLES[page]
        html = render_page(
            title, _BODY.format(title=title), scripts=scripts, styles=_STYLES, current=page, report=report
        )
        (into / page).write_text(html, "utf-8")
    listed = [{"slug": run.slug, "name": run.name, "suite": run.run.manifest.suite} for run in report.runs]
    write_data(into, "runs", {"runs": encoded(listed)})
    for run in report.runs:
        _write_run(run, into, progress)


def _write_run(run: ReportRun, into: Path, progress: Callable[[str, int], None] | None) -> None:
    records = run.run.records

    def tell(samples: int) -> None:
        if progress is not None:
            progress(run.name, samples)

    values = values_of(records)
    for number, columns in enumerate(chunks(records, values)):
        write_data(into, f"{run.slug}/s{number}", {"columns": encoded(columns)})
    with StoredLines(run.run.folder, run.places) as lines:
        firsts = write_trajectories(run.slug, lines, records, into, tell)
    head = {
        "slug": run.slug,
        "name": run.name,
        "suite": run.run.manifest.suite,
        "samples": len(records),
        "missing": run.run.missing,
        "repeated": any(record.repeat for record in records),
        "rows": ROWS,
        "values": values,
        "firsts": firsts,
        "keys": key_files(len(records)),
    }
    write_data(into, f"{run.slug}/run", {"head": encoded(head)})
