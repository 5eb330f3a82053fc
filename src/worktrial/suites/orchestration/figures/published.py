"""Figures of the published program: the table that its authors give, and runs that it stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import msgspec

from worktrial.language import JsonObject
from worktrial.suites.orchestration.figures.turns import FigureEstimate, estimates, figures_by_name
from worktrial.suites.orchestration.options import Scoring
from worktrial.suites.orchestration.scoring.figures import published_details
from worktrial.suites.orchestration.scoring.stored import StoredScores

METRICS = ("average", "plan", "call_refuse", "function_call")


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """One model's row in the published table."""

    model: str
    figures: Mapping[str, float]
    """Metric (`average`, `plan`, `call_refuse`, `function_call`) to its value, 0-1."""


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """The published table of one language."""

    source: str
    rows: tuple[PublishedFigures, ...]
    """The best average first."""


def published_orchestration(language: str) -> PublishedTable:
    """The published figures of `language` (`EN` or `KO`)."""
    # Imported here because few commands compare.
    import yaml

    text = (
        files("worktrial.suites.orchestration.figures")
        .joinpath("orchestrationbench.yaml")
        .read_text(encoding="utf-8")
    )
    table = yaml.safe_load(text)
    rows = []
    for values in table["rows"]:
        row = dict(zip(table["columns"], values, strict=True))
        figures = {metric: row[f"{metric}_{language.lower()}"] / 100 for metric in METRICS}
        rows.append(PublishedFigures(row["model"], figures))
    rows.sort(key=lambda row: -row.figures["average"])
    return PublishedTable(table["source"], tuple(rows))


@dataclass(frozen=True, slots=True)
class StoredFigures:
    """The figures in both modes."""

    scenarios: tuple[str, ...]
    figures: Mapping[Scoring, Mapping[str, FigureEstimate]]
    details: JsonObject
    """The aggregate in the shape of the published program's own output."""


def stored_figures(scores: StoredScores) -> StoredFigures:
    """The figures of `scores`, with intervals over scenarios."""
    published = list(scores.sums[Scoring.PUBLISHED].values())
    total = {key: sum(sums[key] for sums in published) for key in published[0]}
    return StoredFigures(
        tuple(scores.sums[Scoring.PUBLISHED]),
        {
            scoring: estimates(list(scores.sums[scoring].values()), figures_by_name(scoring))
            for scoring in (Scoring.OURS, Scoring.PUBLISHED)
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
