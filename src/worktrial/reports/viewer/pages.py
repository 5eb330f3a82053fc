"""The pages of samples, tasks and trajectories, and what they are made of."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files

from markupsafe import Markup

from worktrial.reports.links import SAMPLES, TASK, TASKS, TRAJECTORY
from worktrial.reports.page import PageFrame, render_page
from worktrial.reports.report import Report, ReportRun
from worktrial.reports.viewer.script_data import data_file, encoded
from worktrial.suite import suites

_STYLES = ("viewer.css",)
_SHARED = ("viewer-data.js", "viewer-dom.js")
_SCRIPTS = {
    SAMPLES: (*_SHARED, "samples-rows.js", "samples.js"),
    TRAJECTORY: (
        "libraries.js",
        *_SHARED,
        "viewer-virtual.js",
        "viewer-json.js",
        "viewer-markdown.js",
        "viewer-state.js",
        "viewer-call.js",
        "viewer-work.js",
        "viewer-verdict.js",
        "viewer-outline.js",
        "viewer-keys.js",
        "trajectory.js",
    ),
    TASKS: ("libraries.js", *_SHARED, "viewer-virtual.js", "samples-rows.js", "tasks-rows.js", "tasks.js"),
    TASK: (
        "libraries.js",
        *_SHARED,
        "viewer-json.js",
        "viewer-markdown.js",
        "viewer-work.js",
        "task.js",
    ),
}
_TITLES = {SAMPLES: "Samples", TRAJECTORY: "Sample", TASKS: "Tasks by agents", TASK: "Task"}

_BODY = Markup("""<h1 id="heading" tabindex="-1">{title}</h1>
<noscript><p>This page reads its data by a script. Allow scripts for it, or use <code>worktrial show</code> and
<code>worktrial trajectory</code> in a terminal.</p></noscript>
<p id="status" class="status" role="status"></p>
{around}""")
_PLACE = Markup('<div id="viewer"></div>')
_AROUND = {
    TRAJECTORY: Markup(
        '<div class="trajectory"><div id="side"></div>\n<div><div id="bar"></div>{}</div></div>'
    ).format(_PLACE)
}

PAGES = tuple(_SCRIPTS)
"""Names of the pages."""


def viewer_page(page: str, report: Report, frame: PageFrame | None = None) -> str:
    """One of `PAGES`; `frame` as in `render_page`."""
    title = _TITLES[page]
    body = _BODY.format(title=title, around=_AROUND.get(page, _PLACE))
    own = of_suites() if page == TRAJECTORY else ()
    return render_page(
        title, body, scripts=(*_SCRIPTS[page], *own), styles=_STYLES, current=page, report=report, frame=frame
    )


def of_suites() -> tuple[str, ...]:
    """Names of the scripts and style sheets that suites bring for their own samples."""
    return tuple(path.name for suite in suites.all() for path in suite.viewer)


def assets() -> Iterator[tuple[str, bytes]]:
    """Scripts and style sheets of all pages of a report, by their names in `assets/`."""
    reports = files("worktrial.reports")
    for folder in (reports.joinpath("assets"), reports.joinpath("viewer", "assets")):
        for asset in folder.iterdir():
            if asset.is_file():
                yield asset.name, asset.read_bytes()
    yield from ((path.name, path.read_bytes()) for suite in suites.all() for path in suite.viewer)


def runs_file(runs: Sequence[ReportRun]) -> bytes:
    """The data file that names the runs."""
    listed: list[Mapping[str, str]] = [
        {"slug": run.slug, "name": run.name, "suite": run.run.manifest.title} for run in runs
    ]
    return data_file("runs", {"runs": encoded(listed)})
