"""The index of a run: what it says is what the records say, whatever happened to either."""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.engine.rig import TinyTrial, role_settings, run_tiny
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.engine.index import INDEX, SampleIndex, SampleKind, counted_lines, figures_of
from worktrial.engine.manifest import Manifest, SessionRecord
from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.engine.store import SAMPLES, RunStore, last_records
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.results.tables import sources
from worktrial.secrets import Redactor
from worktrial.workplaces.conformance import SimulatorHealth

REASONS = {Outcome.PASS: "so", Outcome.FAIL: "no", Outcome.INVALID: "bad_reply: HTML"}


def record(n: int) -> SampleRecord:
    """Samples of every kind; every seventh is an earlier one again."""
    outcome = (*Outcome,)[n % 3]
    return SampleRecord(
        suite="tiny",
        sample=f"é-{n // 7 if n % 7 == 6 else n}",
        repeat=n % 2,
        condition="E2/3x2" if n % 5 else "E0",
        outcome=outcome,
        reason=REASONS[outcome] * (1 + n % 4),
        stop_reason=(None, "answered", "empty_answer", "cut_answer")[n % 4],
        calls=n % 4 // 2,
        usage={"agent": RoleUsage(1, 100 * n, n)} | ({"simulator": RoleUsage()} if n % 2 else {}),
        cost=None if n % 11 == 10 else n / 7,
        simulation=SimulatorHealth(n, n // 2, n // 3) if n % 3 else None,
        replayed=n % 13 // 12,
    )


def opened(folder: Path) -> RunStore:
    session = SessionRecord(started="now", command=["worktrial"])
    return RunStore(folder, Manifest(suite="tiny", data={}, settings={}, samples=1, sessions=[session]), Redactor())


def filled(folder: Path, numbers: range = range(150)) -> Path:
    with opened(folder) as store:
        for n in numbers:
            store.add(record(n), None)
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("made") / "run")


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def agrees(folder: Path) -> None:
    """Open the folder; its index says what its records say."""
    records = last_records(folder)
    with opened(folder) as store:
        index = store.index
        assert len(index) == len(records)
        for key, stored in records.items():
            assert (index.outcome(key), index.figures(key)) == (stored.outcome, figures_of(stored))
        kinds = Counter(SampleKind(f.outcome, f.ended, f.acted) for f in map(figures_of, records.values()))
        assert {kind: count for kind, count in index.kinds.items() if count} == kinds
        bought = [stored for stored in records.values() if not stored.replayed]
        assert index.cost == pytest.approx(sum(stored.cost or 0.0 for stored in bought))
        assert index.tokens == sum(figures_of(stored).tokens for stored in bought)
        assert index.outcome(("none", 0, "E0")) is None
    lines = (folder / SAMPLES).read_bytes().count(b"\n")
    assert (folder / INDEX).stat().st_size <= 64 * (lines + 1)
    index_there = (folder / INDEX).read_bytes()
    (folder / INDEX).unlink()
    with opened(folder):
        pass
    assert (folder / INDEX).read_bytes() == index_there


def test_the_index_says_what_the_records_say(run: Path) -> None:
    agrees(run)
    filled(run, range(140, 160))
    agrees(run)


def test_records_that_are_in_the_index_are_not_read_again(run: Path, tmp_path: Path) -> None:
    asked: list[tuple[int, int]] = []

    def read(place: int, number: int) -> Iterator[tuple[SampleRecord, bytes, int]]:
        asked.append((place, number))
        return iter(())

    index = SampleIndex(run)
    index.open(run / SAMPLES, read)
    index.close()
    assert asked == [((run / SAMPLES).stat().st_size, 151)]
    assert len(index) == len(last_records(run))


def _cut(run: Path, share: float) -> None:
    data = (run / INDEX).read_bytes()
    (run / INDEX).write_bytes(data[: int(len(data) * share)])


def _edit_index(run: Path, edit: Callable[[bytes], bytes]) -> None:
    (run / INDEX).write_bytes(edit((run / INDEX).read_bytes()))


def _edit_lines(run: Path, edit: Callable[[list[bytes]], list[bytes]]) -> None:
    (run / SAMPLES).write_bytes(b"".join(edit((run / SAMPLES).read_bytes().splitlines(keepends=True))))


def _of_another_run(run: Path) -> None:
    other = filled(run.with_name("other"), range(150, 0, -1))
    shutil.copy(other / INDEX, run / INDEX)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "none there": lambda run: (run / INDEX).unlink(),
    "empty": lambda run: _cut(run, 0),
    "torn in the header": lambda run: _cut(run, 0.003),
    "torn in a row": lambda run: _cut(run, 0.5),
    "torn in the last row": lambda run: _cut(run, 0.9999),
    "another header": lambda run: _edit_index(run, lambda data: b"x" + data[1:]),
    "another order of rows": lambda run: _edit_index(run, lambda d: d[:50] + d[106:162] + d[50:106] + d[162:]),
    "zeros at the end": lambda run: _edit_index(run, lambda data: data[:-560] + bytes(560)),
    "more rows than lines": lambda run: _edit_lines(run, lambda lines: lines[:-20]),
    "more lines than rows": lambda run: _edit_lines(run, lambda lines: [*lines, *lines[:9]]),
    "a line left out": lambda run: _edit_lines(run, lambda lines: lines[:70] + lines[71:]),
    "two lines for one": lambda run: _edit_lines(run, lambda lines: lines[:70] + lines[68:]),
    "a line changed": lambda run: _edit_lines(run, lambda lines: [x.replace(b'"so"', b'"hence"') for x in lines]),
    "no lines": lambda run: _edit_lines(run, lambda lines: []),
    "lines as long": lambda run: _edit_lines(run, lambda lines: [x.replace(b"pass", b"fail") for x in lines]),
    "a torn line": lambda run: _edit_lines(run, lambda lines: [*lines[:-1], lines[-1][:-9]]),
    "that of another run": _of_another_run,
}  # fmt: skip


def counts(run: Path) -> list[SampleRecord]:
    """Records that tables are made of, by their lines."""
    [source] = sources([run])
    return sorted(source.records(), key=lambda one: one.key)


def test_readers_know_by_the_index_which_lines_count(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = counted_lines(run, run / SAMPLES)
    for rows in (1, 7):
        monkeypatch.setattr(f"{SampleIndex.__module__}._AT_ONCE", rows)
        assert counted_lines(run, run / SAMPLES) == counted
    assert counted is not None and (counted.lines, len(counted.replaced)) == (150, 150 - len(last_records(run)))
    assert counts(run) == sorted(last_records(run).values(), key=lambda one: one.key)
    # A run that is being written, or was mended by hand: its records are read.
    (run / SAMPLES).write_bytes((run / SAMPLES).read_bytes())
    os.utime(run / INDEX, ns=(0, 0))
    assert counted_lines(run, run / SAMPLES) is None


@pytest.mark.parametrize("damage", DAMAGE)
def test_readers_are_not_misled_by_such_an_index(damage: str, run: Path) -> None:
    DAMAGE[damage](run)
    assert counts(run) == sorted(last_records(run).values(), key=lambda one: one.key)


@pytest.mark.parametrize("damage", DAMAGE)
def test_an_index_that_is_torn_or_stale_is_made_again(damage: str, run: Path) -> None:
    DAMAGE[damage](run)
    with opened(run):  # cuts the torn line, which is no record
        pass
    agrees(run)


def test_a_run_goes_on_by_its_index(tmp_path: Path) -> None:
    with ScriptedServer(Script(tool_calls=0)) as server:
        first = run_tiny(
            tmp_path / "run", server.url, TinyTrial(3), role=role_settings(server.url, price=(1.0, 2.0))
        )
        asked = server.count()
        again = run_tiny(
            tmp_path / "run", server.url, TinyTrial(3), role=role_settings(server.url, price=(1.0, 2.0))
        )
        assert server.count() == asked
    assert first.records == again.records
    sizes = [
        (tmp_path / "run" / name).read_bytes().count(line)
        for name, line in ((SAMPLES, b"\n"), (INDEX, b"worktrial"))
    ]
    assert sizes == [3, 1]


def test_a_link_out_of_the_folder_is_no_index(run: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"mine")
    (run / INDEX).unlink()
    (run / INDEX).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match="symbolic link out of the folder"), opened(run):
        pass
    assert (tmp_path / "elsewhere").read_bytes() == b"mine"
