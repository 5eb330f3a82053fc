"""Figures of a run read alone: what is summed up is what whole records say."""

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import astuple
from tests.results.runs import record, store
from tests.support.made_runs import make_run

from worktrial.engine import lines, records
from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.engine.records import SAMPLES
from worktrial.engine.stored import open_run
from worktrial.errors import DataError
from worktrial.grading import Vote
from worktrial.results.observed import observe
from worktrial.results.shown import tally_shown
from worktrial.results.summary import RunTally
from worktrial.workplaces import ContextUse
from worktrial.workplaces.watch import SimulatorHealth


def odd(n: int, sample: int, repeat: int) -> SampleRecord:
    outcome = ("pass", "fail", "invalid")[n % 3]
    return record(
        f"é-{sample}",
        outcome,
        repeat=repeat,
        reason=f"bad_reply: {n % 2}",
        votes=[Vote(None if (n + k) % 4 == 0 else bool((n + k) % 2), f"{n}") for k in range(3)] if n % 5 else [],
        usage={"agent": RoleUsage(n, 2 * n, 3, 4, None if n == 14 else n / 7, n % 2, n / 9, 5)},
        cost=n / 7,
        replayed=n % 2,
        seconds=n / 3,
        calls=n % 4,
        stop_reason=("answered", "turn_limit", None)[n % 3],
        simulation=SimulatorHealth(n, 1, 0) if n % 2 else None,
        context=ContextUse(n, 2) if n % 4 else None,
        tags={"category": ("a", "b")[n % 2], "difficulty": n % 3, "scenario": f"s{sample // 3}"},
    )


def runs(place: Path) -> list[Path]:
    made = [
        make_run(place / "faults", conditions=("E0", "E1", "E2", "E3"), repeats=3, tasks=9),
        make_run(place / "hostile", hostile=True, tasks=9),
    ]
    again = [odd(n, n % 13, 4100 if n % 13 == 5 else n // 20) for n in range(60)]
    store(place / "again", again)
    once = {one.key: one for one in again}
    store(place / "once", list(once.values()))
    store(place / "none", [])
    return [*made, *(place / name for name in ("again", "once", "none"))]


@pytest.mark.parametrize("block", [1 << 16, 3000, 10])
def test_a_run_is_summed_up_from_its_figures_as_from_its_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(lines, "_BLOCK", block)
    for run in runs(tmp_path):
        whole, figures = RunTally.of(open_run(run)), tally_shown(run)
        one, other = figures.summary(), whole.summary()
        assert replace(one, usage=other.usage) == other
        # Sums of amounts in another order.
        for role, usage in other.usage.items():
            assert astuple(one.usage[role]) == pytest.approx(astuple(usage))
        assert one.usage.keys() == other.usage.keys()
        assert figures.samples == whole.samples
        # Of a run with samples that ran again, the first in another order.
        assert figures.example == whole.example or run.name == "again"
        if whole.samples:
            assert figures.observed() == observe(whole.run)


def test_a_run_is_read_once_unless_a_sample_ran_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store(tmp_path / "once", [record(str(n)) for n in range(9)])
    store(tmp_path / "again", [record("0", "invalid", reason="timeout"), record("0"), record("1")])
    read: list[Path] = []
    line_blocks = records.line_blocks
    monkeypatch.setattr(records, "line_blocks", lambda path, kind: read.append(path) or line_blocks(path, kind))
    for reading in (tally_shown, open_run):
        reading(tmp_path / "once")
        assert len(read) == 1, reading
        read.clear()
    tally = tally_shown(tmp_path / "again")
    assert tally.samples == len(open_run(tmp_path / "again").records) == 2 and not tally.is_repeated


def test_damage_is_named(tmp_path: Path) -> None:
    store(tmp_path, [record("0"), record("1")])
    path = tmp_path / SAMPLES
    first, second = path.read_bytes().splitlines(keepends=True)
    for damaged in (b'{"suite":"x","sample":3}\n', second[:-1] + second, b"\n", second[:9] + b"\n", b"\xff\n"):
        path.write_bytes(first + damaged + second[:-9])
        with pytest.raises(DataError, match=r"samples\.jsonl:2: damaged record"):
            tally_shown(tmp_path)
    path.write_bytes(first + second[:-9])
    assert tally_shown(tmp_path).example == ("0", 0, "E0")
    with pytest.raises(DataError, match="no such folder"):
        tally_shown(tmp_path / "none")
