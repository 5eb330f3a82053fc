"""Oddities of a data folder, whichever languages it holds."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from worktrial.suites.orchestration.example import example_folder
from worktrial.suites.orchestration.planning.lint import lint_release
from worktrial.suites.orchestration.planning.loading import load_release
from worktrial.suites.orchestration.planning.oddities import OddityCode
from worktrial.suites.orchestration.planning.scenario import Language, Oddity


@dataclass(frozen=True, slots=True)
class ScenarioLint:
    """What was looked at, and what was found."""

    scenarios: int
    agents: int
    oddities: tuple[Oddity, ...]
    fixes: int = 0
    """Corrections applied before looking."""

    def count(self, code: OddityCode) -> int:
        """How many oddities are of the kind."""
        return sum(oddity.code == code for oddity in self.oddities)

    def only(self, codes: Collection[OddityCode]) -> "ScenarioLint":
        """The same without oddities of other kinds."""
        return replace(self, oddities=tuple(oddity for oddity in self.oddities if oddity.code in codes))


def lint_folder(folder: Path | None, *, corrected: bool = False) -> ScenarioLint:
    """Look at every card and scenario of every language in `folder`.

    Args:
        folder: The data folder; None for the worked example.
        corrected: Apply the corrections that Worktrial ships first, so that what remains is found.

    Raises:
        DataError: the folder holds no language, or what it holds cannot be used at all.
    """
    place = folder or example_folder()
    release = load_release(
        place, [one for one in Language if (place / one).is_dir()] or list(Language), corrected=corrected
    )
    return ScenarioLint(
        scenarios=len(release.scenarios),
        agents=sum(len(team) for team in release.teams.values()),
        oddities=lint_release(release),
        fixes=sum(len(scenario.fixes) for scenario in release.scenarios),
    )
