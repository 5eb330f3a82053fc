"""A cell's chance of being right: by its reading, the sums it is in and its column."""

from dataclasses import replace

import pytest
from tests.archive.tables import table

from worktrial.archive.chances import chance_of_reading
from worktrial.archive.meaning.footing import footing
from worktrial.archive.meaning.trust import EARNED, CellEvidence, SumOutcome, chance, evidence_of, trusted
from worktrial.archive.pages import LOW_CONFIDENCE, Cell, PageContent, Route, Table
from worktrial.archive.store.rows import decode_page, describe_page

GRID = [
    ["Year", "Gross", "Refunds", "Net"],
    *([str(1930 + n), f"{2000 + 37 * n:,}", str(100 + 11 * n), f"{1900 + 26 * n:,}"] for n in range(8)),
]


def read(doubts: dict[tuple[int, int], Cell]) -> Table:
    """The table as a recogniser reads it, with some cells read otherwise."""
    plain = table(GRID)
    rows = tuple(
        tuple(doubts.get((r, c), replace(cell, confidence=0.97)) for c, cell in enumerate(row))
        for r, row in enumerate(plain.rows)
    )
    return replace(plain, rows=rows)


def test_one_confidence_of_a_cell_is_stored_and_counted_and_made_only_once() -> None:
    doubtful = {
        (2, 1): Cell(2, 1, GRID[2][1], confidence=0.7),  # its sum holds
        (3, 1): Cell(3, 1, "2,O74", confidence=0.96),  # no number, among numbers
        (4, 1): Cell(4, 1, "2114", confidence=0.96),  # no comma, among commas; its sum fails
        (6, 2): Cell(6, 2, ""),  # so the sum of its row fails
    }
    page = PageContent(1, 600.0, 800.0, Route.OCR, "text", (read(doubtful),))
    described = describe_page("bulletin", page)
    stored = decode_page(described.page[-1])
    sure = {(cell.row, cell.column): cell for row in stored.tables[0].rows for cell in row}
    assert sure[2, 1].confidence > 0.95 > LOW_CONFIDENCE > sure[3, 1].confidence > sure[4, 1].confidence
    assert sure[1, 1].confidence > 0.99 > sure[6, 1].confidence > sure[3, 1].confidence
    assert (sure[2, 1].stated, sure[3, 1].stated, sure[6, 2].stated) == (0.7, 0.96, None)
    # `cells` has the same figures, and so do the counts.
    assert {(c.row_no, c.column_no): c.confidence for c in described.cells} == {
        place: cell.confidence for place, cell in sure.items() if cell.text
    }
    assert described.counts.doubtful == sum(c.confidence < LOW_CONFIDENCE for c in described.cells) == 2
    # A page whose meaning is worked out anew is judged by what its reader stated.
    assert describe_page("bulletin", stored) == described


def test_a_files_own_characters_are_not_certain_and_blanks_are_left_alone() -> None:
    (first, *_), *rest = trusted(table([*GRID[:4], ["", "", "", ""]])).rows
    assert first.stated == 1.0 and 0.99 < first.confidence < 1
    assert rest[-1][1] == Cell(4, 1, "")


def test_sums_are_told_apart_by_whether_one_holds() -> None:
    wrong = read({(5, 3): Cell(5, 3, "1,999", confidence=0.97)})
    told = evidence_of(wrong, footing(wrong))
    assert told[1, 1].sums is SumOutcome.HOLDS and told[5, 3].sums is SumOutcome.FAILS
    assert {e.sums for e in evidence_of(wrong).values()} == {SumOutcome.UNKNOWN}
    assert (1, 0) not in told and (0, 1) not in told


@pytest.mark.parametrize("column", [["1.5", "2", "3.5", "4"], ["May 1", "June 2", "1,100", "n.a."], ["1,100"] * 2])
def test_a_column_without_a_form_of_its_own_has_no_misfits(column: list[str]) -> None:
    grid = [["Year", "Rate"], *([str(1930 + n), text] for n, text in enumerate(column * 2))]
    assert not any(evidence.misfit for evidence in evidence_of(table(grid)).values())


def test_chances_lie_between_none_and_certainty_and_grow_with_what_is_stated() -> None:
    for evidence in (CellEvidence(0.0), CellEvidence(1.0, SumOutcome.HOLDS), CellEvidence(0.0, misfit=True)):
        assert 0 < chance(evidence) < 1
    stated = [chance_of_reading(n / 20) for n in range(21)]
    assert stated == sorted(stated) and 0 < stated[0] < stated[10] < stated[-1] < 1
    assert chance(CellEvidence(stated[10])) == pytest.approx(stated[10])


def test_a_page_whose_layout_is_doubtful_says_so_and_lowers_its_cells_even_a_files_own() -> None:
    page = PageContent(7, 600.0, 800.0, Route.TEXT, "text", (table(GRID),), layout=0.4)
    described = describe_page("bulletin", page)
    assert page.layout_doubt == "layout doubtful: 40% of the figures stand in regular rows and columns"
    assert described.counts.irregular == (7,) and described.page[-2] == 0.4
    assert all(0.45 < cell.confidence < 0.55 for cell in described.cells)
    assert described.counts.doubtful == len(described.cells)
    good = replace(page, layout=0.8)
    assert good.layout_doubt == "" and describe_page("bulletin", good).counts.irregular == ()
    assert describe_page("bulletin", good).cells == describe_page("bulletin", replace(page, layout=None)).cells


def test_on_a_page_whose_layout_is_just_doubtful_no_cell_is_surer_than_such_pages_earn() -> None:
    """Numbers that no sum holds for, read with certainty, in regular columns."""
    alone = table([row[:2] for row in GRID])
    page = PageContent(7, 600.0, 800.0, Route.OCR, "text", (alone,), layout=0.79)
    for own in (page, replace(page, route=Route.TEXT)):
        assert all(cell.confidence <= EARNED < LOW_CONFIDENCE for cell in describe_page("bulletin", own).cells)
    sound = describe_page("bulletin", replace(page, layout=0.8)).cells
    assert all(cell.confidence > 0.99 for cell in sound)
    # A sum holds only where its figures stand in their rows and columns.
    summed = describe_page("bulletin", replace(page, tables=(table(GRID),))).cells
    assert all(cell.confidence > LOW_CONFIDENCE for cell in summed if cell.row_no and cell.column_no)


def test_what_nobody_can_ask_for_never_looks_sure() -> None:
    merged = [[*row] for row in GRID]
    merged[3][1] = "183,165 58,722 44,061"
    merged[4][1] = "4-1/8"
    sure = {(cell.row, cell.column): cell.confidence for row in trusted(table(merged)).rows for cell in row}
    assert sure[3, 1] <= 0.5 < LOW_CONFIDENCE < min(sure[2, 1], sure[3, 2])
    # A sum that holds says nothing of which figure is meant where no column has a heading.
    for bare in (table(GRID[1:], header_rows=0), table([["Year", "", "", ""], *GRID[1:]])):
        rows = trusted(bare, footing(bare)).rows[bare.header_rows :]
        assert all(cell.confidence < LOW_CONFIDENCE for row in rows for cell in row[1:])
