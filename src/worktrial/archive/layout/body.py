"""The rows of a table's body: lines to rows, phrases to cells, labels of several lines joined."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from worktrial.archive.geometry import Box
from worktrial.archive.layout.columns import Column, column_of
from worktrial.archive.layout.lines import Line, Phrase, around
from worktrial.archive.layout.tokens import joined

_WRAP_GAP = 1.9  # font sizes between the lines of one label


@dataclass(slots=True)
class Row:
    """Phrases of one row by column."""

    cells: list[list[Phrase]]
    line: Line
    led: bool = False
    """Whether leader dots follow its label."""
    label: list[str] = field(default_factory=list)
    """Lines of its label, where there are several."""

    def only_label(self, labels: int) -> bool:
        """Whether it has no figures."""
        return not any(self.cells[labels:])

    def text(self, column: int) -> str:
        """Of one cell."""
        if column == 0 and self.label:
            return joined(self.label)
        return " ".join(phrase.text for phrase in self.cells[column])

    def box(self, column: int) -> Box | None:
        """Of one cell's content."""
        return around(phrase.box for phrase in self.cells[column]) if self.cells[column] else None


def body_rows(lines: Sequence[Line], columns: Sequence[Column], labels: int) -> list[Row]:
    """Rows in order.

    Args:
        lines: of the body.
        columns: label columns first.
        labels: how many of them hold labels.
    """
    rows = [_row(line, columns, labels) for line in lines if line.phrases]
    return _wrapped_joined(rows, labels)


def _row(line: Line, columns: Sequence[Column], labels: int) -> Row:
    cells: list[list[Phrase]] = [[] for _ in columns]
    alone = not any(phrase.figure for phrase in line.phrases) and len(line.phrases) == 1
    for phrase in line.phrases:
        # A heading inside the body stands wherever there is room; it is the label of what follows.
        cells[0 if alone and labels else column_of(phrase, columns)].append(phrase)
    return Row(cells, line, bool(line.leaders))


def _wrapped_joined(rows: list[Row], labels: int) -> list[Row]:
    if not labels:
        return rows
    right = max(
        (row.cells[0][-1].box.x1 for row in rows if row.cells[0] and not row.only_label(labels)), default=0.0
    )
    done: list[Row] = []
    for row in rows:
        above = done[-1] if done else None
        if above is None or not row.cells[0] or not above.cells[0] or not _near(above, row):
            done.append(row)
        elif above.only_label(labels) and not above.led and _runs_on(above, row, right):
            row.label = [*(above.label or [above.text(0)]), row.text(0)]
            row.cells[0] = above.cells[0] + row.cells[0]
            done[-1] = row
        elif row.only_label(labels) and not row.led and not above.led and _hangs(above, row):
            above.label = [*(above.label or [above.text(0)]), row.text(0)]
            above.cells[0] = above.cells[0] + row.cells[0]
        else:
            done.append(row)
    return done


def _near(above: Row, below: Row) -> bool:
    return below.line.middle - above.line.middle < _WRAP_GAP * max(above.line.size, below.line.size)


def _runs_on(above: Row, below: Row, right: float) -> bool:
    """Whether the label goes on in the next line: only because there was no room for its next word."""
    text = above.text(0)
    if text.rstrip().endswith((":", ".", "—")):
        return False
    first = below.cells[0][0].words[0]
    if first.text[:1].islower():
        return True
    room = right - above.cells[0][-1].box.x1
    return text.endswith("-") or first.box.width + 0.3 * above.line.size > room


def _hangs(above: Row, below: Row) -> bool:
    """Whether a line without figures goes on with the label of the row above."""
    first = below.cells[0][0]
    return first.text[:1].islower() and first.box.x0 >= above.cells[0][0].box.x0 - 1
