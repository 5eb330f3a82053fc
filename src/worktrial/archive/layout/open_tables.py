"""Tables without a full grid of lines: figures in columns under headings."""

from collections.abc import Sequence
from dataclasses import dataclass

from worktrial.archive.layout.body import BodyColumn, by_column, find_columns
from worktrial.archive.layout.charts import is_chart
from worktrial.archive.layout.draft import TITLE, Draft, DraftCell, caption_above, is_note, is_unit, notes_below
from worktrial.archive.layout.headings import header_grid
from worktrial.archive.layout.lines import TextLine, around
from worktrial.archive.layout.regions import Body, find_bodies, is_contents, is_heading_like
from worktrial.archive.layout.rows import body_rows, is_lowered, text_column_of, text_columns
from worktrial.archive.layout.tokens import is_lone_month, is_mark, is_month, is_year
from worktrial.archive.pages import Box

# In font sizes.
_HEADER_NEAR = 4.5  # from the body to the lowest heading
_HEADER_FRAMED = 8.0  # the same where a rule across the table stands between them
_HEADER_STEP = 2.6  # between lines of the header
_TALLEST_HEADER = 16  # lines
_FIRST_LABELS = 4  # lines
_CAPTION = 0.15  # of the table's width; shorter lines are headings
_TEXT_STEP = 1.6  # font sizes between the lines of a cell
_RULED = 0.7  # of the gaps between rows
_SPECKS = 0.15  # of the rows
_STROKES = frozenset({"1", "|", "l", "I", "i", "!", "/", ".", ",", "'", "-", "—", "_"})
_NAMED = 0.8  # of the rows
_FEW = 6  # labels
_FULL = 0.78  # of the table's width
_PROSE_LETTERS = 24
_PROSE_REACH = 0.65  # of the table's width
_LARGER = 1.3  # the font of a page's heading over that of a table
_SHARED = 0.5  # of the narrower column's width
_AS_WIDE = 0.7  # of the wider of two tables


@dataclass(slots=True)
class _Frame:
    left: float
    right: float
    labels: float
    """Right edge of the first column's content, in points."""


def find_open_tables(lines: Sequence[TextLine], levels: Sequence[Box], uprights: Sequence[Box]) -> list[Draft]:
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
            if drafts:
                _inherit(draft, drafts[-1])
            drafts.append(draft)
            used = body.last + 1
    return [draft for draft in drafts if not is_chart(draft) and not is_contents(draft)]


def _inherit(draft: Draft, above: Draft) -> None:
    """Give a part of a table further down the page the title of the part above, and its headings where it has none.

    It is one where each of its columns stands under one of that part, or where it is as wide and has headings.
    """
    under = _columns_under(draft, above)
    shared = min(draft.box.x1, above.box.x1) - max(draft.box.x0, above.box.x0)
    wide = shared > _AS_WIDE * max(draft.box.width, above.box.width) and draft.header_rows > 0
    if not draft.title and (wide or under is not None):
        draft.title, draft.unit = above.title, draft.unit or above.unit
    if under is None:
        return
    own = {cell.text for row in draft.grid[: draft.header_rows] for cell in row[draft.label_columns :]}
    several = len(under) - draft.label_columns > 1
    # One text over all figures is the name of the part.
    if above.header_rows and (not any(own) or (several and len(own) == 1)):
        draft.grid[:0] = [[row[k] for k in under] for row in above.grid[: above.header_rows]]
        draft.header_rows += above.header_rows


def _columns_under(draft: Draft, above: Draft) -> list[int] | None:
    """Columns of another table that stand over those of a table, in order; None where one has none."""
    places, under = _extents(above), [-1]
    for k, (x0, x1) in enumerate(_extents(draft)):
        shared = [min(x1, right) - max(x0, left) for left, right in places]
        best = max(range(len(places)), key=lambda c: shared[c])
        kind = (k < draft.label_columns) == (best < above.label_columns)
        if (
            best <= under[-1]
            or not kind
            or shared[best] < _SHARED * min(x1 - x0, places[best][1] - places[best][0])
        ):
            return None
        under.append(best)
    return under[1:]


def _extents(draft: Draft) -> list[tuple[float, float]]:
    """Left and right end of each column of the body."""
    found = []
    for column in zip(*draft.grid[draft.header_rows :], strict=True):
        boxes = [cell.box for cell in column if cell.box is not None]
        found.append((min(box.x0 for box in boxes), max(box.x1 for box in boxes)) if boxes else (0.0, -1.0))
    return found


def _table(
    lines: Sequence[TextLine], body: Body, lowest: int, end: int, levels: Sequence[Box], uprights: Sequence[Box]
) -> Draft | None:
    inner = body.lines(lines)
    size = sorted(line.size for line in inner)[len(inner) // 2]
    top, bottom = inner[0].middle - size / 2, inner[-1].middle + size / 2
    walls = [wall for wall in uprights if min(wall.y1, bottom) - max(wall.y0, top) > 0.6 * (bottom - top)]
    columns = find_columns(inner, size, walls)
    if _without_specks(inner, columns):
        columns = find_columns(inner, size, walls)
    if len(columns) < 2:
        return None
    labels, columns = _labels(inner, columns)
    frame = _Frame(columns[0].x0, columns[-1].x1, columns[0].x1)
    full = sorted({round(rule.y0, 1) for rule in levels if _is_full(rule, levels, frame)})
    body = _with_last_texts(lines, body, end, columns)
    body = _with_first_label(lines, body, lowest, columns[0], full)
    inner = body.lines(lines)
    top = inner[0].middle - size / 2
    ruled = sum(top < y < bottom for y in full) >= _RULED * (len(inner) - 1)
    first = _header_start(lines, body, lowest, frame, full, size, ruled=ruled)
    first = _below_captions(lines, first, body.first, columns[labels:], frame, levels)
    zone = list(lines[first : body.first])
    zone_top = zone[0].box.y0 if zone else top
    spans = [
        rule
        for rule in levels
        if zone_top - size < rule.y0 < top + 0.3 * size and not _is_full(rule, levels, frame)
    ]
    sides = [wall for wall in uprights if wall.y0 < top and wall.y1 > zone_top]
    head = header_grid(zone, columns, spans, labels, sides)
    title, unit, _ = caption_above(lines, first, lowest)
    rows = body_rows(inner, columns, labels)
    cells = [
        [
            DraftCell.of(row.text(k), row.box(k), [word for phrase in row.cells[k] for word in phrase.words])
            for k in range(len(columns))
        ]
        for row in rows
    ]
    grid = [*head, *cells]
    box = around([line.box for line in inner] + [line.box for line in zone])
    notes = notes_below(lines, body.last, end)
    return Draft(box, grid, len(head), labels, title, unit, notes)


def _below_captions(
    lines: Sequence[TextLine],
    first: int,
    end: int,
    data: Sequence[BodyColumn],
    frame: _Frame,
    levels: Sequence[Box],
) -> int:
    """Leave titles and units to the caption: they are centred over the labels too, headings over figures only."""
    whole = (frame.left + frame.right) / 2
    figures = (data[0].x0 + data[-1].x1) / 2
    if first and is_unit(lines[first - 1].text):
        return first  # a unit ends the caption: what stands below it are headings
    while first < end - 1:
        line = lines[first]
        middle = (line.box.x0 + line.box.x1) / 2
        below = lines[first + 1].middle
        under = any(line.middle < rule.y0 < below and rule.x0 - 2 <= middle <= rule.x1 + 2 for rule in levels)
        one = len(line.phrases) == 1 and len(data) > 1 and line.box.width > _CAPTION * (frame.right - frame.left)
        if not one or under or abs(middle - whole) >= abs(middle - figures):
            break
        first += 1
    return first


def _without_specks(lines: Sequence[TextLine], columns: Sequence[BodyColumn]) -> bool:
    """Take out what recognition makes of pieces of vertical lines: columns with a single stroke here and there.

    Returns:
        Whether there were any.
    """
    specks: list[int] = []
    for phrases in by_column(lines, columns)[1:]:
        inside = [phrase for phrase, _ in phrases]
        if (
            len(inside) <= max(1.0, _SPECKS * len(lines))
            and all(phrase.text in _STROKES for phrase in inside)
            and any(word.confidence < 1.0 for phrase in inside for word in phrase.words)
        ):
            specks += [id(phrase) for phrase in inside]
    for line in lines if specks else ():
        kept = [phrase for phrase in line.phrases if id(phrase) not in specks]
        if len(kept) < len(line.phrases):
            line.keep(kept)
    return bool(specks)


def _labels(lines: Sequence[TextLine], columns: list[BodyColumn]) -> tuple[int, list[BodyColumn]]:
    """Number of columns that hold labels, and the columns with ragged text at the left made one."""
    columns = _without_marks(lines, columns)
    kinds = []
    for phrases in by_column(lines, columns):
        inside = [phrase for phrase, line in phrases if phrase.figure or len(line.phrases) > 1 or line.leaders]
        kinds.append((len(inside), sum(phrase.figure for phrase in inside)))
    texts = 0
    while texts < len(columns) - 1 and kinds[texts][1] * 2 < kinds[texts][0]:
        if texts and _dates(lines, columns[texts]):
            break
        texts += 1
    if texts == 0:
        # Years and other figures may be labels too: the first column is one when something stands over it or not.
        return (2 if len(columns) > 2 and _years_and_months(lines, columns) else 1), columns
    data = len([line for line in lines if line.phrases])
    kept = [columns[0]]
    for k in range(1, texts):
        if kinds[k][0] >= 0.5 * data and kinds[k - 1][0] >= 0.3 * data:
            kept.append(columns[k])
        else:
            last = kept[-1]
            kept[-1] = BodyColumn(last.x0, columns[k].x1, last.left, columns[k].right)
    return len(kept), kept + columns[texts:]


def _without_marks(lines: Sequence[TextLine], columns: list[BodyColumn]) -> list[BodyColumn]:
    """Join to the labels what holds nothing but the mark of a note under the table, apart from its text."""
    first, second = by_column(lines, columns)[:2]
    marks = [phrase.text for phrase, line in first if phrase.figure or len(line.phrases) > 1]
    texts = sum(not phrase.figure for phrase, _ in second)
    if len(columns) > 2 and len(marks) == 1 and is_mark(marks[0]) and texts * 2 > max(len(second), _FEW):
        label, beside = columns[:2]
        return [BodyColumn(label.x0, beside.x1, label.left, beside.right), *columns[2:]]
    return columns


def _years_and_months(lines: Sequence[TextLine], columns: Sequence[BodyColumn]) -> bool:
    """Whether the first column holds years, and the second nothing but months of them: dates in two parts."""
    years, months = by_column(lines, columns)[:2]
    told = [phrase for phrase, _ in months]
    return (
        bool(years)
        and all(is_year(phrase.text) for phrase, _ in years)
        and len(told) > 2
        and all(is_lone_month(phrase.text) for phrase in told)
    )


def _dates(lines: Sequence[TextLine], column: BodyColumn) -> bool:
    """Whether a column tells months of what the labels left of it name, one by one.

    Where such labels repeat or are left out, the months are labels too.
    """
    dated = filled = 0
    named: list[str] = []
    for line in lines:
        here = [phrase for phrase in line.phrases if column.left <= phrase.middle < column.right]
        filled += bool(here)
        if here and is_month(" ".join(phrase.text for phrase in here)):
            dated += 1
            label = " ".join(phrase.text for phrase in line.phrases if phrase.middle < column.left)
            named += [label] if label else []
    return dated * 2 > filled and len(set(named)) >= _NAMED * dated


def _is_full(rule: Box, levels: Sequence[Box], frame: _Frame) -> bool:
    """Whether a rule, with its neighbours at the same height, crosses the whole table, labels included."""
    pieces = [other for other in levels if abs(other.y0 - rule.y0) < 2.0]
    covered = sum(max(0.0, min(piece.x1, frame.right) - max(piece.x0, frame.left)) for piece in pieces)
    starts = min(piece.x0 for piece in pieces)
    return covered >= _FULL * (frame.right - frame.left) and starts < frame.labels


def _runs_across(line: TextLine, frame: _Frame) -> bool:
    """Whether a line is prose: one text from the labels' edge on, over more columns than a heading spans."""
    width = frame.right - frame.left
    letters = sum(map(str.isalpha, line.text))
    return (
        len(line.phrases) == 1
        and letters >= _PROSE_LETTERS
        and line.box.x0 < frame.left + line.size
        and line.box.x1 > frame.left + _PROSE_REACH * width
    )


def _with_first_label(
    lines: Sequence[TextLine], body: Body, lowest: int, labels: BodyColumn, full: Sequence[float]
) -> Body:
    """A label without figures over the first row ("Receipts:") belongs to the body.

    It does where the rule under the headings stands above it, where it ends with a colon, or where it is a year.
    """
    start = body.first
    for index in range(body.first - 1, max(lowest, body.first - _FIRST_LABELS) - 1, -1):
        line, below = lines[index], lines[index + 1]
        # Tables set side by side begin with a label each: none over figures.
        headings = len(line.phrases) != 1 and any(
            one.box.x0 < figure.box.x1 and figure.box.x0 < one.box.x1
            for one in line.phrases
            for figure in lines[body.first].figures
        )
        if (
            headings
            or not line.phrases
            or TITLE.match(line.text)
            or is_unit(line.text)
            or line.text.startswith("[")
        ):
            break
        if below.middle - line.middle > _HEADER_FRAMED * line.size:
            break
        above = lines[index - 1] if index > lowest else None
        if above is not None and any(above.middle < y < line.middle for y in full) and _is_header_line(above):
            start = index
            break
        if len(line.phrases) > 1:
            continue
        label = line.phrases[0]
        at_labels = label.box.x0 < labels.x0 + 2 * line.size and label.box.x0 < labels.right
        if at_labels and (label.text.endswith(":") or is_year(label.text)):
            start = index
        elif label.figure:
            break
    return Body(start, body.last)


def _with_last_texts(lines: Sequence[TextLine], body: Body, end: int, columns: Sequence[BodyColumn]) -> Body:
    """Lines below the last row that go on with a text or the label in it belong to the body."""
    texts = text_columns(body.lines(lines), columns)
    last = body.last
    while (
        texts
        and last + 1 < end
        and text_column_of(lines[last + 1], columns, texts) is not None
        and lines[last + 1].middle - lines[last].middle < _TEXT_STEP * lines[last].size
    ):
        last += 1
    if last + 1 < end and is_lowered(lines[last + 1], lines[last]):
        last += 1
    return Body(body.first, last)


def _is_header_line(line: TextLine) -> bool:
    return len(line.phrases) >= 2 or is_heading_like(line)


def _header_start(
    lines: Sequence[TextLine],
    body: Body,
    lowest: int,
    frame: _Frame,
    full: Sequence[float],
    size: float,
    *,
    ruled: bool,
) -> int:
    """Index of the first header line; where rules part all rows, headings may stand above one."""
    first = body.first
    titles = [k for k in range(lowest, body.first) if TITLE.match(lines[k].text)]
    nearest = lines[titles[-1]].middle if titles else 0.0
    for index in range(body.first - 1, max(lowest, body.first - _TALLEST_HEADER) - 1, -1):
        line, below = lines[index], lines[first]
        text = line.text
        if not any(map(str.isalnum, text)):
            continue
        between = [y for y in full if line.middle < y < below.middle]
        if first == body.first:
            near = _HEADER_FRAMED if between else _HEADER_NEAR
        elif between and not (
            ruled and any(line.middle - _HEADER_STEP * line.size < y < line.middle for y in full)
        ):
            break
        else:
            # A rule across the whole table further up frames the header: within it, lines may stand apart.
            framed = any(max(nearest, line.middle - 12 * line.size) < y < line.middle for y in full)
            near = _HEADER_NEAR if framed else _HEADER_STEP
        if below.middle - line.middle > near * max(line.size, below.size):
            break
        # A speck before a heading looks like a note's mark; a note is no row of headings.
        alone = len(line.phrases) == 1 and (is_note(text) or is_unit(text))
        if TITLE.match(text) or alone or text.startswith("["):
            break
        if any(len(phrase.words) > 14 for phrase in line.phrases) or _runs_across(line, frame):
            break
        if line.size > _LARGER * size:
            break
        if line.box.x1 < frame.left or line.box.x0 > frame.right:
            break
        first = index
    return first
