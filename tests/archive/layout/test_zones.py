"""Parts of pages: columns, tables in them, notes beside them; and what only looks like a column."""

from tests.archive.layout.pages import Typed

from worktrial.archive.layout.finder import find_tables, page_content

PROSE = ("the council took note of what", "was said and asked the office", "to count the boats once more")
ROWS = [["Oats", "1,204", "88"], ["Barley", "960", "7"], ["Rye and wheat", "31", "412"], ["All", "2,195", "507"]]
GRID = [["", "Sown", "Reaped"], *ROWS]


def prose(page: Typed, x: float, y: float, lines: int) -> None:
    for k in range(lines):
        page.left(x, y + 10 * k, PROSE[k % len(PROSE)])


def inset(page: Typed, x: float, y: float) -> None:
    page.right(x + 130, y, "Sown").right(x + 180, y, "Reaped").rows(y + 14, x, [x + 130, x + 180], ROWS)


def test_a_table_in_a_column_ends_where_the_prose_beside_it_begins() -> None:
    for left, right in ((50, 320), (320, 50)):
        page = Typed()
        prose(page, left, 103, 9)
        inset(page, left, 200)
        prose(page, left, 275, 6)
        prose(page, right, 100, 24)
        content = page_content(page.page())
        assert [table.grid for table in content.tables] == [GRID]
        lines = content.text.splitlines()
        # One column whole, then the other: so no line holds words of both.
        assert {line for line in lines if "council" in line} == {PROSE[0]}
        assert lines.index("Oats 1,204 88") in range(10, 12) if left < right else range(34, 36)


def test_notes_in_a_margin_are_no_column_of_the_table_beside_them() -> None:
    page = Typed().right(250, 100, "Sown").right(350, 100, "Reaped").rows(114, 50, [250, 350], ROWS)
    for k in range(4):
        page.left(
            50, 180 + 10 * k, "the council took note of what was said and asked the office again in early March"
        )
    for y, note in ((103, "As agreed in"), (111, "March"), (127, "See page 14"), (139, "Not counted")):
        page.left(390, y, note, 6.5)
    assert [table.grid for table in find_tables(page.page())] == [GRID]


def test_tables_side_by_side_under_captions_of_their_own_are_two() -> None:
    page = Typed().left(50, 80, "Table 1: Grain").left(320, 80, "Table 2: Grain elsewhere")
    inset(page, 50, 100)
    inset(page, 320, 100)
    found = find_tables(page.page())
    assert [table.grid for table in found] == [GRID, GRID]
    assert [table.title for table in found] == ["Table 1: Grain", "Table 2: Grain elsewhere"]


def test_a_column_of_remarks_stays_with_its_rows() -> None:
    page = Typed().right(200, 100, "Sown").left(240, 100, "Remarks")
    for k, (label, sown, _) in enumerate(ROWS):
        page.left(50, 114 + 12 * k, label).right(200, 114 + 12 * k, sown)
        page.left(240, 114 + 12 * k, f"counted by hand and then compared {k}")
    (table,) = find_tables(page.page())
    assert table.grid[1:] == [
        [label, sown, f"counted by hand and then compared {k}"] for k, (label, sown, _) in enumerate(ROWS)
    ]


def test_a_rule_across_ends_the_columns_above_it() -> None:
    page = Typed()
    prose(page, 50, 100, 8)
    prose(page, 320, 100, 8)
    page.level(50, 560, 182)
    page.right(330, 190, "Sown").right(530, 190, "Reaped").rows(204, 50, [330, 530], ROWS)
    assert [table.grid for table in find_tables(page.page())] == [GRID]
