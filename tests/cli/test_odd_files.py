"""Files of a run that are something else than files: nobody waits for them, and each is named."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.cli import command

from worktrial.interop.view.library import RunLibrary

MAKE: dict[str, Callable[[Path], None]] = {"pipe": os.mkfifo, "folder": Path.mkdir}
READERS = {
    "samples.jsonl": ("show", "trajectory", "report", "sql", "run"),
    "work/0001.jsonl": ("trajectory", "run"),
}
ONE = ("starter", "--agent", "plan", "--tasks", "lab-00")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("odd") / "run"
    assert command("run", *ONE, "-o", place).code == 0
    return place


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("name", READERS)
def test_what_is_no_file_is_named_and_not_waited_for(run: Path, tmp_path: Path, name: str, kind: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    (copy / name).unlink()
    MAKE[kind](copy / name)
    words = {
        "show": (copy,),
        "trajectory": (copy, "lab-00"),
        "report": (copy, "-o", tmp_path / "page"),
        "sql": ("select count(*) from samples", copy),
        "run": (*ONE, "--repeats", 2, "-o", copy),
    }
    for reader in READERS[name]:
        ran = command(reader, *words[reader])
        assert (ran.code, "is no regular file" in ran.said, name in ran.said) == (2, True, True), (reader, ran)


@pytest.mark.parametrize("kind", MAKE)
def test_a_run_that_became_none_stops_no_viewer(run: Path, tmp_path: Path, kind: str) -> None:
    for name in ("good", "odd"):
        shutil.copytree(run, tmp_path / name)
    library = RunLibrary([tmp_path], "Runs")
    assert {one.samples for one in library.runs().values()} == {1}
    (tmp_path / "odd" / "samples.jsonl").unlink()
    MAKE[kind](tmp_path / "odd" / "samples.jsonl")
    runs = library.runs()
    assert runs["good"].problem is None
    assert "is no regular file" in (runs["odd"].problem or "")
