import random

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.archive.tables import table

from worktrial.archive.meaning.footing import Footing, footing
from worktrial.archive.pages import Table


def budget(seed: int, rows: int = 12) -> list[list[int]]:
    """Receipts of which two make a subtotal, expenditures of three kinds, and the balance."""
    rng = random.Random(seed)
    lines = []
    for _ in range(rows):
        tax, security, customs, *spent = (rng.randint(200, 9000) for _ in range(6))
        receipts = tax + security + customs
        lines.append([receipts, tax + security, tax, security, customs, sum(spent), *spent, receipts - sum(spent)])
    return lines


def as_table(lines: list[list[int]]) -> Table:
    head = ["Year", *(f"column {c}" for c in range(len(lines[0])))]
    return table([head, *([str(1900 + r), *(f"{n:,}" for n in line)] for r, line in enumerate(lines))])


def shapes(found: tuple[Footing, ...]) -> set[tuple[bool, int, tuple[int, ...]]]:
    return {(one.of_columns, one.total, one.parts) for one in found}


BUDGET = {(True, 2, (3, 4)), (True, 1, (2, 5)), (True, 6, (7, 8, 9)), (True, 1, (6, 10))}


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_totals_of_subtotals_and_differences_are_found_and_nothing_else(seed: int) -> None:
    found = footing(as_table(budget(seed)))
    assert shapes(found) == BUDGET
    assert all(one.share == 1 and len(one.checks) == 12 for one in found)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_random_numbers_have_no_sums(seed: int) -> None:
    rng = random.Random(seed)
    assert footing(as_table([[rng.randint(100, 9999) for _ in range(10)] for _ in range(20)])) == ()


def test_a_wrong_number_breaks_the_sums_that_it_is_in_and_no_other() -> None:
    lines = budget(7)
    lines[4][3] += 600
    broken = [(one, check) for one in footing(as_table(lines)) for check in one.checks if not check.holds]
    (one, check) = broken[0]
    assert len(broken) == 1
    assert one.cells(check) == ((5, 2), (5, 3), (5, 4))
    assert check.residual == -600


def test_rows_that_add_up_are_found_down_the_columns() -> None:
    rng = random.Random(3)
    months = [[rng.randint(100, 9999) for _ in range(5)] for _ in range(12)]
    total = [sum(column) for column in zip(*months, strict=True)]
    before = [rng.randint(100, 9999) for _ in range(5)]
    found = footing(as_table([before, *months, total]))
    assert shapes(found) == {(False, 14, tuple(range(2, 14)))}
    assert found[0].cells(found[0].checks[2])[0] == (14, 3)


def test_rounded_parts_may_miss_the_total_by_a_unit() -> None:
    lines = budget(11)
    for line in lines[::2]:
        line[1] += 1
    found = {one.total: one for one in footing(as_table(lines))}
    assert found[2].share == 1


def test_columns_of_percent_do_not_hide_the_sum_of_the_amounts_between_them() -> None:
    rng = random.Random(5)
    rows = []
    for _ in range(10):
        a, b = rng.randint(1000, 9000), rng.randint(1000, 9000)
        rows.append(["x", str(a + b), str(a), f"{100 * a / (a + b):.1f}", str(b), f"{100 * b / (a + b):.1f}"])
    grid = [["Year", "Total", "Bonds", "Bonds, % of total", "Notes", "Notes, % of total"], *rows]
    assert shapes(footing(table(grid))) == {(True, 1, (2, 4))}


def test_parts_under_other_headings_with_the_same_lowest_one_add_up() -> None:
    rng = random.Random(9)
    rows = []
    for _ in range(10):
        a, b, c, d = (rng.randint(1000, 9000) for _ in range(4))
        rows.append(["x", *map(str, (a + c, b + d, a, b, c, d))])
    heads = [["", "All", "All", "Banks", "Banks", "Others", "Others"], ["", *["Bonds (1)", "Notes (2)"] * 3]]
    assert shapes(footing(table(heads + rows, header_rows=2))) == {(True, 1, (3, 5)), (True, 2, (4, 6))}


def test_lines_that_cannot_be_read_are_not_checked() -> None:
    lines = [[str(n) for n in line] for line in budget(1)]
    lines[0][2], lines[1][3] = "n.a.", "1?7"
    grid = [["", *map(str, range(10))], *(["x", *line] for line in lines)]
    found = {one.total: one for one in footing(table(grid))}
    assert [check.line for check in found[2].checks] == list(range(3, 13))


def test_tables_too_small_or_empty_have_no_sums() -> None:
    assert footing(table([["", "a"]])) == ()
    assert footing(table([["", "a", "b", "c"], ["x", "3", "1", "2"]])) == ()
    assert footing(table([], header_rows=0)) == ()
