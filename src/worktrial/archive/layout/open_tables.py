"""Tables without a full grid of lines: figures in columns under headings."""

from collections.abc import Sequence
from dataclasses import dataclass

from worktrial.archive.geometry import Box
from worktrial.archive.layout.body import body_rows
from worktrial.archive.layout.captions import caption_above, is_note, is_unit, notes_below
from worktrial.archive.layout.columns import Column, find_columns
from worktrial.archive.layout.draft import Draft, DraftCell
from worktrial.archive.layout.headings import header_grid
from worktrial.archive.layout.lines import Line, around
from worktrial.archive.layout.regions import TITLE, Body, find_bodies

# In font sizes.
_HEADER_NEAR = 4.5  # from the body to the lowest heading
_HEADER_STEP = 2.6  # between lines of the header
_TALLEST_HEADER = 16  # lines
_FULL = 0.85  # of the table's width


@dataclass(slots=True)
class _Frame:
    left: float
    right: float


def find_open_tables(lines: Sequence[Line], levels: Sequence[Box], uprights: Sequence[Box]) -> list[Draft]:
    """Tables from top to bottom.

    Args:
        lines: of the page, with those of other tables taken out.
        levels: horizontal rules.
        uprights: vertical rules.
    """
    bodies = find_bodies(lines, levels)
    drafts: list[Draft] = []
    used = 0
    for position, body in enumerate(bodies):
        end = bodies[position + 1].first if position + 1 < len(bodies) else len(lines)
        draft = _table(lines, body, used, end, levels, uprights)
        if draft is not None:
            if not draft.title and drafts:
                _inherit(draft, drafts[-1])
            drafts.append(draft)
            used = body.last + 1
    return drafts


def _inherit(draft: Draft, above: Draft) -> None:
    """A part of a table further down the page has the title of the part above it."""
    draft.title = above.title
    draft.unit = draft.unit or above.unit


def _table(
    lines: Sequence[Line], body: Body, lowest: int, end: int, levels: Sequence[Box], uprights: Sequence[Box]
) -> Draft | None:
    inner = body.lines(lines)
    size = sorted(line.size for line in inner)[len(inner) // 2]
    top, bottom = inner[0].middle - size / 2, inner[-1].middle + size / 2
    walls = [wall for wall in uprights if min(wall.y1, bottom) - max(wall.y0, top) > 0.6 * (bottom - top)]
    columns = find_columns(inner, size, walls)
    if len(columns) < 2:
        return None
    labels, columns = _labels(inner, columns)
    frame = _Frame(columns[0].x0, columns[-1].x1)
    first = _header_start(lines, body, lowest, frame, levels)
    zone = list(lines[first : body.first])
    zone_top = zone[0].box.y0 if zone else top
    spans = [
        rule for rule in levels if zone_top - size < rule.y0 < top + 0.3 * size and not _is_full(rule, levels, frame)
    ]
    head = header_grid(zone, columns, spans)
    title, unit, _ = caption_above(lines, first, lowest)
    rows = body_rows(inner, columns, labels)
    cells = [
        [DraftCell(row.text(k), row.box(k), _confidence(row.cells[k])) for k in range(len(columns))] for row in rows
    ]
    grid = [[DraftCell(text) for text in row] for row in head] + cells
    box = around([line.box for line in inner] + [line.box for line in zone])
    notes = notes_below(lines, body.last, end)
    return Draft(box, grid, len(head), labels, title, unit, notes)


def _confidence(phrases: Sequence[object]) -> float:
    sure = 1.0
    for phrase in phrases:
        for word in phrase.words:  # type: ignore[attr-defined]
            sure = min(sure, word.confidence)
    return sure


def _labels(lines: Sequence[Line], columns: list[Column]) -> tuple[int, list[Column]]:
    """How many columns hold labels. Ragged text columns at the left are one."""
    kinds = []
    for column in columns:
        inside = [
            phrase
            for line in lines
            for phrase in line.phrases
            if column.left <= phrase.middle < column.right and (phrase.figure or len(line.phrases) > 1 or line.leaders)
        ]
        kinds.append((len(inside), sum(phrase.figure for phrase in inside)))
    texts = 0
    while texts < len(columns) - 1 and kinds[texts][1] * 2 < kinds[texts][0]:
        texts += 1
    if texts == 0:
        # Years and other figures may be labels too: the first column is one when something stands over it or not.
        return 1, columns
    data = len([line for line in lines if line.phrases])
    kept = [columns[0]]
    for k in range(1, texts):
        if kinds[k][0] >= 0.5 * data and kinds[k - 1][0] >= 0.3 * data:
            kept.append(columns[k])
        else:
            last = kept[-1]
            kept[-1] = Column(last.x0, columns[k].x1, last.left, columns[k].right)
    return len(kept), kept + columns[texts:]


def _is_full(rule: Box, levels: Sequence[Box], frame: _Frame) -> bool:
    """Whether a rule, with its neighbours at the same height, crosses the whole table, labels included."""
    pieces = [other for other in levels if abs(other.y0 - rule.y0) < 2.0]
    covered = sum(max(0.0, min(piece.x1, frame.right) - max(piece.x0, frame.left)) for piece in pieces)
    starts = min(piece.x0 for piece in pieces)
    return covered >= _FULL * (frame.right - frame.left) and starts < frame.left + 0.1 * (frame.right - frame.left)


def _header_start(
    lines: Sequence[Line], body: Body, lowest: int, frame: _Frame, levels: Sequence[Box]
) -> int:
    """Index of the first header line."""
    first = body.first
    full = sorted({round(rule.y0, 1) for rule in levels if _is_full(rule, levels, frame)})
    for index in range(body.first - 1, max(lowest, body.first - _TALLEST_HEADER) - 1, -1):
        line, below = lines[index], lines[first]
        near = _HEADER_NEAR if first == body.first else _HEADER_STEP
        framed = [y for y in full if line.middle < y < below.middle]
        if first != body.first and framed:
            break
        if below.middle - line.middle > near * max(line.size, below.size):
            break
        text = line.text
        if TITLE.match(text) or is_note(text) or (is_unit(text) and len(line.phrases) == 1):
            break
        if any(len(phrase.words) > 14 for phrase in line.phrases):
            break
        if line.box.x1 < frame.left or line.box.x0 > frame.right:
            break
        first = index
    return first
