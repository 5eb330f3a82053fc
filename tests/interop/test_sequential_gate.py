"""Pinned baselines and rows of looks from Python."""

from pathlib import Path

import pytest
from tests.results.runs import record, store

import worktrial
from worktrial.errors import DataError, SettingError


def test_a_pinned_baseline_and_a_row_of_looks(tmp_path: Path) -> None:
    for name, outcomes in [("main", "p" * 30 + "f" * 10), ("good", "p" * 30 + "f" * 10), ("bad", "f" * 40)]:
        words = {"p": "pass", "f": "fail"}
        store(tmp_path / name, [record(str(n), words[o], reason=name) for n, o in enumerate(outcomes)])
    gates = tmp_path / "gates"
    worktrial.load(tmp_path / "main").pin("main", store=gates)
    with pytest.raises(SettingError, match=r"there is a baseline main already; replace"):
        worktrial.load(tmp_path / "main").pin("main", store=gates)
    good = worktrial.load(tmp_path / "good")
    found = good.gate(max_regression=0.05, baseline="main", sequential="nightly", store=gates)
    assert found.row is not None and found.row.is_new
    bad = worktrial.load(tmp_path / "bad")
    with pytest.raises(AssertionError, match="however often one looks"):
        bad.gate(max_regression=0.05, baseline="main", sequential="nightly", store=gates)
    with pytest.raises(DataError, match="neither the folder of a run nor a baseline"):
        good.gate(max_regression=0.05, baseline="none", store=gates)
