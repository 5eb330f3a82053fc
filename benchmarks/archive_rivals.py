"""Runs `archive_competitors.py` in the environment where the ready-made table libraries are installed.

    python -m venv /some/where && /some/where/bin/pip install camelot-py pdfplumber img2table
    WORKTRIAL_RIVALS=/some/where/bin/python python -m benchmarks.archive_icdar

Without the variable, or where a library is missing, it is left out and the table says so.
"""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.archive_competitors import METHODS

VARIABLE = "WORKTRIAL_RIVALS"


def rivals() -> tuple[str, ...]:
    """What can be asked for; nothing without an environment."""
    return METHODS if os.environ.get(VARIABLE) else ()


def read_with(method: str, files: Sequence[Path]) -> dict[str, Any] | None:
    """Each file's tables and seconds by one method; None where its library is not installed."""
    script = Path(__file__).with_name("archive_competitors.py")
    words = [os.environ[VARIABLE], str(script), method, *map(str, files)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 3:
        return None
    if done.returncode:
        raise RuntimeError(f"{method} failed: {done.stderr[-2000:]}")
    # Some libraries print of their own accord; the result is the last line.
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def why_none() -> str:
    """What to print where there are no rivals."""
    return (
        f"No other library measured: set {VARIABLE} to a Python that has them (see benchmarks/archive_rivals.py)."
    )
