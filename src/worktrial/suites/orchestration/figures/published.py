"""Figures of the published program: the table that its authors give, and runs that it stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from worktrial.language import JsonObject
from worktrial.statistics import Figure
from worktrial.suites.orchestration.figures.turns import METRICS, estimates, figures_by_name
from worktrial.suites.orchestration.options import Scoring
from worktrial.suites.orchestration.scoring.stored import StoredScores


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


def stored_figures(scores: StoredScores) -> dict[Scoring, Mapping[str, Figure]]:
    """The figures of a stored run in both modes, with intervals over scenarios."""
    return {
        scoring: estimates(list(scores.sums[scoring].values()), figures_by_name(scoring))
        for scoring in (Scoring.OURS, Scoring.PUBLISHED)
    }


def as_json(figures: Mapping[Scoring, Mapping[str, Figure]], scores: StoredScores) -> JsonObject:
    """All of it for a file."""
    return {
        "figures": {
            scoring.value: {
                name: {"value": figure.value, "interval": figure.interval} for name, figure in of.items()
            }
            for scoring, of in figures.items()
        },
        "scenarios": scores.rows,
        "missing": scores.missing,
        "unknown": scores.unknown,
    }
