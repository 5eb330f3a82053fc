"""Tables whose every cell is framed by lines."""

from collections.abc import Sequence

from worktrial.archive.geometry import Box
from worktrial.archive.layout.draft import Draft, DraftCell
from worktrial.archive.layout.grids import Grid, Joined, find_grids
from worktrial.archive.layout.lines import Line, find_lines
from worktrial.archive.layout.tokens import has_letters, is_column_number, is_nothing, is_number, is_year, joined
from worktrial.archive.words import Word

_LEAST_FILLED = 0.3  # of the cells; frames of charts are emptier
_MOST_HEADER = 4  # rows; a table of texts that starts with more has one
_PROSE = 120  # words in one cell
_PACKED = 0.35  # of the rows; where more hold several lines of figures, the lines are no grid


def find_ruled_tables(words: Sequence[Word], levels: Sequence[Box], uprights: Sequence[Box]) -> list[Draft]:
    """Tables with a full grid, without captions."""
    drafts = []
    for grid in find_grids(levels, uprights):
        draft = _table(grid, words, uprights)
        if draft is not None:
            drafts.append(draft)
    return drafts


def _table(grid: Grid, words: Sequence[Word], uprights: Sequence[Box]) -> Draft | None:
    box = grid.box
    inside = [word for word in words if _within(word, box)]
    if not inside:
        return None
    contents = {cell: _lines_in(grid.box_of(cell), inside, uprights) for cell in grid.cells}
    filled = [cell for cell, lines in contents.items() if lines]
    if len(filled) < 4 or len(filled) < _LEAST_FILLED * len(grid.cells):
        return None
    if any(sum(len(line.words) for line in lines) > _PROSE for lines in contents.values()) or _packed(
        contents, grid
    ):
        return None
    rows = sorted({cell.row for cell in filled} | {cell.last_row for cell in filled})
    columns = sorted({cell.column for cell in filled})
    rows = [row for row in rows if any(cell.row <= row <= cell.last_row for cell in filled)]
    if len(columns) < 2 or len({cell.row for cell in filled}) < 2:
        return None
    rows = _without_slivers(rows, filled)
    table = [[DraftCell() for _ in columns] for _ in rows]
    for cell in filled:
        text = joined([line.text for line in contents[cell]])
        sure = min(word.confidence for line in contents[cell] for word in line.words)
        place = grid.box_of(cell)
        for r, row in enumerate(rows):
            for c, column in enumerate(columns):
                if cell.row <= row <= cell.last_row and cell.column <= column <= cell.last_column:
                    table[r][c] = DraftCell(text, place, sure)
    heads = _header_rows(table)
    return Draft(box, table, heads, _label_columns(table, heads))


def _within(word: Word, box: Box) -> bool:
    x, y = (word.box.x0 + word.box.x1) / 2, (word.box.y0 + word.box.y1) / 2
    return box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1


def _lines_in(place: Box, words: Sequence[Word], uprights: Sequence[Box]) -> list[Line]:
    inside = [
        word
        for word in words
        if place.x0 <= (word.box.x0 + word.box.x1) / 2 < place.x1
        and place.y0 <= (word.box.y0 + word.box.y1) / 2 < place.y1
    ]
    return find_lines(inside) if inside else []


def _packed(contents: dict[Joined, list[Line]], grid: Grid) -> bool:
    """Whether rows hold several lines of figures, or cells several figures side by side: the grid is too coarse."""
    rows: dict[int, int] = {}
    several = 0
    for cell, lines in contents.items():
        numeric = [line for line in lines if line.figures and not has_letters(line.text)]
        rows[cell.row] = max(rows.get(cell.row, 0), len(numeric))
        several += sum(len(line.figures) > 1 for line in lines)
    crowded = sum(count >= 2 for count in rows.values())
    lines_of_figures = sum(rows.values())
    return (
        crowded > _PACKED * len(rows) or several > 0.2 * max(len(rows), lines_of_figures) or max(rows.values()) >= 5
    )


def _without_slivers(rows: list[int], filled: list[Joined]) -> list[int]:
    """Rows in which no cell begins or ends alone are the inside of joined cells: they tell nothing."""
    starts = {cell.row for cell in filled}
    return [row for row in rows if row in starts]


def _is_figure(text: str) -> bool:
    return is_number(text) or is_nothing(text) or (any(map(str.isdigit, text)) and not has_letters(text))


def _header_rows(table: list[list[DraftCell]]) -> int:
    """Rows before the first one that holds figures; years and column numbers may stand in a heading."""
    for r, row in enumerate(table):
        texts = [cell.text for cell in row[1:] if cell.text]
        figures = [
            text
            for text in texts
            if _is_figure(text) and not is_column_number(text) and not (is_year(text) and r < 3)
        ]
        if figures and len(figures) * 2 >= len(texts):
            return r if r <= max(_MOST_HEADER, len(table) // 3) else 1
    return 1


def _label_columns(table: list[list[DraftCell]], heads: int) -> int:
    body = table[heads:]
    count = 0
    for c in range(len(table[0]) - 1):
        texts = [row[c].text for row in body if row[c].text]
        if sum(map(_is_figure, texts)) * 2 >= max(1, len(texts)):
            break
        count += 1
    return max(1, count)
