"""The pages that show samples: a list of a run's, and one sample with all it did."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from markupsafe import Markup

from worktrial.reports.links import SAMPLES, TRAJECTORY
from worktrial.reports.page import render_page
from worktrial.reports.report import Report, ReportRun
from worktrial.reports.viewer.sample_columns import ROWS, chunks, values_of
from worktrial.reports.viewer.script_data import encoded, write_data
from worktrial.reports.viewer.trajectory_chunks import key_files, write_trajectories

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
    firsts = write_trajectories(run.slug, run.run.folder, records, into, tell)
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
