"""Pairs of the rows and columns of a found table and those of the true one."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Grid = Sequence[Sequence[str]]

_ANY = 1e-3
"""Worth of pairing two unlike lines: more than leaving both alone, so that misread rows keep their place."""
_ROUNDS = 6


class Alignment(NamedTuple):
    """Pairs of (true, found) indices, both increasing."""

    rows: tuple[tuple[int, int], ...]
    columns: tuple[tuple[int, int], ...]


def align(true: Grid, found: Grid, normal: Callable[[str], str]) -> Alignment:
    """Pair rows and columns in order so that as many cells as possible are equal, or at least alike.

    Rows are first paired by the best alignment of their cells (two nested dynamic programs), then columns given
    the rows, then rows given the columns, until nothing changes.
    """
    alike = _similarity(true, found, normal)
    rows = best_pairs(_rows_in_any_order_of_columns(alike))
    columns: tuple[tuple[int, int], ...] = ()
    for _ in range(_ROUNDS):
        t, f = _indices(rows)
        better_columns = best_pairs(alike[t, :, f, :].sum(axis=0))
        t, f = _indices(better_columns)
        # A pair of separate index arrays moves its axis to the front.
        better_rows = best_pairs(alike[:, t, :, f].sum(axis=0))
        if better_columns == columns and better_rows == rows:
            break
        rows, columns = better_rows, better_columns
    return Alignment(rows, columns)


def best_pairs(worth: Floats) -> tuple[tuple[int, int], ...]:
    """The increasing pairs of indices whose worth adds up to most."""
    n, m = worth.shape
    best = np.zeros((n + 1, m + 1))
    for i in range(n):
        paired = best[i, :-1] + worth[i] + _ANY
        best[i + 1, 1:] = np.maximum.accumulate(np.maximum(paired, best[i, 1:]))
    pairs: list[tuple[int, int]] = []
    i, j = n, m
    while i and j:
        if best[i, j] == best[i - 1, j]:
            i -= 1
        elif best[i, j] == best[i, j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    return tuple(reversed(pairs))


def _rows_in_any_order_of_columns(alike: Floats) -> Floats:
    """Worth of the best alignment of the cells of each pair of rows; all pairs at once."""
    rows, columns, found_rows, found_columns = alike.shape
    above = np.zeros((found_columns + 1, rows, found_rows))
    for c in range(columns):
        here = np.zeros_like(above)
        for d in range(found_columns):
            np.maximum(above[d + 1], here[d], out=here[d + 1])
            np.maximum(here[d + 1], above[d] + alike[:, c, :, d], out=here[d + 1])
        above = here
    last: Floats = above[-1]
    return last


def _similarity(true: Grid, found: Grid, normal: Callable[[str], str]) -> Floats:
    """1 for equal texts, a part of that for shared pairs of letters, next to nothing for two blanks."""
    true_texts = [[normal(text) for text in row] for row in true]
    found_texts = [[normal(text) for text in row] for row in found]
    texts = dict.fromkeys(text for row in (*true_texts, *found_texts) for text in row)
    known = {text: i for i, text in enumerate(texts)}
    alike = _dice(list(known))
    t = np.array([[known[text] for text in row] for row in true_texts])
    f = np.array([[known[text] for text in row] for row in found_texts])
    pairs: Floats = alike[t[:, :, None, None], f[None, None, :, :]]
    return pairs


def _dice(texts: list[str]) -> Floats:
    pairs = [{a + b for a, b in pairwise(f"\0{text}\0")} for text in texts]
    grams = {gram: i for i, gram in enumerate(set().union(*pairs))}
    counts = np.zeros((len(texts), len(grams)))
    for i, own in enumerate(pairs):
        counts[i, [grams[gram] for gram in own]] = 1
    sizes = counts.sum(axis=1)
    shared: Floats = 2 * (counts @ counts.T) / np.maximum(sizes[:, None] + sizes[None, :], 1)
    # Half-alike numbers are chance as often as not.
    shared = 0.4 * shared**2
    np.fill_diagonal(shared, 1.0)
    if "" in texts:
        blank = texts.index("")
        shared[blank, blank] = 0.02
    return shared


def _indices(pairs: tuple[tuple[int, int], ...]) -> tuple[npt.NDArray[np.int_], npt.NDArray[np.int_]]:
    array = np.array(pairs, dtype=np.int_).reshape(-1, 2)
    return array[:, 0], array[:, 1]
