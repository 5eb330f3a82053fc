"""A report: the runs that it is about, and its parts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from worktrial.engine.manifest import MANIFEST
from worktrial.engine.record import SampleLine
from worktrial.engine.records import trajectory_lines
from worktrial.engine.stored import StoredRun, name_of, open_run, runs_below
from worktrial.errors import DataError, SettingError
from worktrial.reports.links import section_page, slug_of


@dataclass(frozen=True, slots=True)
class ReportRun:
    """One run in a report."""

    slug: str
    """Names it in addresses: lower-case letters, digits and hyphens, unique within the report."""
    name: str
    """Name that people read: its agent, with the folder's name where two runs have the same agent."""
    run: StoredRun


@dataclass(frozen=True, slots=True)
class Report:
    """Title and runs of a report."""

    title: str
    runs: Sequence[ReportRun]
    left_out: Sequence[str] = ()
    """Damaged runs among several, each with the reason."""
    passed_over: Sequence[str] = ()
    """Folders that hold no run, such as one whose command was refused."""
    query: str = ""
    """Query that addresses of its own pages carry, where a server shows a choice of runs; else ""."""

    def page_of(self, section: str, anchor: str = "") -> str:
        """Address of a section that has a page of its own."""
        place = f"{section_page(section)}?{self.query}" if self.query else section_page(section)
        return f"{place}#{anchor}" if anchor else place


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report, with a page of its own."""

    id: str
    """Its anchor, and its place in the contents."""
    title: str
    html: Markup
    is_first: bool = False
    """Whether it stands on the first page instead."""


def open_report(folders: Iterable[Path], title: str) -> Report:
    """The report about the runs at or below `folders`; damaged ones and folders without a run are left out.

    Raises:
        SettingError: the same folder is named twice, or none is.
        DataError: none of the folders holds a run that can be read, or one is not there.
    """
    opened: dict[Path, StoredRun | None] = {}
    troubles: list[DataError] = []
    passed_over: list[str] = []
    for folder in (run for place in folders for run in runs_below(place) or [place]):
        if folder.resolve() in opened:
            raise SettingError(f"{folder} is named twice; name each run once")
        opened[folder.resolve()] = None
        if folder.is_dir() and not (folder / MANIFEST).exists():
            passed_over.append(f"{folder} holds no run")
            continue
        try:
            run = open_run(folder)
            # Read now, as nothing may be left half written for the damage of one.
            for _ in trajectory_lines(folder, SampleLine):
                pass
        except DataError as e:
            if not folder.is_dir():
                raise
            troubles.append(e)
        else:
            opened[folder.resolve()] = run
    if not opened:
        raise SettingError("a report needs at least one run")
    found = [one for one in opened.values() if one is not None]
    if not found:
        raise troubles[0] if troubles else DataError(next(iter(opened)), "holds no run", "Name folders of runs")
    agents = [name_of(run.folder.resolve(), run.manifest) for run in found]
    taken: set[str] = set()
    runs = []
    for agent, run in zip(agents, found, strict=True):
        name = f"{agent} ({run.folder.resolve().name})" if agents.count(agent) > 1 else agent
        runs.append(ReportRun(slug_of(run.folder.resolve().name, taken), name, run))
    return Report(title, runs, [f"left out: {trouble}" for trouble in troubles], passed_over)
