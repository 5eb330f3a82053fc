import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from tests.suites.orchestration.scoring.calls.team import TEAM, call, gold, refusal, said
from tests.support.data import real_data_dir
from tests.support.growth import calls

from worktrial.suites.orchestration.planning.cards import Team, load_team
from worktrial.suites.orchestration.planning.plan_text import read_plan
from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    Language,
    PlanStep,
    RefusalStep,
    RefusalType,
    Scenario,
    UserTurn,
)
from worktrial.suites.orchestration.planning.turns import Answers, StepAnswer
from worktrial.suites.orchestration.scoring.ours import OurScenario, our_figures, our_macro, our_scenario

PLAN = {
    "workflow_1": {
        "status": "pending",
        "type": "independent",
        "steps": [{"status": "pending", "name": "place_agent", "refined_query": "Find lunch nearby."}],
    }
}
VIOLATION = RefusalType.TOOL_CONSTRAINT_VIOLATION


def scenario(*more: Any) -> Scenario:
    user = UserTurn(id=1, workflow=None, agent="user", text="Where is lunch?")
    plan = PlanStep(id=2, workflow=None, agent="main", text=json.dumps(PLAN), plan=read_plan(PLAN))
    return Scenario("1", Language.EN, (user, plan, *more))


def echo(scenario: Scenario) -> Answers:
    """The gold steps as answers."""
    answers = {}
    for step in scenario.steps:
        match step:
            case PlanStep():
                answers[step.id] = StepAnswer(step.id, json.dumps(step.plan.raw, ensure_ascii=False, default=str))
            case CallStep():
                calls = tuple(call(c.tool, json.dumps(c.arguments, default=str)) for c in step.calls)
                answers[step.id] = StepAnswer(step.id, "", calls)
            case RefusalStep():
                answers[step.id] = StepAnswer(step.id, f"status: {step.type}\nrequired_info: {step.info}")
    return answers


def added(scored: list[OurScenario]) -> Counter[str]:
    total: Counter[str] = Counter()
    for one in scored:
        total.update(one.sums(None))
    return total


LUNCH = gold(("search", {"query": "lunch"}), step=3)
ASKS, CANNOT = refusal(step=4), refusal(VIOLATION, step=5)
WHOLE = scenario(LUNCH, ASKS, CANNOT)


def test_gold_echoed_is_1() -> None:
    scored = our_scenario(WHOLE, echo(WHOLE), TEAM)
    sums = scored.sums(None)
    for figures in (our_figures(sums), our_macro(sums)):
        assert (figures.plan, figures.call_refuse, figures.function_call, figures.average) == (1, 1, 1, 1)
    rows = scored.rows(None)
    assert [row["kind"] for row in rows["steps"]] == ["plan", "call", "refusal", "refusal"]
    assert all(row["right"] for row in rows["steps"])
    assert scored.needs == ()
    json.dumps(rows)


def test_a_plan_that_does_not_parse_and_a_request_that_failed_weigh_one() -> None:
    twice = scenario(PlanStep(id=3, workflow=None, agent="main", text="", plan=read_plan(PLAN)))
    answers = dict(echo(twice))
    for spoilt, error in ((said("I would plan."), "unparsed_prediction"), (said(trouble="503"), "no_answer")):
        answers[3] = spoilt
        scored = our_scenario(twice, answers, TEAM)
        assert our_figures(scored.sums(None)).plan == 0.5
        assert scored.rows(None)["steps"][1]["error"] == error
    assert scored.sums(None)["troubled"] == 1


def test_no_decision_is_always_wrong_and_the_type_of_a_refusal_counts() -> None:
    def decided(**answers: StepAnswer) -> float:
        given = echo(WHOLE) | {int(step[1:]): answer for step, answer in answers.items()}
        return float(our_figures(our_scenario(WHOLE, given, TEAM).sums(None)).call_refuse)

    assert decided() == 1
    # Calls keep their F1 of 1; of two refusals one is right, and one of two stated types is.
    assert decided(s5=said("status: AWAITING_USER_INPUT")) == pytest.approx((1 + 1 / 2) / 2)
    assert decided(s5=said("I cannot do that.")) == pytest.approx((1 + 2 / 3) / 2)
    assert decided(s5=said(trouble="503")) == pytest.approx((1 + 2 / 3) / 2)
    assert decided(s3=said("Here is lunch.")) == pytest.approx((0 + 1) / 2)
    assert decided(s3=said("status: AWAITING_USER_INPUT")) == pytest.approx((0 + 2 * 2 / 5) / 2)
    assert decided(s4=said("", call("search", {}))) == pytest.approx((2 / 3 + 2 / 3) / 2)


def test_a_half_without_gold_is_left_out_and_a_figure_without_steps_is_nan() -> None:
    only_call = scenario(LUNCH)
    sums = our_scenario(only_call, echo(only_call), TEAM).sums(None)
    assert our_figures(sums).call_refuse == our_macro(sums).call_refuse == 1
    empty = our_scenario(scenario(), {}, TEAM)
    figures = our_figures(empty.sums(None))
    assert all(math.isnan(f) for f in (figures.plan, figures.call_refuse, figures.function_call, figures.average))
    assert math.isnan(our_macro(empty.sums(None)).plan)
    assert empty.unasked == (2,) and empty.sums(None)["unasked"] == 1


def test_micro_weighs_steps_and_macro_scenarios() -> None:
    long = scenario(*(gold(("search", {"query": "lunch"}), step=n) for n in (3, 4, 5)))
    short = scenario(LUNCH)
    scored = [our_scenario(long, echo(long), TEAM), our_scenario(short, {3: said("?", step=3)}, TEAM)]
    assert our_figures(added(scored)).function_call == 0.75
    assert our_macro(added(scored)).function_call == 0.5
    keys = {tuple(one.sums(None)) for one in scored} | {tuple(our_scenario(scenario(), {}, TEAM).sums(None))}
    assert len(keys) == 1


def test_figures_of_arrays_are_those_of_each_draw() -> None:
    draws = [our_scenario(WHOLE, answers, TEAM).sums(None) for answers in ({}, echo(WHOLE), {3: said("?")})]
    stacked = {key: np.array([draw[key] for draw in draws], dtype=float) for key in draws[0]}
    for figures in (our_figures, our_macro):
        together = figures(stacked)
        for n, draw in enumerate(draws):
            alone = figures(draw)
            for name in ("plan", "call_refuse", "function_call", "average"):
                assert getattr(together, name)[n] == pytest.approx(getattr(alone, name), nan_ok=True)


def test_a_judge_is_told_what_the_agent_was_asked_and_its_verdict_counts() -> None:
    answers = echo(WHOLE) | {3: said("", call("search", {"query": "a midday meal"}))}
    scored = our_scenario(WHOLE, answers, TEAM)
    (case,) = scored.needs
    assert case.context == "Find lunch nearby."
    assert our_figures(scored.sums(None)).function_call == pytest.approx(2 / 3)
    assert our_figures(scored.sums({case: 0.5})).function_call == pytest.approx(2.5 / 3)
    assert scored.rows({case: 1.0})["steps"][1]["right"] is True
    assert scored.sums(None)["open_values"] == 1


@pytest.fixture(scope="module", params=Language)
def release(request: Any) -> Iterator[tuple[list[Scenario], Team]]:
    folder = real_data_dir() / "orchestrationbench"
    yield list(load_release(folder, [request.param]).scenarios), load_team(folder, request.param)


@pytest.mark.real_data
def test_gold_of_the_release_scores_1(release: tuple[list[Scenario], Team]) -> None:
    scenarios, team = release
    scored = [our_scenario(one, echo(one), team) for one in scenarios]
    figures = our_figures(added(scored))
    assert (figures.call_refuse, figures.function_call) == (1, 1)
    assert figures.plan == pytest.approx(1)
    assert all(not one.needs for one in scored)


@pytest.mark.real_data
def test_sentences_to_the_release_score_0_without_a_search(release: tuple[list[Scenario], Team]) -> None:
    scenarios, team = release

    def score() -> list[OurScenario]:
        return [
            our_scenario(one, {s.id: said("I am on it.", step=s.id) for s in one.steps}, team) for one in scenarios
        ]

    scored = score()
    total = added(scored)
    figures = our_figures(total)
    assert (figures.plan, figures.call_refuse, figures.function_call) == (0, 0, 0)
    assert total["no_decision"] == total["call_gold"] + total["awaiting_gold"] + total["violation_gold"]
    # Nothing is searched where nothing was planned or called.
    assert calls(score) < 200 * sum(len(one.steps) for one in scenarios)
