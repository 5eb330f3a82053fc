"""The published figures of OccuBench."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from worktrial.statistics import CompletionRate


@dataclass(frozen=True, slots=True)
class PublishedCompletion:
    """One model's row of table 2: without faults."""

    model: str
    rate: float
    """Completion rate over all tasks as printed, 0-1."""
    passed: int
    """The number of passes that is printed so; a rate to a tenth of a percent stands for one number only."""
    industries: Mapping[str, float]
    """Industry to its completion rate as printed, in whole percents, 0-1."""
    counts: Mapping[str, CompletionRate | None]
    """Industry to the passes and failures that are printed so; None where no whole number of passes is."""


@dataclass(frozen=True, slots=True)
class PublishedRobustness:
    """One model's row of table 3."""

    model: str
    rates: Mapping[str, float]
    """E0 to E3 to the completion rate, 0-1."""
    robustness: float
    """R as printed, to two digits."""


@dataclass(frozen=True, slots=True)
class PublishedOccuBench:
    """Figures that were published of OccuBench. Models have the names of table 2 throughout; rates are 0-1."""

    source: str
    licence: str
    notes: tuple[str, ...]
    """Notes on figures that are less sure than the rest."""
    industries: Mapping[str, int]
    """Industry, as in the tag `category` of a sample, to its tasks."""
    completion: tuple[PublishedCompletion, ...]
    """The best first."""
    robustness: tuple[PublishedRobustness, ...]
    """The most robust first."""
    simulators: Mapping[str, Mapping[str, float]]
    """Agent to simulator to completion rate (table 4)."""
    fault_count: Mapping[str, Mapping[int, float]]
    """Agent to number of faults of two calls each to completion rate under E3 (figure 4)."""
    fault_duration: Mapping[str, Mapping[int, float]]
    """Agent to calls that each of two faults lasts to completion rate under E3 (figure 4)."""
    effort: Mapping[str, Mapping[str, float]]
    """Agent to reasoning effort, the least first, to completion rate (figure 7)."""
    industry_means: Mapping[str, float]
    """Industry to the mean completion rate of 14 models (figure 12)."""

    @property
    def tasks(self) -> int:
        """All tasks."""
        return sum(self.industries.values())


def published_occubench() -> PublishedOccuBench:
    """The published figures of OccuBench."""
    # Imported here because few commands compare.
    import yaml

    text = files("worktrial.suites.occupations").joinpath("occubench.yaml").read_text(encoding="utf-8")
    table = yaml.safe_load(text)
    industries = table["industries"]
    return PublishedOccuBench(
        source=table["source"],
        licence=table["licence"],
        notes=tuple(table["notes"]),
        industries=industries,
        completion=tuple(_completion(row, industries) for row in table["completion"]),
        robustness=tuple(
            PublishedRobustness(
                row["model"], {mode: _share(row[mode]) for mode in ("E0", "E1", "E2", "E3")}, row["R"]
            )
            for row in table["robustness"]
        ),
        simulators=_shares(table["simulators"]),
        fault_count=_shares(table["fault_count"]),
        fault_duration=_shares(table["fault_duration"]),
        effort=_shares(table["effort"]),
        industry_means={industry: _share(percent) for industry, percent in table["industry_means"].items()},
    )


def _completion(row: list[Any], industries: Mapping[str, int]) -> PublishedCompletion:
    model, overall, *percents = row
    tasks = sum(industries.values())
    printed = dict(zip(industries, percents, strict=True))
    counts = {industry: _whole(percent, industries[industry]) for industry, percent in printed.items()}
    return PublishedCompletion(
        model=model,
        rate=_share(overall),
        passed=round(overall * tasks / 100),
        industries={industry: _share(percent) for industry, percent in printed.items()},
        counts={
            industry: None if passed is None else CompletionRate(passed, industries[industry] - passed)
            for industry, passed in counts.items()
        },
    )


def _whole(percent: float, tasks: int) -> int | None:
    """The number of passes that is printed as whole `percent`, a half rounded either way; None where none is."""
    passed = round(percent * tasks / 100)
    return passed if abs(100 * passed / tasks - percent) <= 0.5 + 1e-9 else None


def _shares(rows: Mapping[str, Mapping[Any, float]]) -> dict[str, dict[Any, float]]:
    return {model: {key: _share(percent) for key, percent in row.items()} for model, row in rows.items()}


def _share(percent: float) -> float:
    # Nothing is printed to more digits; a share should not have more either.
    return round(percent / 100, 4)
