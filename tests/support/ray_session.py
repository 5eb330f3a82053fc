"""Commands that start a Ray of their own, and its processes."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def sessions() -> Iterator[Path]:
    """Folder of Ray's own files; its name is short, since sockets lie below it."""
    with tempfile.TemporaryDirectory(prefix="wt-", ignore_cleanup_errors=True) as place:
        yield Path(place)


def start_on_ray(folder: Path, place: Path, *words: str, **env: str) -> "subprocess.Popen[str]":
    """Start `worktrial WORDS` in a folder, with Ray's own files at `place`."""
    return subprocess.Popen(
        [sys.executable, "-m", "worktrial", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RAY_TMPDIR": str(place), **env},
    )


def workers(head: int, work: str) -> Iterator[int]:
    """Workers of a head that are at such work."""
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                if f"ray::{work}".encode() in (place / "cmdline").read_bytes() and head in _above(int(place.name)):
                    yield int(place.name)
            except (OSError, IndexError):
                continue


def _above(process: int) -> Iterator[int]:
    while process > 1:
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        yield process


def until(done: Callable[[], object], head: "subprocess.Popen[str]") -> None:
    """Wait until it is so, as long as the command is at work."""
    for _ in range(4_000):
        if done():
            return
        if head.poll() is not None:
            raise AssertionError("".join(head.communicate()))
        time.sleep(0.05)
    raise AssertionError("no progress")
