"""Differences between a call and the recorded one that can change what comes of it, and those that cannot."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.suites.orchestration.scoring.real import data
from tests.support.team import gold_answer

from worktrial.suites.orchestration.example import example_folder
from worktrial.suites.orchestration.planning.cards import effect_classes, load_team, only_reads
from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import CallStep, Language, PlanStep, RefusalStep
from worktrial.suites.orchestration.planning.turns import StepAnswer
from worktrial.suites.orchestration.scoring.calls.calls import Call
from worktrial.suites.orchestration.scoring.calls.decisive import is_same_call
from worktrial.suites.orchestration.scoring.calls.schema import argument_schema
from worktrial.suites.orchestration.scoring.goals import goal_score
from worktrial.suites.orchestration.scoring.work import work_in_answers

TEXT, SWITCH = {"type": "string"}, {"type": "boolean"}
SCHEMA = argument_schema(
    {
        "type": "object",
        "properties": {
            "refinedQuery": TEXT,
            "place": TEXT,
            "cuisine": TEXT,
            "price": {"type": "number"},
            "open": SWITCH,
            "tags": {"type": "array", "items": TEXT},
        },
        "required": ["refinedQuery", "place"],
    }
)
SAID = {"refinedQuery": "Italian restaurants in Rome below 1,500 lire", "place": "Rome"}


def same(gold: dict[str, Any], made: dict[str, Any], *, reads: bool) -> bool:
    forth = is_same_call(Call("find", SAID | gold), Call("find", SAID | made), SCHEMA, reads=reads)
    back = is_same_call(Call("find", SAID | made), Call("find", SAID | gold), SCHEMA, reads=reads)
    assert forth == back
    return forth


@pytest.mark.parametrize("value", [{"open": False}, {"cuisine": ""}, {"tags": []}, {"price": None}])
@pytest.mark.parametrize("reads", [True, False])
def test_an_optional_argument_that_says_nothing_may_be_left_out(value: dict[str, Any], reads: bool) -> None:
    assert same(value, {}, reads=reads)


@pytest.mark.parametrize(
    "value", [{"open": True}, {"cuisine": "italian"}, {"price": 1500}, {"tags": ["restaurant", "Rome"]}]
)
def test_what_is_switched_or_said_in_words_may_be_left_out_where_nothing_is_changed(value: dict[str, Any]) -> None:
    assert same(value, {}, reads=True)
    assert not same(value, {}, reads=False)


@pytest.mark.parametrize("value", [{"cuisine": "thai"}, {"price": 15}, {"tags": ["Rome", "garden"]}])
def test_what_is_said_nowhere_else_may_not_be_left_out(value: dict[str, Any]) -> None:
    assert not same(value, {}, reads=True)


def test_another_value_and_what_is_required_always_count() -> None:
    assert not same({"open": True}, {"open": False}, reads=True)
    assert not same({"cuisine": "italian"}, {"cuisine": "rome"}, reads=True)
    without = {"refinedQuery": SAID["refinedQuery"]}
    assert not is_same_call(Call("find", SAID), Call("find", without), SCHEMA, reads=True)
    unknown = argument_schema(None)
    assert not is_same_call(Call("find", {"a": False}), Call("find", {}), unknown, reads=True)


@given(
    st.dictionaries(st.sampled_from(["cuisine", "price", "open", "tags"]), st.none() | st.booleans() | st.text())
)
def test_a_call_is_the_same_as_itself_and_what_changes_things_is_held_to_more(arguments: dict[str, Any]) -> None:
    assert same(arguments, arguments, reads=False)
    assert same(arguments, {}, reads=True) or not same(arguments, {}, reads=False)


def test_every_tool_of_the_worked_example_is_classed() -> None:
    for language in Language:
        team = load_team(example_folder(), language)
        reading = {
            tool.name for card in team.values() for tool in card.tools if only_reads(team, card.agent_id, tool.name)
        }
        assert reading == {
            "list_plots", "quote_shipment", "track_shipment", "search_catalogue", "find_jobs", "find_session",
            "find_patient",
        }  # fmt: skip


@pytest.mark.real_data
def test_every_tool_of_the_release_is_classed_once() -> None:
    classes = effect_classes()
    for language, count in ((Language.EN, 96), (Language.KO, 99)):
        tools = [(c.agent_id, tool.name) for c in load_team(data(), language).values() for tool in c.tools]
        assert len(tools) == count
        for agent, tool in tools:
            assert sum(tool in classes[kind].get(agent, ()) for kind in ("reading", "changing")) == 1, (agent, tool)


@pytest.mark.real_data
def test_leaving_out_optional_switches_no_longer_costs_a_third_of_the_scenarios() -> None:
    """The gold team without the optional booleans; when every argument decided, 85 % of them were left."""
    release = load_release(data(), [Language.EN])
    team = release.teams[Language.EN]
    tools = {tool.name: tool for card in team.values() for tool in card.tools}
    completed = {True: 0, False: 0}
    for scenario in release.scenarios:
        for whole in completed:
            answers: dict[int, StepAnswer] = {}
            for step in scenario.steps:
                if not isinstance(step, CallStep | PlanStep | RefusalStep):
                    continue
                answers[step.id] = gold_answer(step)
                if isinstance(step, CallStep) and not whole:
                    calls = []
                    for call in step.calls:
                        known = tools.get(call.tool)
                        required = known.parameters.get("required", []) if known else list(call.arguments)
                        kept = {
                            key: value
                            for key, value in call.arguments.items()
                            if key in required or not isinstance(value, bool)
                        }
                        said = json.dumps(kept, default=str)
                        calls.append({"function": {"name": call.tool, "arguments": said}})
                    answers[step.id] = StepAnswer(step.id, tool_calls=tuple(calls))
            completed[whole] += goal_score(scenario, team, work_in_answers(scenario, answers)).met(None).completed
    assert completed[True] >= 214
    assert completed[False] >= 0.95 * completed[True]
