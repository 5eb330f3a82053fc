"""Rows of looks at a pinned baseline."""

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.results.runs import record, store

from worktrial.engine.manifest import SessionRecord
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import DataError, SettingError
from worktrial.results.gate import Criterion, GateLimits, History, SequentialGate, judge_gate, open_history
from worktrial.results.gate.history import MOST_LOOKS, Look

NAMES = {"p": "pass", "f": "fail", "i": "invalid"}


def _run(folder: Path, outcomes: str, began: str = "", condition: str = "E0", **more: Any) -> StoredRun:
    """A run; `reason` makes it another one with the same outcomes."""
    records = [record(str(n), NAMES[o], condition, reason=str(folder), **more) for n, o in enumerate(outcomes)]
    run = store(folder, records)
    if began:
        run.manifest.sessions.append(SessionRecord(started=began, command=[]))
        (folder / "manifest.json").write_bytes(msgspec.json.encode(run.manifest))
    return open_run(folder)


def _look(history: History, run: StoredRun, baseline: StoredRun, margin: float = 0.05, **given: Any) -> Criterion:
    """Judge, and keep the look, as the command does."""
    found = judge_gate(run, GateLimits(max_regression=margin), baseline=baseline, history=history, **given)
    if isinstance(found, SequentialGate):
        history.keep(found.row)
    (criterion,) = found.criteria
    return criterion


def _nightly(tmp_path: Path) -> History:
    return open_history("nightly", tmp_path / "gates")


@pytest.fixture
def baseline(tmp_path: Path) -> StoredRun:
    return _run(tmp_path / "baseline", "pppppffpff" * 4)


def test_looks_are_kept_and_taken_together(tmp_path: Path, baseline: StoredRun) -> None:
    first = _look(_nightly(tmp_path), _run(tmp_path / "1", "pppppffffp" * 4), baseline)
    assert first.passed and first.reason.startswith(
        "0.0 points in the first look of nightly (on these tasks, 95 % "
    )
    second = _look(_nightly(tmp_path), _run(tmp_path / "2", "pppppfffff" * 4), baseline)
    assert second.passed and second.observed == pytest.approx(-0.05)
    assert second.reason.startswith("-5.0 points in all 2 looks of nightly")
    assert second.reason.endswith(
        "40 tasks), look 2 alone -10.0: no drop by more than the margin of 5 points that lasts and is beyond chance"
    )
    assert [look.run for look in _nightly(tmp_path).looks] == [str(tmp_path / "1"), str(tmp_path / "2")]
    assert (tmp_path / "gates" / "nightly.looks.jsonl").read_text().count("\n") == 2


def test_a_slow_drift_is_caught(tmp_path: Path, baseline: StoredRun) -> None:
    """A task is lost every night: 2.5 points. Held against the night before, every night passes."""
    passing, verdicts, last = 24, [], baseline
    for night in range(1, 20):
        run = _run(tmp_path / str(night), "p" * (passing - night) + "f" * (40 - passing + night))
        verdicts.append(_look(_nightly(tmp_path), run, _sorted(tmp_path)).passed)
        before = judge_gate(run, GateLimits(max_regression=0.05), baseline=last)
        assert before.passed or night == 1
        last = run
    assert verdicts[:3] == [True] * 3 and not verdicts[-1]
    failed = _look(_nightly(tmp_path), _run(tmp_path / "20", "f" * 40), _sorted(tmp_path))
    assert "that is significant at 0.05 however often one looks" in failed.reason


def _sorted(tmp_path: Path) -> StoredRun:
    folder = tmp_path / "sorted"
    return open_run(folder) if folder.exists() else _run(folder, "p" * 24 + "f" * 16)


def test_the_same_run_is_no_new_look(tmp_path: Path, baseline: StoredRun) -> None:
    run = _run(tmp_path / "1", "ppppffffff" * 4)
    first = _look(_nightly(tmp_path), run, baseline)
    shutil.copytree(tmp_path / "1", tmp_path / "copy")
    for folder in ("1", "copy"):
        again = _look(_nightly(tmp_path), open_run(tmp_path / folder), baseline)
        assert again.interval == first.interval and "already and not counted again" in again.reason
    assert len(_nightly(tmp_path).looks) == 1
    # Once later looks are there, it is judged as it was then.
    _look(_nightly(tmp_path), _run(tmp_path / "2", "pppppfffff" * 4), baseline)
    assert _look(_nightly(tmp_path), run, baseline).interval == first.interval


def test_a_look_that_has_changed_since(tmp_path: Path, baseline: StoredRun) -> None:
    _look(_nightly(tmp_path), _run(tmp_path / "1", "ppppffffff" * 4, "2026-01-01T00:00:00+00:00"), baseline)
    changed = _run(tmp_path / "1", "pppppfffff" * 4, "2026-01-01T00:00:00+00:00")
    with pytest.raises(DataError, match="has changed since: the same tries would count twice"):
        _look(_nightly(tmp_path), changed, baseline)
    # Another run in the same folder is another run.
    _look(_nightly(tmp_path), _run(tmp_path / "1", "pppppfffff" * 4, "2026-01-02T00:00:00+00:00"), baseline)
    assert len(_nightly(tmp_path).looks) == 2


def test_looks_come_in_the_order_of_the_runs(tmp_path: Path, baseline: StoredRun) -> None:
    _look(_nightly(tmp_path), _run(tmp_path / "2", "ppppffffff" * 4, "2026-01-02T00:00:00+00:00"), baseline)
    with pytest.raises(DataError, match=r"began on 2026-01-01.*before the last look"):
        _look(_nightly(tmp_path), _run(tmp_path / "1", "ppppffffff" * 4, "2026-01-01T00:00:00+00:00"), baseline)


def test_what_is_no_look(tmp_path: Path, baseline: StoredRun) -> None:
    with pytest.raises(DataError, match="is the baseline itself"):
        _look(_nightly(tmp_path), baseline, baseline)
    with pytest.raises(DataError, match="the request cache answered: old tries"):
        _look(_nightly(tmp_path), _run(tmp_path / "1", "p" * 40, replayed=2), baseline)
    nothing = _run(tmp_path / "2", "i" * 40)
    found = _look(_nightly(tmp_path), nothing, baseline)
    assert not found.passed and found.reason == "cannot be judged: no sample has a verdict in both runs"
    with pytest.raises(DataError, match="no sample under E0 has a verdict"):
        _nightly(tmp_path).with_look(nothing, baseline, "E0", 0.05)
    unfinished = _run(tmp_path / "3", "p" * 40)
    unfinished.manifest.samples += 1
    found = _look(_nightly(tmp_path), unfinished, baseline)
    assert not found.passed and "unfinished" in found.reason
    assert not (tmp_path / "gates").exists()


def test_a_condition_of_one_run_only(tmp_path: Path, baseline: StoredRun) -> None:
    found = _look(_nightly(tmp_path), _run(tmp_path / "1", "p" * 40, condition="E1"), baseline, condition="E1")
    assert not found.passed
    assert found.reason == "cannot be judged: no sample has a verdict in both runs"
    assert not _nightly(tmp_path).looks


def test_a_history_of_something_else(tmp_path: Path, baseline: StoredRun) -> None:
    run = _run(tmp_path / "1", "ppppffffff" * 4)
    _look(_nightly(tmp_path), run, baseline)
    with pytest.raises(DataError, match=r"begun with level 0.05, and now 0.01 is asked for"):
        _look(_nightly(tmp_path), run, baseline, level=0.01)
    other = _run(tmp_path / "other", "pppppffpff" * 4)
    with pytest.raises(DataError, match="are at another baseline, or at this one before it changed"):
        _look(_nightly(tmp_path), run, other)
    both = store(tmp_path / "2", [record(str(n), condition=c) for n in range(9) for c in ("E0", "E1")])
    with pytest.raises(DataError, match="its looks are at E0, this one at E1"):
        _nightly(tmp_path).with_look(both, baseline, "E1", 0.05)
    both.manifest.suite = "t"
    with pytest.raises(DataError, match="its looks are of the suite s, and this one of t"):
        _nightly(tmp_path).with_look(both, baseline, "E0", 0.05)


def test_questions_without_sense(tmp_path: Path, baseline: StoredRun) -> None:
    history = _nightly(tmp_path)
    with pytest.raises(SettingError, match="say what drop is too much"):
        judge_gate(baseline, GateLimits(min_completion=0.5), history=history)
    with pytest.raises(SettingError, match="cannot rule out one that began with the last look"):
        _look(history, _run(tmp_path / "1", "p" * 40), baseline, sure=True)
    for name in ("", "../x", "a b", ".x", "x" * 65):
        with pytest.raises(SettingError, match="a name has up to 64 letters"):
            open_history(name, tmp_path)


def test_a_crash_does_not_hide_a_drop(tmp_path: Path, baseline: StoredRun) -> None:
    found = _look(_nightly(tmp_path), _run(tmp_path / "1", "pppppiipii" * 3 + "iiiiiiiiii"), baseline)
    assert not found.passed and "10 samples are invalid" not in found.reason
    assert "samples are invalid, and with these as not passed" in found.reason


def test_damaged_histories(tmp_path: Path, baseline: StoredRun) -> None:
    _look(_nightly(tmp_path), _run(tmp_path / "1", "ppppffffff" * 4), baseline)
    path = tmp_path / "gates" / "nightly.looks.jsonl"
    good = path.read_bytes()

    def damaged(**changes: Any) -> None:
        line = msgspec.json.decode(good) | changes
        path.write_bytes(good + msgspec.json.encode(line) + b"\n")

    damaged(outcomes={"a": [3, 2]})
    with pytest.raises(DataError, match=r"nightly.looks.jsonl:2: outcomes.a: 3 of 2 tries passed"):
        _nightly(tmp_path)
    damaged(outcomes={"a": [0, -1]})
    with pytest.raises(DataError, match=r"jsonl:2: damaged record: .*>= 1"):
        _nightly(tmp_path)
    damaged(level=0.5)
    with pytest.raises(DataError, match="jsonl:2: level: another than in the first line"):
        _nightly(tmp_path)
    damaged(format=3)
    with pytest.raises(DataError, match="jsonl:2: has format 3"):
        _nightly(tmp_path)
    damaged(more=1)
    with pytest.raises(DataError, match="jsonl:2: damaged record"):
        _nightly(tmp_path)
    path.write_bytes(good + b"\xff\xfe\n")
    with pytest.raises(DataError, match="jsonl:2: damaged record"):
        _nightly(tmp_path)
    path.write_bytes(good * (MOST_LOOKS + 1))
    with pytest.raises(DataError, match="more than 1000 looks"):
        _nightly(tmp_path)
    # A line that a crash has torn is passed over, and removed before the next; a line written twice counts once.
    path.write_bytes(good * 2 + good[:30])
    assert len(_nightly(tmp_path).looks) == 1
    _look(_nightly(tmp_path), _run(tmp_path / "2", "ppppffffff" * 4), baseline)
    assert len(_nightly(tmp_path).looks) == 2
    assert len(path.read_bytes().splitlines()) == 3
    for line in path.read_bytes().splitlines():
        msgspec.json.decode(line, type=Look)


def test_a_history_that_cannot_be_written(tmp_path: Path, baseline: StoredRun) -> None:
    (tmp_path / "gates").write_text("a file")
    with pytest.raises(DataError, match="Name another folder with store"):
        _look(_nightly(tmp_path), _run(tmp_path / "1", "p" * 40), baseline)


def test_a_full_history(tmp_path: Path, baseline: StoredRun) -> None:
    history = _nightly(tmp_path)
    row = history.with_look(_run(tmp_path / "1", "p" * 40), baseline, "E0", 0.05)
    full = History("nightly", history.path, row.looks * MOST_LOOKS)
    with pytest.raises(DataError, match="it has 1000 looks, the most there can be"):
        full.with_look(_run(tmp_path / "2", "p" * 40), baseline, "E0", 0.05)
