"""Strengths of each agent by industry."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import caveat, heading, joined, strong, takeaway, under
from worktrial.results.figure import figures_of
from worktrial.results.writing import NONE, Content, ShownTable, Value, counted, percent, to_html
from worktrial.statistics import Figure, Rate

Profiles = Mapping[str, Mapping[str, Figure]]
"""Name of the run to its parts by industry."""


def industries(report: Report) -> Section | None:
    """Completion of each agent by industry; None where no suite tells industries or kinds of task apart."""
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
    rows: list[list[Content]] = [
        [name, *(_cell(run, profiles[run.name].get(name), board, name) for run in board.runs)] for name in names
    ]
    return [
        takeaway(_takeaway(profiles, names)),
        to_html(
            ShownTable(
                f"Completed, and out of how many samples: {board.title}",
                ["Industry or kind of task", *(run.name for run in board.runs)],
                rows,
            )
        ),
        caveat(
            f"Shares of all samples{under(board.condition)}; one without a verdict counts as not completed. "
            f"With 20 samples a share is known to about 20 points only."
        ),
    ]


def _takeaway(profiles: Profiles, names: Sequence[str]) -> Markup:
    """Easiest and hardest industry, over the samples of all agents."""
    pooled = {}
    for name in names:
        own = [parts[name] for parts in profiles.values() if name in parts]
        pooled[name] = Rate(sum(part.hits or 0 for part in own), sum(part.n for part in own))
    easiest, hardest = (choose(names, key=lambda name: pooled[name].share or 0.0) for choose in (max, min))
    if pooled[easiest].share == pooled[hardest].share:
        return Markup("All kinds of work were completed equally often ({}).").format(percent(pooled[easiest].share))
    who = " of all agents" if len(profiles) > 1 else ""
    return Markup("{} went best ({}{}), {} worst ({}).").format(
        strong(easiest), _counts(pooled[easiest]), who, strong(hardest), _counts(pooled[hardest])
    )


def _counts(rate: Rate) -> str:
    return f"{percent(rate.share, 0)} of {counted(rate.n, 'sample')}"


def _cell(run: ReportRun, part: Figure | None, board: Board, name: str) -> Value:
    if part is None:
        return Value(NONE, float("nan"))
    href = samples_href(run.slug, {"condition": board.condition, "category": name})
    return Value(f"{percent(part.value, 0)} of {part.n}", part.value, href)
