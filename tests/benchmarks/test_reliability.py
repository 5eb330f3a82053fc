"""The campaign counts what it says that it counts; and a strike of each kind, which has to do no harm."""

import random
from pathlib import Path

import pytest
from benchmarks.reliability import limits
from benchmarks.reliability.__main__ import every_row
from benchmarks.reliability.endpoints import TROUBLES, WIRES, troubled
from benchmarks.reliability.rows import CouldNotLook, Row, Strike, counted, total, turns
from benchmarks.reliability.strikes import STRIKES
from tests.support.run_files import set_work, store_work


def test_what_is_lost_twice_or_blamed_is_counted(tmp_path: Path) -> None:
    outcomes = [("0", "invalid"), ("0", "pass"), ("1", "pass"), ("1", "pass"), ("2", "fail"), ("3", "invalid")]
    lines = [
        {"suite": "s", "sample": sample, "repeat": 0, "outcome": outcome, "reason": "so"}
        for sample, outcome in outcomes
    ]
    store_work(tmp_path, zip(lines, lines, strict=True))
    assert counted(tmp_path, 5) == Row(1, lost=2, twice=1, blamed=1)
    # A sample without its trajectory is lost, too.
    set_work(tmp_path, [*lines[:4], None, None])
    assert counted(tmp_path, 5, repeated=-3).lost == 3
    assert not any(Row(1, *(n == at for n in range(5))).is_good for at in range(5))
    assert total([Row(1), Row(2, 0, 0)]) == Row(3) and Row(3).is_good


def test_a_row_has_one_turn_at_least() -> None:
    assert [len([*turns("x", 1, 3, until)]) for until in (0.0, float("inf"))] == [1, 3]
    first, again = (next(turns("x", 1, 3, 0.0)).random() for _ in range(2))
    assert first == again != next(turns("x", 2, 3, 0.0)).random()


def test_the_table_that_is_told_has_every_row_and_zeros() -> None:
    page = (Path(__file__).parents[2] / "benchmarks" / "RESULTS.md").read_text("utf-8")
    told = page.partition("| trouble | strikes |")[2].partition("\n\n")[0]
    table = {name: [*map(int, figures)] for name, *figures in map(_cells, told.splitlines()[2:])}
    assert table.keys() == {name for name, _, _ in every_row(1)}
    for name, (strikes, *zeros) in table.items():
        assert strikes >= (50 if "SIGKILL" in name else 1) and zeros == [0] * 5, name


def test_every_strike_from_outside_is_told_and_was_held() -> None:
    page = (Path(__file__).parents[2] / "benchmarks" / "RESULTS.md").read_text("utf-8")
    told = page.partition("| strike | tried | held |")[2].partition("\n\n")[0]
    table = {name: [*map(int, figures)] for name, *figures in map(_cells, told.splitlines()[2:])}
    assert table.keys() == STRIKES.keys()
    assert all(tried == held > 0 for tried, held in table.values()), table


@pytest.mark.parametrize("name", STRIKES)
def test_a_strike_from_outside_is_held(name: str) -> None:
    try:
        found = STRIKES[name](random.Random(name))
    except CouldNotLook as e:
        pytest.skip(str(e))
    assert found.tried == found.held > 0, found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


# Those of 50 MB take seconds; `tests/engine/test_streaming.py` bounds them.
_TROUBLES = [name for name in TROUBLES if "MB" not in name]


@pytest.mark.parametrize("name", _TROUBLES)
def test_a_run_amid_trouble_loses_nothing(name: str) -> None:
    wire = WIRES[_TROUBLES.index(name) % len(WIRES)]
    _, step = TROUBLES[name]
    assert troubled(wire, 0.4, step, 5, random.Random(name), timeout=0.3).is_good


@pytest.mark.parametrize(
    "strike",
    [
        limits.fill_disk,
        limits.refuse_writing,
        limits.limit_file_size,
        limits.limit_descriptors,
        limits.limit_memory,
        limits.turn_clock,
    ],
)
def test_a_machine_that_has_no_more_costs_no_sample(strike: Strike) -> None:
    try:
        row = strike(random.Random(1))
    except CouldNotLook as e:
        pytest.skip(str(e))
    assert row.is_good, row
