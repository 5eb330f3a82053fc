"""Tables of runs, as values: the terminal and the report write the same cells."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from worktrial.engine.stored import StoredRun
from worktrial.language import JsonObject
from worktrial.results.writing import Content, ShownTable, Value, cell_of, points, ratio, signed
from worktrial.statistics import Figure
from worktrial.suites.orchestration.figures.free import (
    FAILURES,
    FREE_METRICS,
    FREE_TITLES,
    CascadeGap,
    free_figures,
)
from worktrial.suites.orchestration.figures.published import published_orchestration
from worktrial.suites.orchestration.figures.turns import METRICS, TITLES, LanguageFigures, judge_agreement
from worktrial.suites.orchestration.options import Scoring

NamedRun = tuple[Callable[[JsonObject], Content], StoredRun]
"""A run, and the cell that names it; on a page its address leads to samples with these tags."""


def cells(figures: Mapping[str, Figure], metrics: Iterable[str] = METRICS) -> list[Value]:
    """Cells of figures, each with its interval."""
    return [cell_of(figures[metric]) for metric in metrics]


def scores_table(figures: LanguageFigures, *, compare_published: bool = False) -> ShownTable:
    """The figures of one language by one way of scoring, above the best floor of each.

    Args:
        figures: The figures.
        compare_published: Whether other models' published figures follow.
    """
    repeats = f" × {figures.repeats} repeats (means)" if figures.repeats > 1 else ""
    scenarios = "1 scenario" if figures.scenarios == 1 else f"{figures.scenarios} scenarios"
    rows: list[list[Content]] = [["this run", *cells(figures.figures)]]
    if figures.macro is not None:
        rows.append(["… every scenario alike", *cells(figures.macro)])
    floors = [figures.best_floors[metric] for metric in METRICS]
    rows.append(["best floor", *(cell_of(floor, notes=[name]) for name, floor in floors)])
    if compare_published:
        rows += [[f"published: {model}", *told] for model, told in published_rows(figures.language)]
    title = f"{figures.language} · {figures.scoring.phrase} · {scenarios}{repeats}"
    return ShownTable(title, ["", *TITLES.values()], rows)


def published_rows(language: str) -> Iterator[tuple[str, list[Value]]]:
    """Each model of the published table of `language` with its figures, the best first."""
    for row in published_orchestration(language).rows:
        yield row.model, [cell_of(Figure(name=metric, value=row.figures[metric])) for metric in METRICS]


def free_table(runs: Iterable[NamedRun]) -> ShownTable | None:
    """Table of what teams reach that run free, by language and condition; None without any."""
    rows: list[list[Content]] = []
    for name, run in runs:
        for figures in free_figures(run.records):
            firsts = ", ".join(f"{kind} {n}" for kind in FAILURES if (n := figures.first_failures[kind]))
            rows.append(
                [
                    name({"language": figures.language, "condition": figures.condition}),
                    f"{figures.language} · {figures.condition}",
                    *cells(figures.figures, FREE_METRICS),
                    firsts or None,
                    figures.stuck,
                    figures.scenarios,
                ]
            )
    first, stuck = "First thing that went wrong", "Workflows never started"
    columns = ["Run", "Language, condition", *FREE_TITLES.values(), first, stuck, "Scenarios"]
    return ShownTable("What teams reach on their own", columns, rows) if rows else None


Gaps = tuple[Callable[[JsonObject], Content], Callable[[JsonObject], Content], Sequence[CascadeGap]]
"""The cells that name a free and a turn-by-turn run, and the gaps between them."""


def gap_table(pairs: Iterable[Gaps]) -> ShownTable | None:
    """Turn by turn minus free; None without any."""
    rows: list[list[Content]] = [
        [
            *(name({"language": gap.language}) for name in (free, turns)),
            gap.language,
            *(_difference(gap.gap[metric]) for metric in FREE_METRICS),
            gap.scenarios,
        ]
        for free, turns, gaps in pairs
        for gap in gaps
    ]
    columns = ["Free run", "Turn by turn", "Language", *FREE_TITLES.values(), "Scenarios"]
    footer = "What one’s own earlier mistakes cost, on the same scenarios: positive where running free reaches less"
    return ShownTable("Cascade gap: turn by turn minus free", columns, rows, footer) if rows else None


def _difference(figure: Figure) -> Value:
    if figure.value is None:
        return cell_of(None)
    notes = () if figure.interval is None else (points(figure.interval),)
    return Value(f"{signed(figure.value)} points", figure.value, notes=notes)


def judges_table(runs: Iterable[NamedRun]) -> ShownTable | None:
    """Table of who judged how many argument values, and how far the judges agree; None without judges."""
    rows: list[list[Content]] = []
    for name, run in runs:
        models = run.manifest.settings.get("roles", {})
        for found in judge_agreement(run.records):
            who = [f"{one} ({models[one]['model']})" if one in models else one for one in found.judges]
            pairs = [f"{a}/{b} {ratio(kappa)}" for a, b, kappa in found.pairs] if len(found.pairs) > 1 else []
            rows.append(
                [
                    name({"language": found.language}),
                    found.language,
                    ", ".join(who),
                    found.values,
                    found.without_vote,
                    cell_of(Figure(name="same", value=found.same)),
                    cell_of(Figure(name="pairwise", value=found.fleiss.pairwise)),
                    Value(ratio(found.fleiss.kappa), found.fleiss.kappa),
                    Value(ratio(found.cohen.mean), found.cohen.mean, notes=tuple(pairs)),
                ]
            )
    agreed = ["Two votes agree", "Fleiss’ kappa", "Cohen’s kappa"]
    columns = ["Run", "Language", "Judges", "Values", "Votes missing", "Judged equal", *agreed]
    return ShownTable("Judges of argument values", columns, rows) if rows else None


def stored_table(figures: Mapping[Scoring, Mapping[str, Figure]], *, title: str) -> ShownTable:
    """The figures of a stored run of the published program, in both modes."""
    rows: list[list[Content]] = [[scoring.value, *cells(of)] for scoring, of in figures.items()]
    return ShownTable(title, ["scoring", *TITLES.values()], rows)
