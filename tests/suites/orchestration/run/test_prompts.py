"""What the team is told: the same everywhere, in the scenario's language, and short enough for small models."""

import json
from pathlib import Path

import pytest
from tests.support.data import real_data_dir
from tests.support.orchestration import BERTH, TinyTeam

from worktrial.suites.orchestration.planning.cards import AgentCard, Skill, Team
from worktrial.suites.orchestration.planning.plan_text import plan_text, read_plan
from worktrial.suites.orchestration.planning.release import Release, load_release
from worktrial.suites.orchestration.planning.scenario import Language, PlanStep, WorkflowPlan
from worktrial.suites.orchestration.planning.turns import HistoryEntry, ToolUse, gold_steps
from worktrial.suites.orchestration.run.prompts import (
    agent_messages,
    agent_tools,
    planner_messages,
    prompts_fingerprint,
    requests_of,
)


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return load_release(TinyTeam().write(tmp_path), list(Language))


def _planner(team: Team, language: Language = Language.EN, **more: bool) -> str:
    return "\n".join(m["content"] for m in planner_messages(language, team, "", None, (), **more))


def test_the_order_of_cards_changes_nothing(release: Release) -> None:
    team = release.teams[Language.EN]
    turned = dict(reversed(team.items()))
    assert list(turned) != list(team)
    assert _planner(turned) == _planner(team)
    places = [_planner(team).index(f"## {name}") for name in sorted(team)]
    assert places == sorted(places)


@pytest.mark.parametrize(("language", "word"), [(Language.EN, "You direct a team"), (Language.KO, "에이전트")])
def test_each_language_has_its_own_words(language: Language, word: str, release: Release) -> None:
    team = release.teams[language]
    card = team["harbour_agent"]
    texts = [
        _planner(team, language),
        _planner(team, language, free=True),
        "\n".join(m["content"] for m in agent_messages(language, card, "Note.", "Find a berth.", ())),
    ]
    assert word in texts[0]
    for text in texts:
        has_korean = any("가" <= c <= "힣" for c in text)
        assert has_korean == (language is Language.KO)
        assert "{{" not in text
        assert "{%" not in text
    # The words that the data itself uses are the same in both languages.
    assert all(word in texts[0] for word in ("interrupted_workflow_N-1", "refined_query", "depend_on", "canceled"))
    assert all(word in texts[2] for word in ("status: AWAITING_USER_INPUT\nrequired_info:", "TOOL_CONSTRAINT"))


def test_only_a_free_planner_may_answer_the_user(release: Release) -> None:
    team = release.teams[Language.EN]
    bound, free = _planner(team), _planner(team, free=True)
    assert bound.endswith("one JSON object with all workflows, nothing else.")
    assert free.endswith("or with plain text to the user.")
    assert "plain text" not in bound.lower()


def test_when_to_split_is_said_once_and_a_result_may_lead_to_a_plan(release: Release) -> None:
    team = release.teams[Language.EN]
    bound, free = _planner(team), _planner(team, free=True)
    assert "takes more work or other work than planned" in free
    assert "takes more work" not in bound
    for said in (bound, free):
        rule = said.split("# Making a plan")[1].split("#")[0]
        assert rule.count("One workflow for each thing") == said.count("One workflow for each thing") == 1
        # What the example does is what the rule says: three things asked for, three workflows of one step.
        example = json.loads(said.split("sown in March:\n")[1].split("\n- `name`")[0])
        assert [len(workflow["steps"]) for workflow in example.values()] == [1, 1, 1]


def test_the_record_shows_everything_once(release: Release) -> None:
    entries = (
        HistoryEntry("user", "Zwei Plätze, bitte."),
        HistoryEntry(
            "agent", agent="harbour_agent", workflow="workflow_2", uses=(ToolUse("find", {"d": "ü"}, {"n": 1}),)
        ),
        HistoryEntry("agent", agent="harbour_agent", uses=(ToolUse("book", {}),)),
        HistoryEntry("agent", "status: AWAITING_USER_INPUT\nrequired_info: ship", "harbour_agent"),
        HistoryEntry("main", "Which ship?"),
    )
    card = release.teams[Language.EN]["harbour_agent"]
    system, turn = agent_messages(Language.EN, card, "Today is Monday.", "Book B2", entries)
    assert (system["role"], turn["role"]) == ("system", "user")
    assert turn["content"] == "\n".join(
        [
            "# Information",
            "Today is Monday.",
            "",
            "# Record so far",
            "User: Zwei Plätze, bitte.",
            "harbour_agent (workflow_2):",
            'called find {"d": "ü"}',
            'result {"n": 1}',
            "harbour_agent:",
            "called book {}",
            "harbour_agent: status: AWAITING_USER_INPUT",
            "required_info: ship",
            "Lead: Which ship?",
            "",
            "# Request to harbour_agent",
            "Book B2",
        ]
    )
    assert [tool["function"]["name"] for tool in agent_tools(card)] == ["findBerths", "bookBerth"]


def test_a_plan_is_written_as_it_is_read(release: Release) -> None:
    for scenario in release.scenarios:
        for step in scenario.steps:
            if isinstance(step, PlanStep):
                assert read_plan(json.loads(plan_text(step.plan))) == step.plan
    assert plan_text(WorkflowPlan()) == "{}"


def test_compact_cards_name_what_comes_first() -> None:
    skills = (Skill("f", "Find", "Finds."), Skill("b", "Book", "Books. Use 'Find' first."))
    team = {"x_agent": AgentCard("x_agent", "X", "About X.", skills)}
    assert "- Find; Book (after Find)\n" in _planner(team, compact=True)
    assert "- Book: Books. Use 'Find' first.\n" in _planner(team)


def test_one_request_for_each_gold_step(release: Release) -> None:
    scenario = release.scenarios[0]
    asking = requests_of(scenario, release.teams[Language.EN])
    assert [r.step.id for r in asking.requests] == [3, 4, 5, 6, 9, 12, 13]
    assert [r.is_for_plan for r in asking.requests] == [True, False, False, False, False, True, False]
    assert [len(r.tools) for r in asking.requests] == [0, 1, 2, 2, 2, 0, 1]
    # Nothing of a later plan, and of no parallel workflow, in any of them.
    texts = {r.step.id: r.messages[-1]["content"] for r in asking.requests}
    assert [n for n, text in texts.items() if "LATER" in text] == []
    assert [n for n, text in texts.items() if "forecast" in text] == [9, 12, 13]
    assert [n for n, text in texts.items() if '"workflow_3"' in text] == [12]
    again = requests_of(scenario, release.teams[Language.EN])
    assert [r.digest for r in again.requests] == [r.digest for r in asking.requests]


def test_an_agent_without_a_card_cannot_be_asked(release: Release) -> None:
    team = dict(release.teams[Language.EN])
    del team["weather_agent"]
    asked, unasked = gold_steps(release.scenarios[0], team)
    assert ([step.id for step in asked], unasked) == ([3, 5, 6, 9, 12, 13], [4])


def test_fingerprint_of_the_prompts() -> None:
    assert prompts_fingerprint() == prompts_fingerprint()
    assert len(prompts_fingerprint()) == 64


@pytest.mark.real_data
def test_published_team_fits_a_small_model() -> None:
    release = load_release(real_data_dir() / "orchestrationbench", list(Language))
    # About 5 characters a token in English and 1.6 in Korean, with the tokenizer of the embedded model.
    bounds = {Language.EN: (24_000, 10_000), Language.KO: (12_500, 5_500)}
    for language, (full, compact) in bounds.items():
        team = release.teams[language]
        assert len(team) == 17
        assert len(_planner(team, language)) < full
        assert len(_planner(team, language, compact=True)) < compact
    counts = dict.fromkeys(Language, 0)
    for scenario in release.scenarios:
        counts[scenario.language] += len(requests_of(scenario, release.teams[scenario.language]).requests)
    assert counts == {Language.EN: 1236, Language.KO: 1267}


def test_the_tiny_release_is_what_its_comments_say() -> None:
    assert len(BERTH) == 14
