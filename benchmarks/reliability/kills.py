"""SIGKILL at drawn moments of runs, builds of archives, syntheses and reports, which then go on to their end."""

import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.engine.rig import TinyTrial, run_tiny
from tests.support.cli import command, count_lines, lines_of, start
from tests.support.made_runs import make_run
from tests.support.page_readers import Fates
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.synthesis.small_author import models, small

from benchmarks.reliability.endpoints import CONCURRENCY
from benchmarks.reliability.rows import Row, counted
from worktrial.archive.build import build
from worktrial.archive.store import Archive
from worktrial.reports.site import MARKER

KILLS = 5
"""Kills of one piece of work."""
_BUILD = """
import sys
from pathlib import Path
from tests.support.page_readers import Fates
from worktrial.archive.build import build
build(Fates(*map(Path, sys.argv[2:])), sys.argv[1], workers=1)
"""
_PAGES = 12
_TASKS = 4


def kill_runs(chance: random.Random) -> Row:
    """A run, killed at its start or after a first request."""
    samples, kills, at_work = 20 * KILLS, 0, 0
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(Script(latency=0.05)) as server:
        words = [sys.executable, "-m", "tests.engine.child_run", server.url, folder, str(samples)]
        for number in range(KILLS):
            asked = server.count()
            with subprocess.Popen(words, stderr=subprocess.DEVNULL) as child:
                while number % 2 == 0 and server.count() == asked and child.poll() is None:
                    time.sleep(0.005)
                time.sleep(chance.uniform(0, 0.3))
                child.send_signal(signal.SIGKILL)
            kills += child.returncode < 0
            at_work += server.count() > asked
        run_tiny(Path(folder), server.url, TinyTrial(samples))
        repeated = server.count() - samples - at_work * CONCURRENCY
        return counted(Path(folder), samples, strikes=kills, repeated=repeated)


def kill_builds(chance: random.Random) -> Row:
    """A document more for an archive. What readers see in between is the archive without it, or with all of it."""
    lost = kills = 0
    with tempfile.TemporaryDirectory() as folder:
        base, (old, new) = Path(folder) / "base", (Path(folder) / f"{name}.txt" for name in ("old", "new"))
        for path in (old, new):
            path.write_text("\n".join(f"good {path.stem} page {n + 1}" for n in range(_PAGES)))
        build(Fates(old), base, workers=1)
        words = [sys.executable, "-c", _BUILD]
        began = time.monotonic()
        subprocess.run([*words, shutil.copytree(base, Path(folder) / "whole"), old, new], check=True)
        seconds = time.monotonic() - began
        for number in range(KILLS):
            place = shutil.copytree(base, Path(folder) / str(number))
            with subprocess.Popen([*words, place, old, new], stderr=subprocess.DEVNULL) as child:
                # Much of it is the start of an interpreter.
                time.sleep(chance.uniform(0.3, 1) * seconds)
                child.send_signal(signal.SIGKILL)
            kills += child.returncode < 0
            lost += _missing_pages(place, whole=False)
            build(Fates(old, new), place, workers=1)
            lost += _missing_pages(place, whole=True)
    return Row(kills, lost=lost)


def _missing_pages(place: Path, *, whole: bool) -> int:
    archive = Archive.open(place)
    names = {document.name for document in archive.documents}
    wanted = {"old", "new"} if whole else {"old", *names}
    return sum(
        name not in names or archive.page(name, n).text != f"{name} page {n}"
        for name in wanted
        for n in range(1, _PAGES + 1)
    )


def kill_syntheses(chance: random.Random) -> Row:
    """A small suite. Drafts that were there stay as they were; answers on record are not asked for again."""
    kills = 0
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(small(latency=0.01)) as server:
        suite = Path(folder) / "suite"
        size = ("--tasks", _TASKS, "--fresh-runs", 2, "--concurrency", CONCURRENCY)
        words = ("synthesize", "--job", "parcel clerk", *models(server.url), *size, "-o", suite)
        for _ in range(KILLS):
            asked = server.count()
            with start(*words) as child:
                while server.count() == asked and child.poll() is None:
                    time.sleep(0.005)
                time.sleep(chance.uniform(0, 0.4))
                child.kill()
                child.communicate()
            kills += child.returncode < 0
        files = {path: path.read_bytes() for path in (suite / "work" / "drafts").glob("[!.]*")}
        ran = command(*words)
        answers = count_lines(suite / "work" / "spend.jsonl")
        changed = sum(not path.exists() or path.read_bytes() != content for path, content in files.items())
        return Row(
            kills,
            lost=changed + _TASKS - len(lines_of(suite / "tasks.jsonl")),
            repeated=max(0, server.count() - answers - CONCURRENCY * kills),
            wordless=ran.code != 0,
        )


def kill_reports(chance: random.Random) -> Row:
    """A report in the place of an older one. One of the two is there at each moment, and nothing is left over."""
    lost = kills = 0
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        runs = [make_run(Path(folder) / name, agent=name, tasks=60) for name in ("first", "second")]
        fine = command("report", runs[0], "-o", site).code == 0
        for number in range(KILLS):
            # While it is written, or right before it takes the older one's place.
            begun, pause = (".part", 0.3) if number % 2 else (f".part/{MARKER}", 0.002)
            with start("report", *runs, "-o", site) as child:
                while not [*Path(folder).glob(f".site.{child.pid}{begun}")] and child.poll() is None:
                    time.sleep(0.001)
                time.sleep(chance.uniform(0, pause))
                child.kill()
                child.communicate()
            kills += child.returncode < 0
            # Between its two renames the older one waits under another name, for the next command to put it back.
            kept = [site, *Path(folder).glob(".site.*.before")]
            lost += not any(_is_whole(place) for place in kept)
        fine &= command("report", *runs, "-o", site).code == 0
        lost += not _is_whole(site) or any(Path(folder).glob(".site.*"))
    return Row(kills, lost=lost, wordless=not fine)


def _is_whole(site: Path) -> bool:
    if not (site / MARKER).exists():
        return False
    marker = json.loads((site / MARKER).read_bytes())
    return all((site / name).exists() for name in marker["entries"])
