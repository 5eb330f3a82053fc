from worktrial.archive.ocr import second_look
from worktrial.archive.pages import Box, Cell, PageText, Route, Table, Word


def look(texts: list[list[str]], words: tuple[Word, ...] = ()) -> Table:
    rows = tuple(
        tuple(Cell(r, c, text, box=Box(40 * c, 12 * r, 40 * c + 30, 12 * r + 10)) for c, text in enumerate(row))
        for r, row in enumerate(texts)
    )
    table = Table(1, 1, Box(0, 0, 200, 200), rows, header_rows=1)
    return second_look([table], PageText(1, 200, 200, Route.OCR, words))[0]


def test_leader_dots_go_and_a_lone_dash_is_one_kind_of_dash():
    assert look([["Month", "A"], ["May . . . .", "—"], ["Sept.", "12"]]).grid[1:] == [["May", "-"], ["Sept.", "12"]]


def test_commas_are_points_in_a_column_of_fractions_only():
    table = look([["", "rate", "amount"], ["a", "0,125", "1,250"], ["b", "1,375", "980"]])
    assert table.grid[1:] == [["a", "0.125", "1,250"], ["b", "1.375", "980"]]


def test_a_cell_takes_over_the_other_readings_of_its_number():
    word = Word("3,668", Box(40, 12, 70, 22), confidence=0.4, alternatives=("3,663",))
    cell = look([["Year", "Total"], ["1933", "3,668 4/"]], (word,)).rows[1][1]
    assert cell.alternatives == ("3,663 4/",) and cell.confidence == 0.4
