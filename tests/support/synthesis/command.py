"""`worktrial synthesize` at a scripted job, and what it leaves."""

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.support.cli import Ran, Word, start
from tests.support.scripted_server import ScriptedServer

SMALL = ("--subtopics", 3, "--levels", "1,2")
"""What the job `small` is for."""
_PATIENCE = 100.0  # seconds for a session

_SUITE = ("tasks.jsonl", "calibration.jsonl", "rejects.jsonl", "repairs.jsonl")


def words(url: str, suite: Path, *more: Word) -> list[Word]:
    """The words after `worktrial`."""
    who = [w for role in ("synthesizer", "agent", "simulator", "judge") for w in (f"--{role}", f"{role}-1")]
    said: Sequence[Word] = ("--job", "customs declarant", "--base-url", url, "--yes", "-o", suite)
    said = (*said, "--workplace", "simulated")
    return ["synthesize", *said, *who, *more]


def until(child: "subprocess.Popen[str]", server: ScriptedServer, requests: int) -> None:
    """Wait until the server has seen so many requests in all, or the process has ended."""
    deadline = time.monotonic() + _PATIENCE
    while child.poll() is None and server.count() < requests:
        assert time.monotonic() < deadline, "the session makes no progress"
        time.sleep(0.002)


def ended(child: "subprocess.Popen[str]") -> Ran:
    """What a process said that has ended, or will."""
    out, err = child.communicate(timeout=_PATIENCE)
    return Ran(child.returncode, out, err)


def began(*after: Word) -> "subprocess.Popen[str]":
    """A process that was started with these words after `worktrial`."""
    return start(*after)


def suite_of(folder: Path) -> dict[str, object]:
    """Everything of a finished suite but when and under which name it was made; lines in any order."""
    found: dict[str, object] = {name: sorted((folder / name).read_text().splitlines()) for name in _SUITE}
    lines = (folder / "suite.yaml").read_text().splitlines()
    found["suite.yaml"] = [line for line in lines if not line.startswith(("created:", "name:"))]
    for below in (folder / "workplaces", folder / "work" / "drafts", folder / "work" / "references"):
        found |= {str(p.relative_to(folder)): p.read_text() for p in below.rglob("*") if p.is_file()}
    return found


def records(folder: Path) -> dict[str, bytes]:
    """The whole lines of every file that is only ever appended to."""
    files = [folder / "provenance.jsonl", folder / "repairs.jsonl", folder / "work" / "spend.jsonl"]
    files += sorted((folder / "work" / "runs").glob("*.jsonl"))
    whole = {path: path.read_bytes() for path in files if path.exists()}
    return {str(path.relative_to(folder)): text[: text.rfind(b"\n") + 1] for path, text in whole.items()}
