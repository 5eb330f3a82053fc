"""Two graphs as tables for the search: what each pair of nodes saves, and which partners to try first."""

import math
from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.suites.orchestration.scoring.distance.graphs import Graph, Label
from worktrial.suites.orchestration.scoring.distance.pairing import UNIT, Substitution, column_prices, worth

AFFINITY_FROM = 150
"""Pairs of nodes from which looking at surroundings pays; smaller searches are over before."""


class Later(NamedTuple):
    """Relation of a node that comes later in the order to the node at hand."""

    after: bool
    """An edge leads to it from the node at hand."""
    before: bool
    """An edge leads from it to the node at hand."""
    entering: int
    """Its edges from nodes that have no partner yet, the one at hand included."""
    leaving: int
    """Its edges to them."""


@dataclass(slots=True)
class Spare:
    """Number of nodes of one kind that may still be left without a partner.

    Where any two labels may be paired, a pair never costs more than leaving both out, so that only as many stay
    without a partner as are too many.
    """

    nodes: int


@dataclass(frozen=True, slots=True)
class Level:
    """One node of `a`, in the order of the search."""

    base: list[int]
    """Savings with each node of `b` by labels and self-loops alone."""
    entering: list[int]
    """The levels before it from which an edge leads to it."""
    leaving: list[int]
    """The levels before it to which an edge leads from it."""
    later: list[Later]
    spare: Spare
    affinity: list[int] | None
    """Likeness of its surroundings to those of each node of `b`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """All that the search needs to know; sets of nodes of `b` are bit masks."""

    levels: list[Level]
    order: list[int]
    """The node of `a` at each level."""
    rows: list[list[int]]
    """Most that it can save with each node of `b` at each level, less the price of that node: half of every
    edge counts at either end."""
    prices: list[int]
    """The dual solution of the assignment problem that `rows` is without its prices."""
    entering: list[int]
    """Nodes from which an edge leads to each node of `b`, without itself."""
    leaving: list[int]
    step: int
    """All savings are multiples of it."""


def problem(a: Graph[Label], b: Graph[Label], substitution: Substitution[Label]) -> Problem:
    """The tables for mapping `a` into `b`."""
    sides = _masks(a), _masks(b)
    order = _order(sides[0])
    worths = _worths(a, b, substitution)
    spares = _spares(a, worths)
    base = [_with_loops(worths[a.labels[u]], bool(sides[0].loops >> u & 1), sides[1].loops) for u in order]
    ends = [(i.bit_count(), o.bit_count()) for i, o in zip(sides[1].entering, sides[1].leaving, strict=True)]
    rows = []
    for u, line in zip(order, base, strict=True):
        i, o = sides[0].entering[u].bit_count(), sides[0].leaving[u].bit_count()
        rows.append([w + UNIT * (min(i, x) + min(o, y)) for w, (x, y) in zip(line, ends, strict=True)])
    prices = column_prices(rows)
    alike = affinity(a, b) if len(a.labels) * len(b.labels) > AFFINITY_FROM else None
    levels = []
    left = (1 << len(order)) - 1
    for depth, (u, line) in enumerate(zip(order, base, strict=True)):
        levels.append(
            Level(
                base=line,
                entering=[d for d in range(depth) if sides[0].entering[u] >> order[d] & 1],
                leaving=[d for d in range(depth) if sides[0].leaving[u] >> order[d] & 1],
                later=[_later(sides[0], u, other, left) for other in order[depth + 1 :]],
                spare=spares[a.labels[u]],
                affinity=alike[u] if alike else None,
            )
        )
        left &= ~(1 << u)
    return Problem(
        levels=levels,
        order=order,
        rows=[[w - price for w, price in zip(row, prices, strict=True)] for row in rows],
        prices=prices,
        entering=sides[1].entering,
        leaving=sides[1].leaving,
        step=math.gcd(2 * UNIT, *[w for line in worths.values() for w in line if w >= 0]),
    )


class _Masks(NamedTuple):
    entering: list[int]
    leaving: list[int]
    loops: int


def _masks(graph: Graph[Label]) -> _Masks:
    n, loops = len(graph.labels), 0
    entering, leaving = [0] * n, [0] * n
    for source, target in graph.edges:
        if source == target:
            loops |= 1 << source
        else:
            entering[target] |= 1 << source
            leaving[source] |= 1 << target
    return _Masks(entering, leaving, loops)


def _order(side: _Masks) -> list[int]:
    """Each node as close as can be to those before it, so that edges are decided early."""
    near = [i | o for i, o in zip(side.entering, side.leaving, strict=True)]
    left = dict.fromkeys(range(len(near)))
    done = 0
    order = []
    while left:
        node = max(left, key=lambda u: ((near[u] & done).bit_count(), near[u].bit_count()))
        order.append(node)
        del left[node]
        done |= 1 << node
    return order


def _later(side: _Masks, node: int, other: int, left: int) -> Later:
    entering, leaving = side.entering[other], side.leaving[other]
    return Later(
        bool(entering >> node & 1),
        bool(leaving >> node & 1),
        (entering & left).bit_count(),
        (leaving & left).bit_count(),
    )


def _worths(a: Graph[Label], b: Graph[Label], substitution: Substitution[Label]) -> dict[Label, list[int]]:
    """Savings of each label of `a` with each node of `b`."""
    ours, theirs = dict.fromkeys(a.labels), dict.fromkeys(b.labels)
    known = {label: {other: worth(label, other, substitution) for other in theirs} for label in ours}
    return {label: [line[other] for other in b.labels] for label, line in known.items()}


def _with_loops(line: list[int], loop: bool, loops: int) -> list[int]:
    if not loop or not loops:
        return line
    return [w + 2 * UNIT if loops >> v & 1 else w for v, w in enumerate(line)]


def _spares(a: Graph[Label], worths: dict[Label, list[int]]) -> dict[Label, Spare]:
    """The spare nodes of each label; labels that may be paired with the same nodes share them."""
    counts = Counter(a.labels)
    kinds: list[tuple[list[Label], int, int]] = []
    for label, line in worths.items():
        some = every = sum(1 << v for v, w in enumerate(line) if w >= 0)
        labels = [label]
        apart = []
        for kind in kinds:
            if kind[1] & some:
                labels, some, every = labels + kind[0], some | kind[1], every & kind[2]
            else:
                apart.append(kind)
        kinds = [*apart, (labels, some, every)]
    spares = {}
    for labels, some, every in kinds:
        nodes = sum(counts[label] for label in labels)
        spare = Spare(max(0, nodes - some.bit_count()) if some == every else nodes)
        spares.update(dict.fromkeys(labels, spare))
    return spares


ROUNDS = 16
"""Most steps to look ahead and behind."""


def affinity(a: Graph[Label], b: Graph[Label]) -> list[list[int]]:
    """Steps ahead plus steps behind that look the same, for each node of `a` and each of `b`.

    Ahead and behind apart, so that one difference in a chain leaves what is before it alike on one side and what
    is after it on the other.
    """
    table = [[0] * len(b.labels) for _ in a.labels]
    for forwards in (True, False):
        near = [_neighbours(graph, forwards) for graph in (a, b)]
        names: dict[Hashable, int] = {}
        seen = [[names.setdefault(label, len(names)) for label in graph.labels] for graph in (a, b)]
        for _ in range(ROUNDS):
            places = defaultdict(list)
            for v, colour in enumerate(seen[1]):
                places[colour].append(v)
            common = 0
            for row, colour in zip(table, seen[0], strict=True):
                for v in places.get(colour, ()):
                    row[v] += 1
                    common += 1
            if not common:
                break
            names = {}
            seen = [
                [
                    names.setdefault((colour, *sorted([colours[o] for o in others])), len(names))
                    for colour, others in zip(colours, beside, strict=True)
                ]
                for colours, beside in zip(seen, near, strict=True)
            ]
    return table


def _neighbours(graph: Graph[Label], forwards: bool) -> list[list[int]]:
    near: list[list[int]] = [[] for _ in graph.labels]
    for source, target in graph.edges:
        if forwards:
            near[source].append(target)
        else:
            near[target].append(source)
    return near
