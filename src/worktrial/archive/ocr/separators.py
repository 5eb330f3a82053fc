"""A point before three figures: thousands, or three decimals?

Glyphs do not tell a comma from a point, and on worn typewriter paper nobody can; there it is thousands. On a page
where the engine does tell the two apart, what it sees in a column's numbers decides for the column.
"""

import re
from collections.abc import Sequence

import numpy as np

from worktrial.archive.ocr.columns import LEAST, ROWS
from worktrial.archive.ocr.ctc import log_likelihood
from worktrial.archive.ocr.engine import Engine
from worktrial.archive.ocr.pieces import Piece

_SEPARATED = re.compile(r"-?\d{1,3}(?:,\d{3})+")
_EITHER = re.compile(r"-?\d{1,3},\d{3}")
UNDECIDED, MOST_UNDECIDED = 1.5, 0.12
"""Evidence (difference of log-likelihoods) that says nothing, and its share on a page where the engine can tell.
Measured: 2 to 8 % on printed pages, 15 to 30 % on typewritten ones."""
MOST_MISSEEN = 0.1
"""Share of certain commas that the engine may take for points."""
DECISIVE = 4.0
"""Median evidence of a column that makes its separators points."""


def tell_decimals(engine: Engine, pieces: Sequence[Piece], height: float) -> None:
    """Write numbers with three decimals with a point.

    Args:
        engine: That read the pieces.
        pieces: All words of a page; numbers are spelled with commas before three figures. Changed in place.
        height: Usual height of a character in pixels.
    """
    found = [piece for piece in pieces if piece.posteriors and _SEPARATED.fullmatch(piece.text)]
    evidence = np.array([_for_point(engine, piece) for piece in found])
    either = np.array([_EITHER.fullmatch(piece.text) is not None for piece in found], dtype=bool)
    if not either.any() or float((np.abs(evidence) < UNDECIDED).mean()) > MOST_UNDECIDED:
        return
    # A number with two separators has thousands: where those look like points, looks say nothing.
    if float((evidence[~either] > 0).sum()) > MOST_MISSEEN * float((~either).sum()):
        return
    rights = np.array([piece.segment.span.x1 for piece in found])
    lines = np.array([piece.line for piece in found])
    for i in np.flatnonzero(either):
        column = either & (np.abs(rights - rights[i]) <= 0.5 * height) & (np.abs(lines - lines[i]) <= ROWS * height)
        if int(column.sum()) >= LEAST and float(np.median(evidence[column])) > DECISIVE:
            text = found[i].text
            found[i].text = text.replace(",", ".")
            found[i].alternatives = (text, *found[i].alternatives)


def _for_point(engine: Engine, piece: Piece) -> float:
    """How much likelier points are than commas."""
    heard = []
    for sign in ".,":
        classes = engine.classes(piece.text.replace(",", sign))
        heard.append(np.mean([log_likelihood(look, classes) for look in piece.posteriors]))
    return float(heard[0] - heard[1])
