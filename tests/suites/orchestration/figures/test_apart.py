"""Correlations of planning with execution: over scenarios, over agents, over the published models."""

import json
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from scipy.stats import pearsonr
from tests.support.data import real_data_dir

from worktrial.suites.orchestration.figures.apart import agent_correlations, scenario_correlations
from worktrial.suites.orchestration.figures.published import published_correlation


def _record(sample: str, plan: float, right: int, completed: int, *, free: bool = False, **more: Any) -> Any:
    goals = {"scenarios": 1, "completed": completed}
    if free:
        sums = {**goals, "plan_sum": plan * 2, "plans": 2, "steps": 4, "steps_right": right}
        measures: dict[str, Any] = {"free": {"sums": sums}}
    else:
        sums = {"plan": plan * 2, "plan_steps": 2}
        for name in ("awaiting", "violation"):
            sums |= dict.fromkeys([f"{name}_gold", f"{name}_predicted", f"{name}_right"], 0)
        sums |= {"call_gold": 4, "call_predicted": right, "call_right": right}
        measures = {"as_free": {"sums": goals}, "ours": {"sums": sums}}
    return SimpleNamespace(
        **{"sample": sample, "condition": "E0", "measures": {"language": "EN"} | measures} | more
    )


def _worked(seed: int, *, free: bool = False, better: float = 0.0) -> list[Any]:
    rng = random.Random(seed)
    found = []
    for n in range(24):
        plan = min(1.0, rng.random() * 0.7 + better)
        found.append(_record(f"EN/{n}", plan, 1 + round(3 * plan * rng.random()), int(plan > 0.6), free=free))
    return found


@pytest.mark.parametrize("free", [False, True])
def test_correlations_over_scenarios_are_those_of_their_figures(free: bool) -> None:
    records = _worked(1, free=free)
    (found,) = scenario_correlations(records)
    assert (found.language, found.free) == ("EN", free)
    execution = "steps" if free else "call_refuse"
    assert list(found.couples) == [("plan", execution), ("plan", "completed"), (execution, "completed")]
    part = "free" if free else "ours"
    sums = [record.measures[part]["sums"] for record in records]
    plans = [s["plan_sum"] / 2 if free else s["plan"] / 2 for s in sums]
    done = [s["completed"] for s in (r.measures["free" if free else "as_free"]["sums"] for r in records)]
    correlation = found.couples["plan", "completed"]
    assert correlation.value == pytest.approx(pearsonr(plans, done).statistic)
    assert correlation.interval is not None and correlation.interval.low < correlation.value
    assert correlation.n == 24


def test_repeats_are_no_further_scenarios_and_faults_are_left_out() -> None:
    once = _worked(2)
    faulty = [_record(f"EN/{n}", n % 2, 1, n % 2, condition="E1") for n in range(24)]
    assert scenario_correlations([*once, *once, *faulty]) == scenario_correlations(once)
    assert scenario_correlations(faulty) == []


def test_a_scenario_without_a_plan_has_no_figure_for_plans() -> None:
    without = _record("EN/x", 0.0, 2, 1)
    without.measures["ours"]["sums"] |= {"plan": 0, "plan_steps": 0}
    (found,) = scenario_correlations([*_worked(3), without])
    assert found.couples["plan", "call_refuse"].n == 24
    assert found.couples["call_refuse", "completed"].n == 25


def test_over_agents_from_four_on_and_runs_of_one_agent_are_one() -> None:
    runs = [(f"agent-{n}", _worked(n, better=n / 10)) for n in range(5)]
    (found,) = agent_correlations([*runs, runs[0]])
    assert found.couples["plan", "completed"].n == 5
    assert (found.couples["plan", "completed"].value or 0) > 0.9, "who plans better completes more"
    assert found == agent_correlations(runs)[0]
    assert agent_correlations(runs[:3]) == []
    assert agent_correlations([("one", runs[0][1])] * 6) == [], "six runs of one agent are no six agents"
    elsewhere = [_record(f"EN/other-{n}", 0.5, 2, 1) for n in range(9)]
    assert agent_correlations([*runs, ("elsewhere", elsewhere)]) == [], "no scenario in common"


@pytest.mark.parametrize(("language", "value"), [("EN", 0.312), ("KO", 0.340)])
def test_over_the_published_models(language: str, value: float) -> None:
    found = published_correlation(language)
    assert found.value == pytest.approx(value, abs=5e-4)
    assert found.n == 14


@pytest.mark.real_data
@pytest.mark.parametrize(("language", "said"), [("EN", 0.583), ("KO", 0.448)])
def test_what_the_paper_says_is_within_what_its_table_can_tell(language: str, said: float) -> None:
    text = (real_data_dir() / "published" / "orchestrationbench.json").read_text(encoding="utf-8")
    paper = json.loads(text)["paper_correlations"][language]["call_reject-plan"]
    assert paper == said
    found = published_correlation(language)
    assert found.value is not None and found.interval is not None
    assert abs(found.value - paper) > 0.1, "the paper's figures are over other models than the published table's"
    assert found.interval.low < paper < found.interval.high


def test_the_interval_on_the_page_is_that_of_the_table() -> None:
    page = (Path(__file__).parents[4] / "docs" / "how-to" / "orchestration.md").read_text(encoding="utf-8")
    for language in ("EN", "KO"):
        found = published_correlation(language)
        assert found.interval is not None
        low, high = found.interval
        assert f"{low:.2f} to\n{high:.2f}" in page or f"{low:.2f} to {high:.2f}" in page
