"""A data folder read: scenarios and teams, `<folder>/<LANGUAGE>/{scenario_data,multiagent_cards}`."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worktrial.errors import DataError
from worktrial.finding import Finding
from worktrial.language import JsonValue
from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import load_yaml
from worktrial.suites.orchestration.planning.cards import Team, team_of
from worktrial.suites.orchestration.planning.corrected import (
    Correction,
    correct,
    corrections_for,
    overlay_bytes,
)
from worktrial.suites.orchestration.planning.files import CARDS, SCENARIOS, SourceFile, fingerprint, source_files
from worktrial.suites.orchestration.planning.findings import FindingKind, finding_at
from worktrial.suites.orchestration.planning.scenario import Language, Scenario, ScenarioStep, StepRecord
from worktrial.suites.orchestration.planning.steps import typed_step


@dataclass(frozen=True, slots=True)
class Release:
    """Contents of a data folder for some languages."""

    folder: Path
    teams: Mapping[Language, Team]
    scenarios: Sequence[Scenario]
    """Scenarios by language, in the order asked for; within one by number."""
    fingerprint: str
    """SHA-256 over names and contents of all files read, and over the corrections where they are applied."""
    broken: tuple[Finding, ...] = ()
    """Files that hold no scenario; the others are used without them."""


def load_release(folder: Path, languages: Sequence[Language], *, corrected: bool = False) -> Release:
    """Cards and scenarios of `languages`.

    Args:
        folder: The data folder, which holds a folder for each language.
        languages: At least one; repeated ones count once.
        corrected: Apply the corrections that Worktrial ships.

    Raises:
        DataError: a folder is missing, a card cannot be used, or a language has not one scenario.
    """
    teams: dict[Language, Team] = {}
    scenarios: list[Scenario] = []
    broken: list[Finding] = []
    files: list[SourceFile] = []
    overlays: list[bytes] = []
    for language in dict.fromkeys(languages):
        cards = source_files(folder, language, CARDS, ".json")
        sources = source_files(folder, language, SCENARIOS, ".yaml")
        _refuse_shared_ids(folder, sources)
        teams[language] = team_of(cards, folder)
        read, unread = _read(folder, sources, language, corrected)
        scenarios += read
        broken += unread
        files += cards + sources
        if corrected:
            overlays.append(overlay_bytes(language))
    return Release(folder, teams, tuple(scenarios), fingerprint(files, *overlays), tuple(broken))


def _refuse_shared_ids(folder: Path, files: Sequence[SourceFile]) -> None:
    """Refuse files whose names come to one id, such as `7.yaml` and `07.yaml`.

    Raises:
        DataError: there are such files.
    """
    first: dict[str, str] = {}
    for file in files:
        plain = unicodedata.normalize("NFKC", file.stem).strip().casefold()
        id = (plain.lstrip("0") or "0") if plain.isdecimal() else plain
        if id in first:
            raise DataError(
                folder / file.name,
                f"its id, {file.stem!r} by the file's name, is that of {first[id]} too",
                "Rename one of the two files, or take one away",
            )
        first[id] = file.name


def _read(
    folder: Path, files: Sequence[SourceFile], language: Language, corrected: bool
) -> tuple[tuple[Scenario, ...], list[Finding]]:
    corrections = corrections_for(language) if corrected else {}
    scenarios: list[Scenario] = []
    broken: list[Finding] = []
    for file in files:
        try:
            scenarios.append(read_scenario(file, language, corrections.get(file.stem, ())))
        except BrokenFile as e:
            broken.append(finding_at(file.name, None, FindingKind.BROKEN_FILE, str(e)))
    if not scenarios:
        first = broken[0]
        raise DataError(
            folder / first.file,
            first.what,
            f"None of the {len(broken)} files in {language}/{SCENARIOS} holds a scenario",
        )
    return tuple(scenarios), broken


_STEP_PATH = re.compile(r"steps\[(\d+)\]")


class BrokenFile(ValueError):
    """A scenario's file is no scenario; the message says why."""


def read_scenario(file: SourceFile, language: Language, corrections: Sequence[Correction] = ()) -> Scenario:
    """The scenario in `file`.

    Args:
        file: The file, as it was read.
        language: Language of the scenario.
        corrections: Those for this scenario, in the order in which to apply them.

    Raises:
        BrokenFile: the file cannot be read, is no YAML, or its steps cannot be told apart.
    """
    if file.problem:
        raise BrokenFile(file.problem)
    try:
        yaml = load_yaml(file.text, where=file.name)
    except BadYaml as e:
        raise BrokenFile(f"is not YAML: {e.why}") from None
    records = _records(yaml.value)
    odd: list[tuple[int | None, FindingKind, str]] = []
    for path in yaml.duplicates:
        index = _STEP_PATH.match(path)
        # A list that is itself a duplicate may be longer than the one that counts.
        place = records[int(index[1])].id if index and int(index[1]) < len(records) else None
        odd.append((place, FindingKind.DUPLICATE_KEY, f"{path} there twice; the last one counts"))
    corrected = correct(records, corrections)
    odd += ((at, FindingKind.CORRECTION_DOES_NOT_FIT, why) for at, why in corrected.misfits)
    steps: list[ScenarioStep] = []
    for record in corrected.records:
        step, found = typed_step(record)
        steps.append(step)
        odd += ((record.id, code, why) for code, why in found)
    findings = tuple(finding_at(file.name, at, code, why) for at, code, why in odd)
    return Scenario(file.stem, language, tuple(steps), findings, corrected.applied)


def _records(value: JsonValue) -> list[StepRecord]:
    if not isinstance(value, dict):
        raise BrokenFile("is not a mapping with `steps`")
    steps = value.get("steps")
    if not isinstance(steps, list):
        raise BrokenFile("lacks `steps`" if steps is None else "`steps` is not a list")
    if not steps:
        raise BrokenFile("`steps` is empty")
    records: list[StepRecord] = []
    for n, entry in enumerate(steps):
        record = _record(entry, f"steps[{n}]")
        # Scores are kept by step id, and what a step may see is decided by its place.
        if records and record.id <= records[-1].id:
            raise BrokenFile(f"steps[{n}].step_id is {record.id}, after {records[-1].id}")
        records.append(record)
    return records


def _record(entry: JsonValue, field: str) -> StepRecord:
    if not isinstance(entry, dict):
        raise BrokenFile(f"{field} is not a mapping")
    number = entry.get("step_id")
    if isinstance(number, str) and number.isascii() and number.isdecimal() and len(number) < 10:
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool):
        raise BrokenFile(f"{field}.step_id is {number!r}, not a whole number")
    agent = entry.get("agent")
    if not isinstance(agent, str) or not agent:
        raise BrokenFile(f"{field}.agent is {agent!r}, not a name")
    workflow = entry.get("workflow_id")
    kind = entry.get("agent_type")
    data = entry.get("data")
    text = data.get("content") if isinstance(data, dict) else None
    return StepRecord(
        id=number,
        workflow=None if workflow is None else str(workflow),
        agent=agent,
        agent_type=kind if isinstance(kind, str) else agent,
        text=text if isinstance(text, str) else None,
    )
