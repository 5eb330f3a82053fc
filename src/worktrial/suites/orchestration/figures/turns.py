"""Figures of a turn-by-turn run by language and scoring, with intervals and floors, and agreement of its judges."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan

from worktrial.engine.record import SampleRecord
from worktrial.language import JsonObject
from worktrial.statistics import (
    Agreement,
    Figure,
    Interval,
    PairwiseCohen,
    agreement,
    pairwise_cohen,
    score_intervals,
)
from worktrial.suites.orchestration.options import Scoring
from worktrial.suites.orchestration.scoring.figures import Figures, Sums, published_figures
from worktrial.suites.orchestration.scoring.ours import our_figures, our_macro

TITLES = {"average": "Average", "plan": "Plan", "call_refuse": "Call/refuse", "function_call": "Function call"}
METRICS = tuple(TITLES)

_FIGURES: Mapping[Scoring, Callable[[Sums], Figures]] = {
    Scoring.OURS: our_figures,
    Scoring.PUBLISHED: published_figures,
}


@dataclass(frozen=True, slots=True)
class Floor:
    """Figures of a team that understands nothing, on the same scenarios."""

    name: str
    figures: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class LanguageFigures:
    """The figures of one language by one way of scoring."""

    language: str
    scoring: Scoring
    scenarios: int
    repeats: int
    figures: Mapping[str, Figure]
    """Figures by metric (`METRICS`): the mean over the repeats, with the interval of `score_intervals` over
    scenarios."""
    macro: Mapping[str, Figure] | None
    """Ours only: every scenario weighs the same; `figures` weighs every step the same."""
    floors: tuple[Floor, ...]
    requests: int
    troubled: int
    """Requests without an answer; they weigh one with score 0."""

    @property
    def best_floors(self) -> Mapping[str, tuple[str, Figure]]:
        """The best floor of each metric, as a person reads its name; "" and no value where there is none."""
        none = ("", Figure(name="", value=None))
        return {
            metric: max(
                ((floor.name.replace("_", " "), floor.figures[metric]) for floor in self.floors),
                key=lambda named: -1.0 if named[1].value is None else named[1].value,
                default=none,
            )
            for metric in METRICS
        }


def language_figures(records: Iterable[SampleRecord]) -> list[LanguageFigures]:
    """The figures of every language among `records`, ours first."""
    by_language: dict[str, list[SampleRecord]] = {}
    for record in records:
        if "ours" in record.measures:
            by_language.setdefault(record.measures["language"], []).append(record)
    return [
        _figures(language, by_language[language], scoring)
        for language in sorted(by_language)
        for scoring in _FIGURES
    ]


def _figures(language: str, records: Sequence[SampleRecord], scoring: Scoring) -> LanguageFigures:
    scenarios = sorted({record.sample for record in records})
    repeats = sorted({record.repeat for record in records})
    clusters = repeat_clusters(records, lambda record: record.measures[scoring]["sums"])
    once = {record.sample: record for record in records}
    names = list(records[0].measures["floors"])
    return LanguageFigures(
        language=language,
        scoring=scoring,
        scenarios=len(scenarios),
        repeats=len(repeats),
        figures=estimates(clusters, over_repeats(len(repeats), _FIGURES[scoring])),
        macro=estimates(clusters, over_repeats(len(repeats), our_macro)) if scoring is Scoring.OURS else None,
        floors=tuple(
            Floor(
                name,
                estimates(
                    [once[s].measures["floors"][name][scoring] for s in scenarios],
                    figures_by_name(scoring),
                ),
            )
            for name in names
        ),
        requests=sum(record.measures["requests"] for record in records),
        troubled=sum(record.measures["troubled"] for record in records),
    )


def repeat_clusters(
    records: Iterable[SampleRecord], sums_of: Callable[[SampleRecord], Sums]
) -> list[dict[str, float]]:
    """Sums of all repeats of each scenario, told apart by a prefix; a repeat that is not there is zero."""
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


def estimates(clusters: Sequence[Sums], statistic: Callable[[Sums], dict[str, float]]) -> dict[str, Figure]:
    """The figures of all clusters together, each with its 95 % interval."""
    total = {key: sum(cluster[key] for cluster in clusters) for key in clusters[0]}
    # One scenario cannot say how much scenarios vary.
    intervals = score_intervals(clusters, statistic) if len(clusters) > 1 else {}
    return {
        name: figure_of(name, value, intervals.get(name), len(clusters)) for name, value in statistic(total).items()
    }


def figure_of(name: str, value: float, interval: Interval | None, clusters: int) -> Figure:
    """A figure over scenarios; one whose value is NaN has none."""
    if isnan(value):
        return Figure(name=name, value=None, clusters=clusters, unknown="nothing to measure")
    low, high = interval or (None, None)
    return Figure(name=name, value=float(value), low=low, high=high, clusters=clusters)


def figures_by_name(scoring: Scoring) -> Callable[[Sums], dict[str, float]]:
    """The figures of a scoring from added sums, by metric."""
    return lambda sums: _named(_FIGURES[scoring](sums))


def _named(figures: Figures) -> dict[str, float]:
    return {metric: getattr(figures, metric) for metric in METRICS}


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of a run's judges over the values of one language."""

    language: str
    judges: tuple[str, ...]
    """Their seats, in the order of votes."""
    values: int
    """Values judged. One that came up in several samples was judged once, and counts once."""
    same: float
    """The mean verdict, 0-1: the share of votes for equal meaning, averaged over the values."""
    without_vote: int
    """Votes that are missing, because a judge could not be reached or understood."""
    fleiss: Agreement
    """Agreement over all judges together."""
    cohen: PairwiseCohen
    """Agreement of every two judges; none where there is one judge."""

    @property
    def pairs(self) -> list[tuple[str, str, float | None]]:
        """Two judges and Cohen's kappa of the two, for every two."""
        return [(a, b, k) for (a, b), k in zip(combinations(self.judges, 2), self.cohen.by_pair, strict=True)]


def judge_agreement(records: Iterable[SampleRecord]) -> list[JudgeAgreement]:
    """The agreement of the judges among `records`, by language; none for a run without judged values."""
    questions: dict[str, dict[str, JsonObject]] = {}
    for record in records:
        for value in record.measures.get("judging", {}).get("values", ()):
            asked = repr([value.get(part) for part in ("tool", "key", "gold", "predicted", "context")])
            questions.setdefault(record.measures["language"], {})[asked] = value
    return [_agreement(language, list(questions[language].values())) for language in sorted(questions)]


def _agreement(language: str, values: Sequence[JsonObject]) -> JudgeAgreement:
    ballots = [[vote["same_meaning"] for vote in value["votes"]] for value in values]
    return JudgeAgreement(
        language=language,
        judges=tuple(vote["judge"] for vote in values[0]["votes"]),
        values=len(values),
        same=sum(value["share"] for value in values) / len(values),
        without_vote=sum(vote is None for votes in ballots for vote in votes),
        fleiss=agreement(ballots),
        cohen=pairwise_cohen(ballots),
    )
