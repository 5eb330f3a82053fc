"""The worked example: what is in it, and that its gold is without fault."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from jsonschema import Draft202012Validator
from tests.support.team import gold_answer

from worktrial.suites.orchestration.example import example_folder
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.duties import duties
from worktrial.suites.orchestration.planning.lint import lint_release
from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    Language,
    PlanStep,
    RefusalStep,
    RefusalType,
    Reply,
    Scenario,
    ScenarioStep,
    UserTurn,
    Workflow,
)
from worktrial.suites.orchestration.run.prompts import requests_of
from worktrial.suites.orchestration.scoring.figures import published_figures
from worktrial.suites.orchestration.scoring.layout import history_of
from worktrial.suites.orchestration.scoring.ours import our_figures, our_scenario
from worktrial.suites.orchestration.scoring.published import published_scenario

RELEASE = load_release(example_folder(), list(Language))
SCENARIOS = pytest.mark.parametrize("scenario", RELEASE.scenarios, ids=lambda s: s.key)
LANGUAGES = pytest.mark.parametrize("language", Language)


def of(language: Language) -> list[Scenario]:
    return [s for s in RELEASE.scenarios if s.language is language]


def plans(scenario: Scenario) -> list[PlanStep]:
    return [step for step in scenario.steps if isinstance(step, PlanStep)]


def with_plan(scenario: Scenario) -> Iterator[tuple[ScenarioStep, PlanStep]]:
    """The domain agents' steps, each with the plan in force."""
    plan: PlanStep | None = None
    for step in scenario.steps:
        if isinstance(step, PlanStep):
            plan = step
        elif isinstance(step, CallStep | RefusalStep):
            assert plan is not None
            yield step, plan


@LANGUAGES
def test_there_are_five_scenarios_and_six_agents(language: Language) -> None:
    assert [s.id for s in of(language)] == ["1", "2", "3", "4", "5"]
    assert not RELEASE.broken
    team = RELEASE.teams[language]
    assert len(team) == 6
    assert {len(card.tools) for card in team.values()} == {3, 4}


def test_lint_finds_nothing() -> None:
    assert lint_release(RELEASE) == ()


@SCENARIOS
def test_scenarios_are_whole(scenario: Scenario) -> None:
    assert 8 <= len(scenario.steps) <= 24
    assert [step.id for step in scenario.steps] == list(range(1, len(scenario.steps) + 1))
    assert scenario.note
    assert isinstance(scenario.steps[-1], Reply)


@LANGUAGES
def test_schemas_are_schemas(language: Language) -> None:
    for card in RELEASE.teams[language].values():
        for tool in card.tools:
            Draft202012Validator.check_schema(tool.parameters)
            assert tool.parameters["additionalProperties"] is False
            assert tool.parameters["required"]


@SCENARIOS
def test_calls_fit_their_tools(scenario: Scenario) -> None:
    team = RELEASE.teams[scenario.language]
    for step in scenario.steps:
        if isinstance(step, CallStep):
            for call in step.calls:
                schema = team[step.agent].tool_by_name[call.tool].parameters
                checked = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
                checked.validate(call.arguments)
                assert call.result, f"{scenario.key}/{step.id}: no result"


@SCENARIOS
def test_results_do_not_contradict_the_arguments(scenario: Scenario) -> None:
    for step in scenario.steps:
        for call in step.calls if isinstance(step, CallStep) else ():
            assert isinstance(call.result, dict)
            for key in call.arguments.keys() & call.result.keys() - {"status"}:
                assert call.result[key] == call.arguments[key], f"{scenario.key}/{step.id}: {key}"


@SCENARIOS
def test_every_id_in_a_call_was_said_before(scenario: Scenario) -> None:
    ids = re.compile(r"\b(?:RJ-\d{5}|B-\d{5}|L\d{7}|P\d{4}|M\d{4}|[A-F]-\d{2}|Q\d{6}|HF\d{7}|S\d{3})\b")
    said = ""
    for step in scenario.steps:
        if isinstance(step, CallStep):
            for call in step.calls:
                for name in ids.findall(str(call.arguments)):
                    assert name in said, f"{scenario.key}/{step.id}: {name}"
            said += str([call.result for call in step.calls])
        elif not isinstance(step, PlanStep):
            said += step.text


@SCENARIOS
def test_plans_name_agents_and_workflows_that_exist(scenario: Scenario) -> None:
    team: Team = RELEASE.teams[scenario.language]
    for step in plans(scenario):
        for workflow in step.plan.workflows:
            assert all(s.agent in team for s in workflow.steps)
            assert all(name in step.plan.by_id for name in workflow.depends_on)
            assert (workflow.type == "dependent") == bool(workflow.depends_on)


@SCENARIOS
def test_a_plan_keeps_the_workflows_of_the_one_before(scenario: Scenario) -> None:
    kept: list[str] = []
    for step in plans(scenario):
        names = [w.id for w in step.plan.workflows]
        assert names[: len(kept)] == kept
        kept = names


@SCENARIOS
def test_agents_work_for_the_workflow_that_their_step_names(scenario: Scenario) -> None:
    found = {step: duty.workflow for step, duty in duties(scenario).items()}
    for step, plan in with_plan(scenario):
        assert step.workflow in plan.plan.by_id
        assert found[step.id] == step.workflow
        assert step.agent in {s.agent for s in plan.plan.by_id[step.workflow or ""].steps}


def test_no_two_requests_are_the_same() -> None:
    seen: set[str] = set()
    for scenario in RELEASE.scenarios:
        for request in requests_of(scenario, RELEASE.teams[scenario.language]).requests:
            assert request.digest not in seen, f"{scenario.key}/{request.step.id}"
            seen.add(request.digest)


@LANGUAGES
def test_its_gold_is_all_right_in_both_scoring_modes(language: Language) -> None:
    team, ours, published = RELEASE.teams[language], Counter[str](), Counter[str]()
    for scenario in of(language):
        answers = {asked.step.id: gold_answer(asked.step) for asked in requests_of(scenario, team).requests}
        mine = our_scenario(scenario, answers, team)
        theirs = published_scenario(history_of(scenario, answers), team)
        assert mine.needs == theirs.needs == ()
        ours.update(mine.sums(None))
        published.update(theirs.sums(None))
    for found in (our_figures(ours), published_figures(published)):
        assert (found.plan, found.call_refuse, found.function_call) == (1, 1, 1)


@LANGUAGES
def test_it_exercises_what_scenarios_are_made_of(language: Language) -> None:
    scenarios = of(language)
    steps = [step for scenario in scenarios for step in scenario.steps]
    workflows: list[Workflow] = [w for s in scenarios for p in plans(s) for w in p.plan.workflows]
    first = [plans(s)[0].plan.workflows for s in scenarios]
    assert any(len(plan) == 1 and plan[0].type == "independent" for plan in first)
    assert any(len(plan) == 2 and not plan[0].depends_on and not plan[1].depends_on for plan in first)
    assert {len(w.depends_on) for w in workflows} == {0, 1, 2}
    assert {w.status for w in workflows} == {"pending", "paused", "completed"}
    assert any(w.id.startswith("interrupted_workflow_") for w in workflows)
    assert any(re.fullmatch(r"workflow_\d+-\d+", w.id) for w in workflows)
    assert any(len({s.agent for s in w.steps}) == 2 for w in workflows)
    assert {s.type for s in steps if isinstance(s, RefusalStep)} == set(RefusalType)
    assert any(len(s.calls) == 2 for s in steps if isinstance(s, CallStep))
    assert any(
        isinstance(before, UserTurn) and isinstance(after, Reply)
        for s in scenarios
        for before, after in zip(s.steps, s.steps[1:], strict=False)
    )


@LANGUAGES
def test_a_question_to_the_user_is_answered_and_then_acted_on(language: Language) -> None:
    for scenario in of(language):
        waiting: set[str | None] = set()
        for step in scenario.steps:
            if isinstance(step, RefusalStep):
                waiting.add(step.workflow)
            elif isinstance(step, CallStep):
                waiting.discard(step.workflow)
        assert not waiting
