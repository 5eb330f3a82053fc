"""The suite's figures of a run by name, and their changes between two runs of the same samples."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any

from worktrial.engine.pairing import SamplePair
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.statistics import Change, Figure, change_intervals
from worktrial.suites.orchestration.figures.free import free_clusters, free_figures, free_rates
from worktrial.suites.orchestration.figures.turns import (
    language_figures,
    over_repeats,
    repeat_clusters,
)
from worktrial.suites.orchestration.scoring.ours import our_figures


def run_figures(run: StoredRun) -> list[Figure]:
    """Scores of every language both ways, and what free-running teams reached by condition."""
    found: list[Figure] = []
    for turns in language_figures(run.records):
        found += _figures(turns.figures, f"{turns.language} {turns.scoring}", turns.scenarios)
    for free in free_figures(run.records):
        found += _figures(free.figures, f"{free.language} free {free.condition}", free.scenarios)
    return found


def _figures(figures: Mapping[str, Figure], group: str, scenarios: int) -> list[Figure]:
    return [replace(figure, group=group, n=scenarios) for figure in figures.values()]


def figure_changes(pairs: Sequence[SamplePair], *, confidence: float) -> Iterator[Change]:
    """Changes of our scores by language, or of what free-running teams reached.

    Args:
        pairs: Same samples in both runs, of one condition.
        confidence: Level of the intervals, 0-1.
    """
    for language, own in _by_language(pairs, "ours").items():
        repeats = len({p.first.repeat for p in own})
        sides = [repeat_clusters(records, lambda r: r.measures["ours"]["sums"]) for records in _sides(own)]
        yield from _scores(language, sides, over_repeats(repeats, our_figures), confidence)
    for language, own in _by_language(pairs, "free").items():
        added = [list(free_clusters(records, "free").values()) for records in _sides(own)]
        yield from _scores(language, added, free_rates, confidence)


def _by_language(pairs: Sequence[SamplePair], part: str) -> dict[str, list[SamplePair]]:
    found: dict[str, list[SamplePair]] = {}
    for pair in pairs:
        both = pair.first.measures, pair.second.measures
        # Others may have a part of this name, too, but none by language.
        if all(part in measures and "language" in measures for measures in both):
            found.setdefault(str(pair.first.measures["language"]), []).append(pair)
    return dict(sorted(found.items()))


def _sides(pairs: Sequence[SamplePair]) -> tuple[list[SampleRecord], list[SampleRecord]]:
    return [p.first for p in pairs], [p.second for p in pairs]


def _scores(
    language: str,
    sides: Sequence[Sequence[Mapping[str, Any]]],
    figures: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    confidence: float,
) -> Iterator[Change]:
    """Changes from both sides' sums per scenario, in the same order."""
    keys = sorted(sides[0][0].keys() & sides[1][0].keys())
    first, second = ([{key: sums[key] for key in keys} for sums in side] for side in sides)
    values = [figures({key: sum(sums[key] for sums in side) for key in keys}) for side in (first, second)]
    intervals = change_intervals(first, second, figures, confidence=confidence)
    for name, before in values[0].items():
        after = values[1][name]
        if isnan(before) or isnan(after):
            continue
        low, high = intervals.get(name) or (None, None)
        yield Change(
            name=f"{language} {name.replace('_', ' ')}",
            first=float(before),
            second=float(after),
            value=float(after - before),
            low=low,
            high=high,
            ratio=float(after / before) if before else None,
            clusters=len(first),
            n=len(first),
        )
