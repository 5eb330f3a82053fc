"""Strengths of each agent by industry."""

from collections.abc import Iterable, Mapping, Sequence

from markupsafe import Markup

from worktrial.reports.charts import HeatCell, heat_map, radar
from worktrial.reports.figures import percent
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import caveat, counted, heading, joined, strong, takeaway, under
from worktrial.results.figure import figures_of
from worktrial.statistics import Figure, Rate

_DRAWN = 5
"""More outlines than these hide each other."""

Profiles = Mapping[str, Mapping[str, Figure]]
"""Name of the run to its parts by industry."""


def industries(report: Report) -> Section | None:
    """Radar and heat map; None where no suite tells industries or kinds of task apart."""
    found = boards(report)
    parts: list[Markup] = []
    for board in found:
        profiles = {run.name: figures_of(run.run).groups("category", board.condition) for run in board.runs}
        names = sorted({name for parts_of in profiles.values() for name in parts_of})
        if len(names) > 1:
            parts += [heading(board.title)] if len(found) > 1 else []
            parts += _board(board, profiles, names)
    return Section("industries", "By industry", joined(parts)) if parts else None


def _board(board: Board, profiles: Profiles, names: Sequence[str]) -> list[Markup]:
    best = sorted(board.runs, key=lambda run: -_overall(profiles[run.name]))[:_DRAWN]
    shown = [run for run in board.runs if run in best]
    series = {run.name: [_value(profiles[run.name], name) for name in names] for run in shown}
    drawn = "" if len(shown) == len(board.runs) else f" The outlines are those of the {_DRAWN} that complete most."
    return [
        takeaway(_takeaway(profiles, names)),
        radar(f"Completion by industry or kind of task: {board.title}", names, series),
        heat_map(
            f"Completed, and out of how many samples: {board.title}",
            names,
            [run.name for run in board.runs],
            {(name, run.name): cell for run in board.runs for name, cell in _cells(run, profiles, board).items()},
        ),
        caveat(
            f"Shares of all samples{under(board.condition)}; one without a verdict counts as not completed. "
            f"With 20 samples a share is known to about 20 points only: neighbouring shades may well be equal."
            f"{drawn}"
        ),
    ]


def _takeaway(profiles: Profiles, names: Sequence[str]) -> Markup:
    """Easiest and hardest industry, over the samples of all agents."""
    pooled = {name: _together([parts[name] for parts in profiles.values() if name in parts]) for name in names}
    easiest, hardest = (choose(names, key=lambda name: pooled[name].share or 0.0) for choose in (max, min))
    if pooled[easiest].share == pooled[hardest].share:
        return Markup("All kinds of work were completed equally often ({}).").format(percent(pooled[easiest].share))
    who = " of all agents" if len(profiles) > 1 else ""
    return Markup("{} went best ({}{}), {} worst ({}).").format(
        strong(easiest), _counts(pooled[easiest]), who, strong(hardest), _counts(pooled[hardest])
    )


def _together(parts: Iterable[Figure]) -> Rate:
    listed = list(parts)
    return Rate(sum(part.hits or 0 for part in listed), sum(part.n for part in listed))


def _counts(rate: Rate) -> str:
    return f"{percent(rate.share, 0)} of {counted(rate.n, 'sample')}"


def _cells(run: ReportRun, profiles: Profiles, board: Board) -> dict[str, HeatCell]:
    return {
        name: HeatCell(
            f"{percent(part.value, 0)} of {part.n}",
            part.value,
            samples_href(run.slug, {"condition": board.condition, "category": name}),
        )
        for name, part in profiles[run.name].items()
    }


def _value(parts: Mapping[str, Figure], name: str) -> float | None:
    return parts[name].value if name in parts else None


def _overall(parts: Mapping[str, Figure]) -> float:
    return _together(parts.values()).share or 0.0
