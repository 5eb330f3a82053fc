"""Goals: made by whom, in which order, and which refusals were called for."""

import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.support.orchestration import BERTH, TinyTeam, call, user, workflow
from tests.support.orchestration import plan as plan_row

from worktrial.suites.orchestration.planning.references import answers_of, constant_plan_text, reference
from worktrial.suites.orchestration.planning.release import Release, load_release
from worktrial.suites.orchestration.planning.scenario import Language, PlanStep
from worktrial.suites.orchestration.run.prompts import requests_of
from worktrial.suites.orchestration.scoring.both import score
from worktrial.suites.orchestration.scoring.calls.calls import Call, StepDecision
from worktrial.suites.orchestration.scoring.distance.ours import remembered_score
from worktrial.suites.orchestration.scoring.goals import GoalScore, goal_score
from worktrial.suites.orchestration.scoring.work import TeamCall, TeamRefusal, TeamWork

FORECAST = TeamCall(Call("forecast", {"place": "Skagen", "day": "2026-03-03"}), "weather_agent", 0)
FIND = TeamCall(Call("findBerths", {"day": "2026-03-03"}), "harbour_agent", 0)
BOOK = TeamCall(Call("bookBerth", {"berth": "B2", "ship": "Gannet"}), "harbour_agent", 1)
SEND = TeamCall(Call("send", {"to": "Ida", "text": "We moor at B2."}), "post_agent", 2)
ASKED = TeamRefusal(StepDecision.AWAITING_USER_INPUT, "harbour_agent", 0)


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return load_release(TinyTeam({"EN/1": BERTH}).write(tmp_path), [Language.EN])


def _score(release: Release, *calls: TeamCall, refusals: tuple[TeamRefusal, ...] = (ASKED,)) -> GoalScore:
    scenario = release.scenarios[0]
    plans = [step.plan for step in scenario.steps if isinstance(step, PlanStep)]
    return goal_score(scenario, release.teams[Language.EN], TeamWork(calls, refusals, {0: plans[0], 2: plans[1]}))


def _wrong(release: Release, *calls: TeamCall, **more: Any) -> dict[int, str]:
    return dict(_score(release, *calls, **more).met(None).wrong)


def test_all_in_order_is_all_right(release: Release) -> None:
    met = _score(release, FORECAST, FIND, BOOK, SEND).met(None)
    assert (met.wrong, met.completed, met.first_failure) == ({}, True, None)
    assert [(g["workflow"], g["turn"], g["steps"], g["calls"], g["made"]) for g in met.goals] == [
        ("workflow_1", 0, 1, 1, 1),
        ("workflow_2", 0, 1, 1, 1),
        ("workflow_3", 0, 2, 1, 1),
        ("workflow_4", 2, 1, 1, 1),
    ]


def test_the_time_does_not_matter_but_the_order_of_what_depends_does(release: Release) -> None:
    assert _wrong(release, SEND, FIND, BOOK, replace(FORECAST, user_turn=2)) == {}
    assert _wrong(release, FORECAST, BOOK, FIND, SEND) == {9: "order"}
    assert _wrong(release, FORECAST, BOOK, SEND) == {5: "call"}, "what was not made has no place in the order"


def test_only_the_right_agent_counts(release: Release) -> None:
    assert _wrong(release, FORECAST, FIND, BOOK, replace(SEND, agent="weather_agent")) == {13: "call"}


def test_a_refusal_in_place_of_a_call_is_a_wrong_decision(release: Release) -> None:
    also = (ASKED, TeamRefusal(StepDecision.AWAITING_USER_INPUT, "post_agent", 2))
    assert _wrong(release, FORECAST, FIND, BOOK, refusals=also) == {13: "decision"}


def test_nobody_has_to_be_asked_who_has_said_it_already(release: Release) -> None:
    assert _wrong(release, FORECAST, FIND, BOOK, SEND, refusals=()) == {}
    early = replace(BOOK, user_turn=0)
    assert _wrong(release, FORECAST, FIND, early, SEND, refusals=()) == {6: "decision"}, "it was not said yet"
    assert _wrong(release, FORECAST, FIND, SEND, refusals=()) == {6: "decision", 9: "call"}
    violation = (TeamRefusal(StepDecision.TOOL_CONSTRAINT_VIOLATION, "harbour_agent", 0),)
    assert _wrong(release, FORECAST, FIND, SEND, refusals=violation) == {6: "decision", 9: "call"}


def test_judges_decide_about_other_words(release: Release) -> None:
    other = replace(SEND, call=Call("send", {"to": "Ida", "text": "Our berth is B2."}), query="Tell Ida")
    score = _score(release, FORECAST, FIND, BOOK, other)
    (case,) = score.needs
    assert (case.tool, case.key, case.context) == ("send", "text", "Tell Ida")
    assert [dict(score.met(v).wrong) for v in (None, {case: 0.5}, {case: 0.51})] == [{13: "call"}, {13: "call"}, {}]


def test_what_is_wrong_anyway_needs_no_judge(release: Release) -> None:
    other = replace(SEND, call=Call("send", {"text": "Our berth is B2."}))
    assert _score(release, other).needs == ()


def _knowing(release: Release, *reading: str) -> Release:
    """The release with cards that say which tools only read."""
    teams = {
        language: {
            agent: replace(
                card, tools=tuple(replace(t, reads_only=True) if t.name in reading else t for t in card.tools)
            )
            for agent, card in team.items()
        }
        for language, team in release.teams.items()
    }
    return replace(release, teams=teams)


def test_a_look_up_decides_where_the_user_asked_for_nothing_else(release: Release) -> None:
    knowing = _knowing(release, "forecast", "findBerths")
    met = _score(knowing, FORECAST, BOOK, SEND).met(None)
    assert met.wrong == {5: "call"}
    goals = {goal["workflow"]: goal["reached"] for goal in met.goals}
    assert goals == {"workflow_1": True, "workflow_2": False, "workflow_3": True, "workflow_4": True}


def test_a_look_up_on_the_way_does_not_decide_and_one_after_the_last_change_does(tmp_path: Path) -> None:
    rows = (
        user("Moor us, and see what is free the day after."),
        plan_row(workflow_1=workflow(*[("harbour_agent", "Moor us")] * 3)),
        call("harbour_agent", "findBerths", "workflow_1", result={"berth": "B2"}, day="2026-03-03"),
        call("harbour_agent", "bookBerth", "workflow_1", result={"ok": True}, berth="B2", ship="Gannet"),
        call("harbour_agent", "findBerths", "workflow_1", result={"berth": "B3"}, day="2026-03-04"),
    )
    folder = TinyTeam({"EN/1": rows}).write(tmp_path / "own")
    knowing = _knowing(load_release(folder, [Language.EN]), "findBerths")
    later = replace(FIND, call=Call("findBerths", {"day": "2026-03-04"}))
    made = {
        (True, True): (FIND, BOOK, later),
        (False, True): (BOOK, later),
        (True, False): (FIND, BOOK),
    }
    reached = {}
    for which, calls in made.items():
        scored = goal_score(knowing.scenarios[0], knowing.teams[Language.EN], TeamWork(calls, (), {}))
        reached[which] = scored.met(None).completed
    assert reached == {(True, True): True, (False, True): True, (True, False): False}


def test_what_a_missed_call_fails_on_is_said(release: Release) -> None:
    other = replace(BOOK, call=Call("bookBerth", {"berth": "B9"}))
    missed = {row["tool"]: row for row in _score(release, FORECAST, FIND, other).met(None).missed}
    assert missed["send"]["arguments"] == []
    failed = {row["key"]: (row["gold"], row["predicted"]) for row in missed["bookBerth"]["arguments"]}
    assert failed == {"berth": ('"B2"', '"B9"'), "ship": ('"Gannet"', None)}


def test_missing_and_unlike_plans_are_the_first_failure(release: Release) -> None:
    scenario, team = release.scenarios[0], release.teams[Language.EN]
    met = goal_score(scenario, team, TeamWork((FORECAST, FIND, BOOK, SEND), (ASKED,), {})).met(None)
    assert met.first_failure == {"step": 3, "kind": "plan", "turn": 0}
    assert (met.failures["plan"], met.completed) == (2, True)


@pytest.mark.parametrize("name", ["gold", "always-refuse"])
def test_turn_by_turn_work_is_counted_in_the_same_way(release: Release, name: str) -> None:
    scenario, team = release.scenarios[0], release.teams[Language.EN]
    who = reference(name, Language.EN, team, "")
    answers = answers_of(who, requests_of(scenario, team).requests)
    measured = score(scenario, team, answers, 1_000).measures(None)
    assert measured["as_free"]["goal_rate"] == (1 if name == "gold" else 0)
    first = None if name == "gold" else {"step": 3, "kind": "plan", "turn": 0}
    assert measured["first_failure"] == first
    free = _score(release, FORECAST, FIND, BOOK, SEND).met(None)
    assert [g["workflow"] for g in measured["goals"]] == [g["workflow"] for g in free.goals]
    assert measured["as_free"]["sums"]["steps_right"] == (5 if name == "gold" else 1)


def test_the_distance_of_a_plan_is_found_once(release: Release) -> None:
    """Ours and the goals ask about the same two plans, and so does the next repeat."""
    scenario, team = release.scenarios[0], release.teams[Language.EN]
    who = reference("always-refuse", Language.EN, team, constant_plan_text(release.scenarios, team))
    answers = answers_of(who, requests_of(scenario, team).requests)
    searched = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal searched
        searched += event == "call" and frame.f_code.co_name == "edit_distance"

    remembered_score.cache_clear()
    sys.setprofile(counted)
    try:
        rows = [score(scenario, team, answers, 1_000).measures(None) for _ in range(2)]
    finally:
        sys.setprofile(None)
    plans = [row for row in rows[0]["ours"]["rows"]["steps"] if row["kind"] == "plan"]
    assert all("edits" in plan for plan in plans)
    # Of structure and of components, for each of the two recorded plans.
    assert (len(plans), searched) == (2, 4)
