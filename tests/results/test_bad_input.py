"""Runs of which little can be said: every surface says so, and none makes up an interval."""

from pathlib import Path

import pytest
from tests.results.runs import record, store

from worktrial.engine.stored import StoredRun
from worktrial.errors import DataError, SettingError
from worktrial.results.comparison import compare_runs
from worktrial.results.conclusion import Standing, conclude_on, names_of
from worktrial.results.figure import figures_of
from worktrial.results.gate import GateLimits, judge_gate
from worktrial.results.observed import observe, observe_pair
from worktrial.statistics import Estimand

MODES = ("E0", "E1", "E2", "E3")


def _run(folder: Path, outcomes: str, scenario: str = "", conditions: tuple[str, ...] = ("E0",)) -> StoredRun:
    names = {"p": "pass", "f": "fail", "i": "invalid"}
    tags = {"scenario": scenario} if scenario else {}
    records = [record(str(n), names[o], c, tags=tags) for c in conditions for n, o in enumerate(outcomes)]
    return store(folder, records, roles={"agent": {"model": folder.name}})


def test_one_task(tmp_path: Path) -> None:
    good, bad = _run(tmp_path / "good", "p", conditions=MODES), _run(tmp_path / "bad", "f", conditions=MODES)
    shown = figures_of(good)
    interval = shown.get("completion").interval
    assert interval is not None and interval.half_width > 0.3
    assert (shown.named("robustness")[0].low or 0.0) < 0.3
    said = compare_runs(good, bad).conclusion
    assert said.startswith("Not enough to tell") and "1 task" in said
    assert conclude_on(names_of([good, bad])).standing is Standing.UNKNOWN
    assert not judge_gate(good, GateLimits(min_completion=0.5), sure=True).passed
    assert not judge_gate(bad, GateLimits(max_regression=0.05), baseline=good, sure=True).passed
    assert observe(good).tasks == 1 and observe_pair(good, bad).differing.share == 1


def test_one_cluster(tmp_path: Path) -> None:
    """Nothing shows how scenarios differ, so the tasks of the one stand for themselves."""
    a, b = _run(tmp_path / "a", "p" * 9 + "f" * 3, "only"), _run(tmp_path / "b", "p" * 6 + "f" * 6, "only")
    alone = _run(tmp_path / "c", "p" * 9 + "f" * 3)
    assert figures_of(a).get("completion") == figures_of(alone).get("completion")
    work = compare_runs(a, b).figures.get("completion_of_valid")
    assert work is not None and work.clusters == 12 and work.interval.half_width > 0.1
    assert conclude_on(names_of([a, b])).standing is Standing.UNKNOWN


@pytest.mark.parametrize("letter", ["p", "f"])
def test_no_variation(tmp_path: Path, letter: str) -> None:
    a, b = (_run(tmp_path / name, letter * 20, conditions=MODES) for name in "ab")
    shown = figures_of(a)
    interval = shown.get("completion").interval
    assert interval is not None and interval.half_width > 0.05
    compared = compare_runs(a, b)
    for estimand in Estimand:
        rate = compared.figures.get("completion_of_valid", "E0", estimand=estimand)
        assert rate.p == 1 and rate.interval is not None and rate.interval.low < 0 < rate.interval.high
    if letter == "p":
        low, high = shown.named("robustness")[0].interval or (0.0, 0.0)
        assert low < 1 <= high and high - low > 0.1
        change = compared.figures.get("robustness", "")
        # All that was seen is alike, which does not make it certain.
        assert change.interval is None or change.interval.half_width > 0
    else:
        assert compared.conclusion == "Neither a nor b completed anything of what both tried."
        assert compared.figures.get("robustness", "").first is None
        assert "nothing passes without faults" in judge_gate(a, GateLimits(min_robustness=0.5)).criteria[0].reason


def test_all_invalid(tmp_path: Path) -> None:
    broken, good = (
        _run(tmp_path / "broken", "i" * 8, conditions=MODES),
        _run(tmp_path / "good", "p" * 8, conditions=MODES),
    )
    shown = figures_of(broken)
    assert shown.get("completion_of_valid").value is None and shown.get("completion").value == 0
    (robust,) = shown.named("robustness")
    assert robust.value is None and robust.unknown == "no task has a verdict in each of E0, E1, E2 and E3"
    assert (
        compare_runs(good, broken).conclusion
        == "Nothing can be said: no sample has a verdict of both good and broken."
    )
    assert conclude_on(names_of([good, broken])).standing is Standing.UNKNOWN
    gated = judge_gate(broken, GateLimits(max_regression=0.05), baseline=good)
    assert not gated.passed and "no sample has a verdict in both runs" in gated.criteria[0].reason
    cost = judge_gate(broken, GateLimits(max_cost_per_task=1.0))
    assert not cost.passed and "no sample has a verdict" in cost.criteria[0].reason
    with pytest.raises(DataError, match="no sample under E0 has a verdict"):
        observe_pair(good, broken)


def test_a_margin_that_is_none(tmp_path: Path) -> None:
    a, b = _run(tmp_path / "a", "ppf"), _run(tmp_path / "b", "pff")
    with pytest.raises(ValueError, match="a margin lies between 0 and 1"):
        compare_runs(a, b, margin=-0.05)
    with pytest.raises(SettingError, match="a limit is a number from 0 up"):
        GateLimits(max_regression=-0.05)
