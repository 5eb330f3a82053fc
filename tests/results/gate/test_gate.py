"""Runs held against limits."""

from math import inf, nan
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.results.runs import event, record, store
from tests.support.made_runs import make_run

from worktrial.engine.record import RoleUsage
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import SettingError
from worktrial.results.completion import completion_of
from worktrial.results.conditions import tallies
from worktrial.results.gate import Criterion, GateLimits, judge_gate
from worktrial.statistics import Estimand

NAMES = {"p": "pass", "f": "fail", "i": "invalid"}

SIGNIFICANT = "a drop by more than the margin of 3 points that is significant at 0.05"


def _run(folder: Path, outcomes: str, **settings: Any) -> StoredRun:
    return store(folder, [record(str(n), NAMES[o], seconds=2.0) for n, o in enumerate(outcomes)], **settings)


def _unfinished(run: StoredRun, more: int = 3) -> StoredRun:
    path = run.folder / "manifest.json"
    manifest = msgspec.json.decode(path.read_bytes())
    manifest["samples"] += more
    path.write_bytes(msgspec.json.encode(manifest))
    return open_run(run.folder)


def _one(run: StoredRun, *, baseline: StoredRun | None = None, **given: Any) -> Criterion:
    how = {name: given.pop(name) for name in ("sure", "level", "condition", "cost_of_whom") if name in given}
    found = judge_gate(run, GateLimits(**given), baseline=baseline, **how)
    (criterion,) = found.criteria
    assert found.passed is criterion.passed
    return criterion


def test_completion_counts_invalid_samples_as_not_passed(tmp_path: Path) -> None:
    run = _run(tmp_path, "pppppppffi")
    # Exactly at the limit is enough.
    assert _one(run, min_completion=0.7).passed
    found = _one(run, min_completion=0.71)
    assert not found.passed
    assert found.observed == 0.7
    assert found.reason == (
        "70.0 % of 10 samples passed (on these tasks, 95 % interval 39.2 % to 89.7 %); wanted is at least 71.0 %"
    )


def test_sure_asks_the_end_of_the_interval(tmp_path: Path) -> None:
    run = _run(tmp_path / "a", "p" * 90 + "f" * 10)
    assert _one(run, min_completion=0.85).passed
    assert not _one(run, min_completion=0.85, sure=True).passed
    assert _one(run, min_completion=0.8, sure=True).passed
    # Less is asked at a laxer level.
    assert _one(run, min_completion=0.85, sure=True, level=0.2).passed
    all_passed = _run(tmp_path / "b", "p" * 5)
    assert not _one(all_passed, min_completion=0.7, sure=True).passed


def test_a_gate_is_about_these_tasks(tmp_path: Path) -> None:
    run = store(tmp_path, [record(str(n), repeat=r) for n in range(5) for r in range(20)])
    found = _one(run, min_completion=0.9, sure=True)
    # A hundred tries of five tasks tell much of these five, and little of others.
    assert found.passed and "(on these tasks, 95 % interval" in found.reason
    assert (completion_of(tallies({"": run.records})[""]).of_all or found).interval.low < 0.6


def test_three_tasks_are_too_few_for_robustness(tmp_path: Path) -> None:
    """R was 1.00 between 1.00 and 1.00 from three tasks, and passed every gate."""
    modes = ("E0", "E1", "E2", "E3")
    run = store(tmp_path, [record(str(n), condition=mode) for n in range(3) for mode in modes])
    assert _one(run, min_robustness=0.9).passed
    assert not _one(run, min_robustness=0.9, sure=True).passed


def test_the_gate_and_the_estimate_are_equally_sure(tmp_path: Path) -> None:
    outcomes = {"a": "ppp", "b": "ppp", "c": "ppf", "d": "ppp"}
    records = [record(n, NAMES[o], repeat=r) for n, of in outcomes.items() for r, o in enumerate(of)]
    run = store(tmp_path, records)
    these = completion_of(tallies({"": run.records})[""], Estimand.THESE).of_all
    assert these is not None and _one(run, min_completion=0.5).interval == these.interval


@pytest.mark.parametrize(
    ("first", "second", "margin", "passed", "why"),
    [
        ("p" * 100, "p" * 100, 0.0, True, "no drop"),
        ("f" * 100, "p" * 100, 0.0, True, "no drop"),
        # Exactly at the margin, and too few tasks to be significant.
        ("p" * 100, "p" * 97 + "f" * 3, 0.03, True, "within the margin of 3 points"),
        (
            "p" * 100,
            "p" * 96 + "f" * 4,
            0.03,
            False,
            SIGNIFICANT,
        ),
        # Ten of a hundred, and eight gained: large, and no more than chance.
        ("p" * 92 + "f" * 8, "f" * 12 + "p" * 88, 0.03, True, "a drop that may be chance"),
        # Significant, and too small to matter.
        ("p" * 500, "p" * 488 + "f" * 12, 0.03, True, "within the margin of 3 points"),
        (
            "p" * 100,
            "p" * 80 + "f" * 20,
            0.03,
            False,
            SIGNIFICANT,
        ),
        ("i" * 20, "p" * 20, 0.03, False, "cannot be judged: no sample has a verdict in both runs"),
    ],
)
def test_regression(tmp_path: Path, first: str, second: str, margin: float, passed: bool, why: str) -> None:
    baseline, run = _run(tmp_path / "a", first), _run(tmp_path / "b", second)
    found = _one(run, baseline=baseline, max_regression=margin)
    assert found.passed is passed
    assert found.reason.endswith(why)


def test_at_another_level_a_small_drop_is_no_finding(tmp_path: Path) -> None:
    baseline, run = _run(tmp_path / "a", "p" * 500), _run(tmp_path / "b", "p" * 488 + "f" * 12)
    assert _one(run, baseline=baseline, max_regression=0.03, level=1e-4).passed


def test_sure_that_there_is_no_larger_drop(tmp_path: Path) -> None:
    baseline, run = _run(tmp_path / "a", "pf" * 20), _run(tmp_path / "b", "fp" + "pf" * 19)
    assert _one(run, baseline=baseline, max_regression=0.03).passed
    found = _one(run, baseline=baseline, max_regression=0.03, sure=True)
    assert not found.passed
    assert found.reason.endswith("a drop by more than the margin of 3 points is not ruled out")
    assert _one(run, baseline=baseline, max_regression=0.2, sure=True).passed


def test_an_agent_that_crashes_does_not_pass_for_want_of_verdicts(tmp_path: Path) -> None:
    baseline, run = _run(tmp_path / "a", "p" * 20), _run(tmp_path / "b", "p" * 15 + "i" * 5)
    found = _one(run, baseline=baseline, max_regression=0.1)
    assert not found.passed
    assert "cannot be judged" in found.reason
    assert "5 samples are invalid, and with these as not passed the drop would be 25.0 points" in found.reason
    # Samples that broke in the baseline are nobody's drop.
    assert _one(baseline, baseline=run, max_regression=0.0).passed


def test_a_run_that_left_out_tasks_says_so(tmp_path: Path) -> None:
    baseline, run = _run(tmp_path / "a", "p" * 20), _run(tmp_path / "b", "p" * 12)
    assert "8 samples of the baseline are not in this run" in (
        _one(run, baseline=baseline, max_regression=0.1).reason
    )


def test_robustness(tmp_path: Path) -> None:
    modes = ("E0", "E1", "E2", "E3")
    rates = {"E0": 10, "E1": 9, "E2": 8, "E3": 9}
    run = store(
        tmp_path / "a", [record(str(n), "pass" if n < rates[m] else "fail", m) for m in modes for n in range(12)]
    )
    assert _one(run, min_robustness=0.8).passed
    found = _one(run, min_robustness=0.81)
    assert not found.passed
    assert found.reason.startswith("R = 0.80, worst in E2, over 12 tasks (on these tasks, 95 % interval ")
    assert not _one(run, min_robustness=0.8, sure=True).passed


def test_every_setting_of_a_sweep_has_to_hold(tmp_path: Path) -> None:
    records = [record(str(n)) for n in range(10)]
    for setting, passes in (("1x2", 10), ("4x2", 5)):
        for mode in ("E1", "E2", "E3"):
            records += [record(str(n), "pass" if n < passes else "fail", f"{mode}/{setting}") for n in range(10)]
    found = _one(store(tmp_path, records), min_robustness=0.8)
    assert not found.passed
    assert found.reason.startswith("R (4x2) = 0.50")


@pytest.mark.parametrize(
    ("records", "why"),
    [
        (
            [("pass", "E0"), ("pass", "E1")],
            "it needs tasks with a verdict in each of E0, E1, E2 and E3; the run has E0, E1",
        ),
        ([("fail", "E0"), ("pass", "E1"), ("pass", "E2"), ("pass", "E3")], "nothing passes without faults"),
        (
            [("pass", "E0"), ("invalid", "E1"), ("pass", "E2"), ("pass", "E3")],
            "no task has a verdict in each of E0, E1, E2 and E3",
        ),
    ],
)
def test_robustness_that_cannot_be_judged_fails(tmp_path: Path, records: list[tuple[str, str]], why: str) -> None:
    found = _one(store(tmp_path, [record("1", o, c) for o, c in records]), min_robustness=0.1)
    assert (found.passed, found.observed) == (False, None)
    assert found.reason.startswith("cannot be judged: ")
    assert why in found.reason


def test_cost_and_time(tmp_path: Path) -> None:
    usage = {"agent": RoleUsage(1, 10, 1, 0, 0.02), "judge": RoleUsage(1, 10, 1, 0, 0.03)}
    broken = record("99", "invalid", cost=None)
    records = [record(str(n), usage=usage, cost=0.05, seconds=4.0) for n in range(30)] + [broken]
    run = store(tmp_path, records, roles={"agent": {"model": "m"}})
    assert _one(run, max_cost_per_task=0.05).passed
    assert not _one(run, max_cost_per_task=0.04).passed
    assert _one(run, max_cost_per_task=0.02, cost_of_whom="agent").passed
    assert _one(run, max_seconds=4.0).passed
    # Thirty samples that took four seconds do not make sure that all will.
    assert not _one(run, max_seconds=4.0, sure=True).passed
    assert _one(run, max_seconds=9.0, sure=True).passed
    few = store(tmp_path / "few", [record(str(n), usage=usage, cost=0.05, seconds=4.0) for n in range(4)])
    assert _one(few, max_seconds=4.0).passed
    unsure = _one(few, max_seconds=9.0, sure=True)
    assert not unsure.passed
    assert "too few tasks for an interval of what they take: 4 that are drawn apart, it needs 30" in unsure.reason
    found = _one(run, max_seconds=3.9)
    assert not found.passed
    assert (
        found.reason == "4.0 s a sample, mean of 30 samples (95 % interval 3.7 s to 4.3 s); wanted is at most 3.9 s"
    )


@pytest.mark.parametrize(
    ("changes", "settings", "limit", "why"),
    [
        ({"cost": None}, {}, "max_cost_per_task", "the price of a model is unknown in 3 samples"),
        ({"replayed": 1}, {}, "max_seconds", "3 samples were answered from the request cache"),
        ({}, {"agent": "python:my:agent"}, "max_cost_per_task", "nobody sees what an agent of one's own"),
        ({"outcome": "invalid"}, {}, "max_seconds", "no sample has a verdict"),
    ],
)
def test_what_is_not_known_fails(
    tmp_path: Path, changes: dict[str, Any], settings: dict[str, Any], limit: str, why: str
) -> None:
    outcome = changes.pop("outcome", "pass")
    run = store(tmp_path, [record(str(n), outcome, **changes) for n in range(3)], **settings)
    found = _one(run, **{limit: 1000.0})
    assert (found.passed, found.observed) == (False, None)
    assert found.reason.startswith("cannot be judged: ")
    assert why in found.reason


def test_invalid_samples_of_all_conditions(tmp_path: Path) -> None:
    run = store(
        tmp_path,
        [record(str(n), "invalid" if c == "E1" and n < 2 else "pass", c) for c in ("E0", "E1") for n in range(10)],
    )
    assert _one(run, max_invalid=0.1).passed
    assert not _one(run, max_invalid=0.09).passed


def test_an_unfinished_run_fails_every_criterion(tmp_path: Path) -> None:
    finished = _run(tmp_path / "a", "p" * 10)
    run = _unfinished(_run(tmp_path / "b", "p" * 10))
    limits = GateLimits(min_completion=0, max_regression=1, max_cost_per_task=9, max_seconds=9, max_invalid=1)
    found = judge_gate(run, limits, baseline=finished)
    assert [c.passed for c in found.criteria] == [False] * 5
    assert {c.reason for c in found.criteria} == {
        "cannot be judged: the run is unfinished, 3 samples have yet to finish"
    }
    by_unfinished = _one(finished, baseline=run, max_regression=1.0)
    assert by_unfinished.reason == "cannot be judged: the baseline is unfinished, 3 samples are missing"


def test_a_single_task_cannot_be_sure(tmp_path: Path) -> None:
    run, baseline = _run(tmp_path / "a", "p"), _run(tmp_path / "b", "p")
    assert _one(run, max_seconds=10).passed
    for limits, other in (({"max_seconds": 10.0}, None), ({"max_regression": 0.5}, baseline)):
        found = _one(run, baseline=other, sure=True, **limits)
        assert not found.passed
        assert found.reason.startswith("cannot be judged: ") or found.reason.endswith("is not ruled out")


def test_another_condition(tmp_path: Path) -> None:
    plan = [event(0, "E2", 1)]
    run = store(tmp_path, [record("1"), record("1", "fail", "E2", fault_plan=plan)])
    assert _one(run, min_completion=1.0).passed
    assert not _one(run, min_completion=1.0, condition="E2").passed
    with pytest.raises(SettingError, match="has no sample under E3; it has E0, E2"):
        judge_gate(run, GateLimits(min_completion=1.0), condition="E3")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "at least one limit: min_completion"),
        ({"min_completion": 70}, "min_completion 70: a share lies between 0 and 1"),
        ({"max_regression": -0.1}, "max_regression -0.1: a limit is a number from 0 up"),
        ({"max_cost_per_task": nan}, "max_cost_per_task nan"),
        ({"max_seconds": inf}, "max_seconds inf"),
    ],
)
def test_limits_that_make_no_sense(given: dict[str, float], said: str) -> None:
    with pytest.raises(SettingError, match=said):
        GateLimits(**given)


def test_a_baseline_and_a_regression_belong_together(tmp_path: Path) -> None:
    run = _run(tmp_path, "pf")
    with pytest.raises(SettingError, match="name a run with baseline"):
        judge_gate(run, GateLimits(max_regression=0.1))
    with pytest.raises(SettingError, match="nothing is compared with it"):
        judge_gate(run, GateLimits(min_completion=0.1), baseline=run)


def test_a_larger_run(tmp_path: Path) -> None:
    modes = ("E0", "E1", "E2", "E3")
    make_run(tmp_path / "a", agent="a", tasks=120, skill=0.8, conditions=modes, trajectories=False)
    make_run(tmp_path / "b", agent="b", tasks=120, skill=0.5, conditions=modes, trajectories=False)
    limits = GateLimits(max_regression=0.03, min_completion=0.7, max_cost_per_task=0.05, max_invalid=0.1)
    better, worse = open_run(tmp_path / "a"), open_run(tmp_path / "b")
    assert judge_gate(better, limits, baseline=worse).passed
    failed = judge_gate(worse, limits, baseline=better)
    assert [c.name for c in failed.criteria if not c.passed] == ["min_completion", "max_regression"]
