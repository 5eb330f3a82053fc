"""The `worktrial` command, in a child process or in this one, and what it said."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import yaml

_PATIENCE = 300.0  # seconds for a child process

Word = str | Path | int | float


@dataclass(frozen=True)
class Ran:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Both streams, with line breaks and runs of spaces as single spaces."""
        return " ".join((self.out + self.err).split())


def worktrial(*words: Word, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> Ran:
    """Run `worktrial WORDS` in a child process to its end."""
    with start(*words, env=env, cwd=cwd) as child:
        out, err = child.communicate(timeout=_PATIENCE)
    return Ran(child.returncode, out, err)


def start(*words: Word, env: Mapping[str, str] | None = None, cwd: Path | None = None) -> "subprocess.Popen[str]":
    """Start `worktrial WORDS` in a child process with captured output."""
    return _started(["-m", "worktrial", *map(str, words)], env, cwd)


def start_code(code: str, *words: Word) -> "subprocess.Popen[str]":
    """Start Python code in a child process with captured output; `sys.argv` has the words."""
    return _started(["-c", code, *map(str, words)])


def _started(
    words: Sequence[str], env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> "subprocess.Popen[str]":
    # A `preexec_fn` would have the tables of two gigabytes copied first; that children hear interrupts whatever the
    # shell says, `tests/conftest.py` sees to.
    return subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **(env or {})},
        cwd=cwd,
    )


def interrupt(child: "subprocess.Popen[str]", how: signal.Signals, samples: Path, at_least: int) -> Ran:
    """Send `how` as soon as `samples` has that many lines, and wait for the end."""
    deadline = time.monotonic() + _PATIENCE
    while child.poll() is None and count_lines(samples) < at_least:
        assert time.monotonic() < deadline, "the run makes no progress"
        time.sleep(0.005)
    child.send_signal(how)
    out, err = child.communicate(timeout=_PATIENCE)
    return Ran(child.returncode, out, err)


def command(*words: Word, env: Mapping[str, str] | None = None) -> Ran:
    """`worktrial WORDS` in this process: the same entry point, without the start of an interpreter."""
    from worktrial.cli.main import main

    # With bytes below, as a process has them.
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2))
    code: Any = 0
    with (
        patch.object(sys, "argv", ["worktrial", *map(str, words)]),
        patch.dict(os.environ, env or {}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as e:
            code = e.code or 0
    return Ran(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))


def at(url: str, **roles: str) -> list[str]:
    """The options that let all three roles be played at `url`; `agent="plan"` replaces a role's model."""
    words = ["--base-url", url]
    for role in ("agent", "simulator", "judge"):
        words += [f"--{role}", roles.get(role, f"{role}-1")]
    return words


def roles_at(url: str, folder: Path) -> Path:
    """A file of roles, all of them played at `url` by models of their own."""
    path = folder / "roles.yaml"
    roles = ("synthesizer", "solver", "agent", "judge", "simulator")
    path.write_text(yaml.safe_dump({role: {"model": f"{role}-1", "base_url": url} for role in roles}))
    return path


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The records of a JSONL file."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def samples_of(run: Path) -> list[dict[str, Any]]:
    """The lines of a run's `samples.jsonl`."""
    return lines_of(run / "samples.jsonl")


def by_sample(run: Path) -> dict[str, dict[str, Any]]:
    """The last record of each sample of a run without repeats."""
    return {record["sample"]: record for record in samples_of(run)}


def outcomes(run: Path) -> dict[str, str]:
    """Sample to outcome."""
    return {sample: record["outcome"] for sample, record in by_sample(run).items()}


def count_lines(path: Path) -> int:
    """Whole lines of a file that may not be there yet."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def holding(folder: Path, secrets: Sequence[str]) -> list[str]:
    """The files under `folder` in whose bytes or names one of `secrets` occurs."""
    return [
        str(path)
        for path in folder.rglob("*")
        if any(
            s in str(path.relative_to(folder)) or (path.is_file() and s.encode() in path.read_bytes())
            for s in secrets
        )
    ]
