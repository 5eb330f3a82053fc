"""The published release, whole."""

import json
import tarfile
from collections import Counter
from functools import cache

import pytest
from tests.support.data import real_data_dir

from worktrial.suites.orchestration.planning.cards import load_team
from worktrial.suites.orchestration.planning.release import Release, load_release
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    Language,
    OddStep,
    PlanStep,
    RefusalStep,
    Scenario,
    ScenarioStep,
)

pytestmark = pytest.mark.real_data


@cache
def release() -> Release:
    return load_release(real_data_dir() / "orchestrationbench", list(Language))


def scenarios(language: Language) -> list[Scenario]:
    return [scenario for scenario in release().scenarios if scenario.language == language]


def kinds(language: Language) -> Counter[type[ScenarioStep]]:
    return Counter(type(step) for scenario in scenarios(language) for step in scenario.steps)


def test_every_scenario_and_card_is_there() -> None:
    assert len(scenarios(Language.EN)) == 219
    assert len(scenarios(Language.KO)) == 222
    assert [len(team) for team in release().teams.values()] == [17, 17]
    tools = [sum(len(card.tools) for card in team.values()) for team in release().teams.values()]
    assert tools == [96, 99]
    assert release().broken == ()


def test_steps_by_kind() -> None:
    """The published program counts 317/323 plans, 705/722 calls and 208/215 refusals.

    It takes EN 32/7 and 195/6 for calls and KO 95/4 for a refusal, which are odd here, and EN 85/8 for a plan; it
    does not count the 6 and 7 calls in bare lists, which are calls here.
    """
    english, korean = kinds(Language.EN), kinds(Language.KO)
    assert (english[PlanStep], korean[PlanStep]) == (317 - 1, 323)
    assert (english[CallStep], korean[CallStep]) == (705 - 1 + 6, 722 + 7)
    assert (english[RefusalStep], korean[RefusalStep]) == (208, 215 - 1)
    odd = {(s.key, step.id) for s in release().scenarios for step in s.steps if isinstance(step, OddStep)}
    assert odd == {("EN/32", 7), ("EN/85", 8), ("EN/195", 6), ("KO/95", 4)}


def test_in_numeric_order_and_alphabetical_order() -> None:
    assert [s.id for s in scenarios(Language.KO)] == [str(n) for n in range(1, 223)]
    folder = real_data_dir() / "orchestrationbench"
    assert [s.key for s in load_release(folder, [Language.EN]).scenarios] == [f"EN/{n}" for n in range(1, 220)]
    assert list(load_team(folder, Language.EN)) == sorted(load_team(folder, Language.EN))


@pytest.mark.parametrize(("run", "language"), [("schema_EN", Language.EN), ("text_KO", Language.KO)])
def test_arguments_are_those_of_the_published_program(run: str, language: Language) -> None:
    gold = {(s.id, step.id): step for s in scenarios(language) for step in s.steps if isinstance(step, CallStep)}
    compared = 0
    with tarfile.open(real_data_dir() / "oracles" / f"orchestration_run_{run}.tar.gz") as archive:
        for member in archive:
            if not member.name.endswith("_out.json"):
                continue
            file = archive.extractfile(member)
            assert file is not None
            stored = json.load(file)
            for key, message in stored["history"]["run #1"]["label"].items():
                if (
                    "tool_calls" not in message
                    or (step := gold.get((stored["scenario_id"], int(key[:-2])))) is None
                ):
                    continue
                theirs = [call["function"] for call in message["tool_calls"]]
                assert [call.arguments for call in step.calls] == [json.loads(f["arguments"]) for f in theirs], key
                # It does not know the key `name`.
                assert all(
                    f["name"] in (call.tool, "tool_name") for f, call in zip(theirs, step.calls, strict=True)
                )
                compared += 1
    assert compared == (704 if language is Language.EN else 722)
