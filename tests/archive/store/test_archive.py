"""Reading an archive: pages, tables, SQL, patterns, pictures."""

import shutil
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.pdfs import lines, pdf, table_page

from worktrial.archive.building.build import build
from worktrial.archive.pages import Box, Cell, PageContent, Table
from worktrial.archive.store.archive import Archive
from worktrial.archive.store.parts import issue_of
from worktrial.archive.store.rows import decode_page, encode_page
from worktrial.errors import DataError

NAME = "bulletin_1939_02"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("store")
    rows = ("1936|1,100|200|1,300", "1937|1,250|250|1,500", "1938|2,345|655|3,000")
    pages = [lines(f"Page {n}", "Gross debt (net), 12%") for n in range(1, 70)]
    (place / f"{NAME}.pdf").write_bytes(pdf(table_page("Budget Receipts", *rows), *pages))
    build([place / f"{NAME}.pdf"], place / "archive", workers=1)
    return place


@pytest.fixture
def archive(folder: Path) -> Archive:
    return Archive.open(folder / "archive")


def test_pages_and_tables_by_their_numbers(archive: Archive) -> None:
    assert [archive.page(NAME, n).number for n in (1, 32, 33, 70)] == [1, 32, 33, 70]
    assert archive.page(NAME, 33).text.startswith("Page 32")
    assert archive.table(NAME, 1, 1).grid[-1] == ["1938", "2,345", "655", "3,000"]
    for absent in (lambda: archive.page(NAME, 0), lambda: archive.page(NAME, 71), lambda: archive.image(NAME, 71)):
        with pytest.raises(DataError, match="has no page"):
            absent()
    with pytest.raises(DataError, match="has no table 2"):
        archive.table(NAME, 1, 2)
    with pytest.raises(DataError, match=f"Did you mean {NAME}"):
        archive.page("bulletin_1939_03", 1)


def test_sql_reads_and_does_nothing_else(archive: Archive, folder: Path) -> None:
    with archive.connection() as connection:
        views = {row[0] for row in connection.execute("SHOW TABLES").fetchall()}
        assert views == {"documents", "pages", "tables", "cells"}
        columns = [row[0] for row in connection.execute("DESCRIBE cells").fetchall()]
        told = "document page table_no row_no column_no text value label header unit period"
        assert columns == [*told.split(), "confidence", "is_header"]
        total = "SELECT sum(value) FROM cells WHERE header = 'Receipts' AND NOT is_header"
        assert connection.execute(total).fetchall() == [(4695.0,)]
        part = next((folder / "archive" / "parts").glob("*/cells.parquet"))
        for forbidden in (
            "DROP TABLE cells",
            "CREATE TABLE mine AS SELECT 1",
            "UPDATE cells SET value = 0",
            f"COPY cells TO '{folder}/stolen.csv'",
            f"COPY (SELECT 1) TO '{part}' (USE_TMP_FILE false)",
            f"SELECT * FROM read_parquet('{part}')",
            "SELECT * FROM read_text('/etc/passwd')",
            f"ATTACH '{folder}/other.duckdb'",
            "SET enable_external_access = true",
            "INSTALL httpfs",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(forbidden)
        # A second connection beside it.
        with archive.connection() as other:
            assert other.execute("SELECT count(*) FROM pages").fetchall() == [(70,)]


def test_what_is_derived_is_made_again_when_it_is_missing(archive: Archive, folder: Path) -> None:
    hidden = [path for path in (folder / "archive").iterdir() if path.name == "index" or path.suffix == ".duckdb"]
    assert len(hidden) == 2
    for path in hidden:
        path.rename(folder / path.name)
    try:
        opened = Archive.open(folder / "archive")
        assert opened.search("budget receipts")[0].page == 1
        assert opened.grep("^Page 7$")[0].page == 8
    finally:
        for path in hidden:
            (folder / path.name).rename(path)


def test_parts_of_a_version_with_other_columns_are_read(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "archive"
    shutil.copytree(folder / "archive", copy)
    for path in copy.glob("*.duckdb"):
        path.unlink()
    cells = next((copy / "parts").glob("*/cells.parquet"))
    rows = pq.read_table(cells)
    pq.write_table(rows.add_column(3, "repaired", pa.array([False] * len(rows))), cells)
    pages = cells.with_name("pages.parquet")
    pq.write_table(pq.read_table(pages).drop_columns(["layout"]), pages)
    with Archive.open(copy).connection() as connection:
        columns = [row[0] for row in connection.execute("DESCRIBE cells").fetchall()]
        assert "repaired" not in columns
        assert connection.execute("SELECT count(*) FROM cells").fetchone() == (len(rows),)
        assert connection.execute("SELECT count(*), count(layout) FROM pages").fetchone() == (70, 0)


def test_patterns(archive: Archive) -> None:
    (line,) = archive.grep(r"^page 42$")
    assert (line.document, line.page, line.line, line.text) == (NAME, 43, 1, "Page 42")
    assert archive.grep("^page 42$", ignore_case=False) == []
    assert len(archive.grep("debt", limit=5)) == 5
    assert archive.grep(r"\(net\), 12%", document=NAME, limit=1)[0].page == 2
    with pytest.raises(DataError, match="not a regular expression"):
        archive.grep("(unclosed")
    # What takes a backtracking engine for ever.
    assert archive.grep(r"(a+)+z$") == []


def test_pictures_come_from_the_original(archive: Archive, folder: Path) -> None:
    assert archive.image(NAME, 1, 0.5).size == (306, 396)
    with pytest.raises(DataError, match="scale 0"):
        archive.image(NAME, 1, 0)
    original = folder / f"{NAME}.pdf"
    away = original.rename(folder / "away.pdf")
    try:
        with pytest.raises(DataError, match="original file is gone"):
            archive.image(NAME, 1)
        assert archive.page(NAME, 1).tables
    finally:
        away.rename(original)


def test_folders_that_are_no_archive(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such folder"):
        Archive.open(tmp_path / "absent")
    with pytest.raises(DataError, match="is no archive"):
        Archive.open(tmp_path)
    (tmp_path / "manifest.json").write_text('{"format_version": 99}')
    with pytest.raises(DataError, match="has format 99"):
        Archive.open(tmp_path)


@pytest.mark.parametrize(
    ("name", "opening", "issue"),
    [
        ("treasury_bulletin_1939_02", "", "1939-02"),
        ("statistics-2020-12-31", "", "2020-12"),
        ("bulletin_1998_q3", "", "1998-09"),
        ("Bulletin March 2010", "", "2010-03"),
        ("report2010", "May 2011", "2010"),
        ("bulletin", "Washington\nSeptember, 1941\nJanuary 1940", "1941-09"),
        ("eu-014", "no date at all", ""),
        ("doc_123456_13", "", ""),
    ],
)
def test_dates_of_issue(name: str, opening: str, issue: str) -> None:
    assert issue_of(name, opening) == issue


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
CELLS = st.builds(
    Cell,
    row=st.integers(0, 9),
    column=st.integers(0, 9),
    text=TEXTS,
    box=st.none() | st.builds(Box, *[st.floats(0, 1000)] * 4),
    confidence=st.floats(0, 1),
    alternatives=st.lists(TEXTS, max_size=2).map(tuple),
)
TABLES = st.builds(
    Table,
    number=st.integers(1, 9),
    page=st.integers(1, 999),
    box=st.builds(Box, *[st.floats(0, 1000)] * 4),
    rows=st.lists(st.lists(CELLS, max_size=3).map(tuple), max_size=3).map(tuple),
    title=TEXTS,
    notes=st.lists(TEXTS, max_size=2).map(tuple),
)


@given(st.builds(PageContent, st.integers(1, 999), st.floats(0, 1e4), st.floats(0, 1e4), st.just("ocr"), TEXTS,
                 st.lists(TABLES, max_size=2).map(tuple), st.floats(0, 1), st.none() | TEXTS))  # fmt: skip
def test_pages_come_back_whole(page: PageContent) -> None:
    line = encode_page(page)
    assert b"\n" not in line
    assert decode_page(line) == page


def test_markdown_keeps_every_cell() -> None:
    rows = (("", "Debt", "Debt"), ("Year", "Gross", "Net | paid"), ("1938", "1,234 r", "-"))
    cells = tuple(tuple(Cell(r, c, text) for c, text in enumerate(row)) for r, row in enumerate(rows))
    table = Table(
        2, 1, Box(0, 0, 1, 1), cells, header_rows=2, title="Debt", unit="In millions", notes=("r Revised.",)
    )
    assert table.markdown.splitlines() == [
        "### Table 2: Debt",
        "",
        "*In millions*",
        "",
        "| Year | Debt > Gross | Debt > Net \\| paid |",
        "| --- | --- | --- |",
        "| 1938 | 1,234 r | - |",
        "",
        "- r Revised.",
    ]


@pytest.mark.parametrize("name", ["meta.json", "*.term"])
def test_a_damaged_index_is_named(folder: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(folder / "archive", tmp_path / "archive")
    next((tmp_path / "archive" / "index").glob(name)).write_bytes(b"rubbish" * 50)
    with pytest.raises(DataError, match="the index is damaged"):
        Archive.open(tmp_path / "archive").search("debt")
