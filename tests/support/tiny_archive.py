"""Three issues of an invented bulletin, built into an archive, with questions; the last one revises a figure."""

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

_folder = tempfile.TemporaryDirectory(prefix="worktrial-tests-")

HEADERS = ("Fiscal year or month", "Customs", "Excise", "Total")
RECEIPTS = {
    "harbor_bulletin_1951_03": {
        "1949": (4120, 3310, 7430),
        "1950": (4385, 3502, 7887),
        "1950 - January": (361, 290, 651),
        "February": (355, 284, 639),
        "March": (372, 301, 673),
    },
    "harbor_bulletin_1951_04": {
        "1949": (4120, 3310, 7430),
        "1950": (4389, 3502, 7891),
        "1950 - January": (361, 290, 651),
        "February": (359, 284, 643),
        "March": (372, 301, 673),
    },
}
PROSE = "harbor_bulletin_1951_05"
TITLE = "Receipts of the harbor by source"
UNIT = "(In thousands of florins)"

QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "HB1",
        "question": "In the March 1951 harbor bulletin, what were the customs receipts of fiscal year 1950, in "
        "thousands of florins?",
        "answer": "4,385",
        "docs": ["harbor_bulletin_1951_03"],
        "pdf_pages": [["harbor_bulletin_1951_03", 2]],
        "kind": "lookup",
        "difficulty": "easy",
        "unit": "thousands of florins",
    },
    {
        "id": "HB2",
        "question": "By how many thousands of florins does the April 1951 harbor bulletin change the excise and "
        "customs receipts of February 1950 together, against the March issue?",
        "answer": "4",
        "docs": ["harbor_bulletin_1951_03", "harbor_bulletin_1951_04"],
        "pdf_pages": [["harbor_bulletin_1951_03", 2], ["harbor_bulletin_1951_04", 2]],
        "kind": "revision",
        "difficulty": "hard",
        "unit": "thousands of florins",
    },
    {
        "id": "HB3",
        "question": "Who signs the note on the dredging works in the May 1951 harbor bulletin?",
        "answer": "Odda Fenwick",
        "docs": [PROSE],
        "pdf_pages": [[PROSE, 1]],
        "kind": "text",
        "difficulty": "easy",
    },
    {
        "id": "HB4",
        "question": "In the June 1951 harbor bulletin, what were the customs receipts of fiscal year 1950?",
        "answer": "4,391",
        "docs": ["harbor_bulletin_1951_06"],
        "pdf_pages": [["harbor_bulletin_1951_06", 2]],
        "kind": "lookup",
        "difficulty": "hard",
    },
]
"""The last one is about an issue that the archive lacks."""


@cache
def tiny_archive() -> Path:
    """The built archive; one for all tests of a process, and none may change it."""
    return build_archive(Path(_folder.name))


def write_questions(folder: Path) -> Path:
    """`questions.jsonl` in `folder`."""
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS), encoding="utf-8")
    return path


def build_archive(folder: Path) -> Path:
    """The built archive, below `folder`."""
    from worktrial.archive.building.build import build

    sources = folder / "parsed"
    sources.mkdir()
    for name, rows in RECEIPTS.items():
        elements = [_element("title", f"Harbor bulletin {name[-7:]}", 1), _element("title", TITLE, 2)]
        elements += [_element("text", UNIT, 2), _element("table", _table(rows), 2)]
        (sources / f"{name}.json").write_text(json.dumps({"document": {"elements": elements}}))
    signed = _element("text", "The dredging of the eastern basin went on. Odda Fenwick, master of the harbor.", 1)
    (sources / f"{PROSE}.json").write_text(json.dumps({"document": {"elements": [signed]}}))
    build([sources], folder / "archive", workers=1, ocr="never")
    return folder / "archive"


def _element(kind: str, content: str, page: int) -> dict[str, Any]:
    return {"type": kind, "content": content, "bbox": [{"coord": [100, 100, 1600, 2000], "page_id": page}]}


def _table(rows: dict[str, tuple[int, int, int]]) -> str:
    head = "".join(f"<th>{text}</th>" for text in HEADERS)
    body = "".join(
        f"<tr><td>{label}</td>" + "".join(f"<td>{value:,}</td>" for value in values) + "</tr>"
        for label, values in rows.items()
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
