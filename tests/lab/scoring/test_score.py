import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lab.scoring.lookup import LookUpOutcome
from tests.archive.tables import table

from lab.scoring import TableScore, TruthTable, score_table
from worktrial.archive.pages import Cell, Table

GRID = (
    ("Fiscal year or month", "Receipts", "Receipts", "Expenditures 2/"),
    ("Fiscal year or month", "Total", "Customs", "Expenditures 2/"),
    ("1938", "6,242", "359", "7,691"),
    ("1939", "5,668", "319 r", "9,268"),
    ("1938-Nov", "382", "27", "678"),
    ("Dec", "704", "25", "-"),
    ("1939-Jan", "308", "24", "693"),
)
TRUTH = TruthTable("T1", "bulletin", 14, GRID, header_rows=2, row_label_cols=1)


def found(grid: list[list[str]] | tuple[tuple[str, ...], ...], **other: int) -> Table:
    return table(grid, **{"header_rows": 2, "label_columns": 1, **other})


def changed(row: int, column: int, text: str) -> Table:
    grid = [list(line) for line in GRID]
    grid[row][column] = text
    return found(grid)


def outcome(score: TableScore, row: int, column: int) -> LookUpOutcome:
    return next(one.outcome for one in score.look_ups if (one.row, one.column) == (row, column))


texts = st.sampled_from(["", "-", "12", "1,234", "-5", "n.a.", "Total", "June", "7 r", "a b"])
grids = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(texts, min_size=n, max_size=n), min_size=1, max_size=6)
)


@settings(deadline=None)
@given(grids)
def test_any_table_against_itself_is_right_in_every_cell(grid: list[list[str]]) -> None:
    truth = TruthTable("T", "d", 1, tuple(map(tuple, grid)), header_rows=0, row_label_cols=0)
    score = score_table(truth, [truth.as_table()], page_text="\n".join(" ".join(row) for row in grid))
    if any(text for row in grid for text in row):
        assert (score.cell_f1, score.cell_f1_strict) == (1, 1)
    assert score.numbers_in_tables.share == 1
    assert score.numbers_on_page is not None and score.numbers_on_page.share == 1
    assert score.trust.wrong == 0


@settings(deadline=None)
@given(grids, grids)
def test_scores_of_any_two_tables_are_shares(true: list[list[str]], other: list[list[str]]) -> None:
    truth = TruthTable("T", "d", 1, tuple(map(tuple, true)), header_rows=0, row_label_cols=0)
    score = score_table(truth, [table(other, header_rows=0, label_columns=0)])
    cells = score.cells
    assert 0 <= cells.strict.right <= cells.plain.right <= cells.unmarked.right <= cells.unmarked.true
    assert cells.unmarked.right <= cells.unmarked.found or cells.unmarked.found == 0
    assert 0 <= score.value_found <= 1


def test_itself() -> None:
    score = score_table(TRUTH, [found(GRID)])
    assert (score.cell_f1, score.cell_f1_strict, score.value_found) == (1, 1, 1)
    assert (score.cells.marks_right, score.cells.marks_true) == (3, 3)
    assert score.numbers_in_tables == (14, 14)
    assert score.table == 1


def test_kinds_of_dashes_and_marks_count_only_where_they_should() -> None:
    score = score_table(TRUTH, [changed(5, 3, "—")])
    assert score.cells.strict.right == 27 and score.cells.plain.right == 28
    score = score_table(TRUTH, [changed(3, 2, "319")])
    assert (score.cells.plain.right, score.cells.unmarked.right) == (27, 28)
    assert (score.cells.marks_right, score.cells.marks_true) == (2, 3)
    assert score.value_found == 1


def test_one_wrong_digit_costs_one_cell_one_value_one_number() -> None:
    score = score_table(TRUTH, [changed(4, 1, "332")])
    assert score.cells.unmarked.right == 27
    assert outcome(score, 4, 1) is LookUpOutcome.WRONG
    assert score.outcomes[LookUpOutcome.RIGHT] == 13
    assert score.numbers_in_tables == (13, 14)
    assert score.trust.wrong == 1


def test_a_shift_by_a_row_or_column_is_seen_by_look_ups_and_not_by_alignment() -> None:
    # Labels stay, numbers move down by one: recall cannot see it, look-ups do.
    numbers = [row[1:] for row in GRID[2:]]
    shifted = [*GRID[:2], *((row[0], *n) for row, n in zip(GRID[2:], [numbers[-1], *numbers[:-1]], strict=True))]
    score = score_table(TRUTH, [found(tuple(shifted))])
    assert score.numbers_in_tables.share == 1
    assert score.value_found == 0
    assert score.cell_f1 < 0.9


def test_misread_letters_in_a_label_do_not_hide_its_values() -> None:
    assert score_table(TRUTH, [changed(4, 0, "1938-Nav")]).value_found == 1
    assert score_table(TRUTH, [changed(1, 2, "Custoras")]).value_found == 1
    # Another year is another row, however alike.
    score = score_table(TRUTH, [changed(2, 0, "1933")])
    assert {one.outcome for one in score.look_ups if one.row == 2} == {LookUpOutcome.MISSING}


def test_a_lost_parent_makes_a_look_up_fail() -> None:
    # November and the months after it have no year any more.
    score = score_table(TRUTH, [changed(4, 0, "Nov")])
    assert outcome(score, 4, 1) is not LookUpOutcome.RIGHT
    assert outcome(score, 5, 1) is not LookUpOutcome.RIGHT


def test_two_rows_of_one_label_are_ambiguous_unless_they_agree() -> None:
    twice = [*GRID, ("1939-Jan", "308", "24", "695")]
    score = score_table(TRUTH, [found(tuple(twice))])
    assert outcome(score, 6, 1) is LookUpOutcome.RIGHT
    assert outcome(score, 6, 3) is LookUpOutcome.AMBIGUOUS


def test_truth_may_be_a_part_of_the_found_table() -> None:
    below = [("Other", "10", "11", "12"), *((str(1950 + i), str(i), str(i + 1), str(i + 2)) for i in range(6))]
    score = score_table(TRUTH, [found((*GRID, *below))])
    assert score.cell_f1 == 1
    # One spurious row is no other table.
    assert score_table(TRUTH, [found((*GRID, below[0]))]).cell_f1 < 1


def test_the_table_that_agrees_most_is_taken() -> None:
    other = found([["x", "1", "2"], ["y", "3", "4"]], number=1)
    score = score_table(TRUTH, [other, found(GRID, number=2)])
    assert (score.table, score.cell_f1, score.value_found) == (2, 1, 1)


def test_a_split_table_still_answers_look_ups() -> None:
    right = tuple((row[0], row[3]) for row in GRID)
    left = tuple(row[:3] for row in GRID)
    score = score_table(TRUTH, [found(left), found(right, number=2)])
    assert score.value_found == 1
    assert score.cell_f1 < 1


def test_an_extra_and_a_missing_column_cost_precision_and_recall() -> None:
    extra = tuple((*row[:2], "9", *row[2:]) for row in GRID)
    score = score_table(TRUTH, [found(extra)])
    assert (score.cells.unmarked.recall, score.cells.unmarked.precision) == (1, pytest.approx(28 / 35))
    missing = tuple((*row[:2], row[3]) for row in GRID)
    score = score_table(TRUTH, [found(missing)])
    assert (score.cells.unmarked.recall, score.cells.unmarked.precision) == (0.75, 1)


def test_nothing_found() -> None:
    for tables in ([], [table([])], [table([["zz"]])]):
        score = score_table(TRUTH, tables, page_text="")
        assert (score.table, score.cell_f1, score.value_found, score.numbers_in_tables.right) == (None, 0, 0, 0)
        assert score.numbers_on_page is not None and score.numbers_on_page.share == 0


def test_numbers_are_recalled_as_often_as_printed_and_over_the_page() -> None:
    score = score_table(TRUTH, [], page_text="6,242 6.242 359 27 x27 - 7 7,691")
    # 6,242 is printed once; 27 once.
    assert score.numbers_on_page == (4, 14)


def test_wrong_numbers_with_a_low_confidence_are_counted_apart() -> None:
    rows = [[Cell(r, c, text) for c, text in enumerate(row)] for r, row in enumerate(GRID)]
    rows[2][1] = replace(rows[2][1], text="6,248", confidence=0.2)
    rows[2][2] = replace(rows[2][2], text="358", confidence=0.9)
    rows[3][1] = replace(rows[3][1], confidence=0.1)
    rows[4][2] = replace(rows[4][2], text="28")
    rows[5][1] = replace(rows[5][1], text="")
    score = score_table(TRUTH, [replace(found(GRID), rows=tuple(map(tuple, rows)))])
    trust = score.trust
    assert (trust.numbers, trust.wrong, trust.flagged, trust.wrong_flagged) == (13, 3, 2, 1)


def test_alignment_survives_noise() -> None:
    rng = random.Random(4)
    wide = [["label", *(f"head {c}" for c in range(8))]]
    wide += [[f"row {r}", *(str(rng.randint(100, 9999)) for _ in range(8))] for r in range(20)]
    truth = TruthTable("T", "d", 1, tuple(map(tuple, wide)), header_rows=1, row_label_cols=1)
    noisy = [list(row) for row in wide]
    for row in noisy[1:]:
        row[rng.randint(1, 8)] = "?"
    del noisy[7]
    noisy.insert(12, [""] * 9)
    score = score_table(truth, [table(noisy)])
    assert score.cells.unmarked.right == 9 * 20 - 19
