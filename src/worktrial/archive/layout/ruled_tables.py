"""Tables whose every cell is framed by lines."""

from collections.abc import Sequence
from dataclasses import dataclass

from worktrial.archive.layout.draft import Draft, DraftCell
from worktrial.archive.layout.lines import TextLine, around, find_lines
from worktrial.archive.layout.tokens import has_letters, is_column_number, is_nothing, is_number, is_year, joined
from worktrial.archive.pages import Box, Word

_TOUCH = 3.0  # points by which lines may miss each other
_SAME = 3.0  # points within which two lines are one
_COVERS = 0.6  # of a cell's side, for a line to be its edge
_MOST_LINES = 400  # in one direction; more are hatching

_LEAST_FILLED = 0.3  # of the cells; frames of charts are emptier
_MOST_HEADER = 4  # rows; a table of texts that starts with more has one
_PROSE = 120  # words in one cell
_LEVEL = 0.5  # font sizes within which lines of neighbouring cells are of one row
_PACKED = 0.35  # of the rows; where more hold several lines of figures, the lines are no grid


@dataclass(frozen=True, slots=True)
class JoinedCell:
    """A cell of a grid: rows and columns that it covers, both ends included."""

    row: int
    column: int
    last_row: int
    last_column: int


@dataclass(frozen=True, slots=True)
class Grid:
    """Edges of rows and columns, and the cells between them."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cells: tuple[JoinedCell, ...]

    @property
    def box(self) -> Box:
        """Around all."""
        return Box(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def box_of(self, cell: JoinedCell) -> Box:
        """Box of one cell, in points."""
        return Box(
            self.xs[cell.column], self.ys[cell.row], self.xs[cell.last_column + 1], self.ys[cell.last_row + 1]
        )


def find_grids(levels: Sequence[Box], uprights: Sequence[Box]) -> list[Grid]:
    """Grids with at least two columns or two rows that vertical lines run through."""
    if not uprights or len(levels) < 2 or max(len(levels), len(uprights)) > _MOST_LINES:
        return []
    groups = _connected(levels, uprights)
    grids = [_grid(flat, tall) for flat, tall in groups if flat and tall]
    return [grid for grid in grids if grid is not None]


def _connected(levels: Sequence[Box], uprights: Sequence[Box]) -> list[tuple[list[Box], list[Box]]]:
    parent = list(range(len(levels) + len(uprights)))

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    for i, flat in enumerate(levels):
        for j, tall in enumerate(uprights, len(levels)):
            if (
                flat.x0 - _TOUCH <= tall.x1
                and tall.x0 <= flat.x1 + _TOUCH
                and tall.y0 - _TOUCH <= flat.y1
                and flat.y0 <= tall.y1 + _TOUCH
            ):
                parent[root(i)] = root(j)
    groups: dict[int, tuple[list[Box], list[Box]]] = {}
    for k in range(len(parent)):
        flat_ones, tall_ones = groups.setdefault(root(k), ([], []))
        if k < len(levels):
            flat_ones.append(levels[k])
        else:
            tall_ones.append(uprights[k - len(levels)])
    return list(groups.values())


def _grid(levels: list[Box], uprights: list[Box]) -> Grid | None:
    whole = around([*levels, *uprights])
    xs = _positions([(box.x0 + box.x1) / 2 for box in uprights], whole.x0, whole.x1)
    ys = _positions([(box.y0 + box.y1) / 2 for box in levels], whole.y0, whole.y1)
    if len(xs) < 3 or len(ys) < 3:
        return None
    rows, columns = len(ys) - 1, len(xs) - 1
    # Which edges between neighbouring cells are drawn.
    right = [
        [_drawn(uprights, xs[c + 1], ys[r], ys[r + 1], upright=True) for c in range(columns)] for r in range(rows)
    ]
    below = [
        [_drawn(levels, ys[r + 1], xs[c], xs[c + 1], upright=False) for c in range(columns)] for r in range(rows)
    ]
    cells: list[JoinedCell] = []
    taken = [[False] * columns for _ in range(rows)]
    for r in range(rows):
        for c in range(columns):
            if taken[r][c]:
                continue
            last_c = c
            while last_c + 1 < columns and not right[r][last_c] and not taken[r][last_c + 1]:
                last_c += 1
            last_r = r
            while (
                last_r + 1 < rows
                and not any(below[last_r][c : last_c + 1])
                and not any(right[last_r + 1][c:last_c])
            ):
                last_r += 1
            for i in range(r, last_r + 1):
                for j in range(c, last_c + 1):
                    taken[i][j] = True
            cells.append(JoinedCell(r, c, last_r, last_c))
    return Grid(tuple(xs), tuple(ys), tuple(cells))


def _positions(found: list[float], low: float, high: float) -> list[float]:
    """Positions of lines, near ones as one; the ends of the crossing lines stand for an outer edge not drawn."""
    groups: list[list[float]] = []
    for position in sorted([*found, low, high]):
        if groups and position - groups[-1][-1] <= _SAME:
            groups[-1].append(position)
        else:
            groups.append([position])
    return [sum(group) / len(group) for group in groups]


def _drawn(rules: list[Box], place: float, start: float, end: float, *, upright: bool) -> bool:
    """Whether the rules at one place cover most of a cell's side."""
    along, across = (1, 0) if upright else (0, 1)
    covered = sum(
        max(0.0, min(box[along + 2], end) - max(box[along], start))
        for box in rules
        if abs((box[across] + box[across + 2]) / 2 - place) <= _SAME
    )
    return covered >= _COVERS * (end - start)


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
    inside = [word for word in words if box.holds(word.box)]
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
    parted: list[tuple[int, int, list[float]]] = []
    for row in _without_slivers(rows, filled):
        heights = _heights([contents[cell] for cell in filled if cell.row == cell.last_row == row])
        parted += [(row, k, heights) for k in range(max(1, len(heights)))]
    table = [[DraftCell() for _ in columns] for _ in parted]
    for cell in filled:
        whole = _filling(contents[cell], grid.box_of(cell))
        for r, (row, k, heights) in enumerate(parted):
            filling = whole
            if heights and cell.row == cell.last_row == row:
                lines = [line for line in contents[cell] if _nearest(heights, line.middle) == k]
                filling = _filling(lines, around(line.box for line in lines)) if lines else DraftCell()
            for c, column in enumerate(columns):
                if cell.row <= row <= cell.last_row and cell.column <= column <= cell.last_column:
                    table[r][c] = filling
    heads = _header_rows(table)
    return Draft(box, table, heads, _label_columns(table, heads))


def _filling(lines: Sequence[TextLine], box: Box) -> DraftCell:
    return DraftCell.of(joined([line.text for line in lines]), box, [word for line in lines for word in line.words])


def _heights(cells: Sequence[Sequence[TextLine]]) -> list[float]:
    """Heights of the rows within a framed one: several cells have lines at all, none has figures elsewhere."""
    figures = [
        lines for lines in cells if lines and all(one.figures and not has_letters(one.text) for one in lines)
    ]
    most = max(figures, key=len, default=[])
    heights = [line.middle for line in most]

    def level(lines: Sequence[TextLine]) -> int:
        return sum(abs(heights[_nearest(heights, one.middle)] - one.middle) < _LEVEL * one.size for one in lines)

    if len(most) < 2 or any(level(lines) < len(lines) for lines in figures if len(lines) > 1):
        return []
    return heights if sum(level(lines) >= len(most) for lines in cells) > 1 else []


def _nearest(heights: Sequence[float], middle: float) -> int:
    return min(range(len(heights)), key=lambda k: abs(heights[k] - middle))


def _lines_in(place: Box, words: Sequence[Word], uprights: Sequence[Box]) -> list[TextLine]:
    inside = [
        word
        for word in words
        if place.x0 <= (word.box.x0 + word.box.x1) / 2 < place.x1
        and place.y0 <= (word.box.y0 + word.box.y1) / 2 < place.y1
    ]
    return find_lines(inside) if inside else []


def _packed(contents: dict[JoinedCell, list[TextLine]], grid: Grid) -> bool:
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


def _without_slivers(rows: list[int], filled: list[JoinedCell]) -> list[int]:
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
