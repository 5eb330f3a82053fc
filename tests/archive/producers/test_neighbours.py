"""Docling and marker as producers, over stand-ins of the parts of their interfaces that are used."""

import sys
from pathlib import Path

import pytest
from tests.support.cli import command
from tests.support.pdfs import lines, pdf

from worktrial.archive.producers import Files, ReadSettings, open_document
from worktrial.archive.producers.neighbours import UNTOLD, ReadByNeighbour
from worktrial.errors import SettingError

DOCLING = """
from types import SimpleNamespace as Thing

def cell(text, head=False):
    return Thing(text=text, column_header=head)

class DocumentConverter:
    def convert(self, source, page_range):
        first, last = page_range
        assert first == last and open(source, "rb").read(4) == b"%PDF"
        head = [cell("Year", True), cell("Debt", True)]
        table = Thing(data=Thing(grid=[head, [cell("1938"), cell(f"1,{first}00")]]), label="table")
        table.caption_text = lambda document: "Table 1"
        items = [Thing(text=f"page {first}", label=Thing(value="section_header")), table]
        return Thing(document=Thing(iterate_items=lambda: [(item, 1) for item in items]))
"""
MARKER = """
from types import SimpleNamespace as Thing

class PdfConverter:
    def __init__(self, artifact_dict, config, renderer):
        assert artifact_dict == {"models": 1} and renderer.endswith("JSONRenderer")
        (self.page,) = config["page_range"]

    def __call__(self, path):
        html = f"<table><tr><th>Year<th>Debt<tr><td>1938<td>{self.page}</table>"
        table = Thing(block_type="Table", html=html, children=None)
        text = Thing(block_type="SectionHeader", html="<h1>Debt <b>held</b></h1>", children=None)
        group = Thing(block_type="TableGroup", html="<content-ref src='x'></content-ref>", children=[text, table])
        return Thing(children=[Thing(block_type="Page", html="", children=[group])])
"""


def test_where_they_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "docling/document_converter.py": DOCLING,
        "marker/models.py": "create_model_dict = lambda: {'models': 1}",
        "marker/converters/pdf.py": MARKER,
    }
    for name, code in files.items():
        (tmp_path / "lib" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "lib" / name).write_text(code)
    path = tmp_path / "debt.pdf"
    path.write_bytes(pdf(lines("a"), lines("b")))
    (tmp_path / "notes.txt").write_text("x")
    monkeypatch.syspath_prepend(tmp_path / "lib")
    read = {}
    for kind in ("docling", "marker"):
        pdf_source, text = ReadByNeighbour(Files((path, tmp_path / "notes.txt")), kind).documents()
        assert (pdf_source.kind, text.kind) == (kind, "text")
        reader = open_document(pdf_source, ReadSettings())
        assert reader.pages == 2
        read[kind] = reader.read(2)
        for name in [name for name in sys.modules if name.split(".")[0] == kind]:
            del sys.modules[name]
    (table,) = read["docling"].tables
    assert (table.title, table.header_rows, table.grid) == ("Table 1", 1, [["Year", "Debt"], ["1938", "1,200"]])
    assert table.rows[1][1].confidence == UNTOLD and (read["docling"].width, read["docling"].height) == (612, 792)
    (table,) = read["marker"].tables
    assert (table.title, table.grid) == ("Debt held", [["Year", "Debt"], ["1938", "1"]])


def test_where_they_are_not(tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_bytes(pdf(lines("a")))
    ran = command("archive", "build", tmp_path / "x.pdf", "-o", tmp_path / "a", "--producer", "marker")
    assert ran.code == 2 and "marker-pdf is not installed: pip install marker-pdf" in ran.said
    with pytest.raises(SettingError, match="must be vision:MODEL, docling or marker"):
        ReadByNeighbour(Files((tmp_path,)), "camelot")
