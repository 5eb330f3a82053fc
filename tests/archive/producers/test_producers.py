"""Producers: what files become documents, parsed JSON, HTML tables, text."""

import json
from pathlib import Path

import pytest
from tests.support.pdfs import lines, pdf

from worktrial.archive.pages import PageContent
from worktrial.archive.producers.files import Files, ReadSettings, kind_of, open_document
from worktrial.archive.producers.parsed import read_html_table
from worktrial.errors import DataError, SettingError


def pages(path: Path) -> list[PageContent]:
    (source,) = Files((path,)).documents()
    reader = open_document(source, ReadSettings())
    try:
        return [reader.read(n) for n in range(1, reader.pages + 1)]
    finally:
        reader.close()


def test_files_of_folders(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("b.pdf", "a.txt", "notes.log", "deep/c.json"):
        (tmp_path / name).write_bytes(b"x")
    assert [(s.name, s.kind) for s in Files((tmp_path,)).documents()] == [
        ("a", "text"),
        ("b", "pdf"),
        ("c", "parsed-json"),
    ]
    # Named twice is there once; named itself, its extension does not matter.
    named = Files((tmp_path / "b.pdf", tmp_path / "b.pdf", tmp_path / "notes.log"))
    assert [s.name for s in named.documents()] == ["b", "notes"]


def test_content_decides(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    for content, kind in ((pdf(lines("x")), "pdf"), (b"  {}", "text"), (b"words", "text")):
        path.write_bytes(content)
        assert kind_of(path) == kind
    (tmp_path / "y.pdf").write_bytes(b'\xef\xbb\xbf {"document": {}}')
    assert kind_of(tmp_path / "y.pdf") == "parsed-json"


def test_parsed_json(tmp_path: Path) -> None:
    def element(kind: str, content: str | None, page: int, top: float = 0) -> dict[str, object]:
        return {"type": kind, "content": content, "bbox": [{"coord": [80, top, 160, top + 80], "page_id": page}]}

    table = "<table><tr><th>Year</th><th>Debt</th></tr><tr><td>1938</td><td>1,234.50</td></tr></table>"
    elements = [
        element("title", "Public Debt", 1),
        element("table", table, 1, 80),
        element("text", None, 1),
        element("table", None, 2),
        element("page_number", "7", 3, 800),
    ]
    path = tmp_path / "issue_1939_02.json"
    path.write_text(json.dumps({"document": {"elements": elements, "pages": [{"id": 0}] * 4}}))
    first, second, third, fourth = pages(path)
    (found,) = first.tables
    # Strings stay as they are; the official transform would make 1234.5 of it.
    assert found.grid == [["Year", "Debt"], ["1938", "1,234.50"]]
    assert (found.title, found.header_rows) == ("Public Debt", 1)
    assert found.box == pytest.approx((30, 30, 60, 60))
    assert first.text == "Public Debt\nYear\tDebt\n1938\t1,234.50"
    assert second.tables == ()
    assert (second.route, third.text, fourth.route) == ("blank", "7", "blank")


@pytest.mark.parametrize(
    "content", [b"{", b'{"document": null}', b'{"document": {"elements": []}}', b'{"document": {"elements": [3]}}']
)
def test_json_that_is_no_document(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"x\.json"):
        pages(path)


@pytest.mark.parametrize(
    ("html", "grid", "heads"),
    [
        (
            "<table><thead><tr><th rowspan=2>Year</th><th colspan='2'>Debt</th></tr>"
            "<tr><th>Gross<th>Net</tr></thead><tbody><tr><td>1938<td>1&nbsp;234 <br>r<td>&minus;5</table>",
            [["Year", "Debt", "Debt"], ["Year", "Gross", "Net"], ["1938", "1 234 r", "−5"]],
            2,
        ),
        ("<table><tr><td>a<td>b<tr><td colspan=2>c</table>", [["a", "b"], ["c", "c"]], 0),
        ("<table><tr><td rowspan=3>a<td>b<tr><td>c</table>", [["a", "b"], ["a", "c"]], 0),
        ("<table><tr><td>a<table><tr><td>inner</table></td><td>b</table>", [["ainner", "b"]], 0),
        ("<table><caption>Title</caption><tr><td>x</table><table><tr><td>second</table>", [["x"]], 0),
        ("<table><tr><td rowspan='0'>a<td>b<tr><td>c</table>", [["a", "b"], ["a", "c"]], 0),
        ("<table><tr><td colspan='many'>a</table>", [["a"]], 0),
        ("no table at all", [], 0),
        ("", [], 0),
    ],
)
def test_html_tables(html: str, grid: list[list[str]], heads: int) -> None:
    read = read_html_table(html)
    assert (read.grid, read.header_rows) == (grid, heads)


def test_spans_that_would_fill_the_memory() -> None:
    row = "<tr>" + "<td colspan=1000 rowspan=1000>x</td>" * 50 + "</tr>"
    assert read_html_table(f"<table>{row * 1000}</table>").grid == []


def test_text_with_form_feeds_and_tables(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text(
        "Debt\n\n| Year | Gross |\n|---|---:|\n| 1938 | 1,234 |\n| 1939 | 5 \\| 6 |\nend\fsecond\f", "utf-8"
    )
    first, second = pages(path)
    (table,) = first.tables
    assert table.grid == [["Year", "Gross"], ["1938", "1,234"], ["1939", "5 | 6"]]
    assert (table.title, table.header_rows, second.text) == ("Debt", 1, "second")


def test_text_without_form_feeds_is_cut_into_pages(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("\r\n".join(f"line {n}" for n in range(200)).encode() + b"\r\n\xa3 5")
    read = pages(path)
    assert "\n".join(page.text for page in read).split("\n") == [*(f"line {n}" for n in range(200)), "£ 5"]
    assert len(read) == 3


def test_readers_that_do_not_exist(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("x")
    (source,) = Files((path,)).documents()
    for kind in ("nowhere.at.all:read", "json:no_such", "verse"):
        with pytest.raises(SettingError, match="no such reader"):
            open_document(type(source)(source.name, source.path, kind), ReadSettings())
