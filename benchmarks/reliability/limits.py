"""Runs on a machine that has no more: disk, files, memory, a folder of one's own, a clock that one can trust."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tests.engine.rig import TinyTrial, run_tiny
from tests.support.behaviours import Says
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from benchmarks.reliability.endpoints import CONCURRENCY
from benchmarks.reliability.rows import CouldNotLook, Row, counted

SAMPLES = 60
_PATIENCE = 60.0  # seconds
_CODES = {0, 2, 3, 130}
_REFUSED = 97
"""Exit code of the scripts below where the machine lets nobody mount."""
_FULL = """
mount -t tmpfs -o size="$4" tmpfs "$3" || exit 97
"$1" -m tests.engine.child_run "$2" "$3/run" "$6"
echo "code $?" >&2
mount -o remount,size=64m "$3" || exit 97
"$1" -m tests.engine.child_run "$2" "$3/run" "$6"
echo "code $?" >&2
cp -r "$3/run" "$5"
"""
_READ_ONLY = """
mount --bind "$3" "$3" && mount -o remount,ro,bind "$3" || exit 97
"$1" -m tests.engine.child_run "$2" "$3/run" "$4"
echo "code $?" >&2
"""


@dataclass
class _Work:
    """A run in a folder of its own, at a server of its own."""

    server: ScriptedServer
    folder: Path

    @property
    def run(self) -> Path:
        return self.folder / "run"

    def start(self, env: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
        words = [sys.executable, "-m", "tests.engine.child_run", self.server.url, str(self.run), str(SAMPLES)]
        return subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})

    def finish(self, *, most_repeated: int, wordless: int, strikes: int = 1) -> Row:
        """The rest of it, undisturbed, and what came of all."""
        run_tiny(self.run, self.server.url, TinyTrial(SAMPLES))
        repeated = self.server.count() - SAMPLES - most_repeated
        return counted(self.run, SAMPLES, strikes=strikes, repeated=repeated, wordless=wordless)


@contextmanager
def _work(words: str = "Fine.") -> Iterator[_Work]:
    script = Script(agent=Says(words), tool_calls=0, latency=0.05)
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(script) as server:
        yield _Work(server, Path(folder))


def _is_wordless(child: "subprocess.Popen[str]") -> bool:
    """Whether a process ends otherwise than with an exit code of ours, or does not end."""
    try:
        child.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return True
    return child.returncode not in _CODES


def _limited(
    chance: random.Random, limit: Callable[[int], None], words: str = "Fine.", may_crash: Collection[int] = ()
) -> Row:
    """A run that is limited at a drawn moment of its work, and goes on without limits."""
    if not hasattr(resource, "prlimit"):
        raise CouldNotLook("only Linux limits a process that runs")
    with _work(words) as work, work.start() as child:
        while not work.server.count() and child.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.6))
        if child.poll() is None:
            limit(child.pid)
        wordless = _is_wordless(child)
        if child.returncode in may_crash:
            wordless = False
        hit = child.returncode != 0 or any(map(_is_invalid, (work.run / "samples.jsonl").read_bytes().splitlines()))
        return work.finish(most_repeated=CONCURRENCY, wordless=wordless, strikes=hit)


def _is_invalid(line: bytes) -> bool:
    # The last line may be torn.
    return b'"outcome":"invalid"' in line


def limit_file_size(chance: random.Random) -> Row:
    """Files that take some bytes more, and then none: as a disk that gets full, in the middle of a line."""
    room = chance.randrange(20_000)
    return _limited(chance, lambda pid: resource.prlimit(pid, resource.RLIMIT_FSIZE, (room, room)) and None)


def limit_descriptors(chance: random.Random) -> Row:
    """No file and no connection more, or a few."""

    def limit(pid: int) -> None:
        most = len([*Path(f"/proc/{pid}/fd").iterdir()]) + chance.randrange(-4, 4)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, most))

    return _limited(chance, limit)


def limit_memory(chance: random.Random) -> Row:
    """No address more, or some megabytes."""

    def limit(pid: int) -> None:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + chance.randrange(-1_000_000, 1_000_000)
        resource.prlimit(pid, resource.RLIMIT_AS, (most, most))

    # Answers that need more than what lies about. Libraries in C may end the process as a kill does.
    return _limited(chance, limit, "word " * 100_000, {-signal.SIGSEGV, -signal.SIGABRT})


def fill_disk(chance: random.Random) -> Row:
    """A disk that is too small for the run; then it is made larger, and the same command runs again."""
    with _work() as work:
        (work.folder / "disk").mkdir()
        size = f"{chance.randrange(16, 120)}k"
        words = [sys.executable, work.server.url, work.folder / "disk", size, work.run, SAMPLES]
        said = _in_namespace(_FULL, words)
        # The last answers of the first command were paid for and could not be stored.
        row = counted(work.run, SAMPLES, repeated=work.server.count() - SAMPLES - CONCURRENCY)
        first, last = (int(line.split()[1]) for line in said.splitlines() if line.startswith("code "))
        return Row(1, row.lost, row.twice, row.blamed, row.repeated, "Traceback" in said or last != 0 or first < 0)


def refuse_writing(chance: random.Random) -> Row:
    """A folder on a disk that is read only: refused before anything is paid for."""
    with _work() as work:
        said = _in_namespace(_READ_ONLY, [sys.executable, work.server.url, work.folder, SAMPLES])
        told = "code 2" in said and str(work.run) in said and "Traceback" not in said
        return Row(1, repeated=work.server.count(), wordless=not told)


def _in_namespace(script: str, words: list[object]) -> str:
    """What a script says that is root in a namespace of its own."""
    if shutil.which("unshare") is None:
        raise CouldNotLook("no unshare")
    line = ["unshare", "-r", "-m", "sh", "-c", script, "sh", *map(str, words)]
    ran = subprocess.run(line, capture_output=True, text=True, timeout=2 * _PATIENCE, check=False)
    if ran.returncode == _REFUSED or "unshare failed" in ran.stderr:
        raise CouldNotLook("no disk can be mounted")
    return ran.stderr


def crowd_folder(chance: random.Random) -> Row:
    """Three processes for one folder. One works, and the others are refused or find nothing left to do."""
    with _work() as work:
        children = []
        for _ in range(3):
            children.append(work.start())
            time.sleep(chance.uniform(0, 0.3))
        wordless = sum(map(_is_wordless, children))
        wordless += all(child.returncode != 0 for child in children)
        return work.finish(most_repeated=0, wordless=wordless)


def turn_clock(chance: random.Random) -> Row:
    """A clock that goes an hour forth or back, twice, while the run goes on."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        raise CouldNotLook("libfaketime is not installed")
    with _work() as work:
        clock = work.folder / "clock"
        clock.write_text("+0")
        told = {
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
        with work.start(told) as child:
            for at, turned in zip((10, 30), chance.sample(["+3600", "-3600"], 2), strict=True):
                while work.server.count() < at and child.poll() is None:
                    time.sleep(0.005)
                clock.write_text(turned)
            wordless = _is_wordless(child) or child.returncode != 0
        lines = [json.loads(line) for line in (work.run / "samples.jsonl").read_bytes().splitlines()]
        times = sorted(datetime.fromisoformat(line["finished"]).timestamp() for line in lines)
        if times[-1] - times[0] < 3000:
            raise CouldNotLook("the clock did not turn")
        # How long a sample took is not told by the clock.
        wordless += not all(0 <= line["seconds"] < _PATIENCE for line in lines)
        return work.finish(most_repeated=0, wordless=int(wordless))
