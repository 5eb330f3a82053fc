"""The history that a turn-by-turn trial shows: which workflow a step is for, and who may see what."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.data import real_data_dir
from tests.support.orchestration import (
    BERTH,
    BOOK,
    FIND,
    Row,
    call,
    note,
    plan,
    raw,
    scenario_of,
    user,
    violates,
    waits,
    workflow,
)

from worktrial.suites.orchestration.planning.duties import duties
from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    Language,
    PlanStep,
    RefusalStep,
    RefusalType,
    Scenario,
    ScenarioStep,
)
from worktrial.suites.orchestration.planning.turns import (
    HistoryEntry,
    Views,
    refusal_text,
)

BOOKING = ("harbour_agent", BOOK)


def workflow_of(scenario: Scenario) -> dict[int, str | None]:
    return {step: duty.workflow for step, duty in duties(scenario).items()}


def _step(scenario: Scenario, number: int) -> ScenarioStep:
    return next(step for step in scenario.steps if step.id == number)


def _seen(entries: tuple[HistoryEntry, ...]) -> list[str]:
    """Entries as `who` or `agent:tool-or-status`."""
    return [
        e.who if e.who != "agent" else f"{e.agent}:{','.join(u.tool for u in e.uses) or e.text.split()[1]}"
        for e in entries
    ]


def test_workflows_and_queries_without_any_hint(tmp_path: Path) -> None:
    scenario = scenario_of(tmp_path, *BERTH)
    assert workflow_of(scenario) == {
        4: "workflow_1",
        5: "workflow_2",
        6: "workflow_3",
        9: "workflow_3",
        13: "workflow_4",
    }
    assert [duties(scenario)[n].query for n in (5, 6, 9)] == [FIND, BOOK, BOOK]


def test_parallel_work_is_hidden_and_what_leads_here_is_not(tmp_path: Path) -> None:
    scenario = scenario_of(tmp_path, *BERTH)
    assert _seen(Views(scenario).agent(_step(scenario, 5))[1]) == ["user"]
    assert _seen(Views(scenario).agent(_step(scenario, 6))[1]) == ["user", "harbour_agent:findBerths"]
    # In a new round everything before it has been said.
    assert _seen(Views(scenario).agent(_step(scenario, 9))[1]) == [
        "user",
        "weather_agent:forecast",
        "harbour_agent:findBerths",
        "harbour_agent:AWAITING_USER_INPUT",
        "main",
        "user",
    ]


def test_the_planner_sees_everything_before_and_its_last_plan(tmp_path: Path) -> None:
    scenario = scenario_of(tmp_path, *BERTH)
    first, second = (s for s in scenario.steps if isinstance(s, PlanStep))
    assert Views(scenario).planner(first) == (None, (HistoryEntry("user", scenario.steps[1].text),))
    in_force, entries = Views(scenario).planner(second)
    assert in_force == first.plan
    assert len(entries) == 9
    assert entries[1].uses[0].result == {"wind": "calm"}
    assert entries[1].workflow == "workflow_1"


def test_dependencies_count_however_long_the_chain(tmp_path: Path) -> None:
    scenario = scenario_of(
        tmp_path,
        note(),
        user("Do it all."),
        plan(
            workflow_1=workflow(("weather_agent", "a")),
            workflow_2=workflow(("harbour_agent", "b"), after=["workflow_1"]),
            workflow_3=workflow(("post_agent", "c"), after=["workflow_2"]),
        ),
        call("weather_agent", "forecast", place="x", day="y"),
        call("harbour_agent", "findBerths", day="y"),
        call("post_agent", "send", to="x", text="y"),
    )
    assert len(Views(scenario).agent(_step(scenario, 6))[1]) == 3


def test_a_cycle_of_dependencies_ends(tmp_path: Path) -> None:
    scenario = scenario_of(
        tmp_path,
        note(),
        user("Do it."),
        plan(
            workflow_1=workflow(("weather_agent", "a"), after="workflow_2"),
            workflow_2=workflow(("post_agent", "b"), after="workflow_1"),
        ),
        call("weather_agent", "forecast", place="x", day="y"),
        call("post_agent", "send", to="x", text="y"),
    )
    assert len(Views(scenario).agent(_step(scenario, 5))[1]) == 2


def _twice(*later: Row) -> tuple[Row, ...]:
    """Two berths to book, then `later`."""
    booked = plan(workflow_1=workflow(("harbour_agent", "one")), workflow_2=workflow(("harbour_agent", "two")))
    return (note(), user("Book two berths."), booked, *later)


def _booked(hint: str | None = None) -> Row:
    return call("harbour_agent", "bookBerth", hint, berth="B", ship="S")


CASES: dict[str, tuple[tuple[Row, ...], list[str]]] = {
    "in the order of the plan": (_twice(_booked(), _booked()), ["1", "2"]),
    "a hint that fits": (_twice(_booked("workflow_2"), _booked()), ["2", "1"]),
    "a hint at a workflow that is not there": (_twice(_booked("workflow_7"), _booked("workflow_7")), ["1", "2"]),
    "who waited goes on when the user has spoken": (
        _twice(_booked(), waits("harbour_agent", "ship"), user("The Gannet."), _booked()),
        ["1", "2", "2"],
    ),
    "both wait": (
        _twice(waits("harbour_agent", "a"), waits("harbour_agent", "b"), user("a and b"), _booked(), _booked()),
        ["1", "2", "1", "2"],
    ),
    "a refused wish, changed by the user": (
        _twice(_booked(), violates("harbour_agent", "too long"), user("Shorter, then."), _booked()),
        ["1", "2", "2"],
    ),
    "a hint that names a completed workflow": (
        (
            note(),
            user("Another one."),
            plan(
                workflow_1=workflow(BOOKING, status="completed"),
                workflow_2=workflow(("harbour_agent", "another")),
            ),
            _booked("workflow_1"),
        ),
        ["2"],
    ),
    "a hint that names only the number": (
        (
            note(),
            user("First look for another berth."),
            plan(
                workflow_1=workflow(BOOKING, status="paused"),
                interrupted_workflow_1_1=workflow(("harbour_agent", "look")),
            ),
            _booked("workflow_1"),
        ),
        ["interrupted_workflow_1-1"],
    ),
    "a plan that forgot the agent": (
        (note(), user("Write."), plan(workflow_1=workflow(("harbour_agent", "x"))), call("post_agent", "send")),
        ["None"],
    ),
    "before any plan": ((note(), user("Write."), call("post_agent", "send")), ["None"]),
}


@pytest.mark.parametrize("name", CASES)
def test_which_workflow(name: str, tmp_path: Path) -> None:
    rows, expected = CASES[name]
    found = workflow_of(scenario_of(tmp_path, *rows))
    assert [str(w).removeprefix("workflow_") for w in found.values()] == expected


def test_without_a_plan_the_user_s_last_words_are_the_request(tmp_path: Path) -> None:
    scenario = scenario_of(tmp_path, note(), user("Write to Ida."), call("post_agent", "send"))
    assert Views(scenario).agent(scenario.steps[2]) == ("Write to Ida.", (HistoryEntry("user", "Write to Ida."),))


def test_steps_of_one_workflow_have_their_own_requests(tmp_path: Path) -> None:
    both = workflow(("harbour_agent", "find"), ("harbour_agent", "book"))
    scenario = scenario_of(
        tmp_path,
        note(),
        user("Find and book."),
        plan(workflow_1=both),
        call("harbour_agent", "findBerths", day="x"),
        waits("harbour_agent", "ship"),
        user("The Gannet."),
        _booked(),
    )
    assert [duties(scenario)[n].query for n in (4, 5, 7)] == ["find", "book", "book"]


def test_what_cannot_be_read_is_shown_only_where_it_records_something(tmp_path: Path) -> None:
    lost = "tool_call_result:\n  data:\n    sum: 5"
    remark = "I think we should\nmake this one\nindependent"
    scenario = scenario_of(
        tmp_path,
        note(),
        user("Go."),
        plan(workflow_1=workflow(("harbour_agent", "x"), ("harbour_agent", "y"))),
        raw("harbour_agent", lost),
        raw("harbour_agent", remark),
        _booked(),
    )
    assert [e.text for e in Views(scenario).agent(_step(scenario, 6))[1]] == ["Go.", lost]


def test_refusals_in_two_lines() -> None:
    assert refusal_text(RefusalType.AWAITING_USER_INPUT, "ship").splitlines() == [
        "status: AWAITING_USER_INPUT",
        "required_info: ship",
    ]
    assert refusal_text(RefusalType.TOOL_CONSTRAINT_VIOLATION, "").splitlines() == [
        "status: TOOL_CONSTRAINT_VIOLATION"
    ]


def _asked(scenario: Scenario) -> Iterator[tuple[int, ScenarioStep]]:
    for place, step in enumerate(scenario.steps):
        if isinstance(step, PlanStep | CallStep | RefusalStep):
            yield place, step


def _assert_blind_to_what_follows(scenario: Scenario) -> None:
    """Neither the answer to a step nor anything after it can be told from the step's view."""
    views = Views(scenario)
    for place, step in _asked(scenario):
        cut = dataclasses.replace(scenario, steps=(*scenario.steps[:place], _blank(step)))
        if isinstance(step, PlanStep):
            assert Views(cut).planner(cut.steps[-1]) == views.planner(step)
        else:
            assert Views(cut).agent(cut.steps[-1]) == views.agent(step)


def _blank(step: ScenarioStep) -> ScenarioStep:
    """A step like `step` of which only the agent and the hint at a workflow are left."""
    common = {"id": step.id, "workflow": step.workflow, "agent": step.agent, "text": ""}
    if isinstance(step, PlanStep):
        return dataclasses.replace(step, text="", plan=type(step.plan)())
    return RefusalStep(**common, type=RefusalType.TOOL_CONSTRAINT_VIOLATION, info="")


@given(
    st.lists(
        st.sampled_from(
            [
                *(row for row in BERTH[1:]),
                plan(workflow_1=workflow(BOOKING), interrupted_workflow_1_1=workflow(("post_agent", "z"))),
                plan(
                    workflow_2=workflow(BOOKING, status="paused"), workflow_5=workflow(BOOKING, after="workflow_2")
                ),
                waits("weather_agent", "place", "workflow_1"),
            ]
        ),
        min_size=1,
        max_size=14,
    )
)
def test_no_view_tells_what_follows(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[Row],
) -> None:
    scenario = scenario_of(tmp_path_factory.mktemp("data"), note(), user("Begin."), *rows)
    _assert_blind_to_what_follows(scenario)


@pytest.mark.real_data
@pytest.mark.parametrize(("language", "parallel", "reworded"), [(Language.EN, 314, 69), (Language.KO, 321, 62)])
def test_published_scenarios(language: Language, parallel: int, reworded: int) -> None:
    """No view leaks; and as many requests are worded differently in a later plan as the published program leaks."""
    release = load_release(real_data_dir() / "orchestrationbench", [language])
    hides = later_words = 0
    for scenario in release.scenarios:
        _assert_blind_to_what_follows(scenario)
        views, workflows = Views(scenario), workflow_of(scenario)
        plans = [step for step in scenario.steps if isinstance(step, PlanStep)]
        for _, step in _asked(scenario):
            if isinstance(step, PlanStep):
                continue
            query, entries = views.agent(step)
            assert query.strip()
            hides += len(entries) < len(views.planner(step)[1])
            last = next((p for p in reversed(plans) if _queries(p, step, workflows)), None)
            later_words += last is not None and last.id > step.id and query not in _queries(last, step, workflows)
    assert (hides, later_words) == (parallel, reworded)


def _queries(plan: PlanStep, step: ScenarioStep, workflows: "dict[int, str | None]") -> list[str]:
    found = plan.plan.by_id.get(step.workflow or workflows[step.id] or "")
    return [s.query for s in found.steps if s.agent == step.agent] if found is not None else []
