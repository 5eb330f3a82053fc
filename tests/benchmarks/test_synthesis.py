"""The critical path of a synthesis, and what the benchmark holds its figures against."""

import argparse
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from benchmarks.critical_path import Shape, shape_of
from benchmarks.measured import Measured
from benchmarks.repetition import Served
from benchmarks.synthesis import Repetition, rows_of

from worktrial.grading import Vote
from worktrial.synthesis.artifacts import JobSpec, SlotRun

GIVEN = argparse.Namespace(concurrency=64, latency_ms=200.0)
PROCESS = Measured(began=0.0, seconds=25.0, cpu=8.0, peak_bytes=90_000_000, out="")
BARE = replace(PROCESS, out='{"cpu": 3.0}')
SERVED = Served(PROCESS, requests=5003, connections=64, first=2.0, last=22.0)
GOOD = Repetition(SERVED, replace(SERVED, process=BARE), Shape(4, {"returns-1": [[3], [70, 71], [2]]}))


def test_the_longest_chain_is_that_of_the_longest_runs_of_each_batch(tmp_path: Path) -> None:
    log, suite = tmp_path / "log", tmp_path / "suite"
    purposes = ["subtopics", "overlap", "overlap", "subtopics", "overlap", "reference/returns", "reference/returns"]
    purposes += [f"{kind}/returns-{level}" for level in (1, 2) for kind in ("workplace", "task")]
    purposes += ["repair/returns-2"] * 2
    log.write_bytes(b"".join(msgspec.json.encode(purpose) + b"\n" for purpose in purposes))
    # Three runs with the plan decide at once, four free ones of which two pass as well.
    _write(suite, "returns-1", [("a", "plan", "111", (2, 3, 2)), ("a", "free", "0101", (1, 1, 5, 1))])
    # Never solved: three runs, then two; mended, and solved.
    _write(
        suite,
        "returns-2",
        [
            ("a", "plan", "00000", (2, 2, 2, 4, 2)),
            ("b", "plan", "111", (2, 2, 2)),
            ("b", "free", "0101", (1, 1, 1, 1)),
        ],
    )
    shape = shape_of(suite, log, JobSpec(role="clerk", subtopics=1, levels=[1, 2]))
    # A run with n tool calls and two votes takes 2 n + 3 calls of models.
    assert shape == Shape(
        4,
        {
            "returns-1": [[4], [7, 9, 7], [5, 5, 13, 5], [0]],
            "returns-2": [[4], [7, 7, 7], [11, 7], [7, 7, 7], [5, 5, 5, 5], [2]],
        },
    )
    assert (shape.calls, shape.longest, shape.runs) == (4 + 4 + 7 + 11 + 7 + 5 + 2, "returns-2", 19)


def _write(suite: Path, slot: str, runs: list[tuple[str, str, str, tuple[int, ...]]]) -> None:
    file = suite / "work" / "runs" / f"{slot}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        SlotRun(
            slot=slot,
            kind="plan" if kind == "plan" else "free",
            number=number,
            content=content,
            outcome="pass" if outcome == "1" else "fail",
            reason="",
            calls=calls[number],
            seconds=1.0,
            cost=None,
            tokens=1,
            votes=[Vote(True), Vote(True)],
        )
        for content, kind, outcomes, calls in runs
        for number, outcome in enumerate(outcomes)
    ]
    file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))


def test_good_figures_pass() -> None:
    rows = rows_of([GOOD], GIVEN)
    assert [row.passed for row in rows if row.passed is not None] == [True, True]
    assert any(row.figure.startswith("80 calls, to returns-1: 16 s") for row in rows)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (replace(GOOD, made=replace(GOOD.made, last=24.5)), "over the greater"),
        (
            replace(GOOD, shape=Shape(4, {"returns-1": [[3]]}), made=replace(GOOD.made, last=24.0)),
            "over the greater",
        ),
        (replace(GOOD, made=replace(GOOD.made, process=replace(PROCESS, peak_bytes=251_000_000))), "peak memory"),
    ],
)
def test_a_missed_limit_is_told(bad: Repetition, said: str) -> None:
    assert [said in row.name for row in rows_of([bad], GIVEN) if row.passed is False] == [True]
