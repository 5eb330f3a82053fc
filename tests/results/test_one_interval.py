"""A run has one interval for one question, whatever shows it."""

from pathlib import Path

import pytest
from tests.results.runs import record, store

from worktrial.results.boards import row
from worktrial.results.conditions import robustness_by_setting
from worktrial.results.gate import GateLimits, judge_gate
from worktrial.results.summary import summarise
from worktrial.statistics import Estimand, TaskTries, rate


@pytest.mark.parametrize("failing", [0, 3])
def test_show_report_and_gate_do_not_state_three_intervals(tmp_path: Path, failing: int) -> None:
    """It was once 98.2, 91.8 and 72.2 % as the lower end of a run that passed everything."""
    records = [
        record(
            f"{scenario}-{task}",
            "fail" if condition != "E0" and task < failing else "pass",
            condition=condition,
            repeat=repeat,
            tags={"scenario": f"s{scenario}"},
        )
        for scenario in range(10)
        for task in range(5)
        for condition in ("E0", "E1", "E2", "E3")
        for repeat in range(4)
    ]
    run = store(tmp_path / "run", records)
    shown, board = summarise(run), row(run, "E0")
    assert shown.overall.of_all is not None
    assert shown.overall.of_all.interval == board.of_all.interval
    assert str(shown.robustness) == str(board.robustness)
    # Two hundred samples of ten scenarios that went alike know as much of other work as ten.
    assert board.of_all.interval is not None and board.of_all.interval.low < 0.75
    gated = {
        one.name: one.interval
        for one in judge_gate(run, GateLimits(min_completion=0.5, min_robustness=0.5)).criteria
    }
    tries = [TaskTries(str(n), (1.0,) * 4) for n in range(50)]
    # The other question, about these very tasks, has another answer, and one only.
    assert gated["min_completion"] == pytest.approx(rate(tries, Estimand.THESE).interval)
    here = robustness_by_setting(
        {c: [r for r in records if r.condition == c] for c in ("E0", "E1", "E2", "E3")}, estimand=Estimand.THESE
    )[""]
    assert gated["min_robustness"] == here.interval
