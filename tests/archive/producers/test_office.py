"""Documents that were written, not printed: workbooks, separated values, Word, web pages; and pictures alone."""

from datetime import date
from pathlib import Path
from zipfile import ZipFile

import pytest
from PIL import Image
from tests.support.pdfs import PASSWORD, lines, pdf, table_page

from worktrial.archive.building.build import build
from worktrial.archive.pages import PageContent
from worktrial.archive.pdf.document import open_pdf, render
from worktrial.archive.producers.files import PICTURE, Files, ReadSettings, open_document
from worktrial.archive.producers.pictures import open_picture
from worktrial.archive.store.archive import Archive
from worktrial.errors import DataError, SettingError

SHEET_ROWS = (("Year", "Receipts", None), (None, "Customs", "Share"), (1938, 2345.5, 0.125), (1939, 2346.125, None))


def read(path: Path) -> list[PageContent]:
    (source,) = Files((path,)).documents()
    reader = open_document(source, ReadSettings())
    try:
        return [reader.read(n) for n in range(1, reader.pages + 1)]
    finally:
        reader.close()


@pytest.fixture(scope="module")
def workbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Budget"
    sheet.append(["Table 1. Receipts"])
    sheet.append(["In millions of dollars"])
    for row in SHEET_ROWS:
        sheet.append(row)
    sheet.append(["r revised"])
    sheet.merge_cells("B3:C3")
    sheet["C5"].number_format = "0.0%"
    sheet["B5"].number_format = "[$€-407]#,##0.00;(#,##0)"
    second = book.create_sheet("Dates")
    for value in (("Month", "Amount"), (date(1939, 2, 1), 1_234_000_000), (date(1939, 3, 1), 5)):
        second.append(value)
    second["A2"].number_format = "mmm yyyy"
    second["B2"].number_format = "#,##0,,"
    second["XFD1048576"] = "far away"
    path = tmp_path_factory.mktemp("book") / "budget_1939_02.xlsx"
    book.save(path)
    return path


def test_a_workbook(workbook: Path) -> None:
    first, second = read(workbook)
    (table,) = first.tables
    assert (table.title, table.unit, table.notes) == ("Table 1. Receipts", "In millions of dollars", ("r revised",))
    # A merged heading is over both columns; per cent is said; three decimals cannot be taken for thousands.
    assert table.grid == [
        ["Year", "Receipts", "Receipts"],
        ["", "Customs", "Share"],
        ["1938", "2345.5", "12.5%"],
        ["1939", "2346.125", ""],
    ]
    assert (table.header_rows, table.label_columns) == (2, 1)
    (dates,) = second.tables
    assert dates.grid == [["Month", "Amount"], ["Feb 1939", "1234"], ["1939-03-01", "5"]]
    assert second.text.startswith("Dates\n") and second.text.endswith("far away")


def test_a_workbook_in_an_archive(workbook: Path, tmp_path: Path) -> None:
    build([workbook], tmp_path / "archive", workers=1)
    archive = Archive.open(tmp_path / "archive")
    assert archive.document("budget_1939_02").kind == "spreadsheet"
    with archive.connection() as connection:
        found = connection.execute("SELECT value, header, unit FROM cells WHERE label = '1938' AND column_no > 0")
        assert [row[:2] for row in found.fetchall()] == [(2345.5, "Receipts > Customs"), (12.5, "Receipts > Share")]
    with pytest.raises(DataError, match="no pictures"):
        archive.image("budget_1939_02", 1)


def test_formulas_without_results_are_said(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("a", "b"), ("x", 1), ("y", "=B2*2")):
        book.active.append(row)
    book.save(tmp_path / "x.xlsx")
    (source,) = Files((tmp_path / "x.xlsx",)).documents()
    reader = open_document(source, ReadSettings())
    assert "1 formulas have no stored result" in str(reader.trouble)
    with ZipFile(tmp_path / "x.xlsx") as good, ZipFile(tmp_path / "y.xlsx", "w") as bad:
        for name in good.namelist():
            merged = b'<mergeCells><mergeCell ref="A5:XFD9000"/></mergeCells><pageMargins'
            bad.writestr(name, good.read(name).replace(b"<pageMargins", merged))
    with pytest.raises(DataError, match="a merged cell covers more"):
        read(tmp_path / "y.xlsx")


@pytest.mark.parametrize(
    ("content", "grid", "heads", "labels"),
    [
        (b"Year,Gross\n1938,\"1,234\"\n1939,5\n", [["Year", "Gross"], ["1938", "1,234"], ["1939", "5"]], 1, 1),
        ("Größe;Wert\na;1,5\n".encode(), [["Größe", "Wert"], ["a", "1,5"]], 1, 1),
        ("x\ty\n1\t2\n".encode("utf-16"), [["x", "y"], ["1", "2"]], 1, 1),
        (b"Year,Month,Debt\n1938,Jan,7\n", [["Year", "Month", "Debt"], ["1938", "Jan", "7"]], 1, 2),
        (b"a,1\nb,2\n", [["a", "1"], ["b", "2"]], 0, 1),
    ],
)  # fmt: skip
def test_separated_values(tmp_path: Path, content: bytes, grid: list[list[str]], heads: int, labels: int) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    (page,) = read(path)
    (table,) = page.tables
    assert (table.grid, table.header_rows, table.label_columns) == (grid, heads, labels)


def test_a_long_file_is_cut_and_its_headings_go_on(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("Name,Count\n" + "".join(f"row {n},{n}\n" for n in range(1200)), "utf-8")
    first, second, third = read(path)
    assert [len(page.tables[0].rows) for page in (first, second, third)] == [500, 500, 203]
    assert third.tables[0].grid[0] == ["Name", "Count"] and third.tables[0].grid[-1] == ["row 1199", "1199"]


def test_a_word_document(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.add_heading("Federal Debt")
    document.add_paragraph("(In millions of dollars)")
    table = document.add_table(3, 3)
    for r, row in enumerate((("Year", "Debt", ""), ("", "Gross", "Net"), ("1938", "5", "4"))):
        for c, text in enumerate(row):
            table.cell(r, c).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    document.add_page_break()
    document.add_paragraph("The second page.")
    path = tmp_path / "debt.docx"
    document.save(path)
    first, second = read(path)
    (found,) = first.tables
    assert found.grid == [["Year", "Debt", "Debt"], ["", "Gross", "Net"], ["1938", "5", "4"]]
    assert (found.header_rows, found.title, found.unit) == (2, "Federal Debt", "In millions of dollars")
    assert second.text == "The second page."


def test_a_web_page(tmp_path: Path) -> None:
    path = tmp_path / "debt.html"
    path.write_text(
        "<!doctype html><head><title>x</title><script>var a = '<table>';</script></head><body>"
        "<table><tr><td>menu</td><td><h2>Dette<!-- no --> publique</h2><p>Première <b>ligne</b>.</p>"
        "<table><tr><th>Année<th>Brut<tr><td>1938<td>1 234,5</table><p>1/ Estimate.</td></tr></table></body>",
        "utf-8",
    )
    (page,) = read(path)
    (table,) = page.tables
    assert (table.title, table.grid) == ("Première ligne.", [["Année", "Brut"], ["1938", "1 234,5"]])
    assert table.notes == ("1/ Estimate.",)
    assert page.text.splitlines() == ["menu", "Dette publique", "Première ligne.", *page.text.splitlines()[3:]]
    # As deep as a hostile page likes.
    path.write_text("<html>" + "<div>" * 2_000 + "deep", "utf-8")
    assert "deep" in read(path)[0].text
    path.write_text("<html>shallow" + "<div>" * 20_000 + "deep", "utf-8")
    (source,) = Files((path,)).documents()
    assert "nested too deeply" in str(open_document(source, ReadSettings()).trouble)


def test_pictures_that_lie_alone(tmp_path: Path) -> None:
    printed = tmp_path / "page.pdf"
    printed.write_bytes(pdf(table_page("Budget Receipts", "1936|1,100|200|1,300")))
    with open_pdf(printed) as opened:
        drawn = Image.fromarray(render(opened, 1, 200 / 72))
    white = Image.new("1", (850, 1100), 1)
    drawn.save(tmp_path / "scan.tiff", save_all=True, append_images=[white, drawn.convert("I;16")], dpi=(200, 200))
    drawn.convert("RGBA").save(tmp_path / "alone.png")
    (source,) = Files((tmp_path / "scan.tiff",)).documents()
    assert source.kind == PICTURE
    with open_picture(source.path) as opened:
        assert opened.pages == 3
        first, last = (render(opened, number, 1) for number in (1, 3))
        assert first.shape == pytest.approx((792, 612), abs=1)
        assert first.min() < 100 < first.max() and abs(first.astype(int) - last).max() < 30
    never = ReadSettings(ocr="never")
    reader = open_document(source, never)
    assert [reader.read(n).route for n in (1, 2, 3)] == ["failed", "blank", "failed"]
    (alone,) = Files((tmp_path / "alone.png",)).documents()
    with open_picture(alone.path) as opened:
        assert opened.load(1).get_size() == pytest.approx((612, 792), abs=1)
    (tmp_path / "cut.png").write_bytes((tmp_path / "alone.png").read_bytes()[:500])
    (cut,) = read(tmp_path / "cut.png")
    assert cut.route == "failed" and "cannot be read" in str(cut.trouble)


def test_a_password_comes_by_the_name_of_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "locked.pdf"
    path.write_bytes(pdf(lines("behind a lock"), encrypted=True))
    with pytest.raises(SettingError, match="no such variable"):
        build([path], tmp_path / "archive", password_env="ARCHIVE_PASSWORD")
    monkeypatch.setenv("ARCHIVE_PASSWORD", "another")
    report = build([path], tmp_path / "archive", workers=1, password_env="ARCHIVE_PASSWORD")
    assert "another password" in str(report.documents[0].trouble)
    monkeypatch.setenv("ARCHIVE_PASSWORD", PASSWORD)
    build([path], tmp_path / "archive", workers=1, password_env="ARCHIVE_PASSWORD")
    archive = Archive.open(tmp_path / "archive")
    assert archive.page("locked", 1).text == "behind a lock"
    assert archive.image("locked", 1, 1).size == (612, 792)
    stored = b"".join(f.read_bytes() for f in (tmp_path / "archive").rglob("*") if f.is_file())
    assert PASSWORD.encode() not in stored and b"ARCHIVE_PASSWORD" in stored
