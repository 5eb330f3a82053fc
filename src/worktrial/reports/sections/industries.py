"""Strengths of each agent by kind of work."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun, Section
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import caveat, heading, joined, strong, takeaway, under
from worktrial.results.figure import GROUPED_BY, figures_of
from worktrial.results.writing import Content, ShownTable, Value, counted, percent, to_html
from worktrial.statistics import Figure, Rate

Profiles = Mapping[str, Mapping[str, Figure]]
"""Name of the run to its parts by the value of a tag."""


_HEADS = {"category": "Industry or kind of task", "difficulty": "Difficulty"}


def industries(report: Report) -> Section | None:
    """Completion of each agent by industry and difficulty; None where no suite tells kinds of task apart."""
    found = boards(report)
    parts: list[Markup] = []
    for board in found:
        of_board = [part for tag in GROUPED_BY for part in _by_tag(board, tag)]
        if of_board:
            parts += [heading(board.title)] if len(found) > 1 else []
            under_all = (
                f"Shares of all samples{under(board.condition)}; one without a verdict counts as not completed."
            )
            parts += [*of_board, caveat(f"{under_all} With 20 samples a share is known to about 20 points only.")]
    return Section("industries", "By kind of work", joined(parts)) if parts else None


def _by_tag(board: Board, tag: str) -> list[Markup]:
    profiles = {run.name: figures_of(run.run).groups(tag, board.condition) for run in board.runs}
    names = sorted({name for parts_of in profiles.values() for name in parts_of})
    if len(names) < 2:
        return []
    rows: list[list[Content]] = [
        [name, *(_cell(run, profiles[run.name].get(name), board, tag, name) for run in board.runs)]
        for name in names
    ]
    head = _HEADS.get(tag, tag)
    title = f"Completed by {head.lower()}, and out of how many samples: {board.title}"
    said = [takeaway(_takeaway(profiles, names))] if tag == "category" else []
    return [*said, to_html(ShownTable(title, [head, *(run.name for run in board.runs)], rows))]


def _takeaway(profiles: Profiles, names: Sequence[str]) -> Markup:
    """Easiest and hardest kind of work, over the samples of all agents."""
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


def _cell(run: ReportRun, part: Figure | None, board: Board, tag: str, name: str) -> Content:
    if part is None:
        return None
    href = samples_href(run.slug, {"condition": board.condition, tag: name})
    return Value(f"{percent(part.value, 0)} of {part.n}", part.value, href)
