"""Tables of figures in columns, without a grid of lines."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.archive.layout.pages import Typed, width
from tests.support.data import real_data_dir

from lab.scoring import read_truth, score_table
from worktrial.archive.layout.finder import find_tables, page_content
from worktrial.archive.meaning.labels import header_paths, row_labels
from worktrial.archive.pages import Box, Word
from worktrial.archive.pdf.document import open_pdf
from worktrial.archive.pdf.page import read_page

_ROWS = [
    ["1998", "1,234", "-", "7.5"],
    ["1999", "22", "5,678", "(3.1)"],
    ["2000", "333,333", "n.a.", "-12.0"],
    ["2001", "4", "10", "*"],
]
_MONTHS = [["Jan", "7.34", "7.91", "6.05"], ["Feb", "7.09", "7.73", "5.74"], ["Mar", "6.82", "7.39", "5.54"]]


def _simple(page: Typed, y: float = 100) -> Typed:
    page.centre(70, y, "Year").centre(200, y, "Receipts").centre(300, y, "Outlays").centre(400, y, "Rate")
    return page.rows(y + 20, 50, [220, 320, 420], _ROWS)


def test_a_plain_table_without_any_rule() -> None:
    (table,) = find_tables(_simple(Typed()).page(7))
    assert table.grid == [["Year", "Receipts", "Outlays", "Rate"], *_ROWS]
    assert (table.page, table.number, table.header_rows, table.label_columns) == (7, 1, 1, 1)
    assert [cell.row for cell in table.rows[2]] == [2] * 4
    assert table.rows[1][1].box is not None and table.rows[1][1].box.x1 == pytest.approx(220)


def test_the_same_from_recognised_words_keeps_the_least_confidence() -> None:
    (table,) = find_tables(_simple(Typed(confidence=0.8)).page())
    assert table.grid[1:] == _ROWS
    assert {cell.confidence for row in table.rows for cell in row} == {0.8}


def test_a_number_keeps_its_other_readings_and_what_stands_beside_it() -> None:
    page = _simple(Typed(confidence=0.4)).page()
    words = tuple(
        replace(word, alternatives=("5,673", "6,678")) if word.text == "5,678" else word for word in page.words
    )
    mark = Word("4/", Box(322, 128, 330, 132), 4, confidence=0.9)
    (table,) = find_tables(replace(page, words=(*words, mark)))
    (cell,) = [cell for row in table.rows for cell in row if "5,678" in cell.text]
    assert cell.alternatives == tuple(cell.text.replace("5,678", other) for other in ("5,673", "6,678"))
    assert not any(other.alternatives for row in table.rows for other in row if other is not cell)


def test_title_unit_and_notes() -> None:
    page = Typed().centre(235, 60, "TABLE FD-1.—Summary of Debt", 12)
    page.centre(235, 76, "[In millions of dollars. Source: Daily Statement]", 6)
    _simple(page).left(50, 180, "Note.—Detail may not add.", 6).left(50, 188, "1 Preliminary figures", 6)
    (table,) = find_tables(page.left(50, 196, "of the Treasury.", 6).page())
    assert table.title == "TABLE FD-1.—Summary of Debt"
    assert table.unit == "In millions of dollars"
    assert table.notes == ("Note.—Detail may not add.", "1 Preliminary figures of the Treasury.")


def test_spanning_headings_follow_the_rules_under_them() -> None:
    page = Typed().level(45, 425, 90).centre(250, 98, "Means of financing").level(180, 330, 104)
    page.centre(200, 112, "Agency").centre(200, 121, "secu-").centre(200, 130, "rities").centre(200, 139, "(1)")
    page.centre(300, 130, "Total").centre(300, 139, "(2)").centre(400, 130, "Rate").centre(400, 139, "(3)")
    page.centre(70, 130, "Fiscal year").centre(70, 139, "or month").level(45, 425, 146)
    (table,) = find_tables(page.rows(160, 50, [220, 320, 420], _ROWS).page())
    assert table.grid[: table.header_rows] == [
        ["Fiscal year or month", "Means of financing", "Means of financing", "Rate (3)"],
        ["Fiscal year or month", "Agency securities (1)", "Total (2)", "Rate (3)"],
    ]
    assert table.rows[0][1].box == table.rows[0][2].box != table.rows[0][3].box


def test_spanning_headings_without_rules_are_centred_over_their_columns() -> None:
    page = Typed().centre(225, 100, "Receipts by source of income").centre(425, 100, "Outlays of all agencies")
    for x, text in ((175, "Gross"), (275, "Net"), (375, "Gross"), (475, "Net")):
        page.centre(x, 116, text)
    rows = [[str(1990 + k), f"{k}00", f"{k}01", f"{k}02", f"{k}03"] for k in range(1, 6)]
    (table,) = find_tables(page.rows(136, 50, [190, 290, 390, 490], rows).page())
    first, second = "Receipts by source of income", "Outlays of all agencies"
    assert table.grid[:2] == [["", first, first, second, second], ["", "Gross", "Net", "Gross", "Net"]]
    assert table.grid[2:] == rows


def test_a_tall_heading_is_not_joined_to_the_text_over_it_and_its_neighbours() -> None:
    page = Typed().centre(270, 91, "This fiscal year to date")
    for x, word in ((175, "General"), (290, "Trust"), (350, "Total")):
        page.centre(x, 109, word).centre(x, 118, "funds")
    for y, text in ((100, "Managed"), (109, "special"), (118, "funds")):
        page.centre(230, y, text)
    rows = [[str(1990 + k), *(f"{k}0{n}" for n in range(4))] for k in range(1, 6)]
    (table,) = find_tables(page.rows(136, 50, [190, 245, 305, 365], rows).page())
    assert table.grid[0] == ["", *["This fiscal year to date"] * 4]
    assert table.grid[1] == ["", "General funds", "Managed special funds", "Trust funds", "Total funds"]


def test_a_heading_holds_the_headings_below_it_whole_though_its_rule_is_short() -> None:
    page = Typed().centre(290, 92, "Balances").level(210, 410, 97)
    page.centre(225, 106, "End of period").level(170, 280, 111).centre(350, 106, "Average").level(290, 410, 111)
    for x, text in ((190, "Bank"), (255, "Loan"), (315, "Bank"), (385, "Loan")):
        page.centre(x, 120, text)
    rows = [[str(1990 + k), f"{k}00", f"{k}01", f"{k}02", f"{k}03"] for k in range(1, 6)]
    (table,) = find_tables(page.rows(138, 50, [200, 265, 325, 395], rows).page())
    assert table.grid[0] == ["", *["Balances"] * 4]
    assert table.grid[1] == ["", "End of period", "End of period", "Average", "Average"]


def test_neighbouring_headings_whose_rules_were_scanned_as_one_keep_their_columns() -> None:
    page = (
        Typed(confidence=0.9).centre(210, 92, "Food and drink").centre(385, 92, "Manufactures").level(150, 455, 98)
    )
    for x, text in ((170, "Grain"), (225, "Sugar"), (280, "Wine"), (335, "Cloth"), (390, "Tools"), (445, "Glass")):
        page.centre(x, 108, text)
    rows = [[str(1990 + k), *(f"{k}0{n}" for n in range(6))] for k in range(1, 6)]
    (table,) = find_tables(page.rows(126, 50, [180, 235, 290, 345, 400, 455], rows).page())
    assert table.grid[0] == ["", *["Food and drink"] * 3, *["Manufactures"] * 3]


def test_words_broken_in_headings_are_mended_and_compounds_kept() -> None:
    page = Typed().centre(200, 91, "Nonmarket-").centre(200, 100, "able").centre(300, 91, "Public-")
    page.centre(300, 100, "Federal").centre(400, 100, "Rate").centre(70, 100, "Year")
    (table,) = find_tables(page.rows(120, 50, [220, 320, 420], _ROWS).page())
    assert table.grid[0] == ["Year", "Nonmarketable", "Public-Federal", "Rate"]


def test_typed_headings_half_a_row_apart_stay_in_their_columns() -> None:
    page = Typed(confidence=0.9).centre(70, 124, "End of month", 6)
    names = ["Notes and bills", "Of one year", "Special issues of", "Long term bonds"]
    for k, name in enumerate(names):
        page.centre(150 + 70 * k, 124, name, 6)
    page.centre(400, 121.9, "Total", 6).centre(400, 126.1, "interest", 6)
    page.centre(435, 121.9, "Balance", 6).centre(435, 126.1, "in fund", 6)
    rights = [165, 235, 305, 375, 410, 445]
    rows = [[str(1990 + k), *(f"{k},{n}00" for n in range(1, 7))] for k in range(1, 6)]
    (table,) = find_tables(page.rows(142, 50, rights, rows).page())
    assert table.grid[0] == ["End of month", *names, "Total interest", "Balance in fund"]


def test_labels_of_two_lines_and_groups() -> None:
    page = Typed().centre(90, 100, "Agency").centre(300, 100, "1998").centre(400, 100, "Total")
    page.left(50, 120, "Budget receipts:").left(58, 132, "Employment and general retire-")
    page.left(64, 144, "ment insurance").right(320, 144, "12").right(420, 144, "13")
    page.left(58, 156, "Other").right(320, 156, "1,200").right(420, 156, "1,300")
    page.left(58, 168, "Customs").right(320, 168, "7").right(420, 168, "8")
    (table,) = find_tables(page.page())
    assert table.grid[1:] == [
        ["Budget receipts:", "", ""],
        ["Employment and general retirement insurance", "12", "13"],
        ["Other", "1,200", "1,300"],
        ["Customs", "7", "8"],
    ]


def test_leader_dots_are_dropped_and_marks_stay_in_their_cell() -> None:
    page = Typed().centre(70, 100, "Year").centre(200, 100, "Receipts").centre(300, 100, "Outlays")
    page.left(50, 120, "1998").left(68, 118, "8", 5).left(75, 120, "...................").right(220, 120, "1,234")
    page.left(221.5, 120, "r").right(320, 120, "5")
    page.left(50, 132, "1999 .............").right(220, 132, "22").right(320, 132, "6").left(320.5, 130, "2", 5)
    page.left(50, 144, "2000 .............").right(220, 144, "23").right(320, 144, "7")
    (table,) = find_tables(page.page())
    assert table.grid[1:] == [["1998 8", "1,234 r", "5"], ["1999", "22", "6 2"], ["2000", "23", "7"]]


def test_months_and_rates_in_fractions_are_cells_of_what_the_label_names() -> None:
    rows = [
        ["Harbour Loan", "April 1921", "4-5/8", "May 1936", "1,420"],
        ["Railway Loan", "December 1923", "6-1/2", "Dec. 15, 1945", "170,016"],
        ["Waterworks Loan", "July 1924", "3", "August 1934", "22,510"],
    ]
    page = Typed().centre(70, 80, "Loan").centre(180, 80, "Issued").centre(250, 80, "Rate")
    page.centre(310, 80, "Due").centre(390, 80, "Amount").level(45, 425, 86)
    page.left(50, 96, "Foreign loans:")
    (table,) = find_tables(page.rows(108, 50, [210, 260, 345, 420], rows).page())
    head = ["Loan", "Issued", "Rate", "Due", "Amount"]
    assert table.grid == [head, ["Foreign loans:", "", "", "", ""], *rows]
    assert (table.header_rows, table.label_columns) == (1, 1)


def test_months_beside_a_label_that_repeats_are_labels() -> None:
    months = ("January 1990", "February 1990", "March 1990")
    rows = [[place, month, "1,234", "56"] for place in ("Alma", "Borg") for month in months]
    page = Typed().centre(60, 80, "Place").centre(180, 80, "Month").centre(260, 80, "Births")
    (table,) = find_tables(page.centre(330, 80, "Deaths").rows(96, 50, [210, 275, 340], rows).page())
    assert table.grid[1:] == rows
    assert table.label_columns == 2


def test_years_and_the_months_beside_them_are_two_columns_of_labels() -> None:
    rows = [[year, "", "1,234", "56"] for year in ("2019", "2020")]
    rows += [["2020", "– Nov", "1,300", "57"], ["", "Dec", "1,400", "58"], ["2021", "– Jan", "1,500", "59"]]
    page = Typed().centre(80, 80, "End of year or month").centre(260, 80, "Limit").centre(330, 80, "Debt")
    (table,) = find_tables(page.rows(96, 50, [110, 275, 340], rows).page())
    assert table.label_columns == 2
    assert row_labels(table)[-3:] == (("2020", "Nov"), ("2020", "Dec"), ("2021", "Jan"))


def test_a_row_of_years_and_months_is_a_heading_though_a_year_is_a_figure() -> None:
    page = Typed().centre(280, 60, "1997").level(225, 335, 68).centre(60, 80, "Country").centre(190, 80, "1996")
    for x, month in ((240, "Mar. r"), (280, "June r"), (320, "Sept. r")):
        page.centre(x, 80, month)
    rows = [["China", "1,601", "638", "280", "59"], ["India", "2,140", "433", "507", "336"]]
    (table,) = find_tables(page.rows(96, 40, [200, 250, 290, 330], [*rows, *rows]).page())
    assert table.header_rows == 2
    assert header_paths(table)[2:] == (("1997", "Mar. r"), ("1997", "June r"), ("1997", "Sept. r"))


def test_two_parts_of_a_table_share_the_title_of_the_first() -> None:
    page = Typed().centre(235, 60, "TABLE FFO-1.—Fiscal Operations", 12)
    _simple(_simple(page, 90), 240)
    upper, lower = find_tables(page.page())
    assert upper.grid == lower.grid
    assert (upper.number, lower.number) == (1, 2)
    assert upper.title == lower.title == "TABLE FFO-1.—Fiscal Operations"


@pytest.mark.parametrize("name", ["", "Percentage of the total"])
def test_a_lower_part_without_headings_has_those_above_its_columns(name: str) -> None:
    page = Typed().centre(235, 60, "TABLE FFO-1.—Fiscal Operations", 12)
    _simple(page, 90).centre(290, 210, name).level(50, 420, 220)
    lower = [[label, *figures[:1], *figures[2:]] for label, *figures in _MONTHS]
    page.rows(240, 50, [220, 420], lower)
    upper, table = find_tables(page.page())
    upper_paths = header_paths(upper)
    assert header_paths(table)[1:] == (upper_paths[1], upper_paths[3])
    assert table.title == name or table.title == upper.title
    assert len(table.rows) - table.header_rows == len(_MONTHS)


def test_another_table_below_has_neither_title_nor_headings_of_the_one_above() -> None:
    page = _simple(Typed().centre(235, 60, "TABLE FFO-1.—Fiscal Operations", 12), 90)
    page.rows(260, 50, [170, 270, 350], _MONTHS)
    _, other = find_tables(page.page())
    assert other.title == "" and other.header_rows == 0


def test_a_speck_is_no_label() -> None:
    page = Typed(confidence=0.97).centre(300, 80, "Bids").centre(420, 80, "Rate")
    page.rows(100, 50, [320, 430], [["July", "1,734", "7.91"], ["August", "1,709", "7.73"]])
    page.left(58, 124, "E").rows(136, 50, [320, 430], [["September", "1,682", "7.39"], ["October", "1,512", "7.1"]])
    (table,) = find_tables(page.page())
    assert row_labels(table)[1:] == (("July",), ("August",), ("September",), ("October",))


def test_notes_in_columns_are_read_one_column_after_the_other() -> None:
    page = _simple(Typed())
    page.left(50, 200, "1/ Excludes loans that").left(250, 200, "loans of guaranteed banks.")
    page.left(50, 210, "were repaid in July.").left(250, 210, "3/ Less than half of one.")
    page.left(50, 220, "2/ Includes all small").left(250, 220, "4/ Revised in August.")
    (table,) = find_tables(page.page())
    assert table.notes == (
        "1/ Excludes loans that were repaid in July.",
        "2/ Includes all small loans of guaranteed banks.",
        "3/ Less than half of one.",
        "4/ Revised in August.",
    )
    text = page_content(page.page()).text
    assert "1/ Excludes loans that\nwere repaid in July.\n2/ Includes all small\nloans of" in text


def test_wide_totals_do_not_join_columns() -> None:
    page = Typed().centre(70, 100, "Year").centre(150, 100, "In").centre(180, 100, "Out").centre(210, 100, "Net")
    rows = [[str(1990 + k), "123", "45", "67"] for k in range(8)]
    page.rows(120, 50, [160, 190, 220], rows).rows(
        120 + 96, 50, [160, 190, 220], [["Total", "12,345", "1,234", "5,678"]]
    )
    (table,) = find_tables(page.page())
    assert table.grid[1:] == [*rows, ["Total", "12,345", "1,234", "5,678"]]


def test_prose_is_no_table() -> None:
    page = Typed()
    for k in range(20):
        page.left(50, 100 + 11 * k, "In 1998 the deficit was 12.5 billion dollars and in 1999 it was")
        page.left(330, 100 + 11 * k, "below 7 billion dollars for the first 6 months of the year")
    assert find_tables(page.page()) == ()


@pytest.mark.parametrize("caption", ["Figure 3. Spread over time", ""])
def test_the_scale_of_a_chart_is_no_table(caption: str) -> None:
    page = Typed().left(50, 80, caption)
    for k in range(8):
        page.right(70, 100 + 30 * k, str(400 - 50 * k)).left(460, 100 + 30 * k, str(80 - 10 * k))
    assert find_tables(page.page()) == ()


def test_contents_are_no_table() -> None:
    page = Typed()
    for k in range(8):
        page.left(50, 100 + 12 * k, f"FFO-{k}.—Receipts by source ...............").right(
            400, 100 + 12 * k, str(17 + k)
        )
    assert find_tables(page.page()) == ()


def test_a_page_without_words() -> None:
    assert find_tables(Typed().level(10, 500, 50).page()) == ()


_FIGURES = st.one_of(
    st.integers(-999_999, 9_999_999).map(lambda n: f"{n:,}"),
    st.decimals(-999, 999, places=1, allow_nan=False).map(str),
    st.sampled_from(["-", "*", "n.a."]),
)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 6), st.integers(4, 14))
def test_any_grid_of_figures_is_found_as_it_was_set(data: st.DataObject, columns: int, rows: int) -> None:
    names = ["Total", "Bonds", "Notes", "Bills", "Other", "Net"][:columns]
    gaps = data.draw(st.lists(st.floats(8, 30), min_size=columns, max_size=columns))
    grid = [
        [f"Agency {chr(65 + k)}", *data.draw(st.lists(_FIGURES, min_size=columns, max_size=columns))]
        for k in range(rows)
    ]
    rights, x = [], 110.0
    for k, gap in enumerate(gaps):
        widest = max(len(text) for text in [names[k], *(row[k + 1] for row in grid)])
        x += gap + 4 * widest
        rights.append(x)
    page = Typed().left(50, 100, "Name")
    for right, name in zip(rights, names, strict=True):
        page.right(right, 100, name)
    page.level(45, x + 5, 108).rows(122, 50, rights, grid)
    (table,) = find_tables(page.page())
    # A column may hold nothing but signs for "nothing"; it is a column all the same.
    assert table.grid == [["Name", *names], *grid]


@pytest.mark.real_data
def test_tables_of_real_bulletins() -> None:
    folder = real_data_dir() / "officeqa"
    digital = [truth for truth in read_truth(folder / "truth" / "tables.jsonl") if truth.kind == "digital"]
    assert len(digital) == 3
    for truth in digital:
        with open_pdf(folder / "pdfs" / f"{truth.doc}.pdf") as pdf:
            score = score_table(truth, find_tables(read_page(pdf, truth.pdf_page)))
        assert score.cell_f1_strict >= 0.98, truth.id
        assert score.value_found >= 0.95, truth.id


def test_prose_over_a_table_is_no_heading_and_a_unit_in_another_language_is_one() -> None:
    page = Typed().left(50, 80, "Die Zahlen der Inseln lagen bei Drucklegung noch nicht vor und fehlen")
    page.left(50, 92, "In Tausend Kronen").right(250, 106, "Geplant").right(350, 106, "Bezahlt")
    rows = [["Miete", "1.204", "88"], ["Porto", "960", "7"], ["Zinsen", "31", "412"]]
    (found,) = find_tables(page.rows(120, 50, [250, 350], rows).page())
    assert found.grid == [["", "Geplant", "Bezahlt"], *rows]
    assert found.unit == "In Tausend Kronen"


def test_a_heading_over_two_years_takes_neither_of_them() -> None:
    page = Typed().left(50, 100, "Posten").centre(186, 100, "Bezahlt").centre(298, 100, "Geplant")
    for k, year in enumerate(("2016", "2017", "2016", "2017")):
        page.right(172 + 56 * k, 112, year)
    rows = [[month, *(f"{k}{n},1" for n in range(4))] for k, month in enumerate(("Mai", "Juni", "Juli"), 1)]
    (found,) = find_tables(page.rows(126, 50, [172, 228, 284, 340], rows).page())
    assert found.grid[found.header_rows - 1][1:] == ["2016", "2017", "2016", "2017"]


def test_rules_between_all_rows_do_not_end_the_headings() -> None:
    page = Typed().left(50, 100, "Item").centre(250, 100, "Planned").centre(450, 100, "Spent")
    for k, year in enumerate(("2016", "2017", "2016", "2017")):
        page.right(220 + 100 * k, 112, year)
    rows = [[month, *(f"{k}{n}" for n in range(4))] for k, month in enumerate(("May", "June", "July"), 1)]
    for y in range(94, 170, 12):
        page.level(50, 520, y)
    (found,) = find_tables(page.rows(124, 50, [220, 320, 420, 520], rows).page())
    assert [row[1:] for row in found.grid[:2]] == [
        ["Planned", "Planned", "Spent", "Spent"],
        ["2016", "2017", "2016", "2017"],
    ]


def test_texts_of_several_lines_are_cells_of_their_row() -> None:
    page = Typed().left(50, 100, "Item").left(150, 100, "Remarks").right(400, 100, "Sown").right(470, 100, "Cut")
    lines = (
        ("Oats", ["Counted by hand and compared with the books of the port", "in March", "and in May"], "12", "7"),
        ("Rye", ["No change"], "31", "88"),
        ("Barley", ["Estimate, to be", "revised"], "5", "19"),
    )
    y = 114
    for label, texts, sown, cut in lines:
        page.left(50, y, label).right(400, y, sown).right(470, y, cut)
        for text in texts:
            page.left(150, y, text)
            y += 10
        y += 3
    page.left(50, y + 20, "the council took note of what was said and asked the office again")
    (found,) = find_tables(page.page())
    assert found.grid[1:] == [[label, " ".join(texts), sown, cut] for label, texts, sown, cut in lines]


def test_words_that_justified_setting_moves_apart_are_one_text() -> None:
    page = Typed().left(50, 100, "Item").left(150, 100, "Remarks").right(400, 100, "Sown").right(470, 100, "Cut")
    for k, label in enumerate(("Oats", "Rye", "Barley")):
        page.left(50, 114 + 12 * k, label).right(400, 114 + 12 * k, f"1{k}").right(470, 114 + 12 * k, f"2{k}")
        x = 150.0
        for word in ("counted", "by", "hand", "and", "then", "compared"):
            page.left(x, 114 + 12 * k, word)
            x += len(word) * 4 + 8
    (found,) = find_tables(page.page())
    assert found.grid[1] == ["Oats", "counted by hand and then compared", "10", "20"]


def test_a_small_heading_over_the_first_rows_does_not_make_the_headings_above_it_large() -> None:
    page = Typed().centre(235, 60, "TABLE MY-2.—Average Yields of Bonds", 12).centre(235, 78, "[In percentages]", 6)
    page.centre(70, 100, "Period").centre(210, 100, "Long").centre(310, 100, "Short").centre(410, 100, "Rate")
    page.level(45, 425, 108).left(50, 114, "MONTHLY SERIES—AVERAGES OF DAYS", 6).level(45, 425, 121)
    (table,) = find_tables(page.rows(130, 56, [220, 320, 420], _MONTHS).page())
    assert (table.title, table.unit) == ("TABLE MY-2.—Average Yields of Bonds", "In percentages")
    assert table.grid[: table.header_rows] == [["Period", "Long", "Short", "Rate"]]
    assert table.grid[1][0] == "MONTHLY SERIES—AVERAGES OF DAYS"


def test_below_the_unit_there_is_no_more_title() -> None:
    page = (
        Typed().centre(235, 60, "TABLE FFO-5—Receipts by State", 12).centre(235, 78, "[In thousands of dollars]", 6)
    )
    page.centre(215, 94, "Income and other taxes on").centre(215, 103, "wages").centre(70, 118, "State")
    page.centre(170, 118, "First").centre(260, 118, "Second").centre(410, 118, "Excise")
    (table,) = find_tables(page.rows(134, 50, [180, 270, 420], _ROWS).page())
    assert (table.title, table.unit) == ("TABLE FFO-5—Receipts by State", "In thousands of dollars")
    assert table.grid[0] == ["State", *["Income and other taxes on wages"] * 2, "Excise"]


def test_the_line_of_the_page_with_its_number_is_no_row_and_bridges_no_columns() -> None:
    page = Typed().left(110, 60, "FINANCIAL REPORT OF THE WHOLE GOVERNMENT, EXCERPT").right(425, 60, "71")
    page.centre(210, 84, "Gross").centre(310, 84, "Earned").centre(210, 93, "cost").centre(310, 93, "revenue")
    (table,) = find_tables(page.centre(410, 93, "Net").rows(109, 50, [220, 320, 420], _ROWS).page())
    assert table.grid == [["", "Gross cost", "Earned revenue", "Net"], *_ROWS]


def test_the_mark_of_a_note_under_the_rows_is_no_column_of_labels() -> None:
    rows = [["Egypt", "24", "35"], ["Ghana", "16", "20"], ["Libya", "18", "44"], ["Morocco", "28", "13"]] * 2
    page = Typed().centre(70, 88, "Country").centre(210, 88, "Bonds").centre(310, 88, "Stocks")
    page.rows(104, 62, [220, 320], rows).left(50, 200, "1", 5).left(62, 200, "Less than 500").right(220, 200, "5")
    (table,) = find_tables(page.page())
    assert table.label_columns == 1
    assert table.grid[:2] == [["Country", "Bonds", "Stocks"], rows[0]]


def test_two_whole_numbers_are_two_however_near_they_stand() -> None:
    rows = [["1998", "1,234", "7,515"], ["1999", "22", "5,678"], ["2000", "1,358,178", "1,306,450"]]
    page = Typed().centre(70, 88, "Year").centre(200, 88, "All").centre(240, 88, "Own")
    (table,) = find_tables(page.rows(104, 50, [220, 257], rows).page())
    assert table.grid[1:] == rows


def test_a_label_that_stands_lower_than_its_figures_is_theirs() -> None:
    page = _simple(Typed()).level(180, 425, 162)
    for x, figure in ((220, "333,459"), (320, "5,688"), (420, "9")):
        page.right(x, 168, figure)
    (table,) = find_tables(page.left(56, 172, "Total ..............").page())
    assert table.grid[-1] == ["Total", "333,459", "5,688", "9"]


@pytest.mark.parametrize("height", [-4, 0])
def test_the_figures_of_a_label_in_two_lines_may_stand_between_them_or_at_the_first(height: float) -> None:
    rows = [["Asia .......", "1,234", "7,515"], ["Africa .......", "22", "5,678"], ["Total .......", "9", "10"]]
    page = Typed().centre(70, 88, "Area").centre(200, 88, "All").centre(300, 88, "Own")
    page.rows(104, 50, [220, 320], rows)
    for y in (143, 170):
        page.left(56, y + height, "Total foreign").left(62, y + 4, "countries .......")
        page.right(220, y, "1,265").right(320, y, "13,203")
    (table,) = find_tables(page.page())
    assert table.grid[4:] == [["Total foreign countries", "1,265", "13,203"]] * 2


@pytest.mark.parametrize("underlined", [False, True])
def test_headings_that_go_round_are_told_apart_by_what_stands_above_each_round(underlined: bool) -> None:
    page, rights = Typed(), [160, 215, 270, 325, 380, 435, 490, 545]
    for first, year in ((1, "This fiscal year to date"), (5, "Prior fiscal year to date")):
        page.left(rights[first] - 40, 70, year).left(rights[first] - 40, 80, "Managed,")
        if underlined:  # as wide as the text
            page.level(rights[first] - 40, rights[first] - 40 + width(year), 75)
    for k, right in enumerate(rights):
        page.centre(right - 20, 90, ("General", "revolving", "Trust", "Total")[k % 4])
        page.centre(right - 20, 100, f"({k + 1})")
    rows = [[f"Office {row}", *(f"{row},{k}0{row}" for k in range(8))] for row in "3178"]
    (table,) = find_tables(page.rows(116, 50, rights, rows).page())
    below = ["General (1)", "Managed, revolving (2)", "Trust (3)", "Total (4)"]
    assert header_paths(table)[1:5] == tuple(("This fiscal year to date", text) for text in below)
    assert {path[0] for path in header_paths(table)[5:]} == {"Prior fiscal year to date"}


def test_the_end_of_a_rule_parts_two_headings_under_it_that_nearly_touch() -> None:
    page = Typed().centre(70, 106, "Country").centre(255, 88, "Corporate").level(208, 305, 95)
    page.right(204, 106, "agencies").left(209, 106, "Bonds").centre(280, 106, "Stocks")
    (table,) = find_tables(page.rows(122, 50, [190, 230, 290], _ROWS).page())
    assert header_paths(table)[1:] == (("agencies",), ("Corporate", "Bonds"), ("Corporate", "Stocks"))


def test_a_long_line_of_the_caption_above_the_labels_is_no_heading_of_figures() -> None:
    page = Typed().left(50, 70, "Statement of Net Cost").left(50, 82, "for the Year Ended September 30, 2019")
    page.centre(320, 82, "Earned").centre(320, 94, "net").left(50, 106, "(In billions of dollars)")
    page.centre(262, 106, "Gross").centre(320, 106, "revenue").centre(410, 106, "Net")
    rows = [["Department of Housing and Urban Development", *row[1:]] for row in _ROWS]
    (table,) = find_tables(page.rows(124, 50, [278, 335, 420], rows).page())
    assert table.grid[0][1:] == ["Gross", "Earned net revenue", "Net"]
    assert table.grid[0][0].endswith("September 30, 2019 (In billions of dollars)")


def test_a_frame_around_the_whole_table_parts_no_columns() -> None:
    page = _simple(Typed()).level(40, 440, 92).level(40, 440, 170).upright(40, 80, 170).upright(440, 80, 170)
    (table,) = find_tables(page.page())
    assert table.grid[0] == ["Year", "Receipts", "Outlays", "Rate"]


def test_a_heading_stands_over_the_columns_beside_its_own_that_have_none() -> None:
    rows = [["Notes", "2", "", "105", "42"], ["Bonds", "29", "10", "34", "7"], ["Bills", "5", "6", "75", "31"]]
    page = Typed().centre(70, 100, "Kind").centre(222, 100, "Period to maturity").centre(340, 100, "Bid")
    (table,) = find_tables(page.centre(410, 100, "Taken").rows(120, 50, [215, 245, 350, 420], rows).page())
    assert header_paths(table)[1:] == (("Period to maturity",), ("Period to maturity",), ("Bid",), ("Taken",))


def test_headings_right_above_the_numbers_of_columns_are_parted_between_them() -> None:
    page = (
        Typed()
        .centre(70, 100, "Month")
        .left(180, 100, "Private")
        .left(212, 98, "6", 5)
        .left(217, 100, "governments")
    )
    page.centre(235, 91, "State").centre(201, 110, "(6)").centre(239, 110, "(7)").centre(410, 110, "(8)")
    (table,) = find_tables(page.centre(410, 100, "Others").rows(126, 50, [212, 246, 420], _MONTHS).page())
    assert header_paths(table)[1:] == (("Private 6 (6)",), ("State governments (7)",), ("Others (8)",))


def test_rows_may_have_no_figure_that_is_available() -> None:
    rows = [["Sept", "33,167", "11,790", *["N/A"] * 4], *([*row, "5", "6", "7"] for row in _MONTHS)]
    page, rights = Typed().centre(70, 100, "Month"), [150, 210, 270, 330, 390, 450]
    for k, right in enumerate(rights):
        page.centre(right - 10, 100, "ABCDEF"[k])
    (table,) = find_tables(page.rows(120, 50, rights, rows).page())
    assert (table.header_rows, table.grid[1:]) == (1, rows)


def test_a_label_that_stands_higher_than_its_figures_is_theirs() -> None:
    page = _simple(Typed()).left(50, 168, "2002 ..............")
    for x, figure in ((220, "333,459"), (320, "5,688"), (420, "9")):
        page.right(x, 177, figure)
    (table,) = find_tables(page.page())
    assert table.grid[-1] == ["2002", "333,459", "5,688", "9"]


def test_a_unit_in_brackets_may_stand_far_above_the_headings() -> None:
    page = Typed().centre(235, 58, "TABLE FCP-1—Weekly Report", 12).centre(235, 70, "[In millions of dollars]", 6)
    (table,) = find_tables(_simple(page).page())
    assert (table.title, table.unit) == ("TABLE FCP-1—Weekly Report", "In millions of dollars")


def test_tables_side_by_side_begin_with_a_label_each() -> None:
    page = Typed()
    for x in (50, 300):
        page.centre(x + 30, 91, "Port of").centre(x + 30, 100, "collection").centre(x + 150, 100, "Fees")
        page.left(x, 114, "Vermont:" if x == 50 else "Maine, continued")
        rows = [["Alburg", "1,234"], ["Derby", "22"], ["Norton", "5,678"], ["Beecher", "9"]]
        page.rows(126, x + 8, [x + 160], rows)
    (table,) = find_tables(page.level(45, 470, 107).page())
    assert table.grid[:2] == [["Port of collection", "Fees"] * 2, ["Vermont:", "", "Maine, continued", ""]]


def test_a_line_of_two_headings_that_nearly_touch_is_parted_like_those_above_and_below() -> None:
    page = (
        Typed().centre(70, 118, "Year").centre(400, 118, "Rate").right(220, 91, "Deposits").right(262, 91, "Other")
    )
    page.right(220, 100, "of Reserve").right(262, 100, "fund and all").right(220, 109, "banks").right(
        262, 109, "sums"
    )
    (table,) = find_tables(page.rows(134, 50, [220, 262, 420], _MONTHS).page())
    assert header_paths(table)[1:3] == (("Deposits of Reserve banks",), ("Other fund and all sums",))


def test_a_heading_over_one_of_several_columns_stands_over_all_of_them() -> None:
    page = (
        Typed().centre(70, 118, "Year").centre(310, 82, "Social insurance").centre(310, 100, "Hospitals and homes")
    )
    page.level(190, 430, 109)
    page.centre(210, 118, "Gross").centre(310, 118, "Refunds").centre(410, 118, "Net")
    (table,) = find_tables(page.rows(134, 50, [220, 320, 420], _MONTHS).page())
    assert [path[0] for path in header_paths(table)[1:]] == ["Social insurance Hospitals and homes"] * 3


def test_panels_side_by_side_whose_rows_fall_out_of_step_are_one_table_with_its_headings() -> None:
    page = Typed(confidence=0.9).centre(260, 60, "TABLE IR-1.—Collections of Internal Revenue", 12)
    page.level(30, 500, 82)
    for x in (30, 270):
        page.left(x, 95, "Source").centre(x + 115, 95, "August").centre(x + 185, 95, "Year")
    page.level(30, 500, 108)
    page.left(30, 120, "Income taxes:").left(270, 120, "Miscellaneous internal")
    page.left(30, 132, "Corporation").left(270, 132, "revenue - continued")
    page.rows(144, 30, [160, 230], [[f"Left {n}", f"{n + 11},017", f"{n + 12},986"] for n in range(3)])
    page.rows(144, 270, [400, 470], [[f"Right {n}", f"{n + 31},576", f"{n + 32},437"] for n in range(3)])
    page.rows(180, 30, [160, 230], [[f"Tax {n}", f"{n + 41},123", f"{n + 42},321"] for n in range(9)])
    page.rows(269, 270, [400, 470], [["Late A", "73,555", "66,131"], ["Late B", "17,840", "14,619"]])
    (table,) = find_tables(page.page())
    assert table.title == "TABLE IR-1.—Collections of Internal Revenue"
    assert table.grid[0] == ["Source", "August", "Year"] * 2 and table.header_rows == 1
    assert table.grid[1] == ["Income taxes:", "", "", "Miscellaneous internal", "", ""]
    body = [[text for text in row if text] for row in table.grid]
    assert ["Late A", "73,555", "66,131"] in body and ["Late B", "17,840", "14,619"] in body
    assert ["Tax 8", "49,123", "50,321"] in body
