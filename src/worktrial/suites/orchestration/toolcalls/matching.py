"""Matching the calls of an answer to the gold calls, one to one."""

from collections.abc import Callable, Sequence

from worktrial.suites.orchestration.toolcalls.calls import Call
from worktrial.suites.orchestration.toolcalls.pairs import Argument, Pair, pair
from worktrial.suites.orchestration.toolcalls.schema import ArgumentSchema
from worktrial.suites.orchestration.toolcalls.values import Outcome, canonical

MOST_CALLS = 100
"""Predicted calls of one tool that are looked at; further ones stay without a match and cost what any extra call
costs."""


def match(
    gold: Sequence[Call], predicted: Sequence[Call], tool_of: Callable[[str], ArgumentSchema], context: str
) -> tuple[Pair, ...]:
    """Every gold call with its predicted call, in the order of the gold calls; then the extra predicted ones.

    Only calls of the same tool match: what an argument means depends on the tool. Among them the assignment with
    the greatest sum of likeness is taken, where an equal value counts 1 and one that a judge would have to look at
    by how many pairs of neighbouring characters it shares, at most 1/2. The order of calls has no influence.
    """
    partner: dict[int, tuple[int, Pair]] = {}
    for tool in dict.fromkeys(call.tool for call in gold):
        ours = _sorted(gold, tool)
        theirs = _sorted(predicted, tool)[:MOST_CALLS]
        table = [[pair(gold[g], predicted[p], tool_of(tool), context) for p in theirs] for g in ours]
        for row, column in _assignment([[_likeness(cell) for cell in cells] for cells in table]):
            partner[ours[row]] = theirs[column], table[row][column]
    taken = {p for p, _ in partner.values()}
    matched = [partner[g][1] if g in partner else Pair(call, None) for g, call in enumerate(gold)]
    return (*matched, *(Pair(None, call) for p, call in enumerate(predicted) if p not in taken))


def _sorted(calls: Sequence[Call], tool: str) -> list[int]:
    """Where the calls of `tool` are, in an order that follows from what they say."""
    mine = [n for n, call in enumerate(calls) if call.tool == tool]
    return sorted(mine, key=lambda n: (calls[n].arguments is None, canonical(calls[n].arguments)))


def _assignment(likeness: list[list[float]]) -> list[tuple[int, int]]:
    """Row and column of each match, with the greatest sum."""
    if not likeness or not likeness[0]:
        return []
    if len(likeness) == 1:
        return [(0, max(range(len(likeness[0])), key=likeness[0].__getitem__))]
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(likeness, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _likeness(pair: Pair) -> float:
    there = sum((a.gold is not None) + (a.predicted is not None) for a in pair.arguments)
    shared = 2 * sum(map(_argument_likeness, pair.arguments)) / there if there else 1.0
    return pair.keys + shared


def _argument_likeness(argument: Argument) -> float:
    if argument.outcome is Outcome.OPEN:
        return _dice(argument.gold or "", argument.predicted or "") / 2
    return float(argument.outcome is Outcome.EQUAL)


def _dice(a: str, b: str) -> float:
    """The share of pairs of neighbouring characters that two texts have in common, 0-1."""
    first, second = ({text[n : n + 2] for n in range(min(len(text), 500) - 1)} for text in (a, b))
    both = len(first) + len(second)
    return 2 * len(first & second) / both if both else 1.0
