"""Charts are figures: what is printed at their axes is no table."""

from tests.archive.layout.pages import Typed

from worktrial.archive.layout.charts import find_charts
from worktrial.archive.layout.finder import find_tables, page_content
from worktrial.archive.pages import Box, PageText, Word


def chart(page: Typed, y: float) -> tuple[Box, ...]:
    """Bars with their values over them, ticks beside them, years below."""
    tall = (60.0, 60.0, 20.0, 40.0)
    for k, high in enumerate(tall):
        page.right(94, y + 20 * k, str(80 - 20 * k))
        page.centre(125 + 50 * k, y + 80 - high, str(61 + 7 * k))
        page.centre(125 + 50 * k, y + 88, str(2010 + k))
    return tuple(Box(110 + 50 * k, y + 85 - high, 140 + 50 * k, y + 85) for k, high in enumerate(tall))


def with_areas(page: Typed, areas: tuple[Box, ...], curves: tuple[Box, ...] = ()) -> PageText:
    made = page.page()
    return PageText(1, 612, 792, made.route, made.words, made.rules, areas=areas, curves=curves)


def test_bars_with_values_are_no_table_and_a_table_below_them_is_one() -> None:
    page = Typed()
    areas = chart(page, 100)
    rows = [["Oats", "1,204", "88"], ["Barley", "960", "7"], ["Rye", "31", "412"]]
    page.right(250, 300, "Sown").right(350, 300, "Reaped").rows(314, 50, [250, 350], rows)
    assert len(find_tables(page.page())) == 2, "without the bars it looks like a table"
    content = page_content(with_areas(page, areas))
    assert [table.grid[1:] for table in content.tables] == [rows]
    # The figures over the bars in the order of the bars, not of their heights.
    assert "61 68 75 82\n2010 2011 2012 2013" in content.text
    assert sorted(content.text.split()) == sorted(word.text for word in page.page().words)


def test_a_chart_whose_only_word_runs_up_the_page_does_not_fail_it() -> None:
    page = Typed().left(72, 500, "Rates of interest")
    bars = tuple(Box(110 + 50 * k, 100 + 20 * k, 140 + 50 * k, 185) for k in range(4))
    upwards = Word("Percent", Box(88, 120, 96, 160), 8.0)
    made = PageText(1, 612, 792, page.page().route, (*page.page().words, upwards), areas=bars)
    assert page_content(made).text == "Rates of interest\nPercent"


def test_shades_behind_rows_and_bars_behind_cells_are_no_chart() -> None:
    words = [Word("7", Box(100, 100 + 12 * k, 108, 108 + 12 * k), 8) for k in range(6)]
    shades = [Box(50, 100 + 12 * k, 400, 112 + 12 * k) for k in range(0, 6, 2)]
    cells = [Box(95 + 60 * c, 100, 150 + 60 * c, 112) for c in range(4)]
    data_bars = [Box(95, 100 + 12 * k, 120 + 20 * k, 110 + 12 * k) for k in range(6)]
    for areas in (shades, cells, data_bars):
        assert find_charts(areas, [], [], words) == []
    assert len(find_charts(data_bars, [], [], [])) == 1, "bars from left to right, with nothing in them"


def test_a_drawn_line_is_a_chart_with_the_lines_of_its_grid() -> None:
    grid = [Box(80, y, 300, y + 0.4) for y in (60, 100, 140, 180)]
    (place,) = find_charts([], [Box(90, 105, 290, 170)], grid, [])
    assert place.x0 < 80 - 20 and place.y0 < 60 and place.y1 > 180
    assert find_charts([], [Box(90, 105, 110, 120)], grid, []) == [], "too small: a sign"
