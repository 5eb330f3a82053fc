"""Scoring a run that the published program stored, in both modes, with nothing asked of any model."""

import json
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from worktrial.errors import DataError, option
from worktrial.language import Completion, JsonObject, JsonValue, Message
from worktrial.outside.files import read_bytes
from worktrial.suites.orchestration.options import SEARCH_NODES, Scoring
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.release import Release
from worktrial.suites.orchestration.planning.scenario import Language, Scenario
from worktrial.suites.orchestration.planning.turns import Answers, StepAnswer, gold_steps
from worktrial.suites.orchestration.scoring.ours import our_scenario
from worktrial.suites.orchestration.scoring.published import PublishedScenario, file_sums, published_scenario

_NOT_STORED = "the stored run has no answer to this step"


@dataclass(frozen=True, slots=True)
class StoredScores:
    """The scores of a stored run; for every scenario of the data, what adds up over scenarios."""

    sums: Mapping[Scoring, Mapping[str, Mapping[str, float]]]
    """Sums by way of scoring and scenario. Several stored runs of a scenario are pooled as published in the
    published scoring, and added in ours."""
    missing: tuple[str, ...] = ()
    """Scenarios of the data that the run has no file for; no score counts them."""
    unknown: tuple[str, ...] = ()
    """Files of scenarios that the data does not have; only the published scoring scores them."""
    rows: Mapping[str, JsonObject] = field(default_factory=dict)
    """Scores of every step, by scenario and way of scoring."""


def score_stored_run(place: Path, release: Release, language: Language, nodes: int) -> StoredScores:
    """Score the run in `place`.

    Without judges: an argument counts as right only when it is equal. Blocks for as long as it takes.

    Args:
        place: A folder of `N_out.json` files, or a `.tar.gz` of one.
        release: The data that the run was about.
        language: Of the run.
        nodes: How many nodes the search for an edit distance may expand.

    Raises:
        DataError: the run cannot be read, or has no scenario of the data.
    """
    team = release.teams[language]
    scenarios = {s.id: s for s in release.scenarios if s.language is language}
    sums: dict[Scoring, dict[str, Mapping[str, float]]] = {scoring: {} for scoring in Scoring}
    rows: dict[str, JsonObject] = {}
    unknown = []
    for stored in stored_scenarios(place):
        runs = [published_scenario(run, team, nodes=nodes) for run in stored.runs.values()]
        sums[Scoring.PUBLISHED][stored.id] = file_sums(runs, None)
        rows[stored.id] = {Scoring.PUBLISHED: [run.rows(None) for run in runs]}
        scenario = scenarios.get(stored.id)
        if scenario is None:
            unknown.append(stored.id)
            continue
        scored = [
            our_scenario(scenario, _answers(run, scenario, team), team, nodes=nodes) for run in stored.runs.values()
        ]
        each = [one.sums(None) for one in scored]
        sums[Scoring.OURS][stored.id] = {key: sum(one[key] for one in each) for key in each[0]}
        rows[stored.id][Scoring.OURS] = [one.rows(None) for one in scored]
    if not sums[Scoring.OURS]:
        what = f"holds no scenario that is in the {language} data"
        fix = f"Name the data of this run with {option('data')}, and its language with {option('language')}"
        raise DataError(place, what, fix)
    missing = tuple(name for name in scenarios if name not in sums[Scoring.PUBLISHED])
    return StoredScores(sums, missing, tuple(unknown), rows)


def _answers(run: JsonObject, scenario: Scenario, team: Team) -> Answers:
    """The stored answers by step; a step that was to be asked and has none is one that failed."""
    answers = {step.id: StepAnswer(step.id, trouble=_NOT_STORED) for step in gold_steps(scenario, team)[0]}
    for message in _messages(run):
        step = str(message.get("step_id", ""))
        if step.isdecimal() and int(step) in answers:
            answers[int(step)] = StepAnswer.of(int(step), Completion(message))
    return answers


def _messages(run: JsonObject) -> Iterator[Message]:
    for part in ("main_agent_history", "sub_agent_history"):
        yield from (message for message in run[part] if isinstance(message, dict))


_ENDING = "_out.json"
_FIX = "Leave the file out, or copy it again from where the published program wrote it"
_MAX_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class StoredScenario:
    """One stored file: every run of one scenario."""

    id: str
    where: str
    """The file, for messages."""
    runs: Mapping[str, JsonObject]
    """Runs by label (`run #1`, …), each with `main_agent_history`, `sub_agent_history` and `label`."""

    def score(self, team: Team, *, nodes: int | None = SEARCH_NODES) -> dict[str, PublishedScenario]:
        """The published score of each run, by label."""
        return {name: published_scenario(run, team, nodes=nodes) for name, run in self.runs.items()}


def stored_scenarios(place: Path) -> Iterator[StoredScenario]:
    """The scenarios of a stored run, in the order of their ids.

    Args:
        place: the folder with the files, a folder above it that has only one such, or a `.tar.gz` of either.

    Raises:
        DataError: there is no such file, files of several runs, or one that is not in the published layout; the
            message names file and field.
    """
    files = _files_in(place)
    folders = sorted({str(name.parent) for name in files})
    if not files:
        raise DataError(place, f"holds no file named N{_ENDING}", "Name the folder of a stored run")
    if len(folders) > 1:
        raise DataError(place, f"holds several runs: {', '.join(folders)}", "Name the folder of one of them")
    for name in sorted(files, key=_in_numbers):
        where = str(place / name)
        raw = files[name]
        yield _scenario(
            _json(raw if isinstance(raw, bytes) else read_bytes(raw, within=place), where), _id(name), where
        )


def _files_in(place: Path) -> Mapping[PurePosixPath, bytes | Path]:
    """Path within `place` -> the file, or its content."""
    if place.is_dir():
        found = [path for path in place.rglob(f"*{_ENDING}") if path.is_file()]
        return {PurePosixPath(path.relative_to(place).as_posix()): path for path in found}
    if not place.exists():
        raise DataError(place, "no such folder or file", "Check the path")
    try:
        with tarfile.open(place) as archive:
            return dict(_archived(archive, place))
    except (tarfile.TarError, EOFError, OSError) as error:
        fix = "Give a folder, or a .tar.gz of one"
        raise DataError(place, f"cannot be read as an archive ({error})", fix) from error


def _archived(archive: tarfile.TarFile, place: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    total = 0
    for member in archive:
        content = archive.extractfile(member) if member.name.endswith(_ENDING) and member.isfile() else None
        if content is not None:
            total += member.size
            if total > _MAX_BYTES:
                raise DataError(place, f"holds more than {_MAX_BYTES >> 20} MB of runs", "Unpack it first")
            yield PurePosixPath(member.name), content.read()


def _id(name: PurePosixPath) -> str:
    return name.name.removesuffix(_ENDING)


def _in_numbers(name: PurePosixPath) -> tuple[bool, int, str]:
    stem = _id(name)
    number = int(stem) if stem.isdecimal() and len(stem) < 10 else None
    return number is None, number or 0, stem


def _json(raw: bytes, where: str) -> JsonValue:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise DataError(where, f"is not JSON ({str(error) or type(error).__name__})", _FIX) from None


def _scenario(content: JsonValue, stem: str, where: str) -> StoredScenario:
    file = _checked(content, _File, where, "")
    if not file.history:
        raise DataError(where, "history is empty", _FIX)
    for name, run in file.history.items():
        field = f"history[{name!r}]"
        parts = _checked(run, _Run, where, field)
        for step, message in parts.label.items():
            _checked(message, _Gold, where, f"{field}.label[{step!r}]")
    given = content.get("scenario_id")
    return StoredScenario(str(stem if given is None else given), where, file.history)


def _checked(value: JsonValue, kind: Any, where: str, field: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        what, _, path = str(error).partition(" - at `$")
        at = (field + path.rstrip("`")).lstrip(".")
        raise DataError(where, f"{at or 'the file'}: {what[:1].lower()}{what[1:]}", _FIX) from None


class _File(msgspec.Struct):
    history: dict[str, dict[str, Any]]


class _Answer(msgspec.Struct):
    step_id: int | str


class _Run(msgspec.Struct):
    main_agent_history: list[_Answer]
    sub_agent_history: list[_Answer]
    label: dict[str, dict[str, Any]]


class _GoldCall(msgspec.Struct):
    function: dict[str, Any] = {}


class _Gold(msgspec.Struct):
    tool_calls: list[_GoldCall] = []
