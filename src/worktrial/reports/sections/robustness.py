"""Faults: how much of the completion rate survives them, and what becomes of each."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from worktrial.engine.record import CLEAN
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import Board, boards, distinct
from worktrial.reports.sections.wording import (
    NOTHING,
    caveat,
    heading,
    joined,
    listed,
    strong,
    takeaway,
)
from worktrial.results.conditions import by_condition, condition_in_words
from worktrial.results.fault_metrics import FaultMetrics, Funnel, sample_faults, total
from worktrial.results.figure import RunFigures, figures_of
from worktrial.results.writing import Content, ShownTable, Value, cell_of, interval, number, percent, to_html
from worktrial.statistics import Figure
from worktrial.statistics.robustness import FAULTED


class _Found(NamedTuple):
    """Faults of one setting in a run."""

    run: ReportRun
    kept: Figure
    """R: share of the clean completion that is left in the worst case; its group is the setting."""
    left: Figure
    """Completion that is left there, of all samples; its note names the condition."""


def robustness(report: Report) -> Section | None:
    """Rates by condition, R, and what becomes of faults; None where no run had any."""
    found = [board for board in boards(report) if any(_has_faults(run) for run in board.runs)]
    parts: list[Markup] = []
    for board in found:
        parts += [heading(board.title), *_board(board)] if len(found) > 1 else _board(board)
    return Section("robustness", "When tools fail", joined([*parts, *_noticed(report)])) if parts else None


def _has_faults(run: ReportRun) -> bool:
    return any(condition.partition("/")[0] in FAULTED for condition in figures_of(run.run).conditions)


def _board(board: Board) -> list[Markup]:
    tried = [(run, figures_of(run.run)) for run in board.runs if _has_faults(run)]
    settings = [
        _Found(run, *pair)
        for run, figures in tried
        for pair in zip(figures.named("robustness"), figures.named("worst_case"), strict=True)
    ]
    modes = list(dict.fromkeys(name.partition("/")[0] for _, figures in tried for name in figures.conditions))
    rows = [
        _row(run, figures, modes, setting)
        for run, figures in tried
        for setting in dict.fromkeys(name.partition("/")[2] for name in figures.conditions if name != CLEAN)
    ]
    heads = ["Agent", *map(_head, modes), "R", "Tasks"]
    return [
        takeaway(_takeaway(settings)),
        to_html(ShownTable(f"Completed under each condition: {board.title}", heads, rows)),
        caveat(
            "R is the lowest completion under E1, E2 and E3, as a share of that under E0; 1 means that faults cost "
            "nothing, also where there was little to lose. R is over the tasks with a verdict in all four "
            "conditions, so its rates can differ a little from those here, in which a sample without a verdict "
            "counts as not completed. The lowest of three is on average too low: with few tasks it looks somewhat "
            "worse than it is."
        ),
    ]


def _head(mode: str) -> str:
    words = condition_in_words(mode)
    return words[:1].upper() + words[1:]


def _row(run: ReportRun, figures: RunFigures, modes: Sequence[str], setting: str) -> list[Content]:
    """Completion by mode of one setting of faults, R, and the tasks that it is over."""
    name = f"{run.name} · {setting}" if setting else run.name
    cells: list[Content] = [Value(name, name, samples_href(run.slug))]
    for mode in modes:
        condition = mode if mode == CLEAN or not setting else f"{mode}/{setting}"
        href = samples_href(run.slug, {"condition": condition})
        found = figures.get("completion", condition)
        cells.append(cell_of(found, href=href) if condition in figures.conditions else None)
    kept = next((one for one in figures.named("robustness") if one.group == setting), None)
    if kept is None or kept.value is None:
        why = "not all of E0 to E3 were tried" if kept is None else kept.unknown
        return [*cells, Value("no value", NOTHING, samples_href(run.slug), (why,)), None]
    return [*cells, cell_of(kept), kept.n]


def _takeaway(rows: Sequence[_Found]) -> Markup:
    known = [row for row in rows if row.kept.value is not None]
    if not known:
        return Markup(
            "No robustness score: that needs samples of the same tasks under all of E0 to E3, and passes in E0."
        )
    ordered = sorted(known, key=lambda row: -(row.left.value or 0.0))
    said = Markup("In the worst case {} completes {}").format(*_left(ordered[0]))
    if len(ordered) > 1:
        most = "as many" if ordered[0].left.value == ordered[-1].left.value else "the fewest"
        said += Markup("; {} completes {}, {}").format(_left(ordered[-1])[0], most, _left(ordered[-1])[1])
    return said + Markup(".")


def _left(row: _Found) -> tuple[Markup, Markup]:
    robust = f"R {number(row.kept)}, {interval(row.kept)}"
    return strong(row.run.name), Markup("{} of the samples, under {} ({}; {})").format(
        percent(row.left.value, 0), row.left.note, interval(row.left), robust
    )


def _noticed(report: Report) -> list[Markup]:
    """Exposure, detection and recovery; [] where no fault was planned."""
    rows = [
        (run, condition, kind, found)
        for run in distinct(report)
        for condition, of_condition in _metrics(run).items()
        for kind, found in (("open", of_condition.explicit), ("silent", of_condition.implicit))
        if found.planned or found.exposure
    ]
    if not rows:
        return []
    headers = [
        "Agent",
        "Condition",
        "Faults",
        "Events met",
        "Answers spoilt",
        "Asked again",
        "Recovered",
        "Calls later",
    ]
    return [
        heading("Noticing and recovering"),
        takeaway(_silent([(run, condition, found) for run, condition, kind, found in rows if kind == "silent"])),
        to_html(
            ShownTable("From planned faults to recovered answers", headers, [_funnel_row(*row) for row in rows])
        ),
        caveat(
            "Open faults announce themselves (an error, a timeout); silent ones look like an answer. Asked again "
            "means: the same tool with the same arguments, after the spoilt answer was seen. An agent that checks "
            "in another way is not counted, so recovering is a lower bound. Calls later is the mean over the "
            "recovered answers. An agent that goes round its tools without looking asks again, too."
        ),
    ]


def _metrics(run: ReportRun) -> Mapping[str, FaultMetrics]:
    """Condition to its faults."""
    metrics = sample_faults(run.run)
    found = {}
    for condition in by_condition(run.run.records):
        if own := [of_sample for key, of_sample in metrics.items() if key[2] == condition]:
            found[condition] = total(own)
    return found


def _silent(silent: Sequence[tuple[ReportRun, str, Funnel]]) -> Markup:
    """About one condition; conditions are never mixed into one rate."""
    met = [(run, condition, found) for run, condition, found in silent if found.exposure]
    if not met:
        return Markup("No agent met a silent fault.")
    chosen = min((condition for _, condition, _ in met), key=lambda name: (not name.startswith("E2"), name))
    ranked = sorted(
        ((found.recovered / found.exposure, run, found) for run, condition, found in met if condition == chosen),
        key=lambda one: -one[0],
    )
    # With many agents, the best and the worst.
    told = ranked if len(ranked) <= 3 else [ranked[0], ranked[-1]]
    said = [
        Markup("{} put right {} ({:,} of {:,})").format(
            strong(run.name), percent(share, 0), found.recovered, found.exposure
        )
        for share, run, found in told
    ]
    rest = "" if len(told) == len(ranked) else "; the other agents are in between"
    return Markup("Of the silently spoilt answers under {}, {}{}.").format(chosen, listed(said), rest)


def _funnel_row(run: ReportRun, condition: str, kind: str, found: Funnel) -> list[Content]:
    later = found.mean_calls_to_recovery
    return [
        Value(run.name, run.name, samples_href(run.slug, {"condition": condition})),
        condition,
        kind,
        _part(found.reached, found.planned),
        found.exposure,
        _part(found.asked_again, found.exposure),
        _part(found.recovered, found.exposure),
        None if later is None else Value(f"{later:.1f}", later),
    ]


def _part(part: int, whole: int) -> Value:
    if not whole:
        return cell_of(None)
    return Value(percent(part / whole, 0), part / whole, notes=(f"{part:,} of {whole:,}",))
