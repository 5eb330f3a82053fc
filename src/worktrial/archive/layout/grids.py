"""Grids of ruling lines: which lines belong together, and which of their cells are joined."""

from collections.abc import Sequence
from dataclasses import dataclass

from worktrial.archive.geometry import Box
from worktrial.archive.layout.lines import around

_TOUCH = 3.0  # points by which lines may miss each other
_SAME = 3.0  # points within which two lines are one
_COVERS = 0.6  # of a cell's side, for a line to be its edge
_MOST_LINES = 400  # in one direction; more are hatching


@dataclass(frozen=True, slots=True)
class Joined:
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
    cells: tuple[Joined, ...]

    @property
    def box(self) -> Box:
        """Around all."""
        return Box(self.xs[0], self.ys[0], self.xs[-1], self.ys[-1])

    def box_of(self, cell: Joined) -> Box:
        """Of one cell."""
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
    right = [[_drawn_upright(uprights, xs[c + 1], ys[r], ys[r + 1]) for c in range(columns)] for r in range(rows)]
    below = [[_drawn_level(levels, ys[r + 1], xs[c], xs[c + 1]) for c in range(columns)] for r in range(rows)]
    cells: list[Joined] = []
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
                last_r + 1 < rows and not any(below[last_r][c : last_c + 1]) and _open(right, last_r + 1, c, last_c)
            ):
                last_r += 1
            for i in range(r, last_r + 1):
                for j in range(c, last_c + 1):
                    taken[i][j] = True
            cells.append(Joined(r, c, last_r, last_c))
    return Grid(tuple(xs), tuple(ys), tuple(cells))


def _open(right: list[list[bool]], row: int, first: int, last: int) -> bool:
    return not any(right[row][first:last])


def _positions(found: list[float], low: float, high: float) -> list[float]:
    """Positions of lines, near ones as one; the ends of the crossing lines stand for an outer edge not drawn."""
    groups: list[list[float]] = []
    for position in sorted([*found, low, high]):
        if groups and position - groups[-1][-1] <= _SAME:
            groups[-1].append(position)
        else:
            groups.append([position])
    return [sum(group) / len(group) for group in groups]


def _drawn_upright(uprights: list[Box], x: float, top: float, bottom: float) -> bool:
    covered = sum(
        max(0.0, min(box.y1, bottom) - max(box.y0, top))
        for box in uprights
        if abs((box.x0 + box.x1) / 2 - x) <= _SAME
    )
    return covered >= _COVERS * (bottom - top)


def _drawn_level(levels: list[Box], y: float, left: float, right: float) -> bool:
    covered = sum(
        max(0.0, min(box.x1, right) - max(box.x0, left))
        for box in levels
        if abs((box.y0 + box.y1) / 2 - y) <= _SAME
    )
    return covered >= _COVERS * (right - left)
