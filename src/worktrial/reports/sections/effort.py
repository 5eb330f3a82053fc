"""Effort and money, and what more of them buys."""

from collections.abc import Sequence

from markupsafe import Markup

from worktrial.reports.charts import ChartLine, Point, lines, scatter
from worktrial.reports.figures import dollars
from worktrial.reports.html import Value, table
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, Section
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import (
    NOTHING,
    caveat,
    estimate_cell,
    heading,
    joined,
    listed,
    strong,
    takeaway,
    under,
)
from worktrial.results.boards import Basis, BoardEstimate, Offer, Row, Sweep, offers, row, sweeps

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
    rows = [found for run in board.stored if (found := row(run, board.condition)).n]
    parts: list[Markup] = []
    known, basis = offers(rows)
    # Where nobody completed anything, nobody is worth their money.
    if len(known) > 1 and basis is not None and any(offer.row.of_all.value for offer in known):
        parts += _frontier(board, known, basis, len(rows))
    for sweep in sweeps(rows):
        parts += _sweep(board, sweep)
    return parts


def _frontier(board: Board, known: Sequence[Offer], basis: Basis, rows: int) -> list[Markup]:
    whose = (
        "of the agent’s own requests"
        if basis is Basis.AGENT
        else "of the whole trial, simulator and judge included"
    )
    missing = rows - len(known)
    left_out = f" {missing} without a known cost left out." if missing else ""
    drawn = [
        Point(
            board.of(offer.row.run).name,
            offer.cost,
            offer.row.of_all.value or 0.0,
            offer.row.of_all.interval,
            samples_href(board.of(offer.row.run).slug, {"condition": board.condition}),
            offer.efficient,
        )
        for offer in known
    ]
    return [
        takeaway(_efficient(board, known)),
        scatter(
            f"Completion against cost: {board.title}",
            drawn,
            x_label="US dollars a sample",
            y_label="Completed",
            x_text=dollars,
        ),
        caveat(
            f"Costs are {whose}. Joined are the agents that no other beats: none completes at least as much for at "
            f"most the cost. So it is by the figures as observed{under(board.condition)}; where intervals overlap, "
            f"it may be otherwise.{left_out}"
        ),
    ]


def _efficient(board: Board, known: Sequence[Offer]) -> Markup:
    best = sorted((offer for offer in known if offer.efficient), key=lambda offer: offer.cost)
    names = [
        Markup("{} ({} for {})").format(
            strong(board.of(offer.row.run).name),
            f"{100 * (offer.row.of_all.value or 0.0):.1f}%",
            dollars(offer.cost),
        )
        for offer in best
    ]
    if len(best) == 1:
        return Markup("{} both completes most and costs least.").format(names[0])
    return Markup("Worth their money, from cheap to dear: {}.").format(listed(names))


def _sweep(board: Board, sweep: Sweep) -> list[Markup]:
    places = {effort: float(n) for n, effort in enumerate(dict.fromkeys(effort for effort, _ in sweep.rows))}
    line = ChartLine(
        sweep.agent,
        [
            (places[effort], found.of_all.value, found.of_all.interval)
            for effort, found in sweep.rows
            if found.of_all.value is not None
        ],
    )
    rows: list[list[Value | str | Markup]] = [
        [
            Value(
                effort or _UNSET,
                places[effort],
                samples_href(board.of(found.run).slug, {"condition": board.condition}),
            ),
            estimate_cell(found.of_all, counts=f"of {found.n}"),
            _cost(found.agent_cost),
            Value(f"{found.agent_tokens:,.0f}", found.agent_tokens),
        ]
        for effort, found in sweep.rows
    ]
    title = f"Reasoning effort of {sweep.agent}: {board.title}"
    return [
        takeaway(_gain(sweep)),
        lines(
            title,
            [line],
            x_label="Reasoning effort",
            y_label="Completed",
            x_names={place: effort or _UNSET for effort, place in places.items()},
        ),
        table(
            f"{title}, in numbers",
            ["Effort", "Completed", "Agent’s cost a sample", "Agent’s tokens a sample"],
            rows,
        ),
    ]


def _gain(sweep: Sweep) -> Markup:
    # How much an endpoint does by itself nobody knows: if two efforts have names, these are compared.
    named = [one for one in sweep.rows if one[0]]
    (least, first), *_, (most, last) = named if len(named) > 1 else sweep.rows
    said = Markup("From effort {} to {}, {} goes from {} to {} completed").format(
        least or _UNSET, most or _UNSET, strong(sweep.agent), _percent(first), _percent(last)
    )
    costs = first.agent_cost.value, last.agent_cost.value
    if costs[0] is not None and costs[1] is not None:
        said += Markup(", at {} instead of {} a sample").format(dollars(costs[1]), dollars(costs[0]))
    return said + Markup("{}.").format(
        "; the intervals overlap, so that this may be chance" if _overlap(first.of_all, last.of_all) else ""
    )


def _overlap(one: BoardEstimate, other: BoardEstimate) -> bool:
    if one.interval is None or other.interval is None:
        return True
    return one.interval.low <= other.interval.high and other.interval.low <= one.interval.high


def _percent(found: Row) -> str:
    return f"{100 * (found.of_all.value or 0.0):.1f}%"


def _cost(estimate: BoardEstimate) -> Value:
    return Value(dollars(estimate.value), NOTHING if estimate.value is None else estimate.value)
