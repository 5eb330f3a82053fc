"""What the benchmark of the orchestration suite holds its figures against."""

import argparse
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from benchmarks.measured import Measured
from benchmarks.orchestration import Repetition, generation_rows, scoring_rows
from benchmarks.repetition import Served
from benchmarks.stored_scores import Took
from benchmarks.team_calls import Order, write
from tests.support.data import real_data_dir

GIVEN = argparse.Namespace(concurrency=128, latency_ms=1000.0)
PROCESS = Measured(began=0.0, seconds=14.0, cpu=8.0, peak_bytes=190_000_000, out='{"cpu": 0.3}')
RUN = Served(PROCESS, requests=1236, connections=128, first=2.0, last=13.0)
GOOD = Repetition(Took(both=1.5, figures=0.1, published=0.8, scenarios=219), PROCESS, RUN, RUN)


def test_good_figures_pass() -> None:
    rows = [*scoring_rows([GOOD]), *generation_rows([GOOD], 1236, GIVEN)]
    assert [row.passed for row in rows if row.passed is not None] == [True] * 4
    assert any("over the ideal 10 s" in row.name and row.figure.startswith("1.1 ") for row in rows)


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (replace(GOOD, took=replace(GOOD.took, both=2.1)), "scoring a stored run"),
        (replace(GOOD, run=replace(RUN, requests=1235)), "requests that the server counted"),
        (replace(GOOD, run=replace(RUN, last=15.1)), "over the ideal"),
        (replace(GOOD, run=replace(RUN, process=replace(PROCESS, peak_bytes=201_000_000))), "peak memory"),
    ],
)
def test_a_missed_limit_is_told(bad: Repetition, said: str) -> None:
    rows = [*scoring_rows([bad]), *generation_rows([bad], 1236, GIVEN)]
    assert [said in row.name for row in rows if row.passed is False] == [True]


@pytest.mark.real_data
def test_the_bare_loop_sends_what_a_run_asks(tmp_path: Path) -> None:
    calls = tmp_path / "calls.json"
    assert write(Order(str(real_data_dir() / "orchestrationbench"), "EN", str(calls))) == 1236
    tasks = msgspec.json.decode(calls.read_bytes())
    assert {len(task) for task in tasks} == {len(step) for task in tasks for step in task} == {1}
    body = msgspec.json.decode(tasks[0][0][0])
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
