from dataclasses import replace

from tests.archive.tables import table

from worktrial.archive.meaning.labels import header_paths, row_labels
from worktrial.archive.meaning.trust import trusted
from worktrial.archive.pages import Box, Table

HEAD = ["Year or month", "Total"]


def labels(*rows: list[str], **settings: object) -> list[tuple[str, ...]]:
    return list(row_labels(table([HEAD, *rows], **settings)))[1:]  # type: ignore[arg-type]


def test_months_take_the_year_above_and_the_next_one_when_they_start_over() -> None:
    rows = [["1938", "9"], ["1939-Nov", "1"], ["Dec", "2"], ["Jan", "3"], ["Feb. r", "4"], ["1941 - Mar", "5"]]
    assert labels(*rows) == [
        ("1938",),
        ("1939", "Nov"),
        ("1939", "Dec"),
        ("1940", "Jan"),
        ("1940", "Feb. r"),
        ("1941", "Mar"),
    ]


def test_a_misread_month_between_others_still_has_its_year() -> None:
    assert labels(["1939-Oct", "1"], ["Nqv", "2"], ["Dec", "3"]) == [
        ("1939", "Oct"),
        ("1939", "Nqv"),
        ("1939", "Dec"),
    ]
    assert labels(["1984-Sxpt", "1"], ["Oct", "2"]) == [("1984", "Sxpt"), ("1984", "Oct")]
    # A letter lost, and one too many.
    assert labels(["1939-Dec", "1"], ["1940-Jauary", "2"], ["Februuary", "3"], ["March", "4"])[1:] == [
        ("1940", "Jauary"),
        ("1940", "Februuary"),
        ("1940", "March"),
    ]
    # Not in sequence: it may be anything.
    assert labels(["1939-Oct", "1"], ["Mop", "2"])[1] == ("Mop",)


def test_a_year_after_the_month_comes_first_in_the_path() -> None:
    assert labels(["Dec. 1939", "1"], ["January", "2"]) == [("1939", "Dec."), ("1940", "January")]


def test_under_a_year_as_heading_months_do_not_move_to_the_next_year() -> None:
    # A fiscal year runs over New Year.
    assert labels(["1940", ""], ["July", "1"], ["January", "2"]) == [
        ("1940",),
        ("1940", "July"),
        ("1940", "January"),
    ]


def test_rows_without_numbers_are_parents_until_the_next_one() -> None:
    rows = [["Receipts:", ""], ["Customs", "1"], ["Expenditures:", ""], ["General", "2"], ["Other", "-"]]
    assert labels(*rows) == [
        ("Receipts:",),
        ("Receipts:", "Customs"),
        ("Expenditures:",),
        ("Expenditures:", "General"),
        ("Expenditures:", "Other"),
    ]


def test_a_heading_repeated_over_all_columns_is_a_parent() -> None:
    assert labels(["Debt", "Debt"], ["Bonds", "1"])[1] == ("Debt", "Bonds")


def test_indentation_nests_parents_and_closes_them() -> None:
    rows = [["Debt:", ""], ["Public:", ""], ["Bonds", "1"], ["Notes", "2"], ["Guaranteed", "3"], ["Balance", "4"]]
    found = labels(*rows, indents=[0, 0, 10, 20, 20, 10, 0])
    assert found[1:] == [
        ("Debt:", "Public:"),
        ("Debt:", "Public:", "Bonds"),
        ("Debt:", "Public:", "Notes"),
        ("Debt:", "Guaranteed"),
        ("Balance",),
    ]


def test_a_row_with_figures_is_a_parent_of_what_stands_further_in() -> None:
    rows = [["Individuals", "9"], ["Withheld", "5"], ["Other", "4"], ["Corporations", "3"], ["Withheld", "1"]]
    found = labels(*rows, ["Other", "2"], ["Total", "12"], indents=[0, 0, 10, 10, 0, 10, 10, 20])
    assert found == [
        ("Individuals",),
        ("Individuals", "Withheld"),
        ("Individuals", "Other"),
        ("Corporations",),
        ("Corporations", "Withheld"),
        ("Corporations", "Other"),
        ("Total",),
    ]


def test_a_heading_between_rows_with_figures_keeps_the_rows_that_both_stand_under() -> None:
    rows = [["All claims", "9"], ["In dollars", "7"], ["Public", "4"], ["Banks:", ""], ["Deposits", "3"]]
    more = [["In other money", "2"], ["Banks:", ""], ["Deposits", "2"], ["Memoranda:", ""], ["In dollars", "5"]]
    found = labels(*rows, *more, indents=[0, 0, 5, 10, 10, 15, 5, 10, 15, 0, 5])
    assert found[3:] == [
        ("All claims", "In dollars", "Banks:"),
        ("All claims", "In dollars", "Banks:", "Deposits"),
        ("All claims", "In other money"),
        ("All claims", "In other money", "Banks:"),
        ("All claims", "In other money", "Banks:", "Deposits"),
        ("Memoranda:",),
        ("Memoranda:", "In dollars"),
    ]
    # No level tells that a heading further in, or a centred one, belongs to a single row above it.
    rows = [["Personal", "9"], ["Corporate", "7"], ["Insurance:", ""], ["Old age", "4"]]
    assert labels(*rows, indents=[0, 0, 0, 5, 5])[3] == ("Insurance:", "Old age")


def test_a_heading_with_dashes_has_those_beside_it_as_children_and_a_sum_those_below_it() -> None:
    rows = [
        ["Income taxes", "9"],
        ["Social insurance:", "-"],
        ["Employment", "5"],
        ["Customs", "4"],
        ["Total", "18"],
    ]
    assert labels(
        *rows, ["(On-budget)", "13"], ["Outlays", "7"], ["Debt", "1"], indents=[0, 0, 7, 7, 0, 14, 21, 0, 0]
    ) == [
        ("Income taxes",),
        ("Social insurance:",),
        ("Social insurance:", "Employment"),
        ("Customs",),
        ("Total",),
        ("Total", "(On-budget)"),
        ("Outlays",),
        ("Debt",),
    ]


def test_months_further_in_than_their_year_and_ragged_labels_have_no_such_parents() -> None:
    rows = [["1998-Nov", "1"], ["Dec", "2"], ["1999-Jan", "3"], ["Feb", "4"]]
    assert labels(*rows, indents=[0, 0, 22, 0, 22])[1:3] == [("1998", "Dec"), ("1999", "Jan")]
    ragged = [["Ohio", "1"], ["Utah", "2"], ["Iowa", "3"], ["Maine", "4"]]
    assert labels(*ragged, indents=[0, 0, 12, 24, 36]) == [("Ohio",), ("Utah",), ("Iowa",), ("Maine",)]


def test_a_centred_heading_does_not_end_with_the_first_row_below_it() -> None:
    found = labels(["Months", ""], ["Bonds", "1"], ["Notes", "2"], indents=[0, 60, 0, 0])
    assert found == [("Months",), ("Months", "Bonds"), ("Months", "Notes")]


def test_a_row_without_a_label_continues_the_one_above() -> None:
    assert labels(["Bonds", "1"], ["", "2"]) == [("Bonds",), ("Bonds",)]


def test_outer_label_columns_are_carried_down() -> None:
    grid = [["Year", "Month", "Total"], ["1938", "Jan", "1"], ["", "Feb", "2"], ["1939", "Jan", "3"]]
    assert row_labels(table(grid, label_columns=2))[1:] == (("1938", "Jan"), ("1938", "Feb"), ("1939", "Jan"))


def test_header_paths_collapse_what_is_repeated() -> None:
    grid = [
        ["Year", "Receipts", "Receipts"],
        ["Year", "Total", ""],
        ["Year", "Total", "Customs"],
        ["1938", "1", "2"],
    ]
    paths = header_paths(table(grid, header_rows=3))
    assert paths == (("Year",), ("Receipts", "Total"), ("Receipts", "Customs"))
    assert header_paths(table(grid, header_rows=0)) == ((), (), ())


def boxed(*rows: tuple[float, str, str]) -> Table:
    """Rows of a label that begins so far in, and a figure; each label is five points a letter wide."""
    bare = table([HEAD, *([label, figure] for _, label, figure in rows)])
    cells = [
        (replace(own[0], box=Box(left, 9.0 * r, left + 5 * len(label), 9.0 * r + 8)), own[1])
        for r, (own, (left, label, _)) in enumerate(zip(bare.rows[1:], rows, strict=True))
    ]
    return replace(bare, rows=(bare.rows[0], *cells))


def test_a_heading_right_above_another_heads_it_and_ends_where_one_printed_like_it_begins() -> None:
    found = row_labels(
        boxed(
            (50, "Assets", ""),
            (50, "Dollars:", ""),
            (57, "Bills", "1"),
            (50, "Yen:", ""),
            (57, "Bonds", "2"),
            (57, "Total assets", "3"),
            (50, "Liabilities", ""),
            (50, "Capital:", ""),
            (57, "Account", "3"),
            (64, "Total capital", "3"),
            (71, "Total liabilities", "3"),
            (78, "Grand total", "6"),
        )
    )
    assert found[3] == ("Assets", "Dollars:", "Bills")
    assert found[5:7] == (("Assets", "Yen:", "Bonds"), ("Assets", "Total assets"))
    assert found[9:] == (
        ("Liabilities", "Capital:", "Account"),
        ("Liabilities", "Capital:", "Total capital"),
        ("Liabilities", "Total liabilities"),
        ("Grand total",),
    )


def test_a_total_behind_a_headings_own_total_belongs_to_the_heading_around() -> None:
    found = row_labels(
        boxed((50, "Africa:", ""), (56, "Egypt", "1"), (62, "Total Africa", "1"), (62, "Total countries", "1"))
    )
    assert found[3:] == (("Africa:", "Total Africa"), ("Total countries",))


def test_the_second_line_of_a_label_or_heading_is_no_heading() -> None:
    found = row_labels(
        boxed(
            (50, "Latin America", ""),
            (50, "and Caribbean:", ""),
            (56, "Cost of vehicles and programs of", "4"),
            (56, "receivables", ""),
            (62, "Total", "4"),
        )
    )
    assert found[3] == ("Latin America and Caribbean:", "Cost of vehicles and programs of")
    assert found[5] == ("Latin America and Caribbean:", "Total")


def test_a_heading_over_all_rows_in_other_letters_heads_the_table_and_is_no_parent() -> None:
    read = table(
        [HEAD, ["MONTHLY SERIES", ""], ["1993", ""], ["Jan", "1"], ["Feb", "2"]], indents=[9, 9, 9, 15, 15]
    )
    row = read.rows[1]
    assert row_labels(read)[4] == ("MONTHLY SERIES", "1993", "Feb")
    small = replace(row[0], box=Box(9, 10, 59, 16))
    read = replace(read, rows=(read.rows[0], (small, row[1]), *read.rows[2:]))
    assert row_labels(read)[1:] == (("MONTHLY SERIES",), ("1993",), ("1993", "Jan"), ("1993", "Feb"))


def test_a_stored_table_has_the_labels_of_the_table_that_was_read() -> None:
    read = table([HEAD, ["Customs", "1"], ["Duties", "2"], ["Fees", "3"], ["Other", "4"]], indents=[0, 0, 6, 6, 0])
    assert row_labels(trusted(read)) == row_labels(read)
    assert row_labels(read)[2] == ("Customs", "Duties")


def test_months_from_the_latest_to_the_earliest_go_back_over_the_years() -> None:
    rows = [["2019 - Sept", "1"], ["June", "2"], ["Mar", "3"], ["Dec", "4"], ["Sept", "5"]]
    years = ("2019", "2019", "2019", "2018", "2018")
    assert [path[0] for path in labels(*rows)] == list(years)
    # December, March: the next quarter.
    assert labels(["2018 - Dec", "1"], ["Mar", "2"])[1] == ("2019", "Mar")


def test_a_year_without_figures_is_no_parent_of_rows_that_print_another() -> None:
    rows = [["2018", "1"], ["2019", ""], ["2018 - Sept", "2"], ["Oct", "3"], ["2019 - Jan", "4"]]
    assert labels(*rows)[2:] == [("2018", "Sept"), ("2018", "Oct"), ("2019", "Jan")]
