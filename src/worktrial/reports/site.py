"""A report as a folder of static files."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from pathlib import Path

import msgspec

from worktrial import __version__
from worktrial.reports.folder import MARKER, Marker, check_target, whole_folder
from worktrial.reports.index import render_index
from worktrial.reports.links import HOME
from worktrial.reports.page import PACKAGE
from worktrial.reports.report import Report

Progress = Callable[[str, int], None]
"""Told what is being written, and how many more samples of it are done."""


@dataclass(frozen=True, slots=True)
class Site:
    """A report on disk."""

    folder: Path
    fingerprint: str
    """Of all pages and data but for the date: SHA-256, hexadecimal."""

    @property
    def first_page(self) -> Path:
        """What to open."""
        return self.folder / HOME


def write_site(
    report: Report,
    into: Path,
    progress: Progress | None = None,
    *,
    made: datetime | None = None,
    force: bool = False,
) -> Site:
    """Write the whole report.

    It appears in one step when it is whole; until then `into` stays as it was. An older report there is replaced.

    Args:
        report: What it is about.
        into: The folder for it.
        progress: Told how far the work is.
        made: The date to print on the first page.
        force: Replace a folder that is no report, too; what it holds is kept beside it, under a name with a number.

    Raises:
        SettingError: the folder may not be replaced.
        DataError: a trajectory is damaged.
    """
    from worktrial.reports.sections import SECTIONS
    from worktrial.reports.viewer import write_viewer

    check_target(into, [run.run.folder for run in report.runs], force=force)
    with whole_folder(into) as fresh:
        _copy_assets(fresh / "assets")
        if progress is not None:
            progress("first page", 0)
        sections = [section for make in SECTIONS if (section := make(report)) is not None]
        write_viewer(report, fresh, progress)
        (fresh / HOME).write_text(render_index(report, sections, None), "utf-8")
        fingerprint = _fingerprint(fresh)
        (fresh / HOME).write_text(render_index(report, sections, made), "utf-8")
        marker = Marker(
            title=report.title,
            worktrial=__version__,
            made=None if made is None else made.isoformat(timespec="seconds"),
            fingerprint=fingerprint,
            runs=[run.slug for run in report.runs],
            entries=sorted({MARKER, *(entry.name for entry in fresh.iterdir())}),
        )
        (fresh / MARKER).write_bytes(msgspec.json.format(msgspec.json.encode(marker), indent=2) + b"\n")
    return Site(into, fingerprint)


def _copy_assets(into: Path) -> None:
    into.mkdir()
    for asset in files(PACKAGE).joinpath("assets").iterdir():
        if asset.is_file():
            (into / asset.name).write_bytes(asset.read_bytes())


def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    return digest.hexdigest()
