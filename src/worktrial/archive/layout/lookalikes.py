"""What looks like a table and is none: scales of charts, tables of contents."""

import re
from collections.abc import Sequence
from itertools import pairwise

from worktrial.archive.layout.draft import Draft
from worktrial.archive.layout.tokens import is_year

_CAPTION = re.compile(r"\s*(?:figure|fig\.|chart|graph|diagram|grafik|graphique)\b", re.IGNORECASE)
_TICKS = 4
_LEAST_ROWS = 3
_LEAST_PAGES = 4
_MOST_PAGES = 1000
_FIGURE = re.compile(r"[-+−–]?\d[\d,]*(?:\.\d+)?")
_MINUS = str.maketrans({"−": "-", "–": "-", ",": ""})


def is_chart(draft: Draft) -> bool:
    """Whether a table found without a grid is a chart: by its caption, or because its figures are ticks of a scale.

    Ticks stand at equal steps. Years do too, and other figures only by rare chance.
    """
    if _CAPTION.match(draft.title):
        return True
    if not draft.header_rows and len(draft.grid) < _LEAST_ROWS and not draft.title:
        return True
    rows = [[cell.text for cell in row] for row in draft.grid[draft.header_rows :]]
    if not rows:
        return False
    if any(_is_scale(row) for row in (rows[0], rows[-1])):
        return True
    columns = [column for column in zip(*rows, strict=True) if any(map(_number, column))]
    return bool(columns) and all(_is_scale(column) for column in columns)


def is_contents(draft: Draft) -> bool:
    """Whether it is a list of headings with the pages on which they stand."""
    if not draft.grid or len(draft.grid[0]) != 2:
        return False
    rows = draft.grid[draft.header_rows :]
    pages = [row[1].text for row in rows if row[1].text]
    if len(pages) < _LEAST_PAGES or not all(page.isdigit() for page in pages):
        return False
    numbers = [int(page) for page in pages]
    ordered = all(a <= b for a, b in pairwise(numbers))
    return (
        ordered
        and numbers[-1] - numbers[0] < _MOST_PAGES
        and all(is_label(row[0].text) for row in rows if row[1].text)
    )


def is_label(text: str) -> bool:
    """Whether there are words, as in a heading."""
    return sum(map(str.isalpha, text)) >= 4


def _is_scale(texts: Sequence[str]) -> bool:
    told = [text for text in texts if text]
    numbers = [_number(text) for text in told]
    if len(told) < _TICKS or any(number is None for number in numbers) or all(map(is_year, told)):
        return False
    known = [number for number in numbers if number is not None]
    steps = [b - a for a, b in pairwise(known)]
    return steps[0] != 0 and all(abs(step - steps[0]) <= 1e-6 * max(1.0, abs(steps[0])) for step in steps)


def _number(text: str) -> float | None:
    plain = text.strip().rstrip("%").strip()
    return float(plain.translate(_MINUS)) if _FIGURE.fullmatch(plain) else None
