"""Labels made from scenarios, against those of the stored runs."""

from typing import Any

import pytest
from tests.suites.orchestration.scoring.real import archive, data

from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.scoring.layout import labels_of
from worktrial.suites.orchestration.scoring.stored import stored_scenarios


@pytest.mark.real_data
@pytest.mark.parametrize(("language", "count"), [(Language.EN, 219), (Language.KO, 222)])
def test_labels_are_those_of_the_stored_runs(language: Language, count: int) -> None:
    stored = {scenario.id: scenario.runs["run #1"]["label"] for scenario in stored_scenarios(archive(language))}
    scenarios = load_release(data(), [language]).scenarios
    assert len(scenarios) == len(stored) == count
    for scenario in scenarios:
        made = labels_of(scenario)
        assert list(made) == list(stored[scenario.id])
        for step, message in made.items():
            assert without_ids(message) == without_ids(stored[scenario.id][step]), (scenario.key, step)


def without_ids(message: dict[str, Any]) -> dict[str, Any]:
    """The message without its random ids."""
    kept = {key: value for key, value in message.items() if key != "tool_call_id"}
    if "tool_calls" in kept:
        kept["tool_calls"] = [{k: v for k, v in call.items() if k != "id"} for call in kept["tool_calls"]]
    return kept
