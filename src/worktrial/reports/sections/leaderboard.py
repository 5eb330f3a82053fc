"""The leaderboard: who completes how much, at what cost."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from markupsafe import Markup

from worktrial.engine.identity import comparable
from worktrial.engine.record import CLEAN, SampleRecord
from worktrial.reports.charts.bars import draw_bar
from worktrial.reports.charts.plot import Scale
from worktrial.reports.links import samples_href
from worktrial.reports.page import embedded
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import under
from worktrial.results.conclusion import is_reference
from worktrial.results.conditions import by_condition
from worktrial.results.figure import RunFigures, figures_in, figures_of
from worktrial.results.writing import NONE, amount, counted, dollars, link, percent, percents, region, seconds
from worktrial.statistics import Figure, Interval

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


def cells_of(figures: RunFigures, condition: str, slug: str, tags: Mapping[str, str]) -> list[Shown]:
    """One figure for each of `COLUMNS`. What is unknown, or nothing, leads nowhere that is empty.

    Args:
        figures: Of the run, or of the samples that have the tags.
        condition: What they are about.
        slug: The run's name in addresses.
        tags: What the samples have in common.
    """
    done, valid, invalid, cost, agent, seconds_of = (figures.get(name, condition) for name in _SHOWN)
    where = {"condition": condition, **tags}
    here, passed = samples_href(slug, where), samples_href(slug, {**where, "outcome": "pass"})
    without = samples_href(slug, {**where, "outcome": "invalid"})
    bar = None if done.value is None else (done.value, done.interval)
    found = [
        Shown(percent(done.value), done.value, percents(done.interval), passed if done.hits else here, bar),
        Shown(percent(valid.value), valid.value, percents(valid.interval), passed if valid.hits else here),
        _robustness(figures, condition, slug),
        _every_time(figures.get("pass^k", condition), here),
        Shown(dollars(cost.value), cost.value, _cost_note(cost, agent), here),
        Shown(seconds(seconds_of.value), seconds_of.value, _replayed(seconds_of), here),
        Shown(percent(invalid.value), invalid.value, "", without if invalid.hits else here),
        Shown(amount(done.n), float(done.n), "", here),
    ]
    return [shown if shown.text != NONE else Shown(NONE, None) for shown in found]


_SHOWN = ("completion", "completion_of_valid", "invalid", "cost_per_task", "agent_cost_per_task", "seconds")


def _robustness(figures: RunFigures, condition: str, slug: str) -> Shown:
    found = {one.group: one for one in figures.named("robustness") if one.value is not None}
    if not found or condition != CLEAN:
        return Shown(NONE, None)
    # Of a sweep, what the hardest setting leaves.
    worst = min(found.values(), key=lambda one: one.value or 0.0)
    low, high = worst.interval or (0.0, 0.0)
    note = f"{low:.2f}–{high:.2f}".replace("inf", "∞") + (f" at {worst.group}" if len(found) > 1 else "")
    return Shown(f"{worst.value:.2f}", worst.value, note, samples_href(slug))


def _every_time(found: Figure, href: str) -> Shown:
    tries = found.name.removeprefix("pass^")
    return Shown(percent(found.value), found.value, f"{percents(found.interval)}, {tries} tries", href)


def _cost_note(cost: Figure, agent: Figure) -> str:
    alone = "" if agent.value in (None, cost.value) else f"agent alone {dollars(agent.value)}"
    return "; ".join(filter(None, (alone, _replayed(cost))))


def _replayed(found: Figure) -> str:
    return next((part for part in found.note.split("; ") if "replayed" in part), "")


_TAGS = ("category", "difficulty", "language")
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
"""Condition, or choice of tags and condition, to the cells of a run."""


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
    figures = figures_of(run.run)
    return {name: cells_of(figures, name, run.slug, {}) for name in figures.conditions}


def _chosen(run: ReportRun) -> Figures:
    """Cells for every choice of tags and condition: values of `_TAGS`, "" for any, and the condition by line."""
    chosen: dict[tuple[str, ...], list[SampleRecord]] = {}
    for record in run.run.records:
        values = [("", str(tag)) if (tag := record.tags.get(name)) is not None else ("",) for name in _TAGS]
        for tried in product(*values):
            if any(tried):
                chosen.setdefault((*tried, record.condition), []).append(record)
    found = {}
    for choice, records in chosen.items():
        condition = choice[-1]
        tags = {tag: value for tag, value in zip(_TAGS, choice, strict=False) if value}
        figures = figures_in(run.run, records, condition)
        found["\n".join(choice)] = cells_of(figures, condition, run.slug, tags)
    return found


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
        **{tag: _values(runs, tag) for tag in _TAGS},
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


def _data(board: Board, figures: Sequence[Figures]) -> dict[str, object]:
    return {
        "suite": board.runs[0].run.manifest.title,
        "condition": board.condition,
        "runs": [
            {
                "slug": run.slug,
                # All samples are the choice of no tag.
                "figures": {"\n" * len(_TAGS) + name: _plain(shown) for name, shown in of.items()}
                | {choice: _plain(shown) for choice, shown in _chosen(run).items()},
            }
            for run, of in zip(board.runs, figures, strict=True)
        ],
    }


def _plain(shown: Sequence[Shown]) -> list[list[object]]:
    return [[one.text, one.sort, one.note, one.href, one.bar] for one in shown]
