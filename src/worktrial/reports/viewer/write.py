"""The viewer on disk: its pages, and the data of every run beside them."""

from collections.abc import Callable
from pathlib import Path

from worktrial.reports.report import Report
from worktrial.reports.viewer.pages import PAGES, runs_file, viewer_page
from worktrial.reports.viewer.run_data import RunData
from worktrial.reports.viewer.script_data import FOLDER


def write_viewer(report: Report, into: Path, progress: Callable[[str, int], None] | None = None) -> None:
    """Write the pages of samples and trajectories, and the data of every run.

    Reads trajectories a file at a time, so memory does not grow with a run.

    Args:
        report: Whose runs.
        into: The site's folder; made where it is not there.
        progress: Told the name of a run and how many more of its samples are written.

    Raises:
        DataError: a trajectory is damaged.
    """
    into.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        (into / page).write_text(viewer_page(page, report), "utf-8")
    write_data(into, "runs", runs_file(report.runs))
    for run in report.runs:
        data = RunData(run)
        for name in data.names():
            write_data(into, name, data.file(name))
            if progress is not None and (samples := data.samples_in(name)):
                progress(run.name, samples)


def write_data(into: Path, name: str, content: bytes) -> None:
    """Write a data file into a site's folder, under its name."""
    path = into / FOLDER / f"{name}.js"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
