from pathlib import Path
from random import Random

import pytest
from tests.results.runs import record, store

from worktrial.errors import DataError
from worktrial.results.observed import observe, observe_pair


def test_one_run(tmp_path: Path) -> None:
    records = [record("a"), record("b", "fail"), record("c", "invalid"), record("d")]
    found = observe(store(tmp_path / "run", [*records, record("a", "fail", "E1")]))
    assert (found.condition, found.tasks, found.repeats, found.rate) == ("E0", 4, 1, 0.5)
    assert found.repeat_correlation is None


def test_repeats_that_go_together(tmp_path: Path) -> None:
    draw = Random(6)
    records = []
    for n in range(400):
        chance = draw.random()
        records += [record(f"t{n}", "pass" if draw.random() < chance else "fail", repeat=r) for r in range(4)]
    found = observe(store(tmp_path / "run", records))
    assert (found.tasks, found.repeats) == (400, 4)
    # Uniform chances: a variance of 1/12 between tasks, of 1/4 in all.
    assert found.repeat_correlation == pytest.approx(1 / 3, abs=0.05)
    alike = [record(s, o, repeat=r) for s, o in (("a", "pass"), ("b", "fail")) for r in (0, 1)]
    assert observe(store(tmp_path / "alike", alike)).repeat_correlation == 1
    apart = [record(s, o, repeat=r) for s in "ab" for r, o in enumerate(("pass", "fail"))]
    assert observe(store(tmp_path / "apart", apart)).repeat_correlation == 0
    level = [record("a", repeat=r) for r in (0, 1)]
    assert observe(store(tmp_path / "level", level)).repeat_correlation is None


def test_two_runs(tmp_path: Path) -> None:
    first = store(tmp_path / "1", [record("a"), record("b", "fail"), record("c"), record("d"), record("e")])
    others = [record("a", "fail"), record("b"), record("c"), record("d", "invalid"), record("e", condition="E1")]
    found = observe_pair(first, store(tmp_path / "2", others))
    assert (found.condition, found.tasks, found.left_out) == ("E0", 3, 1)
    assert (found.differing.successes, found.differing.n) == (2, 3)
    assert found.rate == pytest.approx(2 / 3)


def test_nothing_to_learn_from(tmp_path: Path) -> None:
    full, empty = store(tmp_path / "full", [record("a")]), store(tmp_path / "empty", [])
    with pytest.raises(DataError, match="empty: no sample has finished"):
        observe(empty)
    other = store(tmp_path / "other", [record("b")])
    with pytest.raises(DataError, match=r"other: no sample under E0 has a verdict here and in .*full"):
        observe_pair(full, other)
