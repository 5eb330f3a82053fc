"""A small archive in memory, with its database in a file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import duckdb
from PIL import Image
from tests.archive.tables import NOWHERE

from worktrial.archive.meaning.cells import cells_of
from worktrial.archive.pages import Cell, PageContent, Table
from worktrial.archive.search.index import Kind
from worktrial.errors import DataError

DOCUMENT = "bulletin_1939_02"


@dataclass(frozen=True)
class Document:
    """One document."""

    name: str
    issue: str = ""
    pages: int = 1
    tables: int = 0
    confidence: float = 1.0
    trouble: str | None = None
    readable: bool = True


class Hit(NamedTuple):
    """What a search found."""

    document: str
    page: int
    table: int | None
    score: float
    snippet: str
    also: tuple[str, ...] = ()
    documents: int = 0


@dataclass
class Shelf:
    """Pages by document, and the database made from them."""

    folder: Path
    contents: dict[str, list[PageContent]]
    broken: tuple[str, ...] = ()
    pictured: list[float] = field(default_factory=list)
    """The scales at which pictures were asked for."""

    @property
    def documents(self) -> Sequence[Document]:
        read = [
            Document(
                name,
                name[-7:].replace("_", "-"),
                len(pages),
                sum(len(p.tables) for p in pages),
                pages[0].confidence,
            )
            for name, pages in self.contents.items()
        ]
        return [
            *read,
            *(Document(name, pages=0, trouble="/secret/x.pdf: damaged", readable=False) for name in self.broken),
        ]

    def page(self, document: str, number: int) -> PageContent:
        return self.contents[document][number - 1]

    def image(self, document: str, page: int, scale: float) -> Image.Image:
        if page > 1:
            raise DataError("/secret/file.pdf", "is gone")
        self.pictured.append(scale)
        content = self.contents[document][page - 1]
        picture = Image.new("RGB", (round(content.width * scale), round(content.height * scale)), "white")
        picture.paste((255, 0, 0), (0, 0, picture.width // 2, picture.height // 2))
        return picture

    def search(self, query: str, *, limit: int, document: str | None, kind: Kind) -> list[Hit]:
        words = query.casefold().split()
        hits = [
            Hit(name, page.number, 1 if kind == "table" else None, float(count), page.text.split("\n")[0])
            for name, pages in self.contents.items()
            if document in (None, name)
            for page in pages
            if (count := sum(word in page.text.casefold() for word in words)) and (kind == "page" or page.tables)
        ]
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    def connection(self) -> duckdb.DuckDBPyConnection:
        path = self.folder / "shelf.duckdb"
        if not path.exists():
            with duckdb.connect(path) as connection:
                self._fill(connection)
        return duckdb.connect(path, read_only=True)

    def _fill(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("CREATE TABLE documents (document VARCHAR, issue VARCHAR, pages INTEGER)")
        connection.execute("CREATE TABLE pages (document VARCHAR, page INTEGER, text VARCHAR)")
        connection.execute(
            "CREATE TABLE cells (document VARCHAR, page INTEGER, table_no INTEGER, row_no INTEGER,"
            " column_no INTEGER, text VARCHAR, value DOUBLE, label VARCHAR, header VARCHAR, unit VARCHAR,"
            " period VARCHAR, confidence DOUBLE, is_header BOOLEAN)"
        )
        for document in self.documents:
            if document.readable:
                row = [document.name, document.issue, document.pages]
                connection.execute("INSERT INTO documents VALUES (?, ?, ?)", row)
        for name, pages in self.contents.items():
            for page in pages:
                connection.execute("INSERT INTO pages VALUES (?, ?, ?)", [name, page.number, page.text])
                for table in page.tables:
                    for cell in cells_of(table, name):
                        connection.execute(f"INSERT INTO cells VALUES ({', '.join('?' * len(cell))})", list(cell))


def shelf(folder: Path) -> Shelf:
    """Two bulletins, one with a table whose cells have their doubts, and a document that cannot be read."""
    grid = [
        ["Month", "Receipts", "Outlays"],
        ["January", "1,100", "1,300"],
        ["February", "1,250", "1,5OO"],
        ["Total", "2,350", "2,800"],
    ]
    rows = [[Cell(r, c, text) for c, text in enumerate(row)] for r, row in enumerate(grid)]
    rows[2][2] = Cell(2, 2, "1,5OO", confidence=0.3, alternatives=("1,500", "1,590"))
    table = Table(
        1,
        1,
        NOWHERE,
        tuple(map(tuple, rows)),
        1,
        1,
        "Budget results",
        "In millions of dollars",
        ("1/ Preliminary.",),
    )
    text = "Budget results, 1939\n" + "\n".join("  ".join(row) for row in grid) + "\nRise of 12.5% (est.)"
    first = PageContent(1, 600, 800, "ocr", text, (table,), confidence=0.9)
    long = PageContent(2, 600, 800, "text", "\n".join(f"line {n} of the annex" for n in range(1, 3001)))
    empty = PageContent(3, 600, 800, "blank", "")
    other = PageContent(1, 600, 800, "text", "Budget results, 1940\nnothing else")
    return Shelf(folder, {DOCUMENT: [first, long, empty], "bulletin_1940_02": [other]}, ("bulletin_1941_02",))
