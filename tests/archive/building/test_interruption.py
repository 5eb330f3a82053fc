"""Builds that end in the middle: killed, interrupted, torn."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.support.page_readers import Fates

from worktrial.archive.building.build import build
from worktrial.archive.building.messages import BuildEvent
from worktrial.archive.store.archive import Archive
from worktrial.errors import DataError, SettingError

# Enough that the build is still at work when a busy machine gets round to ending it.
PAGES = 32
BUILD = """
import sys
from pathlib import Path
from tests.support.page_readers import Fates
from worktrial.archive import build
build(Fates(*map(Path, sys.argv[2:])), sys.argv[1], workers=1)
"""


def slow_document(folder: Path, name: str = "slow.txt") -> Path:
    path = folder / name
    path.write_text("\n".join(f"slow {name} page {n + 1}" for n in range(PAGES)))
    return path


def staged(archive: Path) -> int:
    """Pages that the build has stored so far."""
    return sum(path.read_bytes().count(b"\n") - 1 for path in (archive / "staging").glob("*.pages"))


def start(archive: Path, *paths: Path) -> "subprocess.Popen[bytes]":
    words = [sys.executable, "-c", BUILD, str(archive), *map(str, paths)]
    child = subprocess.Popen(
        words, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, stderr=subprocess.PIPE
    )
    while staged(archive) < 5:
        assert child.poll() is None, "the build has ended"
        time.sleep(0.01)
    return child


def finish(archive: Path, path: Path) -> list[BuildEvent]:
    events: list[BuildEvent] = []
    build(Fates(path), archive, workers=1, progress=events.append)
    opened = Archive.open(archive)
    assert [opened.page(path.stem, n).text for n in range(1, PAGES + 1)] == [
        f"{path.name} page {n}" for n in range(1, PAGES + 1)
    ]
    assert not (archive / "staging").exists()
    return events


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_pages_read_before_the_end_are_kept(tmp_path: Path, how: signal.Signals) -> None:
    archive, path = tmp_path / "archive", slow_document(tmp_path)
    with start(archive, path) as child:
        # While it lives, nobody else may build, and readers see a whole archive without the document.
        with pytest.raises(SettingError, match="another process is building"):
            build(Fates(path), archive, workers=1)
        assert Archive.open(archive).documents == ()
        child.send_signal(how)
        child.communicate(timeout=30)
    kept = staged(archive)
    assert 5 <= kept < PAGES
    events = finish(archive, path)
    assert [e.kept for e in events if e.kind == "document"] == [kept]
    assert len([e for e in events if e.kind == "page"]) == PAGES - kept


def test_workers_do_not_outlive_the_build(tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    with start(tmp_path / "archive", slow_document(tmp_path)) as child:
        workers = psutil.Process(child.pid).children(recursive=True)
        child.kill()
        child.communicate(timeout=30)
    assert workers
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert not alive


def test_torn_and_foreign_staging_files(tmp_path: Path) -> None:
    archive, path = tmp_path / "archive", slow_document(tmp_path)
    with start(archive, path) as child:
        child.kill()
        child.communicate(timeout=30)
    (staging,) = (archive / "staging").glob("*.pages")
    whole = staging.read_bytes()
    kept = whole.count(b"\n") - 2
    staging.write_bytes(whole.rstrip(b"\n")[:-7])
    events = finish(archive, path)
    assert [e.kept for e in events if e.kind == "document"] == [kept]

    other = slow_document(tmp_path, "other.txt")
    (archive / "staging").mkdir()
    staging.write_bytes(b"read from something else\n" + whole.split(b"\n", 1)[1])
    events = finish(archive, other)
    assert [e.kept for e in events if e.kind == "document"] == [0]


def test_a_kill_between_the_files_and_the_manifest(tmp_path: Path) -> None:
    archive, path = tmp_path / "archive", tmp_path / "quick.txt"
    path.write_text("good one\ngood two")
    build(Fates(path), archive, workers=1)
    # The part is there, the manifest does not know it yet, and nothing is derived from it.
    (archive / "manifest.json").unlink()
    for derived in archive.glob("*.duckdb"):
        derived.unlink()
    events: list[BuildEvent] = []
    build(Fates(path), archive, workers=1, progress=events.append)
    assert not [e for e in events if e.kind == "document"]
    assert Archive.open(archive).page("quick", 2).text == "two"


def test_a_damaged_part_is_made_again(tmp_path: Path) -> None:
    archive, path = tmp_path / "archive", tmp_path / "quick.txt"
    path.write_text("good one\ngood two")
    build(Fates(path), archive, workers=1)
    (part,) = (archive / "parts").iterdir()
    (part / "record.json").write_bytes(b"{")
    build(Fates(path), archive, workers=1)
    assert Archive.open(archive).page("quick", 2).text == "two"
    (archive / "manifest.json").write_bytes(b"{")
    with pytest.raises(DataError, match="damaged"):
        Archive.open(archive)
