"""A page's layout is trusted as far as its figures stand in rows and columns."""

from dataclasses import replace

import pytest
from tests.archive.layout.pages import Typed

from worktrial.archive.layout.finder import page_content
from worktrial.archive.layout.lines import find_lines
from worktrial.archive.layout.regularity import layout_confidence
from worktrial.archive.pages import Box, Cell, Table

ROWS = [[f"{1990 + k}", f"{k},300", f"{k},201", f"{k}.5"] for k in range(1, 9)]


def typed() -> Typed:
    """Three columns of eight figures."""
    page = Typed().left(50, 100, "Year").right(220, 100, "Gross").right(420, 100, "Net").right(520, 100, "Rate")
    return page.rows(116, 50, [220, 420, 520], ROWS)


def read() -> Table:
    """The same as they are found."""
    content = page_content(typed().page())
    assert (content.layout, content.confidence, content.layout_doubt) == (1.0, 1.0, "")
    (table,) = content.tables
    return table


def changed(table: Table, r: int, c: int, text: str | None = None, right: float = 0.0, down: float = 0.0) -> Table:
    """The table with a cell that says something else, or stands elsewhere, in points."""
    cell = table.rows[r][c]
    assert cell.box is not None
    box = Box(cell.box.x0 + right, cell.box.y0 + down, cell.box.x1 + right, cell.box.y1 + down)
    new = Cell(r, c, cell.text if text is None else text, box)
    rows = [list(row) for row in table.rows]
    rows[r][c] = new
    return replace(table, rows=tuple(map(tuple, rows)))


def test_figures_beside_their_column_or_row_or_two_in_a_cell_are_irregular() -> None:
    table = read()
    assert layout_confidence([changed(table, 3, 1, right=25)], []) == round(23 / 24, 3)
    assert layout_confidence([changed(table, 3, 1, down=9)], []) == round(23 / 24, 3)
    assert layout_confidence([changed(table, 3, 1, "3,300 3,201")], []) == round(23 / 25, 3)
    assert layout_confidence([changed(table, 3, 1, "(300) 41.5")], []) == round(23 / 25, 3)


@pytest.mark.parametrize("text", ["38 (24.7%)", "991 2/", "Total: 47 of 1,200", "4 1/2", "3,300 r"])
def test_what_is_one_figure_with_something_beside_it_is_not(text: str) -> None:
    assert layout_confidence([changed(read(), 3, 1, text)], []) == 1.0


def test_a_row_of_continental_figures_that_no_table_has_does_not_fail_its_page() -> None:
    row = Typed().left(50, 100, "1.234.567").left(200, 100, "2.345.678").left(400, 100, "9.999.999")
    assert page_content(row.page()).text == "1.234.567 2.345.678 9.999.999"


def test_tables_in_each_others_place_are_irregular() -> None:
    table = read()
    beside = replace(table, box=Box(table.box.x0, table.box.y1 + 5, table.box.x1, table.box.y1 + 90))
    assert layout_confidence([table, beside], []) == 1.0
    assert layout_confidence([table, replace(table, number=2)], []) == 0.0
    assert layout_confidence([changed(table, 3, 1)], []) is not None and layout_confidence([], []) is None


def test_rows_of_figures_that_no_table_has_are_irregular_and_scales_are_not() -> None:
    table = read()
    lost = replace(table, rows=table.rows[:5], box=Box(*table.box[:3], table.box.y0 + 60))
    lines = [find_lines(typed().words, [])]
    assert layout_confidence([table], lines) == 1.0
    assert layout_confidence([lost], lines) == 0.5
    # Within its place, too, what is in no cell was lost.
    assert layout_confidence([replace(lost, box=table.box)], lines) == 0.5
    scale = Typed()
    for y in (100, 120, 140):
        for k in range(6):
            scale.left(50 + 60 * k, y, f"{k * 20}%")
    assert layout_confidence([], [find_lines(scale.words, [])]) is None


@pytest.mark.parametrize(("slope", "layout"), [(0.0, 1.0), (0.005, 1.0), (-0.017, 0.0), (0.035, 0.0)])
def test_a_page_that_lies_askew_has_no_rows(slope: float, layout: float) -> None:
    rights = [110 + 40 * k for k in range(11)]
    dense = Typed().rows(
        116, 50, rights, [[f"{1990 + k}", *(f"{k},{100 + 7 * c * c}" for c in range(11))] for k in range(12)]
    )
    words = tuple(
        replace(w, box=Box(w.box.x0, w.box.y0 + slope * w.box.x0, w.box.x1, w.box.y1 + slope * w.box.x0))
        for w in dense.words
    )
    content = page_content(replace(dense.page(), words=words))
    assert content.layout == layout
    assert (content.confidence < 1) == bool(content.layout_doubt) == (layout == 0)
