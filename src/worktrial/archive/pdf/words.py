"""Words made of characters by geometry; the content stream's spaces are only a hint.

Typesetters of the 1990s left spaces of no width inside words ("FED ERAL FIS CAL"), and later ones squeeze letters
until they overlap. So a word ends where the distance to the next letter stands out against the letters around it.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from worktrial.archive.pages import Box, Word
from worktrial.archive.pdf.characters import Characters, turn_boxes

_LEADERS = np.array([ord("."), ord("·"), ord("…"), ord("_")], dtype=np.uint32)

# Shares of a character's height (about 1.2 times the font size).
_WORD_GAP = 0.06  # with a space in the stream
_BARE_GAP = 0.22  # without one
_LETTERSPACED = 0.5
_BACKWARDS = 0.6  # a jump to the left: something else begins
_BASELINE = 0.08


def build_words(characters: Characters, width: float, height: float, upright: int = 0) -> tuple[Word, ...]:
    """The words of a page whose writing stands upright, in the order of the stream.

    Words that run up or down the page, as beside a chart's axis, come last; their boxes are higher than wide.

    Args:
        characters: with boxes in points, the page turned so that most of the writing is upright.
        width: of the turned page; words outside it are dropped.
        height: of the turned page.
        upright: the angle that `Sources.angle` tells for upright characters.
    """
    codes, inked = characters.codes, characters.inked
    if not len(inked):
        return ()
    # In the page's own coordinates a line keeps its y, or its x where the page as a whole is turned.
    across = 0 if upright % 180 else 1
    starts = _starts(codes[inked], characters.boxes[inked], inked, characters, across=across)
    turns = _turns(characters, inked, starts, upright)
    if not turns.any():
        return _cut(characters, inked, starts, width, height)
    straight = inked[turns == 0]
    words: tuple[Word, ...] = ()
    if len(straight):
        starts = _starts(codes[straight], characters.boxes[straight], straight, characters, across=across)
        words = _cut(characters, straight, starts, width, height)
    for turn in (90, 180, 270):
        some = inked[turns == turn]
        if len(some):
            words += _sideways(characters, some, turn, across, width, height)
    return words


def _turns(
    characters: Characters, inked: NDArray[np.intp], starts: NDArray[np.intp], upright: int
) -> NDArray[np.intp]:
    """Degrees by which each character is turned against the others. Only letters without neighbours are asked."""
    turns = np.zeros(len(inked), dtype=np.intp)
    single = np.diff(np.append(starts, len(inked))) == 1
    lonely = single & (np.append(single[1:], False) | np.insert(single[:-1], 0, False))
    for start in starts[lonely].tolist():
        turns[start] = round((characters.sources.angle(int(inked[start])) - upright) / 90) * 90 % 360
    return turns


def _sideways(
    characters: Characters,
    some: NDArray[np.intp],
    turn: int,
    across: int,
    width: float,
    height: float,
) -> tuple[Word, ...]:
    codes = characters.codes
    turned = Characters(codes, turn_boxes(characters.boxes, turn, width, height), characters.sources)
    size = (height, width) if turn != 180 else (width, height)
    across = across if turn == 180 else 1 - across
    starts = _starts(codes[some], turned.boxes[some], some, turned, across=across)
    words = _cut(turned, some, starts, *size)
    if not words:
        return ()
    back = turn_boxes(np.array([word.box for word in words]), 360 - turn, *size)
    return tuple(replace(word, box=Box(*box)) for word, box in zip(words, back.tolist(), strict=True))


def _starts(
    codes: NDArray[np.uint32],
    boxes: NDArray[np.float64],
    inked: NDArray[np.intp],
    characters: Characters,
    *,
    across: int = 1,
) -> NDArray[np.intp]:
    if len(inked) == 1:
        return np.zeros(1, dtype=np.intp)
    tall = boxes[:, 3] - boxes[:, 1]
    unit = np.maximum(np.minimum(tall[1:], tall[:-1]), 0.5)
    gap = boxes[1:, 0] - boxes[:-1, 2]
    spaced = np.diff(inked) > 1
    leaves = (gap < -_BACKWARDS * unit) | (gap > 3 * unit)
    shifted = (np.abs(boxes[1:, 3] - boxes[:-1, 3]) > 0.02 * unit) | (np.abs(np.diff(tall)) > 0.02 * unit)
    for pair in np.flatnonzero(shifted & ~leaves).tolist():
        # Another size or a letter with a tail: the baseline decides whether the line goes on.
        here, there = (characters.sources.baseline(int(inked[k]))[across] for k in (pair, pair + 1))
        leaves[pair] = abs(here - there) > _BASELINE * unit[pair]
    usual = _usual_gap(gap, unit, spaced, leaves)
    wide = gap - usual
    breaks = leaves | (wide > np.where(spaced, _WORD_GAP, _BARE_GAP) * unit)
    leader = _in_leader(codes, leaves)
    both = leader[1:] & leader[:-1]
    breaks = (breaks & ~(both & ~leaves)) | (leader[1:] != leader[:-1])
    return np.concatenate(([0], np.flatnonzero(breaks) + 1)).astype(np.intp)


def _usual_gap(
    gap: NDArray[np.float64], unit: NDArray[np.float64], spaced: NDArray[np.bool_], leaves: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Usual distance between letters of one word, for each run of text, in points."""
    run = np.cumsum(np.concatenate(([0], leaves[:-1].astype(np.intp))))
    runs = int(run[-1]) + 1
    inside = ~leaves & ~spaced & (np.abs(gap) < 0.4 * unit)
    count = np.bincount(run[inside], minlength=runs)
    total = np.bincount(run[inside], weights=gap[inside], minlength=runs)
    mean = np.divide(total, count, out=np.zeros(runs), where=count > 0)
    # Letters set wide apart ("T A B L E") are spaced everywhere: there the narrowest third of the gaps is usual.
    pairs = np.bincount(run[~leaves], minlength=runs)
    for wide in np.flatnonzero((pairs >= 4) & (count < 0.2 * pairs)):
        here = gap[(run == wide) & ~leaves]
        narrow = float(np.quantile(here, 0.33))
        if 0 < narrow < _LETTERSPACED * float(np.median(unit[(run == wide) & ~leaves])):
            mean[wide] = narrow
    usual: NDArray[np.float64] = mean[run]
    return usual


def _in_leader(codes: NDArray[np.uint32], leaves: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask of the characters that belong to leader dots: three or more in a row."""
    dot = np.isin(codes, _LEADERS)
    if not dot.any():
        return dot
    edge = np.concatenate(([True], (dot[1:] != dot[:-1]) | leaves))
    group = np.cumsum(edge) - 1
    leader: NDArray[np.bool_] = dot & (np.bincount(group)[group] >= np.where(codes == ord("…"), 2, 3))
    return leader


def _cut(
    characters: Characters, inked: NDArray[np.intp], starts: NDArray[np.intp], width: float, height: float
) -> tuple[Word, ...]:
    boxes = characters.boxes[inked]
    left = np.minimum.reduceat(boxes[:, 0], starts).tolist()
    top = np.minimum.reduceat(boxes[:, 1], starts).tolist()
    right = np.maximum.reduceat(boxes[:, 2], starts).tolist()
    bottom = np.maximum.reduceat(boxes[:, 3], starts).tolist()
    letters = characters.codes[inked].tobytes().decode("utf-32-le")
    ends = [*starts[1:].tolist(), len(inked)]
    sources = characters.sources
    words = []
    firsts = inked[starts].tolist()
    for k, (start, end) in enumerate(zip(starts.tolist(), ends, strict=True)):
        if right[k] <= 0 or left[k] >= width or bottom[k] <= 0 or top[k] >= height:
            continue
        tall = bottom[k] - top[k]
        size, bold = sources.looks(firsts[k])
        if not 0.4 * tall < size < 2.5 * tall:
            size = tall / 1.2  # fonts that tell nonsense about themselves
        # Font boxes reach into the neighbouring lines; em boxes around the middle do not.
        slack = max(0.0, (tall - size) / 2)
        box = Box(left[k], top[k] + slack, right[k], bottom[k] - slack)
        words.append(Word(letters[start:end], box, size, bold))
    return tuple(words)
