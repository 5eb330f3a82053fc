"""The figures of a run that the published program stored."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from worktrial.language import JsonObject
from worktrial.suites.orchestration.figures.figures import Estimate, estimates, figures_by_name
from worktrial.suites.orchestration.mode import Mode
from worktrial.suites.orchestration.scores.published import published_details
from worktrial.suites.orchestration.stored import StoredScores


@dataclass(frozen=True, slots=True)
class StoredFigures:
    """The figures in both modes."""

    scenarios: tuple[str, ...]
    figures: Mapping[Mode, Mapping[str, Estimate]]
    details: JsonObject
    """The aggregate in the shape of the published program's own output."""


def stored_figures(scores: StoredScores) -> StoredFigures:
    """The figures of `scores`, with a bootstrap over scenarios."""
    published = list(scores.sums[Mode.PUBLISHED].values())
    total = {key: sum(sums[key] for sums in published) for key in published[0]}
    return StoredFigures(
        tuple(scores.sums[Mode.PUBLISHED]),
        {
            mode: estimates(list(scores.sums[mode].values()), figures_by_name(mode))
            for mode in (Mode.SOUND, Mode.PUBLISHED)
        },
        published_details(total),
    )


def as_json(figures: StoredFigures, scores: StoredScores) -> JsonObject:
    """All of it for a file."""
    return {
        "figures": msgspec.to_builtins(figures.figures, str_keys=True),
        "published_statistics": figures.details,
        "scenarios": scores.rows,
        "missing": scores.missing,
        "unknown": scores.unknown,
    }
