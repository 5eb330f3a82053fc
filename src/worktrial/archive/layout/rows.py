"""Rows of a table's body: lines to rows, phrases to cells, and labels of several lines made one."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from worktrial.archive.layout.body import BodyColumn, by_column, column_of
from worktrial.archive.layout.lines import Phrase, TextLine, around
from worktrial.archive.layout.tokens import joined
from worktrial.archive.pages import Box

# In font sizes.
_EDGE = 0.5  # within which lines begin under each other
_WRAP_GAP = 1.9  # between the lines of one label
_LOWERED = 0.8  # by which a label or its last line may stand below its figures; rows stand further apart
_RAISED = 1.6  # by which a label may stand above its figures, where they have no other

_LEAST_TEXTS = 2
_NEARER = 1.25  # times the distance to the row below, for a line that goes on with a text of the row above


@dataclass(slots=True)
class BodyRow:
    """Phrases of one row by column."""

    cells: list[list[Phrase]]
    line: TextLine
    led: bool = False
    """Whether leader dots follow its label."""
    label: list[str] = field(default_factory=list)
    """Lines of its label, where there are several."""

    def only_label(self, labels: int) -> bool:
        """Whether it has no figures."""
        return not any(self.cells[labels:])

    def is_speck(self, labels: int) -> bool:
        """Whether it is nothing but one recognised sign where labels stand: no label of the rows below."""
        words = [word for cell in self.cells for phrase in cell for word in phrase.words]
        alone = len(words) == 1 and len(words[0].text) == 1 and words[0].confidence < 1.0
        return alone and self.only_label(labels)

    def text(self, column: int) -> str:
        """Text of one cell."""
        if column == 0 and self.label:
            return joined(self.label)
        return " ".join(phrase.text for phrase in self.cells[column])

    def box(self, column: int) -> Box | None:
        """Box around one cell's content; None where it is empty."""
        return around(phrase.box for phrase in self.cells[column]) if self.cells[column] else None


def body_rows(lines: Sequence[TextLine], columns: Sequence[BodyColumn], labels: int) -> list[BodyRow]:
    """Rows in order.

    Args:
        lines: of the body.
        columns: label columns first.
        labels: how many of them hold labels.
    """
    texts = text_columns(lines, columns)
    rows = [_row(line, columns, labels, texts) for line in lines if line.phrases]
    rows = _lowered_joined([row for row in rows if not row.is_speck(labels)], labels)
    return _wrapped_joined(_cells_joined(rows, texts), labels)


def text_columns(lines: Sequence[TextLine], columns: Sequence[BodyColumn]) -> list[int]:
    """Columns after the first that hold texts, such as remarks, which may run over several lines."""
    inside = by_column([line for line in lines if len(line.phrases) > 1], columns)
    return [
        k
        for k, phrases in enumerate(inside)
        if k
        and len(phrases) >= _LEAST_TEXTS
        and sum(not phrase.figure and len(phrase.words) > 1 for phrase, _ in phrases) * 2 > len(phrases)
    ]


def text_column_of(line: TextLine, columns: Sequence[BodyColumn], texts: Sequence[int]) -> int | None:
    """The column of texts that a line goes on with: nothing else stands in it; None where it is another line."""
    if len(line.phrases) != 1 or line.phrases[0].figure:
        return None
    x0 = line.phrases[0].box.x0
    return next((k for k in texts if abs(columns[k].x0 - x0) < _EDGE * line.size), None)


def _row(line: TextLine, columns: Sequence[BodyColumn], labels: int, texts: Sequence[int]) -> BodyRow:
    cells: list[list[Phrase]] = [[] for _ in columns]
    alone = not any(phrase.figure for phrase in line.phrases) and len(line.phrases) == 1
    own = text_column_of(line, columns, texts)
    for phrase in line.phrases:
        # A heading inside the body stands wherever there is room; it is the label of what follows.
        place = own if own is not None else 0 if alone and labels else column_of(phrase, columns)
        cells[place].append(phrase)
    return BodyRow(cells, line, bool(line.leaders))


def is_lowered(line: TextLine, above: TextLine) -> bool:
    """Whether a line ends a label whose figures stand less than a row above it: its dots lead to no others."""
    return bool(
        line.leaders
        and len(line.phrases) == 1
        and not line.figures
        and above.figures
        and not above.leaders
        and line.middle - above.middle < _LOWERED * line.size
    )


def _lowered_joined(rows: list[BodyRow], labels: int) -> list[BodyRow]:
    """Labels in one or two lines go to the figures that stand at the height of neither."""
    done: list[BodyRow] = []
    for row in rows:
        above = done[-1] if done and labels else None
        if above is not None and _is_raised(above, row, labels):
            row.cells[0], row.label, row.led = above.cells[0], above.label, True
            done[-1] = row
            continue
        if above is None or not row.cells[0] or not is_lowered(row.line, above.line):
            done.append(row)
            continue
        if len(done) > 1 and not above.cells[0] and _goes_on(done[-2], above, labels):
            above.cells[0] = done[-2].cells[0]
            del done[-2]
        above.label = [*([above.text(0)] if above.cells[0] else []), row.text(0)]
        above.cells[0] = above.cells[0] + row.cells[0]
        above.led = True
    return done


def _is_raised(label: BodyRow, row: BodyRow, labels: int) -> bool:
    """Whether a label whose dots lead to nothing is that of the figures right below it, which have none."""
    near = row.line.middle - label.line.middle < _RAISED * row.line.size
    return (
        near
        and label.led
        and label.only_label(labels)
        and not row.only_label(labels)
        and not any(row.cells[:labels])
    )


def _goes_on(row: BodyRow, figures: BodyRow, labels: int) -> bool:
    """Whether the figures less than a row below a label without any may be its own."""
    near = figures.line.middle - row.line.middle < _LOWERED * row.line.size
    return near and row.only_label(labels) and not row.led


def _cells_joined(rows: list[BodyRow], texts: Sequence[int]) -> list[BodyRow]:
    """Lines that hold nothing but more of a text go to the row above, or to that below where it is nearer."""
    if not texts:
        return rows
    done: list[BodyRow] = []
    waiting: list[BodyRow] = []
    lowest = 0.0  # of the lines of the last row
    for k, row in enumerate(rows):
        middle = row.line.middle
        # What ends with a colon is the heading of texts below it.
        if row.line.text.endswith(":") or any(cell for c, cell in enumerate(row.cells) if c not in texts):
            for other in waiting:
                _more(row, other, before=True)
            waiting = []
            done.append(row)
        else:
            below = next((r.line.middle for r in rows[k + 1 :]), 1e9)
            if done and not waiting and middle - lowest <= _NEARER * (below - middle):
                _more(done[-1], row, before=False)
            else:
                waiting.append(row)
        lowest = middle
    return done + waiting


def _more(row: BodyRow, other: BodyRow, *, before: bool) -> None:
    for c, cell in enumerate(other.cells):
        row.cells[c] = cell + row.cells[c] if before else row.cells[c] + cell


def _wrapped_joined(rows: list[BodyRow], labels: int) -> list[BodyRow]:
    if not labels:
        return rows
    right = max(
        (row.cells[0][-1].box.x1 for row in rows if row.cells[0] and not row.only_label(labels)), default=0.0
    )
    done: list[BodyRow] = []
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


def _near(above: BodyRow, below: BodyRow) -> bool:
    return below.line.middle - above.line.middle < _WRAP_GAP * max(above.line.size, below.line.size)


def _runs_on(above: BodyRow, below: BodyRow, right: float) -> bool:
    """Whether the label goes on in the next line: only because there was no room for its next word."""
    text = above.text(0)
    if text.rstrip().endswith((":", ".", "—")) or (_bold(above) and not _bold(below)):
        return False
    first = below.cells[0][0].words[0]
    if first.text[:1].islower():
        return True
    room = right - above.cells[0][-1].box.x1
    return text.endswith("-") or first.box.width + 0.3 * above.line.size > room


def _bold(row: BodyRow) -> bool:
    return all(word.bold for phrase in row.cells[0] for word in phrase.words)


def _hangs(above: BodyRow, below: BodyRow) -> bool:
    """Whether a line without figures goes on with the label of the row above."""
    first = below.cells[0][0]
    return first.text[:1].islower() and first.box.x0 >= above.cells[0][0].box.x0 - 1
