"""Findings about a data folder, whichever languages it holds."""

from pathlib import Path

from worktrial.finding import Finding, Findings
from worktrial.suites.orchestration.example import example_folder
from worktrial.suites.orchestration.planning.lint import lint_release
from worktrial.suites.orchestration.planning.loading import load_release
from worktrial.suites.orchestration.planning.oddities import MEANINGS, OddityCode
from worktrial.suites.orchestration.planning.scenario import Language

# Too many to read one after the other.
_COUNTED = (OddityCode.SCHEMA_VIOLATION.value,)


def lint_folder(folder: Path | None, *, corrected: bool = False, language: str = "both") -> Findings:
    """Look at every card and scenario in `folder`.

    Args:
        folder: The data folder; None for the worked example.
        corrected: Apply the corrections that Worktrial ships first, so that what remains is found.
        language: Language to look at, `en` or `ko`; `both` for those that the folder holds.

    Raises:
        DataError: the folder holds no language, or what it holds cannot be used at all.
    """
    place = folder or example_folder()
    wanted = [one for one in Language if language in (one.lower(), "both")]
    present = [one for one in wanted if (place / one).is_dir()]
    release = load_release(place, present or wanted, corrected=corrected)
    looked_at = {
        "scenarios": len(release.scenarios),
        "agents": sum(len(team) for team in release.teams.values()),
    }
    if corrected:
        looked_at["corrections applied"] = sum(len(scenario.fixes) for scenario in release.scenarios)
    return Findings(
        checks=[code.value for code in OddityCode],
        findings=[
            Finding(
                check=str(oddity.code),
                subject=oddity.file if oddity.step is None else f"{oddity.file}, step {oddity.step}",
                file=oddity.file,
                field="" if oddity.step is None else f"step {oddity.step}",
                what=oddity.reason,
            )
            for oddity in lint_release(release)
        ],
        looked_at=looked_at,
        about={code.value: meaning for code, meaning in MEANINGS.items()},
        counted=_COUNTED,
    )
