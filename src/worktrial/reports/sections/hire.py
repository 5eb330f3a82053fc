"""Agents beside the one that does most: what the conclusion on the first screen rests on."""

from collections.abc import Iterator

from markupsafe import Markup

from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, Section
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import NOTHING, caveat, heading, joined, points, takeaway
from worktrial.results.conclusion import Rival
from worktrial.results.writing import NONE, Content, ShownTable, Value, to_html

_HEADERS = (
    "Agent",
    "Condition",
    "Passed only by the first / only by this one",
    "The first against this one, in points",
    "Standing about the first",
    "Tasks",
    "Without two verdicts",
)


def hire(report: Report) -> Section | None:
    """Section that sets each agent beside the one that does most; None where there are no two to compare."""
    found = [board for board in boards(report) if board.answer.rivals]
    parts: list[Markup] = []
    for board in found:
        parts += [heading(board.title), *_board(board)] if len(found) > 1 else _board(board)
    return Section("hire", "Whom to hire", joined(parts)) if parts else None


def _board(board: Board) -> list[Markup]:
    answer = board.answer
    rows = [row for rival in answer.rivals for row in _rows(board, rival)]
    name = "" if answer.leader is None else answer.leader.name
    return [
        takeaway(Markup("{}").format(answer.sentence)),
        to_html(ShownTable(f"{name} beside each of the others: {board.title}", _HEADERS, rows)),
        caveat(
            "On work like this, by Tango’s score interval of a paired difference, which knows what tasks share a "
            "scenario. The intervals hold together, at 95%, for all agents and conditions. Each pair is compared "
            "on the samples that both tried; a test leaves out those without two verdicts."
        ),
    ]


def _rows(board: Board, rival: Rival) -> Iterator[list[Content]]:
    run = board.of(rival.run)
    for contest in rival.contests:
        found, by = contest.difference, Value(NONE, NOTHING)
        if found is not None:
            by = Value(points(found.value, found.interval), found.value)
        yield [
            Value(rival.name, rival.name, samples_href(run.slug, {"condition": contest.condition})),
            contest.condition,
            Value(f"{contest.only_first} / {contest.only_second}", contest.only_first - contest.only_second),
            by,
            contest.conclusion.value,
            Value(str(contest.tasks), contest.tasks),
            Value(str(contest.left_out), contest.left_out),
        ]
