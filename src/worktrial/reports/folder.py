"""The folder that a report is written into: all of it or nothing, and never over anything else."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from worktrial.errors import SettingError

MARKER = "report.json"
"""Says that a folder is a report of ours, and what belongs to it."""


class Marker(msgspec.Struct, kw_only=True):
    """`report.json`."""

    worktrial_report: int = 1
    """Format of the report."""
    title: str
    worktrial: str
    """Version that made it."""
    made: str | None
    """When, ISO 8601; no part of the fingerprint."""
    fingerprint: str
    """Of all pages and data, but for the date: the same runs make the same report."""
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
        raise SettingError(f"{into} is a file; name a folder for the report with -o")
    for run in runs:
        if run.resolve().is_relative_to(target):
            raise SettingError(f"{into} holds the run {run}, which the report would replace; choose another -o")
    if not force and (foreign := _foreign(target)):
        shown = ", ".join(foreign[:3]) + (", …" if len(foreign) > 3 else "")
        raise SettingError(
            f"{into} holds what is no part of a report ({shown}); choose another -o, or give --force to keep it "
            "beside the report"
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
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    try:
        yield fresh
        _swap(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _swap(fresh: Path, target: Path) -> None:
    if not target.exists():
        fresh.rename(target)
        return
    keep = bool(_foreign(target))
    before = _free_name(target) if keep else target.with_name(f"{fresh.name}.before")
    target.rename(before)
    try:
        fresh.rename(target)
    except BaseException:
        before.rename(target)
        raise
    if not keep:
        shutil.rmtree(before)


def _foreign(folder: Path) -> list[str]:
    """What in a folder is no part of a report of ours; [] also where there is no such folder or it is empty."""
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
    number = 1
    while (name := target.with_name(f"{target.name}.{number}")).exists():
        number += 1
    return name
