"""The leaderboard: who completes how much, at what cost."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from worktrial.engine.identity import comparable
from worktrial.engine.record import CLEAN
from worktrial.reports.charts.bars import draw_bar
from worktrial.reports.charts.plot import Scale
from worktrial.reports.figures import NONE, dollars, known, number, percent, percent_interval, seconds
from worktrial.reports.html import link, region
from worktrial.reports.links import samples_href
from worktrial.reports.page import embedded
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import counted, under
from worktrial.results.boards import Row, cells, chosen_intervals, is_reference, row
from worktrial.results.conditions import by_condition
from worktrial.statistics import Interval, Robustness

COLUMNS = (
    "Completion",
    "Of valid",
    "Robustness",
    "pass^k",
    "Cost per task",
    "Latency",
    "Invalid",
    "Samples",
)
"""Headers of the figures, after the agent's name. The page's script knows them by their place."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure as it stands in a cell."""

    text: str
    sort: float | None
    note: str = ""
    """Text below the figure, smaller."""
    href: str | None = None
    bar: tuple[float, Interval | None] | None = None


def cells_of(row: Row, slug: str) -> list[Shown]:
    """One figure for each of `COLUMNS`. What is unknown leads nowhere."""
    return [shown if shown.text != NONE else Shown(NONE, None) for shown in _all(row, slug)]


def _all(row: Row, slug: str) -> list[Shown]:
    under = {"condition": row.condition}
    here = samples_href(slug, under)
    passed = samples_href(slug, {**under, "outcome": "pass"})
    share = row.of_all.value
    return [
        Shown(
            percent(share),
            share,
            percent_interval(row.of_all.interval),
            passed,
            None if share is None else (share, row.of_all.interval),
        ),
        Shown(percent(row.of_valid.value), row.of_valid.value, percent_interval(row.of_valid.interval), passed),
        _robustness(row, slug),
        _every_time(row, here),
        Shown(dollars(row.cost.value), row.cost.value, _agent_alone(row), here),
        Shown(seconds(row.seconds), row.seconds, row.replayed, here),
        Shown(
            percent(row.invalid_share) if row.n else NONE,
            row.invalid_share if row.n else None,
            "",
            samples_href(slug, {**under, "outcome": "invalid"}),
        ),
        Shown(number(row.n), float(row.n), "", here),
    ]


def _robustness(row: Row, slug: str) -> Shown:
    found = {name: r for name, r in row.robustness.items() if isinstance(r, Robustness)}
    if not found:
        return Shown(NONE, None)
    # Of a sweep, what the hardest setting leaves.
    setting, worst = min(found.items(), key=lambda item: item[1].value)
    low, high = worst.interval
    note = f"{low:.2f}–{high:.2f}" + (f" at {setting}" if len(found) > 1 else "")
    return Shown(f"{worst.value:.2f}", worst.value, note, samples_href(slug))


def _every_time(row: Row, href: str) -> Shown:
    if row.repeats is None:
        return Shown(NONE, None)
    interval = percent_interval(row.repeats.every_time_interval)
    value = row.repeats.every_time
    return Shown(percent(value), value, f"{interval}, {row.repeats.k} tries", href)


def _agent_alone(row: Row) -> str:
    value = known(row.agent_cost.value)
    alone = "" if value is None or value == known(row.cost.value) else f"agent alone {dollars(value)}"
    return "; ".join(filter(None, (alone, row.replayed)))


_SCALE = Scale(0.0, 1.0, 0.5)
_FILTERS = (
    ("suite", "Suite"),
    ("category", "Industry"),
    ("difficulty", "Difficulty"),
    ("language", "Language"),
    ("condition", "Condition"),
)

_PARTS = {
    "data": "the data",
    "trial": "the trial",
    "simulator": "the simulator",
    "judge": "the judge",
    "roles": "the models",
    "agent": "the agents' prompts or contexts",
    "faults": "the planned faults",
}

_HIDDEN = Markup(" hidden")

_ALWAYS = ("Completion", "Samples")
"""Columns that stay without any figure."""

_NOTHING = [Shown(NONE, None)] * len(COLUMNS)

Figures = dict[str, list[Shown]]
"""Condition to the cells of a run."""


def leaderboard(report: Report) -> Section | None:
    """A table for each group of runs that may be ranked with each other; None without a run of an agent."""
    found = boards(report)
    if not found:
        return None
    figures = [[_figures(run) for run in board.runs] for board in found]
    parts = [
        Markup(
            "<p>Completion is the share of all samples that passed; one without a verdict counts as not passed. "
            "Below each figure is its 95% interval. Where intervals overlap widely, the order of two agents may "
            "be chance. Every figure leads to its samples.</p>"
        ),
        _filters([run for board in found for run in board.runs]),
        _choice([of for figures_of in figures for of in figures_of]),
        *(_board(report, n, found, figures[n]) for n in range(len(found))),
        embedded(
            "leaderboard-data",
            {"boards": [_data(board, of) for board, of in zip(found, figures, strict=True)]},
        ),
    ]
    return Section("leaderboard", "Leaderboard", Markup("\n").join(parts), is_first=True)


def _figures(run: ReportRun) -> Figures:
    return {name: cells_of(row(run.run, name), run.slug) for name in by_condition(run.run.records)}


def _board(report: Report, n: int, found: Sequence[Board], figures: Sequence[Figures]) -> Markup:
    board = found[n]
    shown = [(run, of.get(board.condition, _NOTHING)) for run, of in zip(board.runs, figures, strict=True)]
    ranked = sorted(shown, key=lambda entry: -(entry[1][0].sort or 0.0))
    # A column without any figure is unseen, but there: places are the same on all boards.
    empty = [name not in _ALWAYS and _is_empty(place, figures) for place, name in enumerate(COLUMNS)]
    head = Markup().join(
        Markup('<th scope="col" class="number"{}{}>{}</th>').format(
            Markup(' aria-sort="descending"') if place == 0 else "", _HIDDEN * empty[place], name
        )
        for place, name in enumerate(COLUMNS)
    )
    body = Markup("\n").join(_row(report, run, cells, empty) for run, cells in ranked)
    table = Markup(
        '<table class="board" data-sortable data-board="{}">\n<caption class="visually-hidden">{}</caption>\n'
        '<thead><tr><th scope="col">Agent</th>{}</tr></thead>\n<tbody>\n{}\n</tbody>\n</table>'
    ).format(n, f"Leaderboard {board.title}", head, body)
    return Markup(
        '<div data-board-of="{}">\n<h3>{}</h3>\n<p class="note">{}</p>\n{}\n'
        '<p class="note" data-board-note="{}" hidden></p>\n</div>'
    ).format(n, board.title, _measured(board, found[:n]), region(f"Leaderboard of {board.title}", table), n)


def _is_empty(place: int, figures: Sequence[Figures]) -> bool:
    return all(cells[place].sort is None for of in figures for cells in of.values())


def _row(report: Report, run: ReportRun, shown: Sequence[Shown], empty: Sequence[bool]) -> Markup:
    missing = run.run.missing
    note = Markup("<small>unfinished: {} of {} samples to come</small>").format(missing, run.run.manifest.samples)
    return Markup('<tr data-run="{}"><th scope="row">{}{}{}</th>{}</tr>').format(
        run.slug,
        link(run.name, report.page_of("runs", f"run-{run.slug}")),
        Markup("<small>reference, needs no model</small>") if is_reference(run.run) else "",
        note if missing else "",
        Markup().join(_cell(figure, hidden) for figure, hidden in zip(shown, empty, strict=True)),
    )


def _cell(shown: Shown, hidden: bool) -> Markup:
    figure = link(shown.text, shown.href)
    note = Markup("<small>{}</small>").format(shown.note) if shown.note else Markup("")
    if shown.bar is not None:
        value, interval = shown.bar
        bar = Markup('<span class="mini" aria-hidden="true">{}</span>').format(draw_bar(value, interval, _SCALE))
        content = Markup('<div class="measure">{}<div>{}{}</div></div>').format(bar, figure, note)
    else:
        content = figure + note
    return Markup('<td class="number" data-sort="{}"{}>{}</td>').format(
        "" if shown.sort is None else repr(shown.sort), _HIDDEN * hidden, content
    )


def _measured(board: Board, before: Sequence[Board]) -> str:
    """Common ground of the runs of a board, and why they are apart from the first board of the same suite."""
    manifest = board.runs[0].run.manifest
    settings, roles = manifest.settings, manifest.roles
    parts = [f"data {str(manifest.data.get('fingerprint', 'unknown'))[:12]}"]
    if simulator := roles.get("simulator"):
        parts.append(f"simulator {simulator.get('model')}")
    if judge := roles.get("judge"):
        parts.append(f"judge {judge.get('model')} with {counted(settings.get('votes', 1), 'vote')}")
    told = f"Measured with {', '.join(parts)}{under(board.condition)}."
    for other in before:
        first = other.runs[0].run.manifest
        if first.suite == manifest.suite:
            what = list(dict.fromkeys(_plainly(d.what) for d in comparable(first, manifest))) or ["their set-up"]
            return f"{told} Not to be ranked with {other.title}: they differ in {', '.join(what)}."
    return told


def _plainly(what: str) -> str:
    """Differences of two manifests in words: `faults.conditions` is a path."""
    part, _, rest = what.partition(".")
    return _PARTS.get(part, part) if not rest or part == "faults" else f"{_PARTS.get(part, part)} ({rest})"


def _filters(runs: Sequence[ReportRun]) -> Markup:
    values: dict[str, list[str]] = {
        "suite": list(dict.fromkeys(run.run.manifest.title for run in runs)),
        "condition": list(by_condition(record for run in runs for record in run.run.records)),
        **{tag: _values(runs, tag) for tag in ("category", "difficulty", "language")},
    }
    selects = [
        Markup('<label>{}<select name="{}"><option value="">{}</option>{}</select></label>').format(
            label,
            name,
            f"{CLEAN}, or the first" if name == "condition" else "all",
            Markup().join(Markup('<option value="{v}">{v}</option>').format(v=value) for value in values[name]),
        )
        for name, label in _FILTERS
        if len(values[name]) > 1
    ]
    if not selects:
        return Markup("")
    return Markup(
        '<form class="filters" id="leaderboard-filters" aria-label="Filter the leaderboard" hidden>{}'
        '<button type="reset">Show all</button></form>\n<p class="note" role="status" id="leaderboard-status"></p>'
    ).format(Markup().join(selects))


def _choice(figures: Sequence[Figures]) -> Markup:
    """Boxes to choose columns by, for those that any board has; shown by the script that reads them."""
    boxes = [
        Markup('<label><input type="checkbox" value="{}" checked> {}</label>').format(place, name)
        for place, name in enumerate(COLUMNS)
        if name in _ALWAYS or not _is_empty(place, figures)
    ]
    return Markup(
        '<details class="columns no-print" id="leaderboard-columns" hidden><summary>Columns</summary>\n'
        '<p class="boxes">{}</p></details>'
    ).format(Markup(" ").join(boxes))


def _values(runs: Iterable[ReportRun], tag: str) -> list[str]:
    return sorted({str(r.tags[tag]) for run in runs for r in run.run.records if r.tags.get(tag) is not None})


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [round(end, 7) for end in interval]


def _data(board: Board, figures: Sequence[Figures]) -> dict[str, object]:
    return {
        "suite": board.runs[0].run.manifest.title,
        "condition": board.condition,
        "runs": [
            {
                "slug": run.slug,
                "figures": {
                    name: [[s.text, s.sort, s.note, s.href, s.bar] for s in shown] for name, shown in of.items()
                },
                "cells": [
                    [
                        c.category,
                        c.difficulty,
                        c.language,
                        c.condition,
                        c.passed,
                        c.failed,
                        c.invalid,
                        c.cost,
                        c.seconds,
                    ]
                    for c in cells(run.run)
                ],
                "intervals": {
                    choice: [_ends(interval) for interval in intervals]
                    for choice, intervals in chosen_intervals(run.run).items()
                },
            }
            for run, of in zip(board.runs, figures, strict=True)
        ],
    }
