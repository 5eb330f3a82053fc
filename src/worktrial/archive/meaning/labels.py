"""The headings above a column and the labels beside a row, with the parents that print leaves to indentation."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from worktrial.archive.meaning.periods import YearMonth, resembles_month, year_month
from worktrial.archive.meaning.value import ValueKind, value_of
from worktrial.archive.pages import Cell, Table

_INDENT = 3.0
"""Points; less is the unevenness of print and of recognised boxes."""
_STEP = 12.0
"""Points by which a label stands further in than the one around it, at most."""
_MOST_LEVELS = 6
_TOTAL = re.compile(r"(?:grand |sub-?\s?)?totals?\b|net\b", re.IGNORECASE)
"""Sums may be printed further in than all that they add up, which tells nothing of whose they are."""
_TOTAL_OF = re.compile(r"(?:grand\s+)?totals?\b,?\s*", re.IGNORECASE)
_UNFINISHED = re.compile(r"(?:[-,&]|\b(?:and|or|of|the|for|in|to|by|with|on|from))$", re.IGNORECASE)
_OTHER_SIZE = 0.12
"""Share by which letters must be higher or lower than those of the labels to be of another size."""
_NEARLY_FULL = 0.15
"""Share of a label column's width that may be left free behind a label that goes on in the next line."""


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
    row: int
    """Row of the body, from 1."""


def row_labels(table: Table) -> tuple[tuple[str, ...], ...]:
    """The labels of each row, parents first: `("1940", "February")`. Header rows have none.

    A row without numbers is a parent of the rows below it, up to the next such row or, where the boxes show
    indentation, up to a row that stands as far left. A heading right above another heads that one, too; a total
    that follows a heading's own total belongs to the heading around it. A row with numbers is a parent of the rows
    that stand further in below it, where the page's own characters show how far in labels stand. A month without a
    year belongs to the last year printed, and to the next one where months start over. A row without a label
    continues the one above. A heading over all rows that is set unlike them heads the table, and is no parent.
    """
    reader = _Reader(table)
    heads = [() for _ in table.rows[: table.header_rows]]
    body = table.rows[table.header_rows :]
    paths = [reader.path(row, below) for row, below in zip_longest(body, body[1:])]
    if _heads_the_table(table, paths):
        paths[1:] = [path[1:] for path in paths[1:]]
    return (*heads, *paths)


def _heads_the_table(table: Table, paths: Sequence[tuple[str, ...]]) -> bool:
    """Whether the first row is a heading over all others, in letters of another size."""
    if len(paths) < 2 or len(paths[0]) != 1 or any(len(path) < 2 or path[0] != paths[0][0] for path in paths[1:]):
        return False
    cells = [row[0] for row in table.rows[table.header_rows :] if row and row[0].text.strip()]
    boxes = [cell.box for cell in cells if cell.box is not None and cell.reader_confidence == 1.0]
    if len(boxes) < len(cells) or table.rows[table.header_rows][0] is not cells[0]:
        return False
    usual = sorted(box.height for box in boxes)[len(boxes) // 2]
    return abs(boxes[0].height - usual) > _OTHER_SIZE * usual


class _Reader:
    def __init__(self, table: Table) -> None:
        self._label_columns = table.label_columns
        self._nests = _levels_are_clear(table)
        self._row = 0
        self._above: list[_Section] = []
        self._sections: list[_Section] = []
        self._indented = False
        self._after_section = False
        self._outer: list[str] = [""] * max(0, table.label_columns - 1)
        self._year: int | None = None
        self._year_is_printed_with_months = False
        self._month: int | None = None
        self._last: tuple[str, ...] = ()
        self._wrapped_at = _right_edge(table)
        self._row_above: tuple[Cell, ...] = ()
        self._own_total = False
        self._downwards = _months_go_back(table)

    def path(self, row: tuple[Cell, ...], below: tuple[Cell, ...] | None) -> tuple[str, ...]:
        """The next row's labels; rows must come in order, each with the one below it."""
        self._row += 1
        labels = [cell.text.strip() for cell in row[: self._label_columns]]
        if not any(labels):
            return self._last
        if self._is_section(row, labels):
            if self._continues_label(row, labels):
                return self._last
            return self._open(row, labels, below)
        self._close(row)
        self._end_at_total(labels[0])
        self._end_at_year(labels)
        self._row_above = row
        nested = self._nested(row, labels)
        self._last = (*self._parents(labels, nested), *self._dated(self._continued(labels)))
        return self._last

    def _is_section(self, row: tuple[Cell, ...], labels: list[str]) -> bool:
        data = [cell.text for cell in row[self._label_columns :]]
        # A heading across the whole table is repeated in every column.
        return bool(data) and all(value_of(t).kind is ValueKind.BLANK or t.strip() == labels[0] for t in data)

    def _continues_label(self, row: tuple[Cell, ...], labels: list[str]) -> bool:
        """Whether this is the second line of the label above, which reaches the column's right edge."""
        above = self._row_above[0] if self._row_above and not self._after_section else None
        box = row[0].box
        if above is None or above.box is None or box is None or labels[0].endswith(":") or not self._indented:
            return False
        return abs(above.box.x0 - box.x0) <= _INDENT and above.box.x1 >= self._wrapped_at

    def _open(self, row: tuple[Cell, ...], labels: list[str], below: tuple[Cell, ...] | None) -> tuple[str, ...]:
        label = next(text for text in labels if text)
        left = _left(row, self._label_columns)
        if self._after_section:
            # A heading right under a heading is below it even where both stand equally far left.
            if self._sections and _is_second_line(self._sections[-1].label, label):
                label = f"{self._sections.pop().label} {label}"
            while self._sections and _left_of(left, self._sections[-1].left):
                self._sections.pop()
        elif left is None:
            self._sections.clear()
        else:
            while self._sections and _left_of(left, self._sections[-1].left):
                self._sections.pop()
            del self._sections[self._replaced_by(label, left, below) :]
        self._own_total = False
        when = year_month(label)
        self._sections.append(_Section(label, left, when.year if when else None, self._row))
        self._above = self._around(left)
        self._after_section, self._month, self._year = True, None, None
        self._outer = [""] * len(self._outer)
        self._last = self._parents([""], self._above)
        return self._last

    def _around(self, left: float | None) -> list[_Section]:
        """Rows with numbers that a heading stands below: beside others that do, or one step further in."""
        kept = [one for one in self._above if self._nests and _left_of(one.left, left)]
        if left is None or not kept:
            return []
        beside = any(abs((one.left or 0.0) - left) <= _INDENT for one in self._above)
        return kept if beside or (len(kept) > 1 and left - (kept[-1].left or 0.0) <= _STEP) else []

    def _replaced_by(self, label: str, left: float, below: tuple[Cell, ...] | None) -> int:
        """The first of the open headings that a new one closes: one printed like it, at the same place."""
        level = [i for i, one in enumerate(self._sections) if not (self._indented and _left_of(one.left, left))]
        alike = [i for i in level if self._sections[i].label.endswith(":") == label.endswith(":")]
        # With another heading right below, it heads as large a part as the outermost of its kind.
        if below is not None and self._heads_another(below, left):
            return alike[0] if alike else len(self._sections)
        return (alike or level or [len(self._sections)])[-1]

    def _heads_another(self, below: tuple[Cell, ...], left: float) -> bool:
        labels = [cell.text.strip() for cell in below[: self._label_columns]]
        if not any(labels) or not self._is_section(below, labels):
            return False
        under = _left(below, self._label_columns)
        return under is not None and abs(under - left) <= _INDENT

    def _end_at_total(self, label: str) -> None:
        """Close the headings that a total does not belong to: inside its own, or with their own total above it."""
        if not _TOTAL_OF.match(label):
            self._own_total = False
            return
        if label.casefold().startswith("grand"):
            self._sections.clear()
            return
        summed = _words(_TOTAL_OF.sub("", label))
        own = next((i for i in reversed(range(len(self._sections))) if self._sums(summed, i)), None)
        if own is not None:
            del self._sections[own + 1 :]
            self._own_total = True
        elif self._own_total and self._sections:
            self._sections.pop()

    def _end_at_year(self, labels: list[str]) -> None:
        """Close a year without figures where a row prints its own: it is no heading of other years' months."""
        when = next(filter(None, map(year_month, labels)), None)
        if when is not None and when.year is not None:
            years = [i for i, one in enumerate(self._sections) if one.label == str(one.year)]
            del self._sections[years[0] if years else len(self._sections) :]

    def _sums(self, summed: set[str], section: int) -> bool:
        return bool(summed) and summed <= _words(self._sections[section].label)

    def _close(self, row: tuple[Cell, ...]) -> None:
        left = _left(row, self._label_columns)
        if self._after_section:
            heading = self._sections[-1].left
            self._indented = left is not None and heading is not None and left > heading + _INDENT
        elif self._indented and left is not None:
            while self._sections and _not_right_of(left, self._sections[-1].left):
                self._sections.pop()
        self._after_section = False

    def _parents(self, labels: list[str], nested: Sequence[_Section]) -> tuple[str, ...]:
        """The open headings and the rows that a row is `nested` under, in their order."""
        parents = [section for section in self._sections if section.label != labels[0]] + [*nested]
        return tuple(one.label for one in sorted(parents, key=lambda one: one.row))

    def _nested(self, row: tuple[Cell, ...], labels: list[str]) -> list[_Section]:
        """The rows with numbers that a row stands further in than."""
        left, label = _left(row, self._label_columns), labels[0]
        if not self._nests or left is None or not label:
            return []
        when = year_month(label)
        if when is not None and (when.month is not None or when.month_text):
            # Months stand further in than the year that is printed before the first of them.
            return []
        deepest = self._above[-1].left if self._above else None
        parents = [one for one in self._above if one.left is not None and left > one.left + _INDENT]
        data = [value_of(cell.text).kind for cell in row[self._label_columns :]]
        if label.endswith(":") and all(kind in (ValueKind.NIL, ValueKind.BLANK) for kind in data):
            # A heading with dashes for figures: what follows may stand as far left as it does.
            self._above = [_Section(label, left - 2 * _INDENT, None, self._row)]
            return []
        if _TOTAL.match(label) and deepest is not None and left > deepest + _INDENT:
            parents = []
        self._above = [*parents, _Section(label, left, None, self._row)]
        return parents

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
        if self._month is None or when.month is None or self._year is None or not self._year_is_printed_with_months:
            return
        if self._downwards and when.month > self._month:
            self._year -= 1
        elif not self._downwards and when.month < self._month:
            self._year += 1


def _months_go_back(table: Table) -> bool:
    """Whether the rows go from the latest month to the earliest: that way from row to row is the shorter one."""
    told = (year_month(cell.text) for row in table.rows for cell in row[: table.label_columns] if cell.text)
    months = [when.month for when in told if when is not None and when.month is not None]
    return sum((a - b) % 12 for a, b in pairwise(months)) < sum((b - a) % 12 for a, b in pairwise(months))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+", text.casefold()))


def _is_second_line(above: str, label: str) -> bool:
    """Whether a heading goes on in the next row: `Latin America` / `and Caribbean:`."""
    return not above.endswith(":") and (label[:1].islower() or _UNFINISHED.search(above) is not None)


def _right_edge(table: Table) -> float:
    """The right edge past which a label fills its column; infinite without boxes."""
    cells = [row[0] for row in table.rows[table.header_rows :] if row and row[0].text.strip()]
    boxes = [cell.box for cell in cells if cell.box is not None]
    if table.label_columns != 1 or len(boxes) < len(cells) or not boxes:
        return math.inf
    left, right = min(box.x0 for box in boxes), max(box.x1 for box in boxes)
    return right - (right - left) * _NEARLY_FULL


def _levels_are_clear(table: Table) -> bool:
    """Whether a few levels of indentation can be told: labels of the page's own characters, set flush left."""
    cells = [row[0] for row in table.rows[table.header_rows :] if row and row[0].text.strip()]
    boxes = [cell.box for cell in cells if cell.box is not None]
    if table.label_columns != 1 or len(boxes) < len(cells) or any(cell.reader_confidence < 1 for cell in cells):
        return False
    lefts = sorted(box.x0 for box in boxes)
    levels = 1 + sum(b - a > _INDENT for a, b in pairwise(lefts))
    flush_right = len(boxes) > 2 and max(box.x1 for box in boxes) - min(box.x1 for box in boxes) <= _INDENT
    return 1 < levels <= min(_MOST_LEVELS, len(boxes) // 2) and not flush_right


def _left(row: tuple[Cell, ...], label_columns: int) -> float | None:
    return next((c.box.x0 for c in row[:label_columns] if c.text.strip() and c.box is not None), None)


def _left_of(left: float | None, other: float | None) -> bool:
    return left is not None and other is not None and left < other - _INDENT


def _not_right_of(left: float | None, other: float | None) -> bool:
    return left is not None and other is not None and left <= other + _INDENT
