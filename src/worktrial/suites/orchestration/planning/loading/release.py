"""A whole data folder: the teams and the scenarios of its languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from worktrial.errors import DataError
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.corrections import corrections_for, overlay_bytes
from worktrial.suites.orchestration.planning.loading.cards import team_of
from worktrial.suites.orchestration.planning.loading.files import (
    CARDS,
    SCENARIOS,
    SourceFile,
    fingerprint,
    source_files,
)
from worktrial.suites.orchestration.planning.loading.scenarios import BrokenFile, read_scenario
from worktrial.suites.orchestration.planning.oddities import OddityCode
from worktrial.suites.orchestration.planning.scenario import Language, Oddity, Scenario


@dataclass(frozen=True, slots=True)
class Release:
    """What a data folder holds for some languages."""

    folder: Path
    teams: Mapping[Language, Team]
    scenarios: Sequence[Scenario]
    """By language, in the order asked for; within one by number."""
    fingerprint: str
    """SHA-256 over names and contents of all files read, and over the corrections where they are applied."""
    broken: tuple[Oddity, ...] = ()
    """Files that hold no scenario; the others are used without them."""


def load_scenarios(folder: Path, language: Language, *, corrected: bool = False) -> Sequence[Scenario]:
    """The scenarios of `language`, by number; files that hold none are left out, as `load_release` reports.

    Args:
        folder: The data folder, which holds the folder of the language.
        corrected: Apply the corrections that Worktrial ships.

    Raises:
        DataError: a folder is missing, or not one file holds a scenario.
    """
    return _read(folder, source_files(folder, language, SCENARIOS, ".yaml"), language, corrected)[0]


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
    broken: list[Oddity] = []
    files: list[SourceFile] = []
    overlays: list[bytes] = []
    for language in dict.fromkeys(languages):
        cards = source_files(folder, language, CARDS, ".json")
        sources = source_files(folder, language, SCENARIOS, ".yaml")
        teams[language] = team_of(cards, folder)
        read, unread = _read(folder, sources, language, corrected)
        scenarios += read
        broken += unread
        files += cards + sources
        if corrected:
            overlays.append(overlay_bytes(language))
    return Release(folder, teams, tuple(scenarios), fingerprint(files, *overlays), tuple(broken))


def _read(
    folder: Path, files: Sequence[SourceFile], language: Language, corrected: bool
) -> tuple[tuple[Scenario, ...], list[Oddity]]:
    corrections = corrections_for(language) if corrected else {}
    scenarios: list[Scenario] = []
    broken: list[Oddity] = []
    for file in files:
        try:
            scenarios.append(read_scenario(file, language, corrections.get(file.stem, ())))
        except BrokenFile as e:
            broken.append(Oddity(file.name, None, OddityCode.BROKEN_FILE, str(e)))
    if not scenarios:
        first = broken[0]
        raise DataError(
            folder / first.file,
            first.reason,
            f"None of the {len(broken)} files in {language}/{SCENARIOS} holds a scenario",
        )
    return tuple(scenarios), broken
