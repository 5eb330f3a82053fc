"""Questions in files: those of OfficeQA as published (CSV), and our own form (JSON Lines).

The files of OfficeQA, `officeqa_pro.csv`, `officeqa_full.csv` and `officeqa_pro_v2.csv`, have `uid`, `question`,
`answer`, `source_docs`, `source_files`, and all but v2 `difficulty`; fields may hold newlines. `source_docs` tells
the pages: in v2 as records `corpus_file=… | pdf_page_number=n | …` with `;` between them, in the others as
addresses of the issues, `…/january-1941-6529?page=15`.

Our own form is one JSON object a line.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from worktrial.errors import DataError
from worktrial.outside.files import as_json
from worktrial.suites.documents.answers.dates import MONTHS
from worktrial.suites.documents.question import DocumentQuestion, GoldFigure, GoldPage

_SUFFIX = re.compile(r"\.(?:pdf|txt|json|md|html?)$", re.IGNORECASE)
# Not within a word: "may" is in "dismay". An underscore or a hyphen ends a word here.
_MONTH_YEAR = re.compile(
    rf"(?<![a-z])(?P<month>{'|'.join(MONTHS)})[\s_,.-]+(?P<year>(?:19|20)\d\d)(?!\d)", re.IGNORECASE
)


def document_name(text: str) -> str:
    """Name of a file without folders and ending."""
    return _SUFFIX.sub("", re.split(r"[/\\]", text.strip())[-1])


def issue_name(text: str) -> str | None:
    """The document of the Treasury Bulletin whose month and year `text` names; None when it names none.

    `…/january-1941-6529` is `treasury_bulletin_1941_01`.
    """
    found = _MONTH_YEAR.search(text)
    if found is None:
        return None
    return f"treasury_bulletin_{found['year']}_{MONTHS.index(found['month'].lower()) + 1:02}"


_NEEDED = ("uid", "question", "answer", "source_docs", "source_files")
_FILES = re.compile(r"[;\r\n]+")
_RECORDS = re.compile(r";(?=\s*corpus_file=)")
_ADDRESS = re.compile(r"https?://[^\s;,|\"'<>]+")
_PAGES = re.compile(r"(?P<first>\d+)(?:\s*[-–]\s*(?P<last>\d+))?")
# More pages than this between two numbers are a slip, not a range.
_LONGEST_RANGE = 50


def read_published(text: str, path: Path) -> list[DocumentQuestion]:
    """Questions of one of the three published files.

    Args:
        text: Its content, without a byte order mark.
        path: For messages.

    Raises:
        DataError: it is no such file, or a row cannot be used.
    """
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    questions = []
    try:
        header = [name.strip() for name in rows.fieldnames or ()]
        rows.fieldnames = header
        if lacking := [name for name in _NEEDED if name not in header]:
            raise DataError(
                path,
                f"has no column {', '.join(lacking)}; it has {', '.join(header) or 'none'}",
                "Name officeqa_pro.csv, officeqa_full.csv or officeqa_pro_v2.csv as they were published; of a "
                "generated archive, its questions.jsonl",
            )
        for number, row in enumerate(rows, 1):
            questions.append(_published(row, f"{path}: row {number} (ends in line {rows.line_num})"))
    except csv.Error as e:
        raise DataError(
            f"{path}: line {rows.line_num}", f"is not CSV ({e})", "Get the file anew; do not edit it by hand"
        ) from None
    return questions


def _published(row: Mapping[str | None, str | list[str] | None], place: str) -> DocumentQuestion:
    if None in row:
        raise DataError(place, "has more fields than the header", "A quotation mark is missing or doubled")
    if any(row.get(name) is None for name in _NEEDED):
        raise DataError(place, "has fewer fields than the header", "A quotation mark is missing or doubled")
    fields = {name: value.strip() if isinstance(value, str) else "" for name, value in row.items() if name}
    if fields["uid"]:
        place = f"{place}, {fields['uid']}"
    for name in ("uid", "question", "answer"):
        if not fields[name]:
            raise DataError(f"{place}: {name}", "is empty")
    documents = [document_name(part) for part in _FILES.split(fields["source_files"]) if part.strip()]
    pages = tuple(dict.fromkeys(_pages(fields["source_docs"], documents, f"{place}: source_docs")))
    named = dict.fromkeys([*documents, *(page.document for page in pages)])
    return DocumentQuestion(
        id=fields["uid"],
        text=fields["question"],
        answer=fields["answer"],
        documents=tuple(named),
        pages=pages,
        difficulty=fields.get("difficulty", "").lower(),
        where=place,
    )


def _pages(text: str, documents: list[str], place: str) -> Iterator[GoldPage]:
    if "corpus_file=" in text:
        for record in _RECORDS.split(text):
            yield from _recorded(record, place)
        return
    for address in _ADDRESS.findall(text):
        document = issue_name(urlsplit(address).path)
        if document is None and len(documents) == 1:
            document = documents[0]
        for page in parse_qs(urlsplit(address).query).get("page", []):
            if document is None:
                raise DataError(place, f"{address} names no month and year, so its document is unknown")
            yield from (GoldPage(document, number) for number in _numbers(page, place))


def _recorded(record: str, place: str) -> Iterator[GoldPage]:
    fields = dict(_pair(part) for part in record.split("|") if "=" in part)
    document = document_name(fields.get("corpus_file", ""))
    if not document:
        raise DataError(place, f"a record names no corpus_file: {record.strip()[:80]!r}")
    for number in _numbers(fields.get("pdf_page_number", ""), place):
        yield GoldPage(document, number)


def _pair(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name.strip(), value.strip()


def _numbers(text: str, place: str) -> Iterator[int]:
    """Page numbers of `15`, `15-17` or `15, 17`; none where there is no label."""
    if not text.strip():
        return
    found = list(_PAGES.finditer(text))
    if not found:
        raise DataError(place, f"{text!r} is no page number", "Pages are PDF pages, counted from 1")
    for pages in found:
        first = int(pages["first"])
        last = int(pages["last"] or first)
        if first < 1 or not first <= last <= first + _LONGEST_RANGE:
            raise DataError(place, f"{text!r} names no pages", "Pages are PDF pages, counted from 1")
        yield from range(first, last + 1)


class _Cell(msgspec.Struct):
    """A printed figure that the answer is computed from."""

    doc: str
    pdf_page: int
    text: str


class _Row(msgspec.Struct):
    """Fields that a line must and may hold; whatever else it holds is its author's own business."""

    id: str
    question: str
    answer: str
    docs: list[str] = []
    pages: list[tuple[str, int]] = []
    """Pairs of document and 1-based PDF page."""
    pdf_pages: list[tuple[str, int]] = []
    """Another name of `pages`."""
    kind: str = ""
    difficulty: str | int = ""
    unit: str | None = None
    cells: list[_Cell] = []
    plan: dict[str, Any] | None = None
    """Calls and answer that solve it, as `worktrial.agents.plan.Plan` has them, for the agent `reference`."""


_decoder = msgspec.json.Decoder(_Row)
_any: "msgspec.json.Decoder[Any]" = msgspec.json.Decoder()


def read_own(text: str, path: Path) -> list[DocumentQuestion]:
    """Questions of a file in our own form.

    Args:
        text: Its content.
        path: For messages.

    Raises:
        DataError: a line cannot be used.
    """
    # Not splitlines(): a JSON text may hold separators that only Python takes for the end of a line.
    lines = enumerate(text.split("\n"), 1)
    return [_own(line, f"{path}: line {number}") for number, line in lines if line.strip()]


def _own(line: str, place: str) -> DocumentQuestion:
    try:
        row = _decoder.decode(line)
    except (msgspec.ValidationError, RecursionError) as e:
        # What is no question may be no JSON either, further on in the line.
        told = as_json(line.encode(), place)
        name = f" ({told['id']})" if isinstance(told, dict) and isinstance(told.get("id"), str) else ""
        raise DataError(f"{place}{name}", str(e), "A line needs id, question and answer, all texts") from None
    except msgspec.DecodeError as e:
        raise DataError(place, f"is not JSON ({e})", "Write one JSON object a line") from None
    place = f"{place} ({row.id})"
    for name in ("id", "question", "answer"):
        if not getattr(row, name).strip():
            raise DataError(f"{place}: {name}", "is empty")
    figures = tuple(GoldFigure(GoldPage(document_name(c.doc), c.pdf_page), c.text) for c in row.cells)
    named = [*row.pages, *row.pdf_pages, *(figure.page for figure in figures)]
    for document, page in named:
        if page < 1:
            raise DataError(f"{place}: pages", f"{document} has no page {page}", "Pages are counted from 1")
    pages = tuple(dict.fromkeys(GoldPage(document_name(d), page) for d, page in named))
    documents = dict.fromkeys([*(document_name(d) for d in row.docs), *(page.document for page in pages)])
    return DocumentQuestion(
        id=row.id.strip(),
        text=row.question.strip(),
        answer=row.answer.strip(),
        documents=tuple(documents),
        pages=pages,
        kind=row.kind,
        difficulty=str(row.difficulty).strip().lower(),
        unit=row.unit,
        figures=figures,
        plan=row.plan,
        where=place,
    )
