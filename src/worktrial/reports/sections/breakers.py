"""Causes for which the work of agents breaks, in words that a person uses."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from worktrial.reports.links import samples_href
from worktrial.reports.report import ReportRun
from worktrial.reports.sections.grouping import Board
from worktrial.reports.sections.wording import strong
from worktrial.results.boards import Broken, FaultLoss, broken_off, fault_losses
from worktrial.results.conditions import condition_in_words
from worktrial.results.figure import figures_of
from worktrial.results.writing import (
    NONE,
    Content,
    ShownTable,
    Value,
    counted,
    link,
    percent,
    percents,
    points,
    signed,
    to_html,
)

_COLUMNS = 4
"""Agents beside each other; further ones are on the pages behind."""

_STOPPED = {
    "empty_answer": "empty answer",
    "cut_answer": "answer cut at the model’s output limit",
    "unread_call": "call in no known spelling",
    "content_filter": "content filter",
    "refused": "refused",
    "turn_limit": "turns used up",
    "token_limit": "tokens used up",
    "time_limit": "time used up",
    "cost_limit": "money used up",
    "context_limit": "context full",
}


def breakers(board: Board, agents: Sequence[ReportRun]) -> Markup:
    """A sentence on what costs the first agent most, and a table of losses; "" where nothing is lost.

    Args:
        board: The group of runs.
        agents: Runs to tell of, the most important first.
    """
    shown = list(agents[:_COLUMNS])
    losses = {run.slug: {loss.condition: loss for loss in fault_losses(run.run)} for run in shown}
    # In the order of what the first agent loses.
    conditions = dict.fromkeys(name for run in shown for name in losses[run.slug])
    rows = [_faults(name, shown, losses) for name in conditions]
    rows += _hardest(board, shown)
    broken = {run.slug: broken_off(run.run, board.condition) for run in shown}
    rows += _broken(board, shown, broken)
    if not rows:
        return Markup("")
    said = _sentence(shown[0], losses[shown[0].slug]) if conditions else Markup("")
    headers = ["Where, or why", *(run.name for run in shown)]
    return said + to_html(ShownTable(f"What breaks it: {board.title}", headers, rows), sortable=False)


def _sentence(run: ReportRun, losses: Mapping[str, FaultLoss]) -> Markup:
    # The greatest loss comes first.
    for loss in losses.values():
        if (change := loss.change) is not None and change.interval is not None and change.interval.high < 0:
            return Markup("<p>What costs {} most: {}, it completes {:.1f} points less; {} is left.</p>\n").format(
                strong(run.name), condition_in_words(loss.condition), -100 * change.value, percent(loss.left.value)
            )
    return Markup("<p>No failing of tools is shown to cost {} anything.</p>\n").format(strong(run.name))


def _faults(
    condition: str, agents: Sequence[ReportRun], losses: Mapping[str, Mapping[str, FaultLoss]]
) -> list[Content]:
    words = condition_in_words(condition)
    return [
        Value(words[:1].upper() + words[1:]),
        *(_loss(run, condition, losses[run.slug].get(condition)) for run in agents),
    ]


def _loss(run: ReportRun, condition: str, loss: FaultLoss | None) -> Value:
    if loss is None:
        return Value(NONE)
    failed = samples_href(run.slug, {"condition": condition, "outcome": "fail"})
    left = f"{percent(loss.left.value)} left"
    if loss.change is None:
        return Value(left, href=failed)
    interval = loss.change.interval
    span = "" if interval is None else f"{points(interval)}; "
    return Value(f"{signed(loss.change.value)} points", href=failed, notes=(f"{span}{left}",))


def _hardest(board: Board, agents: Sequence[ReportRun]) -> list[list[Content]]:
    cells = [_lowest(board, run) for run in agents]
    # Where all kinds are done equally well, none is the hardest.
    return [["Kind of work with the lowest rate", *cells]] if any(cell.text != NONE for cell in cells) else []


def _lowest(board: Board, run: ReportRun) -> Value:
    parts = figures_of(run.run).groups("category", board.condition)
    lowest = min((part.value or 0.0 for part in parts.values()), default=0.0)
    names = [name for name, part in parts.items() if part.value == lowest]
    if len(names) == len(parts):
        return Value(NONE)
    failed = {"condition": board.condition, "outcome": "fail"}
    if len(names) > 1:
        note = f"{percent(lowest, 0)} in {len(names)} of {len(parts)} kinds"
        return Value("several", href=samples_href(run.slug, failed), notes=(note,))
    part = parts[names[0]]
    note = f"{percent(part.value, 0)} of {counted(part.n, 'sample')}, {percents(part.interval)}"
    return Value(names[0], href=samples_href(run.slug, {**failed, "category": names[0]}), notes=(note,))


def _broken(board: Board, agents: Sequence[ReportRun], broken: Mapping[str, Broken]) -> list[list[Content]]:
    def counts(run: ReportRun, found: Mapping[str, int], outcome: str) -> Value:
        condition = {"condition": board.condition, "outcome": outcome}
        stopped = outcome == "fail"
        # Each reason leads to its own samples; the page of samples has no reasons of those without a verdict.
        reasons = [
            link(
                f"{_STOPPED.get(name, name)} {n}",
                samples_href(run.slug, {**condition, "stop_reason": name}) if stopped else None,
            )
            for name, n in list(found.items())[:3]
        ]
        said = f"{sum(found.values())} of {broken[run.slug].samples}"
        href = samples_href(run.slug, condition) if found and not stopped else None
        return Value(said, href=href, notes=(Markup(", ").join(reasons),) * bool(found))

    rows: list[list[Content]] = []
    if any(broken[run.slug].stopped for run in agents):
        cells = [counts(run, broken[run.slug].stopped, "fail") for run in agents]
        rows.append(["Failed without an answer", *cells])
    if any(broken[run.slug].invalid for run in agents):
        rows.append(["Without a verdict", *(counts(run, broken[run.slug].invalid, "invalid") for run in agents)])
    return rows
