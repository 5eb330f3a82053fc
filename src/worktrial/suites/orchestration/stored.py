"""Scoring a run that the published program stored, in both modes, with nothing asked of any model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from worktrial.errors import DataError
from worktrial.language import JsonObject, Message
from worktrial.suites.orchestration.mode import Mode
from worktrial.suites.orchestration.planning.answers import Answers, StepAnswer
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.loading import Release
from worktrial.suites.orchestration.planning.scenario import Language, Scenario
from worktrial.suites.orchestration.requests import gold_steps
from worktrial.suites.orchestration.scores.published import file_sums, published_scenario
from worktrial.suites.orchestration.scores.sound import sound_scenario
from worktrial.suites.orchestration.scores.stored_run import stored_scenarios
from worktrial.suites.orchestration.scoring import Bounds

_NOT_STORED = "the stored run has no answer to this step"


@dataclass(frozen=True, slots=True)
class StoredScores:
    """The scores of a stored run; for every scenario of the data, what adds up over scenarios."""

    sums: Mapping[Mode, Mapping[str, Mapping[str, float]]]
    """By mode and scenario. Several stored runs of a scenario are pooled the published way in published mode, and
    added in sound mode."""
    missing: tuple[str, ...] = ()
    """Scenarios of the data that the run has no file for; no score counts them."""
    unknown: tuple[str, ...] = ()
    """Files of scenarios that the data does not have; only the published mode scores them."""
    rows: Mapping[str, JsonObject] = field(default_factory=dict)
    """By scenario and mode, how every step was scored."""


def score_stored_run(place: Path, release: Release, language: Language, bounds: Bounds) -> StoredScores:
    """Score the run in `place`.

    Without judges: an argument counts as right only when it is equal. Blocks for as long as it takes.

    Args:
        place: A folder of `N_out.json` files, or a `.tar.gz` of one.
        release: The data that the run was about.
        language: Of the run.
        bounds: On the edit distances.

    Raises:
        DataError: the run cannot be read, or has no scenario of the data.
    """
    team = release.teams[language]
    scenarios = {s.id: s for s in release.scenarios if s.language is language}
    sums: dict[Mode, dict[str, Mapping[str, float]]] = {mode: {} for mode in Mode}
    rows: dict[str, JsonObject] = {}
    unknown = []
    for stored in stored_scenarios(place):
        runs = [published_scenario(run, team, seconds=bounds.published) for run in stored.runs.values()]
        sums[Mode.PUBLISHED][stored.id] = file_sums(runs, None)
        rows[stored.id] = {Mode.PUBLISHED: [run.rows(None) for run in runs]}
        scenario = scenarios.get(stored.id)
        if scenario is None:
            unknown.append(stored.id)
            continue
        scored = [
            sound_scenario(scenario, _answers(run, scenario, team), team, seconds=bounds.sound)
            for run in stored.runs.values()
        ]
        each = [one.sums(None) for one in scored]
        sums[Mode.SOUND][stored.id] = {key: sum(one[key] for one in each) for key in each[0]}
        rows[stored.id][Mode.SOUND] = [one.rows(None) for one in scored]
    if not sums[Mode.SOUND]:
        what = f"holds no scenario that is in the {language} data"
        raise DataError(place, what, "Name the data of this run with --data, and its language with --language")
    missing = tuple(name for name in scenarios if name not in sums[Mode.PUBLISHED])
    return StoredScores(sums, missing, tuple(unknown), rows)


def _answers(run: JsonObject, scenario: Scenario, team: Team) -> Answers:
    """The stored answers by step; a step that was to be asked and has none is one that failed."""
    answers = {step.id: StepAnswer(step.id, trouble=_NOT_STORED) for step in gold_steps(scenario, team)[0]}
    for message in _messages(run):
        step = str(message.get("step_id", ""))
        if step.isdecimal() and int(step) in answers:
            content, calls = message.get("content"), message.get("tool_calls")
            answers[int(step)] = StepAnswer(
                int(step),
                content if isinstance(content, str) else "",
                tuple(call for call in calls if isinstance(call, dict)) if isinstance(calls, list) else (),
            )
    return answers


def _messages(run: JsonObject) -> Iterator[Message]:
    for part in ("main_agent_history", "sub_agent_history"):
        yield from (message for message in run[part] if isinstance(message, dict))
