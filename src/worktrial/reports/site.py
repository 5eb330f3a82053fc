"""A report as a folder of static files."""

import glob
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec
from markupsafe import Markup

from worktrial.errors import SettingError, option
from worktrial.reports.links import HOME, section_page
from worktrial.reports.page import PageFrame, render_page, template
from worktrial.reports.report import Report, Section
from worktrial.reports.viewer.pages import assets
from worktrial.results.writing import amount
from worktrial.version import __version__

MARKER = "report.json"
"""File that marks a folder as a report of ours, and names what belongs to it."""
_BEFORE = ".before"


class Marker(msgspec.Struct, kw_only=True):
    """`report.json`."""

    worktrial_report: int = 1
    """Format of the report."""
    title: str
    worktrial: str
    """Version that made it."""
    made: str | None
    """Time of making, ISO 8601; no part of the fingerprint."""
    fingerprint: str
    """Hash of all pages and data, but for the date: the same runs make the same report."""
    runs: list[str]
    entries: list[str]
    """Names of everything at the top of the folder."""


def check_target(into: Path, runs: Sequence[Path], *, force: bool) -> None:
    """Check that a report may be written into `into`.

    Raises:
        SettingError: it is a file, holds a run, or holds something that is no part of a report and `force` is
            not given.
    """
    target = into.resolve()
    if target.exists() and not target.is_dir():
        raise SettingError(f"{into} is a file; name a folder for the report with {option('output')}")
    for run in runs:
        if run.resolve().is_relative_to(target):
            raise SettingError(f"{into} holds the run {run}, which the report would replace; choose another folder")
    if not force and (foreign := _foreign(target)):
        shown = ", ".join(foreign[:3]) + (", …" if len(foreign) > 3 else "")
        raise SettingError(
            f"{into} holds what is no part of a report ({shown}); choose another folder, or give {option('force')} "
            "to keep it beside the report"
        )


@contextmanager
def whole_folder(into: Path) -> Iterator[Path]:
    """A new folder beside `into` to write into; it takes the place of `into` when all went well.

    An older report there is removed. Anything else is kept, under the name of `into` with a number. When the work
    is broken off, by Ctrl-C for instance, `into` stays as it was and nothing is left over.
    """
    target = into.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_name(f".{target.name}.{os.getpid()}.part")
    _clear_after_killed(target)
    fresh.mkdir()
    try:
        yield fresh
        _swap(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _clear_after_killed(target: Path) -> None:
    """Remove what a killed process left beside `target`, and put back a report that it had moved away."""
    for left in target.parent.glob(f".{glob.escape(target.name)}.*.part*"):
        amount, _, rest = left.name.removeprefix(f".{target.name}.").partition(".")
        if not amount.isdigit() or rest not in {"part", f"part{_BEFORE}"} or _is_alive(int(amount)):
            continue
        if rest != "part" and not target.exists():
            left.rename(target)
        else:
            shutil.rmtree(left, ignore_errors=True)


def _is_alive(process: int) -> bool:
    """Whether another process of that number is there, or nobody can tell."""
    if process == os.getpid():
        return False
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _swap(fresh: Path, target: Path) -> None:
    if not target.exists():
        fresh.rename(target)
        return
    keep = bool(_foreign(target))
    before = _free_name(target) if keep else target.with_name(f"{fresh.name}{_BEFORE}")
    target.rename(before)
    try:
        fresh.rename(target)
    except BaseException:
        before.rename(target)
        raise
    if not keep:
        shutil.rmtree(before)


def _foreign(folder: Path) -> list[str]:
    """Names in a folder that are no part of a report of ours; [] where there is none, or it is empty."""
    if not folder.exists():
        return []
    names = sorted(entry.name for entry in folder.iterdir())
    marker = _marker(folder / MARKER)
    ours = {MARKER, *marker.entries} if marker is not None else set()
    return [name for name in names if name not in ours]


def _marker(path: Path) -> Marker | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Marker)
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _free_name(target: Path) -> Path:
    amount = 1
    while (name := target.with_name(f"{target.name}.{amount}")).exists():
        amount += 1
    return name


def render_index(
    report: Report,
    screen: Markup,
    sections: Sequence[Section],
    made: datetime | None,
    *,
    current: str = HOME,
    frame: PageFrame | None = None,
) -> str:
    """The first page: what the report is about, its contents, the first screen, the sections that stand there.

    Args:
        report: What it is about.
        screen: The first screen.
        sections: All its parts.
        made: The date to print.
        current: The page's own address.
        frame: As in `render_page`.
    """
    body = template("index.html").render(
        title=report.title,
        runs=amount(len(report.runs)),
        samples=amount(sum(len(run.run.records) for run in report.runs)),
        suites=", ".join(dict.fromkeys(run.run.manifest.title for run in report.runs)),
        made="" if made is None else f"{made:%d %B %Y, %H:%M} {made.tzname() or ''}".strip(),
        contents=_contents(report, sections, current, current),
        first_screen=screen,
        sections=_on_first_page(sections),
    )
    return render_page(
        report.title, Markup(body), scripts=(), styles=(), current=current, report=report, frame=frame
    )


def render_sections(
    report: Report, sections: Sequence[Section], *, home: str = HOME, frame: PageFrame | None = None
) -> Iterator[tuple[str, str]]:
    """Name and content of the pages of those sections that are not on the first page.

    Args:
        report: What they are about.
        sections: All parts of the report.
        home: Address of the first page.
        frame: As in `render_page`.
    """
    for section in sections:
        if section not in _on_first_page(sections):
            contents = _contents(report, sections, home, report.page_of(section.id))
            body = template("section.html").render(title=report.title, contents=contents, section=section)
            page = render_page(
                section.title, Markup(body), scripts=(), styles=(), current=home, report=report, frame=frame
            )
            yield section_page(section.id), page


def _on_first_page(sections: Sequence[Section]) -> list[Section]:
    return [section for section in sections if section.is_first] or list(sections[:1])


def _contents(report: Report, sections: Sequence[Section], home: str, current: str) -> Markup:
    """The list of the report's pages, the same on each."""
    first = _on_first_page(sections)
    start = f"{home}?{report.query}" if report.query else home
    pages = [(home, start, "Overview")]
    pages += [(href := report.page_of(one.id), href, one.title) for one in sections if one not in first]
    items = Markup("\n").join(
        Markup('<li><a href="{}"{}>{}</a></li>').format(
            href, Markup(' aria-current="page"') if own == current else "", title
        )
        for own, href, title in pages
    )
    return Markup('<nav class="contents" aria-label="Contents">\n<ol>\n{}\n</ol>\n</nav>').format(items)


Progress = Callable[[str, int], None]
"""Told what is being written, and how many more samples of it are done."""


@dataclass(frozen=True, slots=True)
class Site:
    """A report on disk."""

    folder: Path
    fingerprint: str
    """SHA-256 of all pages and data but for the date, hexadecimal."""
    kept: Path | None = None
    """Folder that holds what was there before and was no report."""

    @property
    def first_page(self) -> Path:
        """Page to open first."""
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
    from worktrial.reports.sections import first_screen, sections
    from worktrial.reports.viewer.write import write_viewer

    check_target(into, [run.run.folder for run in report.runs], force=force)
    target = into.resolve()
    kept = _free_name(target) if _foreign(target) else None
    with whole_folder(into) as fresh:
        _copy_assets(fresh / "assets")
        if progress is not None:
            progress("first page", 0)
        parts, screen = list(sections(report)), first_screen(report)
        write_viewer(report, fresh, progress)
        for name, page in render_sections(report, parts):
            (fresh / name).write_text(page, "utf-8")
        (fresh / HOME).write_text(render_index(report, screen, parts, None), "utf-8")
        fingerprint = _fingerprint(fresh)
        (fresh / HOME).write_text(render_index(report, screen, parts, made), "utf-8")
        marker = Marker(
            title=report.title,
            worktrial=__version__,
            made=None if made is None else made.isoformat(timespec="seconds"),
            fingerprint=fingerprint,
            runs=[run.slug for run in report.runs],
            entries=sorted({MARKER, *(entry.name for entry in fresh.iterdir())}),
        )
        (fresh / MARKER).write_bytes(msgspec.json.format(msgspec.json.encode(marker), indent=2) + b"\n")
    return Site(into, fingerprint, kept)


def _copy_assets(into: Path) -> None:
    into.mkdir()
    for name, content in assets():
        (into / name).write_bytes(content)


def _fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    return digest.hexdigest()
