"""Pinned baselines."""

import shutil
from pathlib import Path

import msgspec
import pytest
from tests.results.runs import record, store

from worktrial.engine.manifest import SessionRecord
from worktrial.engine.stored import open_run
from worktrial.errors import DataError, SettingError
from worktrial.results.gate import find_baseline, pin, pins, read_pin, unpin


@pytest.fixture
def gates(tmp_path: Path) -> Path:
    """A folder with the baseline `main`, of the run in `runs/one`."""
    run = store(tmp_path / "runs" / "one", [record(str(n)) for n in range(5)], agent="a")
    pin("main", run, store=tmp_path / "gates")
    return tmp_path / "gates"


def test_a_pinned_run_is_found_by_its_name(tmp_path: Path, gates: Path) -> None:
    kept = read_pin("main", gates).baseline
    assert (kept.run, kept.suite, kept.agent, kept.samples) == ("../runs/one", "s", "a", 5)
    assert find_baseline("main", gates).folder.samefile(tmp_path / "runs" / "one")
    assert find_baseline(tmp_path / "runs" / "one", gates).folder == tmp_path / "runs" / "one"
    assert [found.name for found in pins(gates)] == ["main"]
    # Both move together, as in a repository.
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("runs", "gates"):
        shutil.move(tmp_path / name, moved / name)
    assert find_baseline("main", moved / "gates").folder.samefile(moved / "runs" / "one")


def test_a_baseline_that_vanished_or_changed(tmp_path: Path, gates: Path) -> None:
    folder = tmp_path / "runs" / "one"
    run = open_run(folder)
    run.manifest.sessions.append(SessionRecord(started="2026-01-01", command=[]))
    (folder / "manifest.json").write_bytes(msgspec.json.encode(run.manifest))
    find_baseline("main", gates)  # a session without a sample is no change
    run.manifest.settings["seed"] = 1
    (folder / "manifest.json").write_bytes(msgspec.json.encode(run.manifest))
    with pytest.raises(DataError, match=r"the baseline main, pinned on .*, has other settings now"):
        find_baseline("main", gates)
    store(folder, [record(str(n), "fail") for n in range(5)], agent="a")
    with pytest.raises(DataError, match="has other results now"):
        find_baseline("main", gates)
    shutil.rmtree(folder)
    with pytest.raises(DataError, match=r"is gone. Put it back, or pin another: worktrial baseline set main RUN"):
        find_baseline("main", gates)


def test_a_name_is_not_taken_twice(tmp_path: Path, gates: Path) -> None:
    other = store(tmp_path / "runs" / "two", [record("0", "fail")])
    with pytest.raises(SettingError, match="there is a baseline main already"):
        pin("main", other, store=gates)
    pin("main", other, store=gates, replace=True)
    assert find_baseline("main", gates).folder.name == "two"
    unpin("main", gates)
    assert pins(gates) == []
    with pytest.raises(DataError, match="no baseline main is pinned; pinned: none"):
        unpin("main", gates)


def test_what_cannot_be_pinned(tmp_path: Path, gates: Path) -> None:
    run = store(tmp_path / "runs" / "bad", [record("0", "invalid")])
    with pytest.raises(DataError, match="no sample has a verdict"):
        pin("bad", run, store=gates)
    run.manifest.samples = 2
    with pytest.raises(DataError, match="unfinished, 1 samples are missing"):
        pin("bad", run, store=gates)
    for name in ("", "a/b", "..", "-x", "ü", "x" * 65):
        with pytest.raises(SettingError, match="a name has up to 64 letters"):
            pin(name, open_run(tmp_path / "runs" / "one"), store=gates)
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        pin("x", open_run(tmp_path / "runs" / "one"), store=tmp_path / "file" / "gates")


def test_damaged_pins(gates: Path) -> None:
    path = gates / "main.baseline.json"
    good = msgspec.json.decode(path.read_bytes())
    for text, told in [
        (b"{", "not a pinned baseline"),
        (b"\xff", "not a pinned baseline"),
        (msgspec.json.encode(good | {"format": 9}), "has format 9, and this version reads 2"),
        (msgspec.json.encode(good | {"extra": 9}), "unknown field `extra`"),
        (msgspec.json.encode(good | {"samples": "x"}), r"\$.samples"),
        (b" " * 100_001, "larger than 100,000 bytes"),
    ]:
        path.write_bytes(text)
        with pytest.raises(DataError, match=told):
            find_baseline("main", gates)


def test_a_word_that_is_neither_or_both(tmp_path: Path, gates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"neither the folder of a run nor a baseline .*\(pinned: main\)"):
        find_baseline("mian", gates)
    with pytest.raises(DataError, match="no such folder"):
        find_baseline("runs/none", gates)
    monkeypatch.chdir(tmp_path / "runs")
    shutil.copytree("one", "main")
    with pytest.raises(SettingError, match=r"write ./main for the folder"):
        find_baseline("main", gates)
    assert find_baseline("./main", gates).records
