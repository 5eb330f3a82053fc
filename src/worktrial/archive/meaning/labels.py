"""The headings above a column and the labels beside a row, with the parents that print leaves to indentation."""

import re
from dataclasses import dataclass
from itertools import pairwise

from worktrial.archive.meaning.periods import YearMonth, resembles_month, year_month
from worktrial.archive.meaning.value import ValueKind, value_of
from worktrial.archive.pages import Cell, Table

_INDENT = 3.0
"""Points; less is the unevenness of print and of recognised boxes."""
_MOST_LEVELS = 6
_TOTAL = re.compile(r"(?:grand |sub-?\s?)?totals?\b|net\b", re.IGNORECASE)
"""Sums may be printed further in than all that they add up, which tells nothing of whose they are."""


def header_paths(table: Table) -> tuple[tuple[str, ...], ...]:
    """The headings of each column, top to bottom; one repeated in the next row counts once, blanks not at all."""
    columns = max((len(row) for row in table.rows), default=0)
    heads = table.rows[: table.header_rows]
    return tuple(_path([row[c].text.strip() for row in heads if c < len(row)]) for c in range(columns))


def _path(texts: list[str]) -> tuple[str, ...]:
    path: list[str] = []
    for text in texts:
        if text and (not path or path[-1] != text):
            path.append(text)
    return tuple(path)


@dataclass(frozen=True, slots=True)
class _Section:
    label: str
    left: float | None
    year: int | None


def row_labels(table: Table) -> tuple[tuple[str, ...], ...]:
    """The labels of each row, parents first: `("1940", "February")`. Header rows have none.

    A row without numbers is a parent of the rows below it, up to the next such row or, where the boxes show
    indentation, up to a row that stands as far left. A row with numbers is a parent of the rows that stand further
    in below it, where the page's own characters show how far in labels stand. A month without a year belongs to the
    last year printed, and to the next one where months start over. A row without a label continues the one above.
    """
    reader = _Reader(table)
    heads = [() for _ in table.rows[: table.header_rows]]
    return (*heads, *(reader.path(row) for row in table.rows[table.header_rows :]))


class _Reader:
    def __init__(self, table: Table) -> None:
        self._label_columns = table.label_columns
        self._nests = _levels_are_clear(table)
        self._above: list[_Section] = []
        self._sections: list[_Section] = []
        self._indented = False
        self._after_section = False
        self._outer: list[str] = [""] * max(0, table.label_columns - 1)
        self._year: int | None = None
        self._year_is_printed_with_months = False
        self._month: int | None = None
        self._last: tuple[str, ...] = ()

    def path(self, row: tuple[Cell, ...]) -> tuple[str, ...]:
        """The next row's labels; rows must come in order."""
        labels = [cell.text.strip() for cell in row[: self._label_columns]]
        if not any(labels):
            return self._last
        if self._is_section(row, labels):
            return self._open(row, labels)
        self._close(row)
        self._last = (*self._parents(labels), *self._nested(row, labels), *self._dated(self._continued(labels)))
        return self._last

    def _is_section(self, row: tuple[Cell, ...], labels: list[str]) -> bool:
        data = [cell.text for cell in row[self._label_columns :]]
        # A heading across the whole table is repeated in every column.
        return bool(data) and all(value_of(t).kind is ValueKind.BLANK or t.strip() == labels[0] for t in data)

    def _open(self, row: tuple[Cell, ...], labels: list[str]) -> tuple[str, ...]:
        label = next(text for text in labels if text)
        left = _left(row, self._label_columns)
        if self._after_section:
            # A heading under a heading: below it, unless both stand equally far left.
            while self._sections and _not_right_of(left, self._sections[-1].left):
                self._sections.pop()
        elif left is not None and self._indented:
            while self._sections and _not_right_of(left, self._sections[-1].left):
                self._sections.pop()
        else:
            self._sections.clear()
        when = year_month(label)
        self._sections.append(_Section(label, left, when.year if when else None))
        self._above.clear()
        self._after_section, self._month, self._year = True, None, None
        self._outer = [""] * len(self._outer)
        self._last = tuple(section.label for section in self._sections)
        return self._last

    def _close(self, row: tuple[Cell, ...]) -> None:
        left = _left(row, self._label_columns)
        if self._after_section:
            heading = self._sections[-1].left
            self._indented = left is not None and heading is not None and left > heading + _INDENT
        elif self._indented and left is not None:
            while self._sections and _not_right_of(left, self._sections[-1].left):
                self._sections.pop()
        self._after_section = False

    def _parents(self, labels: list[str]) -> tuple[str, ...]:
        return tuple(section.label for section in self._sections if section.label != labels[0])

    def _nested(self, row: tuple[Cell, ...], labels: list[str]) -> tuple[str, ...]:
        """The rows with numbers that a row stands further in than."""
        left, label = _left(row, self._label_columns), labels[0]
        if not self._nests or left is None or not label:
            return ()
        when = year_month(label)
        if when is not None and (when.month is not None or when.month_text):
            # Months stand further in than the year that is printed before the first of them.
            return ()
        deepest = self._above[-1].left if self._above else None
        parents = [one for one in self._above if one.left is not None and left > one.left + _INDENT]
        data = [value_of(cell.text).kind for cell in row[self._label_columns :]]
        if label.endswith(":") and all(kind in (ValueKind.NIL, ValueKind.BLANK) for kind in data):
            # A heading with dashes for figures: what follows may stand as far left as it does.
            self._above = [_Section(label, left - 2 * _INDENT, None)]
            return ()
        if _TOTAL.match(label) and deepest is not None and left > deepest + _INDENT:
            parents = []
        self._above = [*parents, _Section(label, left, None)]
        return tuple(one.label for one in parents)

    def _continued(self, labels: list[str]) -> list[str]:
        """Fill blank outer labels from above; a new outer label forgets those inside it."""
        for i, text in enumerate(labels[:-1]):
            if text:
                self._outer[i:] = labels[i:-1]
                break
        return [text for text in (*self._outer, labels[-1]) if text]

    def _dated(self, labels: list[str]) -> tuple[str, ...]:
        *outer, last = labels
        when = year_month(last) or self._misread_month(last)
        if when is None:
            self._month = None
            return tuple(labels)
        if when.month is None and not when.month_text:
            self._year, self._month = when.year, None
            self._year_is_printed_with_months = False
            return tuple(labels)
        above = next((w.year for w in map(year_month, reversed(outer)) if w is not None and w.year), None)
        if when.year is not None:
            self._year, self._year_is_printed_with_months = when.year, True
        elif above is None:
            self._roll_over(when)
        self._month = when.month
        section_year = any(section.year for section in self._sections)
        known = bool(above) or (section_year and self._year is None)
        year = when.year_text or ("" if known else str(self._year or ""))
        return (*outer, year, when.month_text) if year else (*outer, when.month_text)

    def _misread_month(self, label: str) -> YearMonth | None:
        """The month after the one above, when this label is that but for a misread letter."""
        if self._month is None:
            return None
        expected = self._month % 12 + 1
        return YearMonth(None, expected, "", label) if resembles_month(label, expected) else None

    def _roll_over(self, when: YearMonth) -> None:
        """December, January: the next year, though not printed. Not under a heading that names a (fiscal) year."""
        starts_over = self._month is not None and when.month is not None and when.month < self._month
        if starts_over and self._year is not None and self._year_is_printed_with_months:
            self._year += 1


def _levels_are_clear(table: Table) -> bool:
    """Whether a few levels of indentation can be told: labels of the page's own characters, set flush left."""
    cells = [row[0] for row in table.rows[table.header_rows :] if row and row[0].text.strip()]
    boxes = [cell.box for cell in cells if cell.box is not None]
    if table.label_columns != 1 or len(boxes) < len(cells) or any(cell.confidence < 1 for cell in cells):
        return False
    lefts = sorted(box.x0 for box in boxes)
    levels = 1 + sum(b - a > _INDENT for a, b in pairwise(lefts))
    flush_right = len(boxes) > 2 and max(box.x1 for box in boxes) - min(box.x1 for box in boxes) <= _INDENT
    return 1 < levels <= min(_MOST_LEVELS, len(boxes) // 2) and not flush_right


def _left(row: tuple[Cell, ...], label_columns: int) -> float | None:
    return next((c.box.x0 for c in row[:label_columns] if c.text.strip() and c.box is not None), None)


def _not_right_of(left: float | None, other: float | None) -> bool:
    return left is not None and other is not None and left <= other + _INDENT
