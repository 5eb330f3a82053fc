"""Runs whose trajectories are compressed: every reader says what it says of the plain ones."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import command, lines_of

from worktrial.engine import packing
from worktrial.engine.packing import FrameWriter
from worktrial.engine.trajectories import PACKED, TRAJECTORIES, trajectory_lines
from worktrial.interop.view.library import RunLibrary

RUN = ("run", "starter", "--agent", "plan", "--limit", "12", "--faults", "all", "--concurrency", "1")


def packed(plain: Path, into: Path, kept: int) -> Path:
    """The run with its trajectories in frames of a few; the last ones are plain, as while it is written."""
    shutil.copytree(plain, into)
    lines = (into / TRAJECTORIES).read_bytes().splitlines(keepends=True)
    writer = FrameWriter(into)
    writer.open()
    for n, line in enumerate(lines[: len(lines) - kept]):
        writer.add(line, packing.line_key(line, into))
        if n % 7 == 6:
            writer.flush()
    writer.flush()
    writer.close()
    (into / TRAJECTORIES).unlink()
    if kept:
        (into / TRAJECTORIES).write_bytes(b"".join(lines[-kept:]))
    return into


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One run: plain, compressed, and compressed while it is written; each in a folder of its own."""
    place = tmp_path_factory.mktemp("runs")
    assert command(*RUN, "-o", place / "plain" / "run").code == 0
    plain = place / "plain" / "run"
    return [plain, packed(plain, place / "whole" / "run", 0), packed(plain, place / "part" / "run", 3)]


MADE = re.compile(rb"\d\d \w+ \d{4}, \d\d:\d\d")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def regraded(run: Path) -> list[dict[str, Any]]:
    into = run.with_name("again")
    assert command("regrade", run, "-o", into).code == 0
    times = ("seconds", "finished")
    work = {line["sample"]: line for line in trajectory_lines(into, dict[str, Any])}
    return [{k: v for k, v in line.items() if k not in times} for line in lines_of(into / "samples.jsonl")] + [work]


def reported(run: Path) -> dict[str, bytes]:
    into = run.with_name("report")
    assert command("report", run, "-o", into).code == 0
    # The pages tell the minute in which they were made.
    whole = files(into)
    made = {name: MADE.sub(b"", content) for name, content in whole.items()}
    assert made["index.html"] != whole["index.html"]
    told = json.loads(made.pop("report.json"))
    return {**made, "without its time": json.dumps({**told, "made": None}).encode()}


def viewed(run: Path) -> list[bytes]:
    library = RunLibrary([run], "runs")
    names = ["run/run", "run/t0", "run/c0", "run/k0", "run/s0"]
    return [library.data(name) for name in names]


def exported(run: Path) -> dict[str, bytes]:
    into = run.with_name("exported")
    assert command("export", run, "--format", "atif", "-o", into).code == 0
    return files(into)


def said(*words: str) -> Callable[[Path], str]:
    def read(run: Path) -> str:
        ran = command(*[run if word == "RUN" else word for word in words])
        assert ran.code == 0, ran.err
        return ran.out.replace(str(run), "RUN")

    return read


READERS: dict[str, Callable[[Path], object]] = {
    "show": said("show", "RUN"),
    "trajectory": said("trajectory", "RUN", "lab-01", "--condition", "E2", "--json"),
    "the last trajectory": said("trajectory", "RUN", "fleet-02", "--condition", "E3", "--json"),
    "sql": said("sql", "select * exclude (run) from calls order by all", "RUN", "--format", "csv"),
    "sql of messages": said("sql", "select count(*), sum(length(content)) from messages", "RUN"),
    "regrade": regraded,
    "report": reported,
    "view": viewed,
    "export": exported,
}


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_reads_both(reader: str, runs: list[Path]) -> None:
    plain, whole, part = map(READERS[reader], runs)
    assert plain
    assert whole == plain
    assert part == plain


def test_runs_of_very_many_samples_are_compressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worktrial.engine.run_plan.COMPRESSED_ABOVE", 3)
    words = ("run", "starter", "--agent", "plan", "--limit")
    assert command(*words, 3, "-o", tmp_path / "few").code == 0
    assert command(*words, 4, "-o", tmp_path / "many").code == 0
    # A shard of a large run is one of its parts, whatever its own size.
    assert command(*words, 4, "--shard", "1/4", "-o", tmp_path / "shard").code == 0
    assert command(*words, 4, "--no-compress", "-o", tmp_path / "plain").code == 0
    assert {path.parent.name for path in tmp_path.glob(f"*/{PACKED}")} == {"many", "shard"}
    assert command(*words, 4, "-o", tmp_path / "few").code == 0
    assert not (tmp_path / "few" / PACKED).exists() and len(lines_of(tmp_path / "few" / TRAJECTORIES)) == 4
    refused = command(*words, 5, "--no-compress", "-o", tmp_path / "many")
    assert (refused.code, "--compress cannot be switched off" in refused.err) == (2, True)
    assert command(*words, 5, "--compress", "-o", tmp_path / "few").code == 0
    assert not (tmp_path / "few" / TRAJECTORIES).exists()
    assert len([*trajectory_lines(tmp_path / "few", dict[str, Any])]) == 5
