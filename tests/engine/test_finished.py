"""Finished samples of a run that is gone on with: what is known of them is what their records say."""

from collections import Counter
from pathlib import Path

import pytest
from tests.engine.rig import TinyTrial, role_settings, run_tiny
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.engine.finished import SampleKind, figures_of
from worktrial.engine.manifest import Manifest, SessionRecord
from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.engine.records import SAMPLES, last_records
from worktrial.engine.store import RunStore
from worktrial.grading import Outcome
from worktrial.results.tables import sources
from worktrial.secrets import Redactor
from worktrial.workplaces.watch import SimulatorHealth

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
        agrees(store)
    return folder


def agrees(store: RunStore) -> None:
    """What the store knows of its samples is what their records say."""
    records = last_records(store.folder)
    known = store.samples
    assert len(known) == len(records)
    for key, stored in records.items():
        assert (known.outcome(key), known.figures(key)) == (stored.outcome, figures_of(stored))
    kinds = Counter(SampleKind(f.outcome, f.ended, f.acted) for f in map(figures_of, records.values()))
    assert {kind: count for kind, count in known.kinds.items() if count} == kinds
    bought = [stored for stored in records.values() if not stored.replayed]
    assert known.cost == pytest.approx(sum(stored.cost or 0.0 for stored in bought))
    assert known.tokens == sum(figures_of(stored).tokens for stored in bought)
    assert known.outcome(("none", 0, "E0")) is None
    with pytest.raises(KeyError):
        known.figures(("none", 0, "E0"))


def test_what_is_known_is_what_the_records_say_when_stored_and_when_read(tmp_path: Path) -> None:
    run = filled(tmp_path / "run")
    with opened(run) as store:
        agrees(store)
    filled(run, range(140, 160))
    [source] = sources([run])
    assert sorted(source.records(), key=lambda one: one.key) == sorted(
        last_records(run).values(), key=lambda one: one.key
    )


def test_a_torn_line_is_no_record(tmp_path: Path) -> None:
    run = filled(tmp_path / "run")
    path = run / SAMPLES
    path.write_bytes(path.read_bytes()[:-9])
    with opened(run) as store:
        agrees(store)


def test_a_run_goes_on_by_what_is_stored(tmp_path: Path) -> None:
    with ScriptedServer(Script(tool_calls=0)) as server:
        priced = role_settings(server.url, price=(1.0, 2.0))
        first = run_tiny(tmp_path / "run", server.url, TinyTrial(3), role=priced)
        asked = server.count()
        again = run_tiny(tmp_path / "run", server.url, TinyTrial(3), role=priced)
        assert server.count() == asked
    assert first.records == again.records
