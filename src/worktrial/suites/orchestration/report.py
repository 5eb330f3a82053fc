"""Orchestrating a team: plans, whether to call, and calls, beside the best floor."""

from collections.abc import Sequence

from markupsafe import Markup

from worktrial.errors import SettingError
from worktrial.reports.chart import Bar, bars
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import distinct
from worktrial.reports.sections.wording import (
    NOTHING,
    caveat,
    heading,
    joined,
    points,
    share_cell,
    strong,
    takeaway,
)
from worktrial.results.writing import NONE, Content, ShownTable, Value, counted, percent, percents, to_html
from worktrial.suites.orchestration.figures.free import (
    FAILURES,
    FREE_METRICS,
    FREE_TITLES,
    cascade_gaps,
    differences,
    free_figures,
)
from worktrial.suites.orchestration.figures.published import published_orchestration
from worktrial.suites.orchestration.figures.turns import (
    METRICS,
    TITLES,
    FigureEstimate,
    LanguageFigures,
    judge_agreement,
    language_figures,
)
from worktrial.suites.orchestration.options import Scoring
from worktrial.suites.orchestration.run.ground import SUITE

Figures = Sequence[tuple[ReportRun, LanguageFigures]]


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
    parts += [*_free(runs), *_gaps(runs), *_judges(runs)]
    return Section("orchestration", "Orchestrating a team", joined(parts)) if parts else None


def _takeaway(found: Figures) -> Markup:
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


def _panel(found: Figures, language: str) -> Markup:
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


def _floors(found: Figures, metric: str) -> dict[str, FigureEstimate]:
    """The best floor of a metric; for each run where runs are of other scenarios and so have other floors."""
    known: list[tuple[str, str, FigureEstimate]] = []
    for run, figures in found:
        name, floor = figures.best_floors[metric]
        if name and all(floor != other for _, _, other in known):
            known.append((run.name, name, floor))
    return {f"best floor: {name}" + (f" ({run})" if len(known) > 1 else ""): floor for run, name, floor in known}


def _caveat(found: Figures) -> Markup:
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


def _free(runs: Sequence[ReportRun]) -> list[Markup]:
    rows: list[list[Content]] = []
    for run in runs:
        for figures in free_figures(run.run.records):
            tags = {"language": figures.language, "condition": figures.condition}
            firsts = ", ".join(f"{kind} {n}" for kind in FAILURES if (n := figures.first_failures[kind]))
            rows.append(
                [
                    Value(run.name, run.name, samples_href(run.slug, tags)),
                    f"{figures.language} · {figures.condition}",
                    *(_cell(figures.figures[metric]) for metric in FREE_METRICS),
                    firsts or NONE,
                    Value(str(figures.scenarios), figures.scenarios),
                ]
            )
    if not rows:
        return []
    headers = ["Run", "Language, condition", *FREE_TITLES.values(), "First thing that went wrong", "Scenarios"]
    return [
        heading("Running free"),
        to_html(ShownTable("What teams reach on their own", headers, rows)),
        caveat("The team works on with what it did itself, mistakes included, instead of the recorded history."),
    ]


def _gaps(runs: Sequence[ReportRun]) -> list[Markup]:
    rows: list[list[Content]] = []
    for free in runs:
        for turns in runs:
            rows += _gap(free, turns)
    if not rows:
        return []
    headers = ["Free run", "Turn by turn", "Language", *FREE_TITLES.values(), "Scenarios"]
    return [
        to_html(ShownTable("Cascade gap: turn by turn minus free", headers, rows)),
        caveat(
            "What one’s own earlier mistakes cost, on the same scenarios; positive where running free reaches less."
        ),
    ]


def _gap(free: ReportRun, turns: ReportRun) -> list[list[Content]]:
    modes = [run.run.manifest.settings.get("mode") for run in (free, turns)]
    if modes[0] == "turns" or modes[1] != "turns" or differences(free.run, turns.run):
        return []
    try:
        gaps = cascade_gaps(free.run, turns.run)
    except SettingError:
        # About other data, or no scenario in common: there is no gap to speak of.
        return []
    return [
        [
            Value(free.name, free.name, samples_href(free.slug, {"language": gap.language})),
            Value(turns.name, turns.name, samples_href(turns.slug, {"language": gap.language})),
            gap.language,
            *(_points(gap.gap[metric]) for metric in FREE_METRICS),
            Value(str(gap.scenarios), gap.scenarios),
        ]
        for gap in gaps
    ]


def _judges(runs: Sequence[ReportRun]) -> list[Markup]:
    rows: list[list[Content]] = [
        [
            Value(run.name, run.name, samples_href(run.slug, {"language": found.language})),
            found.language,
            ", ".join(found.judges),
            Value(f"{found.values:,}", found.values),
            share_cell(found.same),
            share_cell(found.fleiss.pairwise),
            _kappa(found.fleiss.kappa),
            _kappa(found.cohen.mean),
        ]
        for run in runs
        for found in judge_agreement(run.run.records)
    ]
    headers = [
        "Run",
        "Language",
        "Judges",
        "Values",
        "Judged equal",
        "Two votes agree",
        "Fleiss’ kappa",
        "Cohen’s kappa",
    ]
    return [to_html(ShownTable("Judges of argument values", headers, rows))] if rows else []


def _cell(estimate: FigureEstimate) -> Value:
    return share_cell(estimate.value, estimate.interval)


def _points(estimate: FigureEstimate) -> Value:
    if estimate.value is None:
        return Value(NONE, NOTHING)
    return Value(points(estimate.value, estimate.interval), estimate.value)


def _kappa(kappa: float | None) -> Value:
    return Value(NONE, NOTHING) if kappa is None else Value(f"{kappa:.2f}", kappa)


def published_tables(report: Report) -> list[Markup]:
    """Published figures of each language in the report, beside one's own by the same way of scoring."""
    parts: list[Markup] = []
    found = [
        (run, f)
        for run in _runs(report)
        for f in language_figures(run.run.records)
        if f.scoring is Scoring.PUBLISHED
    ]
    for language in sorted({figures.language for _, figures in found}):
        theirs = published_orchestration(language)
        rows: list[list[Content]] = [
            [
                run.name,
                "run here",
                *(
                    share_cell(
                        figures.figures[metric].value,
                        figures.figures[metric].interval,
                        href=samples_href(run.slug, {"language": language}),
                    )
                    for metric in METRICS
                ),
                Value(str(figures.scenarios), figures.scenarios),
            ]
            for run, figures in found
            if figures.language == language
        ]
        rows += [
            [
                row.model,
                "published by OrchestrationBench, not run here",
                *(share_cell(row.figures[metric]) for metric in METRICS),
                Value(NONE, NOTHING),
            ]
            for row in theirs.rows
        ]
        headers = ["Agent", "Whose", *TITLES.values(), "Scenarios"]
        parts += [
            heading(f"OrchestrationBench, {language}"),
            to_html(
                ShownTable(f"OrchestrationBench, {language}: published scoring", headers, rows), sortable=False
            ),
            caveat(
                f"Published by the authors of OrchestrationBench ({theirs.source}). One’s own rows are by the "
                "same way of scoring; they mean the same only on the same scenarios."
            ),
        ]
    return parts


def _runs(report: Report) -> list[ReportRun]:
    return [run for run in distinct(report) if run.run.manifest.suite == SUITE]
