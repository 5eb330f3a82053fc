"""The string that classes at every pixel spell: hints of connected components, then the best path."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from worktrial.archive.ocr.glyphs import JUNK, SIGNS, Floats, NumberPiece
from worktrial.archive.ocr.image import INK

FLOOR = -7.0
"""Log-probability below which a sign is no more unlikely."""
LOOSE_DIGIT, LOOSE_POINT = 0.13, 0.3
"""Spread of the distance between characters, in pitches; points and dashes are set less evenly."""
_POINTS = np.array([sign in ".-" for sign in SIGNS])

NEVER = -9.0
"""Log-probability of a character where no character can stand."""
FAINT = 225
"""Pixels lighter than this are paper."""
WIDEST = 1.12
"""Pitches that one character is wide at most; a comma that touches its digit makes it wider."""
_POINT, _DASH = SIGNS.index("."), SIGNS.index("-")


class Path(NamedTuple):
    """Characters at places."""

    text: str
    places: tuple[float, ...]
    """Centre of each character along the crop, in pixels."""
    odds: tuple[float, ...]
    """Log-probability of each character where it stands."""
    total: float
    """Sum of the odds and of what uneven spacing costs; comparable between texts for the same item."""


class Track(NamedTuple):
    """The ground that a path is looked for in."""

    odds: Floats
    """Columns x classes."""
    ink: tuple[int, int]
    """First and last+1 column with ink."""
    pitch: float
    fronts: NDArray[np.float64]


_Reached = dict[tuple[int, ...], tuple[NDArray[np.float64], NDArray[np.int_]]]
"""Worth of each place by the signs so far, and from where it was reached: texts share their beginnings."""


class _Costs(NamedTuple):
    """The columns with ink, and what characters and steps cost on them."""

    odds: NDArray[np.float64]
    opening: NDArray[np.float64]
    closing: NDArray[np.float64]
    steps: NDArray[np.int_]
    spacing: dict[float, NDArray[np.float64]]


def _costs(track: Track) -> _Costs | None:
    left, right = track.ink
    if right - left < 2:
        return None
    xs = np.arange(left, right)
    odds = np.maximum(track.odds[left:right, :JUNK].astype(np.float64), FLOOR)
    pitch = track.pitch
    opening = -0.5 * ((xs[:, None] - left - track.fronts[None, :]) / (0.12 * pitch)) ** 2
    closing = -0.5 * ((right - xs[:, None] - track.fronts[None, :]) / (0.12 * pitch)) ** 2
    steps = np.arange(int(0.5 * pitch), int(1.4 * pitch) + 2)
    spacing = {loose: -0.5 * ((steps / pitch - 1) / loose) ** 2 for loose in (LOOSE_DIGIT, LOOSE_POINT)}
    return _Costs(odds, np.maximum(opening, -25), np.maximum(closing, -25), steps, spacing)


def free_path(track: Track) -> Path | None:
    """The likeliest string of any length."""
    costs = _costs(track)
    return _free(track.ink[0], *costs) if costs is not None else None


def along(track: Track, texts: Sequence[str]) -> list[Path | None]:
    """The best placing of each of some texts (in `SIGNS`); None for one that does not fit in at all."""
    costs = _costs(track)
    if costs is None:
        return [None] * len(texts)
    reached: _Reached = {}
    return [_placed(track.ink[0], costs, tuple(map(SIGNS.index, text)), reached) for text in texts]


def _placed(
    left: int,
    costs: _Costs,
    wanted: tuple[int, ...],
    reached: _Reached,
) -> Path | None:
    if not wanted:
        return None
    for length in range(1, len(wanted) + 1):
        head, sign = wanted[:length], wanted[length - 1]
        if head in reached:
            continue
        if length == 1:
            reached[head] = costs.odds[:, sign] + costs.opening[:, sign], np.empty(0, np.int_)
            continue
        loose = LOOSE_POINT if _POINTS[head[-2]] or _POINTS[sign] else LOOSE_DIGIT
        arrived, back = _advance(reached[head[:-1]][0], costs.steps, costs.spacing[loose])
        reached[head] = arrived + costs.odds[:, sign], back
    final = reached[wanted][0] + costs.closing[:, wanted[-1]]
    at = int(final.argmax())
    total = float(final[at])
    if not np.isfinite(total):
        return None
    places = [at]
    for length in range(len(wanted), 1, -1):
        places.append(int(reached[wanted[:length]][1][places[-1]]))
    places.reverse()
    return _path(left, costs.odds, places, wanted, total)


def _advance(
    worth: NDArray[np.float64], steps: NDArray[np.int_], cost: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """One character further: the best earlier place for every place."""
    n, furthest = len(worth), int(steps[-1])
    padded = np.concatenate([np.full(furthest, -np.inf), worth])
    # Steps are whole pixels one after the other, so each row is the one above it, one place later.
    stride = padded.strides[0]
    table = as_strided(padded[furthest - int(steps[0]) :], (len(steps), n), (-stride, stride)) + cost[:, None]
    best = table.argmax(axis=0)
    return table[best, np.arange(n)], np.arange(n) - steps[best]


def _free(
    left: int,
    odds: NDArray[np.float64],
    opening: NDArray[np.float64],
    closing: NDArray[np.float64],
    steps: NDArray[np.int_],
    costs: dict[float, NDArray[np.float64]],
) -> Path | None:
    """Best over strings of one to fourteen characters, the two kinds of sign kept apart."""
    n = len(odds)
    kinds = (~_POINTS, _POINTS)
    best_sign = [np.where(kind, odds, -np.inf).argmax(axis=1) for kind in kinds]
    gain = [odds[np.arange(n), sign] for sign in best_sign]
    start = [np.where(kind, odds + opening, -np.inf) for kind in kinds]
    state = [s.max(axis=1) for s in start]
    history: list[list[tuple[NDArray[np.int_], NDArray[np.int_]]]] = []
    best: tuple[float, int, int, int] = (-np.inf, 0, 0, 0)
    most = min(14, n // int(steps[0]) + 1)
    for length in range(1, most + 1):
        for kind in (0, 1):
            # The last character's sign may be another than the best one inside: its edge counts, too.
            last = np.where(kinds[kind], odds + closing, -np.inf).max(axis=1)
            if length == 1:
                final = np.where(kinds[kind], odds + opening + closing, -np.inf).max(axis=1)
            else:
                final = state[kind] - gain[kind] + last
            at = int(final.argmax())
            if final[at] > best[0]:
                best = (float(final[at]), length, kind, at)
        arrived, backs = [], []
        for kind in (0, 1):
            options = []
            for before in (0, 1):
                loose = LOOSE_POINT if kind or before else LOOSE_DIGIT
                options.append(_advance(state[before], steps, costs[loose]))
            pick = (options[1][0] > options[0][0]).astype(np.int_)
            value = np.where(pick == 1, options[1][0], options[0][0])
            back = np.where(pick == 1, options[1][1], options[0][1])
            arrived.append(value + gain[kind])
            backs.append((pick, back))
        state = arrived
        history.append(backs)
    total, length, kind, at = best
    if not np.isfinite(total):
        return None
    places, kinds_of = [at], [kind]
    for backs in reversed(history[: length - 1]):
        pick, back = backs[kinds_of[-1]]
        here = places[-1]
        kinds_of.append(int(pick[here]))
        places.append(int(back[here]))
    places.reverse()
    kinds_of.reverse()
    signs = [int(best_sign[k][p]) for k, p in zip(kinds_of, places, strict=True)]
    ends = {0: opening, length - 1: closing}
    for place, edge in ends.items():
        k, p = kinds_of[place], places[place]
        both = opening[p] + closing[p] if length == 1 else edge[p]
        signs[place] = int(np.where(kinds[k], odds[p] + both, -np.inf).argmax())
    return _path(left, odds, places, signs, total)


def _path(left: int, odds: NDArray[np.float64], places: list[int], signs: Sequence[int], total: float) -> Path:
    return Path(
        "".join(SIGNS[s] for s in signs),
        tuple(float(left + p) for p in places),
        tuple(float(odds[p, s]) for p, s in zip(places, signs, strict=True)),
        total,
    )


def with_hints(odds: Floats, item: NumberPiece, pitch: float, height: float) -> Floats:
    """Keep characters to the middles of components that are one character wide, and tell dots and dashes.

    Args:
        odds: Columns of the item's crop x classes; not changed.
        item: The number.
        pitch: Usual distance between digits, in pixels.
        height: Usual height of a character, in pixels.
    """
    told = odds.copy()
    groups = _characters(item.blobs)
    point = odds[:, _POINT]
    # Where there is no ink, there is no character; a point may be too faint to be ink.
    told[~(item.crop < INK).any(axis=0)] = NEVER
    grey = np.asarray((item.crop[int(item.line) :] < FAINT).any(axis=0))
    told[:, _POINT] = np.where(grey, point, NEVER)
    for x0, y0, x1, y1 in groups:
        wide, tall = x1 - x0, y1 - y0
        if wide > WIDEST * pitch:
            continue
        middle = (x0 + x1) / 2
        for x in range(max(x0, 0), min(x1, len(told))):
            if abs(x + 0.5 - middle) > 1.6:
                told[x] = NEVER
                if abs(x + 0.5 - middle) > 0.35 * wide and grey[x]:
                    # A comma may touch its digit.
                    told[x, _POINT] = point[x]
        here = slice(max(int(middle) - 2, 0), int(middle) + 3)
        low = (y0 + y1) / 2 - item.line
        if tall <= 0.36 * height and wide >= 1.3 * tall and abs(low) <= 0.22 * height:
            told[here] = np.maximum(told[here] - 6, NEVER)
            told[here, _DASH] = -0.05
        elif tall <= 0.5 * height and wide <= 0.45 * height and low >= 0.2 * height:
            told[here] = np.maximum(told[here] - 6, NEVER)
            told[here, _POINT] = -0.05
        elif tall >= 0.6 * height:
            told[here, _POINT] = told[here, _DASH] = FLOOR
    return told


def _characters(blobs: tuple[tuple[int, int, int, int], ...]) -> list[tuple[int, int, int, int]]:
    """Components that lie above each other are parts of one broken character."""
    merged: list[tuple[int, int, int, int]] = []
    for box in sorted(blobs):
        if merged:
            last = merged[-1]
            shared = min(last[2], box[2]) - max(last[0], box[0])
            if shared > 0.4 * min(last[2] - last[0], box[2] - box[0]):
                merged[-1] = (last[0], min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
                continue
        merged.append(box)
    return merged
