"""The figures of a turn-by-turn run, per language and scoring mode, with intervals and floors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from worktrial.engine.record import SampleRecord
from worktrial.statistics import Interval
from worktrial.statistics.bootstrap import bootstrap
from worktrial.suites.orchestration.mode import Mode
from worktrial.suites.orchestration.scores.figures import Figures, Sums
from worktrial.suites.orchestration.scores.published import published_figures
from worktrial.suites.orchestration.scores.sound import sound_figures, sound_macro

METRICS = ("average", "plan", "call_refuse", "function_call")

_FIGURES: Mapping[Mode, Callable[[Sums], Figures]] = {
    Mode.SOUND: sound_figures,
    Mode.PUBLISHED: published_figures,
}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, 0-1, with its 95 % interval; null where there is nothing to measure."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Floor:
    """What a team that reads nothing gets on the same scenarios."""

    name: str
    figures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class LanguageFigures:
    """The figures of one language in one scoring mode."""

    language: str
    mode: Mode
    scenarios: int
    repeats: int
    figures: Mapping[str, Estimate]
    """By metric (`METRICS`): the mean over the repeats, with a bootstrap over scenarios."""
    macro: Mapping[str, Estimate] | None
    """Sound only: every scenario weighs the same; `figures` weighs every step the same."""
    floors: tuple[Floor, ...]
    requests: int
    troubled: int
    """Requests without an answer; they weigh one with score 0."""


def language_figures(records: Iterable[SampleRecord]) -> list[LanguageFigures]:
    """The figures of every language among `records`, the sound ones first."""
    by_language: dict[str, list[SampleRecord]] = {}
    for record in records:
        if "sound" in record.measures:
            by_language.setdefault(record.measures["language"], []).append(record)
    return [
        _figures(language, by_language[language], mode) for language in sorted(by_language) for mode in _FIGURES
    ]


def _figures(language: str, records: Sequence[SampleRecord], mode: Mode) -> LanguageFigures:
    scenarios = sorted({record.sample for record in records})
    repeats = sorted({record.repeat for record in records})
    clusters = repeat_clusters(records, lambda record: record.measures[mode]["sums"])
    once = {record.sample: record for record in records}
    names = list(records[0].measures["floors"])
    return LanguageFigures(
        language=language,
        mode=mode,
        scenarios=len(scenarios),
        repeats=len(repeats),
        figures=estimates(clusters, over_repeats(len(repeats), _FIGURES[mode])),
        macro=estimates(clusters, over_repeats(len(repeats), sound_macro)) if mode is Mode.SOUND else None,
        floors=tuple(
            Floor(
                name, estimates([once[s].measures["floors"][name][mode] for s in scenarios], figures_by_name(mode))
            )
            for name in names
        ),
        requests=sum(record.measures["requests"] for record in records),
        troubled=sum(record.measures["troubled"] for record in records),
    )


def repeat_clusters(
    records: Iterable[SampleRecord], sums_of: Callable[[SampleRecord], Sums]
) -> list[dict[str, float]]:
    """For each scenario the sums of all its repeats, told apart by a prefix; a repeat that is not there is zero."""
    by_scenario: dict[str, dict[int, Sums]] = {}
    for record in records:
        by_scenario.setdefault(record.sample, {})[record.repeat] = sums_of(record)
    repeats = sorted({repeat for sums in by_scenario.values() for repeat in sums})
    keys = list(next(iter(next(iter(by_scenario.values())).values())))
    nothing: Sums = dict.fromkeys(keys, 0.0)
    return [
        {
            f"{place}/{key}": by_scenario[scenario].get(repeat, nothing)[key]
            for place, repeat in enumerate(repeats)
            for key in keys
        }
        for scenario in sorted(by_scenario)
    ]


def over_repeats(repeats: int, figures: Callable[[Sums], Figures]) -> Callable[[Sums], dict[str, float]]:
    """The mean over the repeats of the figures of each, from the sums of `repeat_clusters`."""

    def mean(sums: Sums) -> dict[str, float]:
        each = [
            _named(figures({key.removeprefix(f"{n}/"): v for key, v in sums.items() if key.startswith(f"{n}/")}))
            for n in range(repeats)
        ]
        return {metric: sum(one[metric] for one in each) / repeats for metric in METRICS}

    return mean


def estimates(clusters: Sequence[Sums], statistic: Callable[[Sums], dict[str, float]]) -> dict[str, Estimate]:
    """The figures of all clusters together, each with its interval."""
    total = {key: sum(cluster[key] for cluster in clusters) for key in clusters[0]}
    # One scenario cannot say how much scenarios vary.
    intervals = bootstrap(clusters, statistic) if len(clusters) > 1 else {}
    return {
        name: Estimate(None) if isnan(value) else Estimate(float(value), intervals.get(name))
        for name, value in statistic(total).items()
    }


def figures_by_name(mode: Mode) -> Callable[[Sums], dict[str, float]]:
    """The figures of a mode from added sums, by metric."""
    return lambda sums: _named(_FIGURES[mode](sums))


def _named(figures: Figures) -> dict[str, float]:
    return {metric: getattr(figures, metric) for metric in METRICS}
