"""Differences between two archives of the same documents: table by table, cell by cell."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from worktrial.archive.alignment import aligned_cells, aligned_rows, matched_tables, plain_text, same_value
from worktrial.archive.pages import Address, Cell, Table
from worktrial.archive.store import Archive
from worktrial.errors import DataError

_NUMBER = re.compile(r"\d[\d.,']*\d|\d")


@dataclass(frozen=True, slots=True)
class CellDifference:
    """A cell that both archives have, with different texts."""

    first: str
    """Address in the first archive, and in the second."""
    second: str
    first_text: str
    second_text: str


@dataclass(slots=True)
class CellAgreement:
    """Printed cells in numbers."""

    same: int = 0
    """Cells whose texts are equal but for spaces."""
    same_value: int = 0
    """Cells whose texts differ, and stand for the same number."""
    different: int = 0
    only_first: int = 0
    only_second: int = 0

    def add(self, other: "CellAgreement") -> None:
        """Count those of another, too."""
        self.same += other.same
        self.same_value += other.same_value
        self.different += other.different
        self.only_first += other.only_first
        self.only_second += other.only_second


@dataclass(frozen=True, slots=True)
class TableDifference:
    """A table of one archive beside that of the other; None where the other has none."""

    first: str | None
    """Address in the first archive, such as `bulletin_1939_02:51:t1`."""
    second: str | None
    cells: CellAgreement
    different: tuple[CellDifference, ...] = ()


@dataclass(slots=True)
class DocumentDifference:
    """One document in both archives."""

    document: str
    first_kind: str
    second_kind: str
    first_pages: int
    second_pages: int
    tables: list[TableDifference] = field(default_factory=list)
    cells: CellAgreement = field(default_factory=CellAgreement)
    numbers_only_first: int = 0
    """Numbers in the texts of pages, tables or not, which the other archive has nowhere in the document."""
    numbers_only_second: int = 0


@dataclass(slots=True)
class ArchiveDifference:
    """Two archives beside each other."""

    only_first: list[str]
    """Documents that the other archive does not have, or could not read."""
    only_second: list[str]
    documents: list[DocumentDifference]
    cells: CellAgreement


def compare_archives(first: Archive, second: Archive, document: str | None = None) -> ArchiveDifference:
    """Compare documents of the same name; where names differ, those of the same content.

    Args:
        first: One archive.
        second: The other.
        document: Compare this document only.

    Raises:
        DataError: they have no document in common, or the named one is not in both.
    """
    pairs = dict(_pairs(first, second))
    if document is not None:
        first.document(document)
        if document not in pairs:
            raise DataError(second.folder, f"has no document {document!r}, nor one of the same content")
        pairs = {document: pairs[document]}
    if not pairs:
        fix = "Documents are the same by name or by content"
        raise DataError(second.folder, f"has no document in common with {first.folder}", fix)
    found = ArchiveDifference([], [], [], CellAgreement())
    if document is None:
        found.only_first = [d.name for d in first.documents if d.readable and d.name not in pairs]
        found.only_second = [d.name for d in second.documents if d.readable and d.name not in pairs.values()]
    for name, other in pairs.items():
        found.documents.append(_document(first, name, second, other))
        found.cells.add(found.documents[-1].cells)
    return found


def _pairs(first: Archive, second: Archive) -> Iterator[tuple[str, str]]:
    mine = {d.name: d for d in first.documents if d.readable}
    theirs = {d.name: d for d in second.documents if d.readable}
    by_content = {d.sha256: d.name for d in theirs.values() if d.name not in mine}
    for record in mine.values():
        if record.name in theirs:
            yield record.name, record.name
        elif record.sha256 in by_content:
            yield record.name, by_content[record.sha256]


def _document(first: Archive, name: str, second: Archive, other: str) -> DocumentDifference:
    mine, theirs = first.document(name), second.document(other)
    told = DocumentDifference(name, mine.kind, theirs.kind, mine.pages, theirs.pages)
    tables: list[list[Table]] = []
    numbers: list[Counter[str]] = []
    for archive, record in ((first, mine), (second, theirs)):
        pages = [archive.page(record.name, number) for number in range(1, record.pages + 1)]
        tables.append([table for page in pages for table in page.tables])
        numbers.append(Counter(n.replace(",", "") for page in pages for n in _NUMBER.findall(page.text)))
    told.numbers_only_first = (numbers[0] - numbers[1]).total()
    told.numbers_only_second = (numbers[1] - numbers[0]).total()
    for a, b in matched_tables(*tables):
        compared = _tables(name, a, other, b)
        told.tables.append(compared)
        told.cells.add(compared.cells)
    return told


def _tables(name: str, a: Table | None, other: str, b: Table | None) -> TableDifference:
    counts = CellAgreement()
    different: list[CellDifference] = []
    rows_a, rows_b = a.rows if a else (), b.rows if b else ()
    for row_a, row_b in aligned_rows(rows_a, rows_b):
        for x, y in aligned_cells(row_a, row_b):
            if x is None or y is None or not plain_text(x) or not plain_text(y):
                counts.only_first += x is not None and bool(plain_text(x))
                counts.only_second += y is not None and bool(plain_text(y))
            elif plain_text(x) == plain_text(y):
                counts.same += 1
            elif same_value(x, y):
                counts.same_value += 1
            else:
                counts.different += 1
                assert a is not None and b is not None
                places = (_address(name, a, x), _address(other, b, y))
                different.append(CellDifference(*places, x.text, y.text))
    return TableDifference(_place(name, a), _place(other, b), counts, tuple(different))


def _address(document: str, table: Table, cell: Cell) -> str:
    return str(Address(document, table.page, table.number, cell.row, cell.column))


def _place(document: str, table: Table | None) -> str | None:
    return None if table is None else f"{document}:{table.page}:t{table.number}"
