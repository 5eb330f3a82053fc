"""Effort and money, and what more of them buys."""

from collections.abc import Sequence

from markupsafe import Markup

from worktrial.engine.stored import StoredRun
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, Section
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import (
    NOTHING,
    caveat,
    heading,
    joined,
    listed,
    strong,
    takeaway,
    under,
)
from worktrial.results.boards import Offer, Sweep, offers, sweeps
from worktrial.results.conclusion import is_reference
from worktrial.results.figure import figures_of
from worktrial.results.writing import Content, ShownTable, Value, cell_of, dollars, number, percent, to_html, whole
from worktrial.statistics import Figure, Interval

_UNSET = "left to the endpoint"


def effort(report: Report) -> Section | None:
    """Effort sweeps and the cost frontier; None where no two comparable runs have either."""
    parts: list[Markup] = []
    found = [board for board in boards(report) if len(board.runs) > 1]
    for board in found:
        of_board = _board(board)
        if of_board and len(found) > 1:
            parts.append(heading(board.title))
        parts += of_board
    return Section("effort", "Effort and cost", joined(parts)) if parts else None


def _board(board: Board) -> list[Markup]:
    runs = [run for run in board.stored if board.condition in figures_of(run).conditions]
    parts: list[Markup] = []
    known, basis = offers(runs, board.condition)
    # Where nobody completed anything, nobody is worth their money.
    if len(known) > 1 and any(offer.completion.value for offer in known):
        agents = sum(not is_reference(run) for run in runs)
        parts += _frontier(board, known, basis, agents - len(known))
    for sweep in sweeps(runs):
        parts += _sweep(board, sweep)
    return parts


def _frontier(board: Board, known: Sequence[Offer], basis: str, missing: int) -> list[Markup]:
    whose = (
        "of the agent’s own requests"
        if basis.startswith("agent")
        else "of the whole trial, simulator and judge included"
    )
    left_out = f" {missing} without a known cost left out." if missing else ""
    rows: list[list[Content]] = []
    for offer in sorted(known, key=lambda one: one.cost):
        run = board.of(offer.run)
        name = Value(run.name, run.name, samples_href(run.slug, {"condition": board.condition}))
        beaten = "no" if offer.efficient else "yes"
        rows.append([name, Value(dollars(offer.cost), offer.cost), offer.completion, beaten])
    return [
        takeaway(_efficient(board, known)),
        to_html(
            ShownTable(f"Cost and completion: {board.title}", ["Agent", "Cost a task", "Completed", "Beaten"], rows)
        ),
        caveat(
            f"Costs are {whose}. An agent is beaten by one that completes at least as much for at most the cost. "
            f"So it is by the figures as observed{under(board.condition)}; where intervals overlap, it may be "
            f"otherwise.{left_out}"
        ),
    ]


def _efficient(board: Board, known: Sequence[Offer]) -> Markup:
    best = sorted((offer for offer in known if offer.efficient), key=lambda offer: offer.cost)
    names = [
        Markup("{} ({} for {})").format(
            strong(board.of(offer.run).name),
            percent(offer.completion.value),
            dollars(offer.cost),
        )
        for offer in best
    ]
    if len(best) == 1:
        return Markup("{} both completes most and costs least.").format(names[0])
    return Markup("Worth their money, from cheap to dear: {}.").format(listed(names))


def _sweep(board: Board, sweep: Sweep) -> list[Markup]:
    places = {effort: float(n) for n, effort in enumerate(dict.fromkeys(effort for effort, _ in sweep.runs))}
    rows: list[list[Content]] = []
    for effort, run in sweep.runs:
        done, cost = _of(run, board, "completion"), _of(run, board, "agent_cost_per_task")
        tokens = _tokens(run, board)
        href = samples_href(board.of(run).slug, {"condition": board.condition})
        rows.append(
            [
                Value(effort or _UNSET, places[effort], href),
                cell_of(done, notes=[f"of {done.n}"]),
                Value(number(cost), NOTHING if cost.value is None else cost.value),
                Value(whole(tokens), NOTHING if tokens is None else tokens),
            ]
        )
    title = f"Reasoning effort of {sweep.agent}: {board.title}"
    heads = ["Effort", "Completed", "Agent’s cost a task", "Agent’s tokens a task"]
    return [takeaway(_gain(board, sweep)), to_html(ShownTable(title, heads, rows))]


def _gain(board: Board, sweep: Sweep) -> Markup:
    # How much an endpoint does by itself nobody knows: if two efforts have names, these are compared.
    named = [one for one in sweep.runs if one[0]]
    (least, first), *_, (most, last) = named if len(named) > 1 else sweep.runs
    before, after = (_of(run, board, "completion") for run in (first, last))
    said = Markup("From effort {} to {}, {} goes from {} to {} completed").format(
        least or _UNSET, most or _UNSET, strong(sweep.agent), percent(before.value), percent(after.value)
    )
    costs = [_of(run, board, "agent_cost_per_task").value for run in (first, last)]
    if None not in costs:
        said += Markup(", at {} instead of {} a task").format(dollars(costs[1]), dollars(costs[0]))
    return said + Markup("{}.").format(
        "; the intervals overlap, so that this may be chance" if _overlap(before.interval, after.interval) else ""
    )


def _overlap(one: Interval | None, other: Interval | None) -> bool:
    return one is None or other is None or (one.low <= other.high and other.low <= one.high)


def _of(run: StoredRun, board: Board, name: str) -> Figure:
    return figures_of(run).get(name, board.condition)


def _tokens(run: StoredRun, board: Board) -> float | None:
    sent, brought = (_of(run, board, name).value for name in ("agent_tokens_in", "agent_tokens_out"))
    return None if sent is None or brought is None else sent + brought
