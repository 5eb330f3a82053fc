import contextlib
import re

import pytest
from benchmarks.limits import MEMORY_CALLS, memory_rows
from benchmarks.machine import machine
from benchmarks.measured import CommandFailed, measure
from benchmarks.rows import at_most, print_table
from benchmarks.workload import Workload, spread_tasks
from tests.support.data import real_data_dir

from benchmarks import harness


def test_the_planned_work_is_the_one_of_the_limits() -> None:
    work = Workload("", tuple(map(str, range(60))), calls=5, concurrency=32)
    assert (work.requests, round(work.ideal_seconds(0.05), 9)) == (840, 1.2)


@pytest.mark.real_data
def test_tasks_are_spread_over_the_release() -> None:
    data = str(real_data_dir() / "occubench")
    everything = spread_tasks(data, 382)
    assert len(set(everything)) == 382
    assert spread_tasks(data, 2) == (everything[0], everything[191])
    for wrong in (0, 383):
        with pytest.raises(ValueError, match="382 tasks"):
            spread_tasks(data, wrong)


def test_a_limit_is_held_against_the_least_figure(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [at_most("slow", [2.0, 3.0], 1.5, "s"), at_most("fast", [1.0, 9.0], 1.5, "s", bare=[0.5, 0.75])]
    assert [row.passed for row in rows] == [False, True]
    print_table("Figures", rows)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Figures"
    assert re.fullmatch(r"\| slow +\| 2 \(2.5\) s +\| +\| <= 1.5 s \| FAIL \|", lines[4])
    assert re.fullmatch(r"\| fast +\| 1 \(5\) s +\| 0.5 \(0.625\) s, x2.00 \| <= 1.5 s \| PASS \|", lines[5])


def test_memories_are_held_against_share_and_growth() -> None:
    first, middle, most = MEMORY_CALLS
    flat, curved = [100.0 * n for n in MEMORY_CALLS], [100.0 * first, 250.0 * middle, 500.0 * most]
    assert [row.passed for row in memory_rows(curved, flat)] == [True, True, None]
    assert [row.passed for row in memory_rows(flat, curved)] == [False, False, None]


def test_a_command_that_fails_says_so() -> None:
    with pytest.raises(CommandFailed, match="exit code 2"):
        measure(["sh", "-c", "exit 2"])


@pytest.mark.real_data
def test_measures_and_prints_its_table(capfd: pytest.CaptureFixture[str]) -> None:
    counts = ["--tasks", "4", "--repetitions", "1", "--memory-tasks", "2", "--calls", "2", "--latency-ms", "5"]
    # So few requests cannot carry the costs that a run has once; limits may be missed, the table has to come.
    with contextlib.suppress(SystemExit):
        harness.main(["--data", str(real_data_dir() / "occubench"), *counts])
    out = capfd.readouterr().out
    assert out.startswith(machine())
    rows = {cells[1].strip(): cells for line in out.splitlines() if len(cells := line.split("|")) > 5}
    counted = rows["requests that the server counted"]
    assert [cell.strip() for cell in counted[2:6]] == ["32", "32", "= 32", "PASS"]
    assert rows["connections open at once"][5].strip() == "PASS"
    assert sum("ledger" in name for name in rows) == 3
