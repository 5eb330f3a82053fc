"""The viewer as people start it: a process of its own that prints an address."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def viewing(*places: Path) -> Iterator[str]:
    """`worktrial view`, and the address that it printed."""
    with up("view", *places) as (address, _):
        yield address


@contextmanager
def up(*words: str | Path) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """`worktrial WORDS`, which prints an address first, and the process."""
    command = [sys.executable, "-m", "worktrial", *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout is not None and run.stderr is not None
            address = run.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), run.stderr.read()
            yield address, run
        finally:
            run.terminate()
            run.wait(20)
