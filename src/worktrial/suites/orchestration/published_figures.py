"""The published figures of OrchestrationBench."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

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

    text = files("worktrial.suites.orchestration").joinpath("orchestrationbench.yaml").read_text(encoding="utf-8")
    table = yaml.safe_load(text)
    rows = []
    for values in table["rows"]:
        row = dict(zip(table["columns"], values, strict=True))
        figures = {metric: row[f"{metric}_{language.lower()}"] / 100 for metric in METRICS}
        rows.append(PublishedFigures(row["model"], figures))
    rows.sort(key=lambda row: -row.figures["average"])
    return PublishedTable(table["source"], tuple(rows))
