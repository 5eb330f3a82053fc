"""Finding which columns of numbers are the sum of which others."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int_]

_UNLIKELY = math.log(1e3)
"""A sum is believed when chance would bring it about less than once in so many tables."""
_MOST_FOR_TRIPLES = 16
_LONGEST = 60
"""Parts of a sum; a year of weeks."""


class Sum(NamedTuple):
    """Items (columns, or rows) that add up to another."""

    total: int
    parts: tuple[int, ...]


_Ways = Callable[[int], Iterator[tuple[Ints, Ints]]]


class _Block(NamedTuple):
    """Neighbouring items that a sum ties together; from outside one of them stands for all."""

    total: int
    other: int
    """The last part where there are two: of gross, refunds and net, sums further out take the net."""


class _Candidate(NamedTuple):
    found: Sum
    at: int
    parts_at: frozenset[int]
    """Positions among the blocks."""
    worth: tuple[float, float]


def find_sums(values: Floats, unit: float, *, least_share: float, triples: bool) -> Iterator[Sum]:
    """Find sums that hold in the rows of `values` (lines x items), the surest first.

    A total stands before or after its parts. Items that a sum already ties together count as one in sums further
    out, so that totals of subtotals are found. No heading is read: a sum is believed when it holds so often, among
    numbers so large, that chance is no explanation, given how many sums were tried.

    Args:
        values: NaN where there is no number to go by.
        unit: the last printed digit.
        least_share: of the lines, must add up.
        triples: also try any three blocks, whatever lies between.
    """
    blocks = [_Block(i, i) for i in range(values.shape[1])]
    while len(blocks) > 2:
        # Sums of neighbours first: only when those are tied together is it clear what lies between the rest.
        best = _best(values, blocks, unit, least_share, _runs)
        if best is None and triples and len(blocks) <= _MOST_FOR_TRIPLES:
            best = _best(values, blocks, unit, least_share, _triples)
        if best is None:
            return
        yield best.found
        total = best.found.total
        other = max(best.found.parts) if len(best.found.parts) == 2 else total
        blocks[best.at] = _Block(total, other)
        blocks = [block for i, block in enumerate(blocks) if i not in best.parts_at]


def _best(
    values: Floats, blocks: Sequence[_Block], unit: float, least_share: float, ways: _Ways
) -> _Candidate | None:
    batches = list(ways(len(blocks)))
    tried = sum(len(at) for at, _ in batches)
    candidates: list[_Candidate] = []
    for items in _standing_for(blocks):
        known = values[:, items]
        for at, parts in batches:
            for which, worth in _judge(known, at, parts, unit, least_share, tried):
                found = Sum(items[at[which]], tuple(items[p] for p in parts[which]))
                candidates.append(_Candidate(found, int(at[which]), frozenset(parts[which].tolist()), worth))
    return max(candidates, key=lambda candidate: candidate.worth, default=None)


def _standing_for(blocks: Sequence[_Block]) -> Iterator[list[int]]:
    totals, others = [b.total for b in blocks], [b.other for b in blocks]
    yield totals
    if others != totals:
        yield others


def _runs(n: int) -> Iterator[tuple[Ints, Ints]]:
    """Each position with each run of neighbours before or after it, by the length of the run."""
    for length in range(2, min(n, _LONGEST + 1)):
        at = np.arange(n - length)
        run = at[:, None] + np.arange(length)
        yield np.concatenate([at, at + length]), np.concatenate([run + 1, run])


def _triples(n: int) -> Iterator[tuple[Ints, Ints]]:
    """Each position with any two others."""
    threes = np.array(list(combinations(range(n), 3)), dtype=np.int_).reshape(-1, 3)
    for total in range(3):
        yield threes[:, total], np.delete(threes, total, axis=1)


def tolerance(parts: int, unit: float) -> float:
    """How far rounding takes a sum of so many printed numbers off: three standard deviations, at least one unit."""
    return unit * max(1.0, 3 * math.sqrt((parts + 1) / 12)) + unit * 1e-6


def _judge(
    values: Floats, at: Ints, parts: Ints, unit: float, least_share: float, tried: int
) -> Iterator[tuple[int, tuple[float, float]]]:
    """The good sums of a batch and their worth: lines that add up less those that do not, then the evidence."""
    within = tolerance(parts.shape[1], unit)
    terms = values[:, parts]
    off = np.abs(values[:, at] - terms.sum(axis=2))
    # With a single part that is not nothing, the total only repeats it: no evidence either way.
    telling = ~np.isnan(off) & ((np.abs(terms) > within).sum(axis=2) >= 2)
    hits = telling & (off <= within)
    counts, held = telling.sum(axis=0), hits.sum(axis=0)
    for which in np.flatnonzero((held >= 3) & (held >= least_share * counts)):
        n, h = int(counts[which]), int(held[which])
        lines = hits[:, which]
        spread = np.maximum(np.abs(values[lines, at[which]]), np.abs(terms[lines, which]).max(axis=1))
        luck = np.minimum(1.0, (2 * within + unit) / np.maximum(spread, unit))
        evidence = float(-np.log(luck).sum()) - math.log(math.comb(n, h)) - math.log(tried)
        if evidence >= _UNLIKELY:
            yield int(which), (float(2 * h - n), evidence)
