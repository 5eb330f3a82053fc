"""SIGKILL at drawn moments of runs, shards, merges, builds of archives, syntheses and reports, which then go on."""

import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.engine.rig import TinyTrial, run_tiny
from tests.support.cli import command, count_lines, lines_of, start
from tests.support.made_runs import make_run
from tests.support.page_readers import Fates
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.synthesis.small_author import models, small

from benchmarks.reliability.endpoints import CONCURRENCY
from benchmarks.reliability.rows import Row, counted, total
from worktrial.archive.building.build import build
from worktrial.archive.store.archive import Archive
from worktrial.engine.shard import Shard
from worktrial.engine.trial import ShardedTrial
from worktrial.reports.site import MARKER
from worktrial.scale.merge import merge

KILLS = 5
"""Kills of one piece of work."""
_BUILD = """
import sys
from pathlib import Path
from tests.support.page_readers import Fates
from worktrial.archive import build
build(Fates(*map(Path, sys.argv[2:])), sys.argv[1], workers=1)
"""
_MERGE = """
import sys
from pathlib import Path
from worktrial.scale.merge import merge
print(flush=True)
merge(tuple(map(Path, sys.argv[2:])), Path(sys.argv[1]))
"""
_SHARDS = 3
_MOST_TRIES = 4 * KILLS
"""Processes that are started to kill so many; some are done before the kill."""
_PAGES = 12
_TASKS = 4


def kill_runs(chance: random.Random) -> Row:
    """A run, killed at its start or after a first request."""
    samples = 20 * KILLS
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(Script(latency=0.05)) as server:
        kills, at_work = _kill_processes(server, chance, lambda number: [folder, samples])
        run_tiny(Path(folder), server.url, TinyTrial(samples))
        repeated = server.count() - samples - at_work * CONCURRENCY
        return counted(Path(folder), samples, strikes=kills, repeated=repeated)


def kill_shards(chance: random.Random) -> Row:
    """Shards of a run, killed as a run is, gone on with, and put together."""
    samples = 20 * KILLS
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(Script(latency=0.05)) as server:
        shards = {Path(folder) / str(n): Shard(n, _SHARDS) for n in range(1, _SHARDS + 1)}
        order = chance.sample([*shards.items()] * 2, KILLS)
        kills, at_work = _kill_processes(server, chance, lambda n: [order[n][0], samples, order[n][1]])
        for place, shard in shards.items():
            run_tiny(place, server.url, ShardedTrial(TinyTrial(samples), shard))
        merge([*shards], Path(folder) / "run")
        repeated = server.count() - samples - at_work * CONCURRENCY
        return counted(Path(folder) / "run", samples, strikes=kills, repeated=repeated)


def _kill_processes(
    server: ScriptedServer, chance: random.Random, words: Callable[[int], Sequence[object]]
) -> tuple[int, int]:
    """How many of so many processes were killed, and how many of them had asked for something."""
    kills = at_work = 0
    for number in range(KILLS):
        asked = server.count()
        line = [sys.executable, "-m", "tests.engine.child_run", server.url, *map(str, words(number))]
        with subprocess.Popen(line, stderr=subprocess.DEVNULL) as child:
            while number % 2 == 0 and server.count() == asked and child.poll() is None:
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.3))
            child.send_signal(signal.SIGKILL)
        kills += child.returncode < 0
        at_work += server.count() > asked
    return kills, at_work


def kill_merges(chance: random.Random) -> Row:
    """All shards in the place of some that were merged earlier. What is there is whole, as before or as after."""
    samples, kills, tries, left = 3000, 0, 0, 0
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(keep_requests=False) as server:
        shards = [Path(folder) / str(n) for n in range(1, _SHARDS + 1)]
        # Of what asks for all of its tasks it is known which samples are missing.
        asked = {"tasks": [str(n) for n in range(samples)], "repeats": 1}
        for n, place in enumerate(shards, 1):
            run_tiny(place, server.url, ShardedTrial(TinyTrial(samples, settings=asked), Shard(n, _SHARDS)))
        run = Path(folder) / "run"
        while kills < KILLS and tries < _MOST_TRIES:
            tries += 1
            began = time.monotonic()
            early = merge(shards[:-1], run, partial=True).samples
            seconds = time.monotonic() - began
            words = [sys.executable, "-c", _MERGE, *map(str, (run, *shards))]
            with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
                assert child.stdout is not None
                child.stdout.readline()
                time.sleep(chance.uniform(0, 1.5) * seconds)
                child.kill()
            kills += child.returncode < 0
            stored = count_lines(run / "samples.jsonl")
            found.append(counted(run, stored if stored == samples else early, strikes=0))
            merge(shards, run)
            found.append(counted(run, samples, strikes=0))
            left += len([*Path(folder).glob(".*")])
            shutil.rmtree(run)
    return total([Row(kills, lost=left), *found])


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
    lost = kills = number = 0
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        runs = [make_run(Path(folder) / name, agent=name, tasks=60) for name in ("first", "second")]
        fine = command("report", runs[0], "-o", site).code == 0
        while kills < KILLS and number < _MOST_TRIES:
            number += 1
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
