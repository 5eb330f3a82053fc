"""Tables whose cells are framed by lines."""

import pytest
from tests.archive.layout.pages import Typed
from tests.support.data import real_data_dir

from lab.scoring import adjacency_score, read_regions, region_of
from worktrial.archive.layout.finder import find_tables
from worktrial.archive.pdf.document import open_pdf
from worktrial.archive.pdf.page import read_page


def _framed(page: Typed, xs: list[float], ys: list[float]) -> Typed:
    for y in ys:
        page.level(xs[0], xs[-1], y)
    for x in xs:
        page.upright(x, ys[0], ys[-1])
    return page


def test_a_grid_of_texts() -> None:
    page = _framed(Typed(), [50, 150, 250, 350], [100, 120, 150, 170])
    page.left(55, 110, "Brand").left(155, 110, "Butter").left(255, 110, "Margarine")
    page.left(55, 130, "Astra").left(155, 130, "Total: 0%").left(255, 130, "Fruit d'or").left(
        255, 141, "Planta-fin"
    )
    page.left(55, 160, "Cema").left(255, 160, "none")
    (table,) = find_tables(page.page())
    assert table.grid == [
        ["Brand", "Butter", "Margarine"],
        ["Astra", "Total: 0%", "Fruit d'or Planta-fin"],
        ["Cema", "", "none"],
    ]
    assert table.header_rows == 1


def test_rows_that_no_line_parts_are_parted_by_their_lines_of_text() -> None:
    page = _framed(Typed(), [50, 150, 250, 350], [100, 120, 140, 160, 180, 240])
    page.left(55, 110, "Year").left(155, 110, "Gross").left(255, 110, "Net")
    for y, row in ((130, ("1936", "3,116", "2,921")), (150, ("1937", "4,102", "3,998")), (170, ("1938", "9", "8"))):
        page.left(55, y, row[0]).right(245, y, row[1]).right(345, y, row[2])
    for y, row in ((190, ("1939", "183,165", "61,722")), (210, ("1940", "58,722", "")), (230, ("1941", "4", "3"))):
        page.left(55, y, row[0]).right(245, y, row[1]).right(345, y, row[2])
    (table,) = find_tables(page.page())
    assert table.grid[4:] == [["1939", "183,165", "61,722"], ["1940", "58,722", ""], ["1941", "4", "3"]]


def test_joined_cells_are_repeated() -> None:
    page = Typed().level(50, 350, 100).level(150, 350, 120).level(50, 350, 140)
    for y in (160, 180, 200):
        page.level(150 if y == 160 else 50, 350, y)
    page.upright(50, 100, 200).upright(350, 100, 200).upright(150, 100, 200).upright(250, 120, 200)
    page.left(55, 120, "Cluster").left(200, 110, "Male students").left(155, 130, "Sample").left(
        255, 130, "Population"
    )
    page.left(55, 160, "Sciences").left(155, 150, "38").left(255, 150, "672").left(155, 170, "39").left(
        255, 170, "673"
    )
    page.left(55, 190, "Total").left(155, 190, "154").left(255, 190, "2,714")
    (table,) = find_tables(page.page())
    assert table.grid == [
        ["Cluster", "Male students", "Male students"],
        ["Cluster", "Sample", "Population"],
        ["Sciences", "38", "672"],
        ["Sciences", "39", "673"],
        ["Total", "154", "2,714"],
    ]
    assert (table.header_rows, table.label_columns) == (2, 1)


def test_walls_between_columns_do_not_make_one_row_of_all_lines() -> None:
    page = _framed(Typed(), [50, 150, 200, 250], [100, 120, 300])
    page.left(55, 110, "Year").left(155, 110, "Gross").left(205, 110, "Net")
    rows = [[str(1930 + k), f"{k},100", f"{k},200"] for k in range(1, 10)]
    page.rows(132, 55, [198, 248], rows)
    (table,) = find_tables(page.page())
    assert table.grid[table.header_rows :] == rows
    assert table.grid[0] == ["Year", "Gross", "Net"]


def test_two_grids_side_by_side() -> None:
    page = _framed(_framed(Typed(), [50, 150, 200], [100, 120, 140, 160]), [250, 350, 400], [100, 120, 140, 160])
    for x in (50, 250):
        page.left(x + 5, 110, "Country").left(x + 105, 110, "Calls")
        page.left(x + 5, 130, "Spain").left(x + 105, 130, "100").left(x + 5, 150, "Italy").left(x + 105, 150, "99")
    left, right = find_tables(page.page())
    assert left.grid == right.grid == [["Country", "Calls"], ["Spain", "100"], ["Italy", "99"]]
    assert left.box.x1 < right.box.x0


def test_the_frame_of_an_empty_chart_is_no_table() -> None:
    page = _framed(Typed(), [50.0 + 30 * k for k in range(9)], [100.0 + 20 * k for k in range(9)])
    assert find_tables(page.left(60, 110, "Rates").page()) == ()


def test_hatching_does_no_harm() -> None:
    page = Typed().left(50, 50, "Map")
    for k in range(500):
        page.level(50, 500, 100 + k).upright(50 + k * 0.9, 100, 600)
    assert find_tables(page.page()) == ()


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["eu-001", "eu-004", "eu-015", "eu-017", "eu-025"])
def test_real_tables_of_many_shapes(name: str) -> None:
    folder = real_data_dir() / "icdar2013"
    with open_pdf(folder / f"{name}.pdf") as pdf:
        tables = [table for number in range(1, pdf.pages + 1) for table in find_tables(read_page(pdf, number))]
    score = adjacency_score(read_regions(folder / f"{name}-str.xml"), [region_of(table) for table in tables])
    assert score.value >= 0.98
