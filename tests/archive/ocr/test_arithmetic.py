from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.archive.ocr.pages import table_of_figures

from worktrial.archive.ocr.second_look import repair
from worktrial.archive.pages import LOW_CONFIDENCE, Box, Cell, Table

HEADS = ["Year", "Roads", "Ports", "Mines", "Total"]


def table(changes: dict[tuple[int, int], Cell] | None = None, seed: int = 3) -> Table:
    texts = [HEADS, *table_of_figures(seed=seed)]
    rows = [[Cell(r, c, text, confidence=0.9) for c, text in enumerate(row)] for r, row in enumerate(texts)]
    for (r, c), cell in (changes or {}).items():
        rows[r][c] = replace(cell, row=r, column=c)
    return Table(1, 1, Box(0, 0, 100, 100), tuple(map(tuple, rows)), header_rows=1)


def misread(text: str) -> str:
    return ("2" if text[0] != "2" else "7") + text[1:]


def test_a_doubtful_number_is_replaced_by_the_one_reading_that_adds_up():
    true = table().rows[5][2].text
    wrong = misread(true)
    mended = repair(table({(5, 2): Cell(0, 0, wrong, confidence=0.3, alternatives=("1,111", true))}))
    cell = mended.rows[5][2]
    assert cell.text == true and cell.repair is not None and cell.repair.read == wrong
    assert "sum" in cell.repair.why and wrong in cell.alternatives
    assert cell.confidence >= LOW_CONFIDENCE


def test_a_confident_number_is_never_changed_but_loses_no_trust_of_its_neighbours():
    true = table().rows[5][2].text
    broken = table({(5, 2): Cell(0, 0, misread(true), confidence=0.95, alternatives=(true,))})
    assert repair(broken).grid == broken.grid


def test_nothing_is_decided_where_two_readings_would_do():
    rows = table().rows
    a, b = rows[5][1].text, rows[5][2].text
    plus = {c: f"{int(rows[5][c].text.replace(',', '')) + 10:,}" for c in (1, 2)}
    minus = f"{int(rows[5][4].text.replace(',', '')) + 10:,}"
    broken = table(
        {
            (5, 1): Cell(0, 0, a, confidence=0.3, alternatives=(plus[1],)),
            (5, 2): Cell(0, 0, b, confidence=0.3, alternatives=(plus[2],)),
            (5, 4): Cell(0, 0, minus, confidence=0.95),
        }
    )
    assert repair(broken).grid == broken.grid


def test_a_number_that_rounding_could_hide_is_no_repair():
    # A footnote's mark in an empty cell, read as 17: without it the line adds up, so a 1 would do as well.
    grid = [list(row) for row in table().grid]
    a, b = (int(grid[5][c].replace(",", "")) for c in (1, 3))
    mark = Cell(0, 0, "17", confidence=0.2, alternatives=("1", ".7"))
    broken = table({(5, 2): mark, (5, 4): Cell(0, 0, f"{a + b:,}", confidence=0.95)})
    cell = repair(broken).rows[5][2]
    assert cell.text == "17" and cell.repair is None and cell.confidence < LOW_CONFIDENCE


def test_a_sum_that_holds_takes_doubt_away():
    true = table().rows[5][2].text
    doubtful = table({(5, 2): Cell(0, 0, true, confidence=0.4)})
    assert repair(doubtful).rows[5][2].confidence > 0.7


@given(st.integers(0, 50))
def test_a_table_without_doubt_is_left_as_it_is(seed):
    assert repair(table(seed=seed)).grid == table(seed=seed).grid
