"""Orchestrating a team: plans, whether to call, and calls, beside the best floor."""

from collections.abc import Sequence

from markupsafe import Markup

from worktrial.errors import SettingError
from worktrial.reports.chart import Bar, bars
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import caveat, heading, joined, strong, takeaway
from worktrial.results.writing import Content, ShownTable, Value, counted, percent, percents, to_html
from worktrial.statistics import Figure
from worktrial.suites.orchestration.figures.free import CascadeGap, cascade_gaps, differences
from worktrial.suites.orchestration.figures.published import published_orchestration
from worktrial.suites.orchestration.figures.turns import METRICS, TITLES, LanguageFigures, language_figures
from worktrial.suites.orchestration.options import Scoring
from worktrial.suites.orchestration.run.ground import SUITE
from worktrial.suites.orchestration.tables import (
    NamedRun,
    cells,
    free_table,
    gap_table,
    judges_table,
    published_rows,
)

RunFigures = Sequence[tuple[ReportRun, LanguageFigures]]


def orchestration(report: Report) -> Section | None:
    """A panel for each language, by our scoring; None without a run of orchestration."""
    runs = _runs(report)
    found = [(run, figures) for run in runs for figures in language_figures(run.run.records)]
    parts: list[Markup] = []
    for language in sorted({figures.language for _, figures in found}):
        of_language = [(run, figures) for run, figures in found if figures.language == language]
        parts += [heading(f"Turn by turn, {language}"), takeaway(_takeaway(of_language))]
        parts.append(_panel(of_language, language))
    if found:
        parts.append(caveat(_caveat(found)))
    judged = judges_table(map(_named, runs))
    parts += [*_free(runs), *([] if judged is None else [to_html(judged)])]
    return Section("orchestration", "Orchestrating a team", joined(parts)) if parts else None


def _takeaway(found: RunFigures) -> Markup:
    ours = [(run, figures) for run, figures in found if figures.scoring is Scoring.OURS]
    run, best = max(ours, key=lambda one: one[1].figures["average"].value or 0.0)
    average = best.figures["average"]
    name, floor = best.best_floors["average"]
    said = Markup("{} {} {} on average over {}").format(
        strong(run.name),
        "reaches" if len(ours) == 1 else "reaches most,",
        percent(average.value) + (f" ({percents(average.interval)})" if average.interval else ""),
        counted(best.scenarios, "scenario"),
    )
    if floor.value is None:
        return said + Markup(".")
    above = average.interval is not None and average.interval.low > floor.value
    return said + Markup("; {} {} ({}).").format(
        "that is above the best team that understands nothing,"
        if above
        else "that is not clearly above the best team that understands nothing,",
        name,
        percent(floor.value),
    )


def _panel(found: RunFigures, language: str) -> Markup:
    of_scoring = [(run, figures) for run, figures in found if figures.scoring is Scoring.OURS]
    drawn: list[Bar] = []
    for metric in METRICS:
        drawn += [
            Bar(
                run.name,
                figures.figures[metric].value,
                figures.figures[metric].interval,
                samples_href(run.slug, {"language": language}),
                TITLES[metric],
            )
            for run, figures in of_scoring
        ]
        drawn += [
            Bar(name, floor.value, floor.interval, group=TITLES[metric])
            for name, floor in _floors(of_scoring, metric).items()
        ]
    return bars(f"{language}: {Scoring.OURS.phrase}, with floors", drawn)


def _floors(found: RunFigures, metric: str) -> dict[str, Figure]:
    """The best floor of a metric; for each run where runs are of other scenarios and so have other floors."""
    known: list[tuple[str, str, Figure]] = []
    for run, figures in found:
        name, floor = figures.best_floors[metric]
        if name and all(floor != other for _, _, other in known):
            known.append((run.name, name, floor))
    return {f"best floor: {name}" + (f" ({run})" if len(known) > 1 else ""): floor for run, name, floor in known}


def _caveat(found: RunFigures) -> Markup:
    troubled = {run.name: figures for run, figures in found if figures.troubled}
    said = Markup(
        "Our scoring counts what the published scoring gives away, which stands beside what others published. "
        "The best floor is what a team gets that understands nothing. "
        "Intervals are at 95%, over scenarios."
    )
    for name, figures in troubled.items():
        said += Markup(
            " {}: {} of {} requests have no answer and count as 0, so its figures are lower bounds."
        ).format(name, figures.troubled, figures.requests)
    return said


def _named(run: ReportRun) -> NamedRun:
    return lambda tags: Value(run.name, run.name, samples_href(run.slug, tags)), run.run


def _free(runs: Sequence[ReportRun]) -> list[Markup]:
    table = free_table(map(_named, runs))
    if table is None:
        return []
    said = "The team works on with what it did itself, mistakes included, instead of the recorded history."
    gaps = gap_table((*_named(free)[:1], *_named(turns)[:1], _gaps(free, turns)) for free in runs for turns in runs)
    return [heading("Running free"), to_html(table), caveat(said), *([] if gaps is None else [to_html(gaps)])]


def _gaps(free: ReportRun, turns: ReportRun) -> Sequence[CascadeGap]:
    modes = [run.run.manifest.settings.get("mode") for run in (free, turns)]
    if modes[0] == "turns" or modes[1] != "turns" or differences(free.run, turns.run):
        return ()
    try:
        return cascade_gaps(free.run, turns.run)
    except SettingError:
        # About other data, or no scenario in common: there is no gap to speak of.
        return ()


def published_tables(report: Report) -> list[Markup]:
    """Published figures of each language in the report, beside one's own by the same way of scoring."""
    parts: list[Markup] = []
    found = [
        (run, figures)
        for run in _runs(report)
        for figures in language_figures(run.run.records)
        if figures.scoring is Scoring.PUBLISHED
    ]
    for language in sorted({figures.language for _, figures in found}):
        rows: list[list[Content]] = [
            [
                Value(run.name, run.name, samples_href(run.slug, {"language": language})),
                "run here",
                *cells(figures.figures),
                figures.scenarios,
            ]
            for run, figures in found
            if figures.language == language
        ]
        whose = "published by OrchestrationBench, not run here"
        rows += [[model, whose, *told, None] for model, told in published_rows(language)]
        columns = ["Agent", "Whose", *TITLES.values(), "Scenarios"]
        footer = (
            f"Published by the authors of OrchestrationBench ({published_orchestration(language).source}). "
            "One’s own rows are by the same way of scoring; they mean the same only on the same scenarios."
        )
        table = ShownTable(f"OrchestrationBench, {language}: published scoring", columns, rows, footer)
        parts += [heading(f"OrchestrationBench, {language}"), to_html(table, sortable=False)]
    return parts


def _runs(report: Report) -> list[ReportRun]:
    return [run for run in distinct(report) if run.run.manifest.suite == SUITE]
