"""An archive opened for reading."""

import hashlib
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from worktrial.archive.pages import Box, PageContent, PageRange, Table
from worktrial.archive.store.record import (
    INDEX,
    MANIFEST,
    DocumentRecord,
    decode_manifest,
    is_archive,
    read_manifest,
    write_manifest,
)
from worktrial.errors import DataError

if TYPE_CHECKING:
    from io import RawIOBase

    import duckdb
    from PIL.Image import Image

    from worktrial.archive.search.index import Hit, Kind, Searcher
    from worktrial.archive.store.parts import StoredPart


_NAME_WORD = re.compile(r"[^\W\d_]{4,}")
# The page as a whole is tested first: most pages have no match, and need not be cut into lines.
_GREP = """
WITH hit AS (
    SELECT document, page, text FROM pages
    WHERE regexp_matches(text, $anywhere, $options) AND ($document IS NULL OR document = $document)
),
line AS (
    SELECT document, page, unnest(string_split(text, chr(10))) AS text,
           generate_subscripts(string_split(text, chr(10)), 1) AS line
    FROM hit
)
SELECT document, page, line, text FROM line
WHERE regexp_matches(text, $pattern, $options)
ORDER BY document, page, line LIMIT $most
"""


class GrepLine(NamedTuple):
    """A line of a page that matches a pattern."""

    document: str
    page: int
    line: int
    """1-based, in the page's text."""
    text: str


class StoredFiles(Protocol):
    """Files of an archive that lies elsewhere, such as in an object store."""

    state: Any
    """Its `files` are known by their names."""
    bucket: Any
    """Its `address` is where they lie."""

    def read(self, name: str) -> bytes:
        """The bytes of a file."""

    def open(self, name: str) -> "RawIOBase":
        """A file to read parts of."""

    def brought(self, names: Sequence[str]) -> Path:
        """A folder on this machine that holds these files."""


class Archive:
    """Documents, pages, tables and cells of an archive; nothing is written into its parts.

    Args:
        folder: the archive's, or its address as a path.
        documents: those of the archive, or some of them.
        stored: the archive's files where they lie elsewhere; None for a folder.
    """

    def __init__(
        self, folder: Path, documents: Sequence[DocumentRecord], stored: StoredFiles | None = None
    ) -> None:
        self.folder = folder
        self.stored = stored
        self.documents = tuple(documents)
        """All that were given to the build, those that could not be read included."""
        self._by_name = {record.name: record for record in self.documents}
        self._made: list[tempfile.TemporaryDirectory[str]] = []

    @classmethod
    def open(cls, folder: Path | str) -> "Archive":
        """Open an archive in a folder.

        Raises:
            DataError: there is no archive, or one that this version cannot read.
        """
        return cls(Path(folder), read_manifest(Path(folder)).documents)

    @classmethod
    def of_stored(cls, address: str, stored: StoredFiles) -> "Archive":
        """Open an archive that lies elsewhere.

        Raises:
            DataError: it is one that this version cannot read.
        """
        manifest = decode_manifest(stored.read(MANIFEST), f"{address}, {MANIFEST}")
        return cls(Path(address), manifest.documents, stored)

    @staticmethod
    def lies_in(folder: Path) -> bool:
        """Whether a folder's manifest is that of an archive."""
        return is_archive(folder)

    def document(self, name: str) -> DocumentRecord:
        """One document.

        Raises:
            DataError: the archive has none of that name, or it could not be read.
        """
        record = self._by_name.get(name)
        if record is None:
            from difflib import get_close_matches

            close = get_close_matches(name, self._by_name, n=3)
            fix = f"Did you mean {', '.join(close)}?" if close else f"It has {len(self._by_name)} other documents"
            place = self.folder if self.stored is None else self.stored.bucket.address
            raise DataError(place, f"has no document {name!r}", fix)
        if not record.readable:
            raise DataError(name, f"could not be read when the archive was built: {record.trouble}")
        return record

    def page(self, document: str, number: int) -> PageContent:
        """One page.

        Args:
            document: its name.
            number: 1-based.

        Raises:
            DataError: there is no such document or page.
        """
        from worktrial.archive.store.parts import read_part_page

        record = self.document(document)
        if not 1 <= number <= record.pages:
            raise DataError(document, f"has no page {number}", f"Its pages are 1 to {record.pages}")
        return read_part_page(self._pages_of(record), number)

    def pages(self, document: str, pages: str = "") -> Iterator[PageContent]:
        """Pages of a document in order, read from where they are stored as they are asked for.

        Args:
            document: its name.
            pages: those to read, such as `1-3,10`; nothing for all.

        Raises:
            DataError: there is no such document.
            SettingError: `pages` names none.
        """
        from worktrial.archive.store.parts import read_part_pages

        record = self.document(document)
        for first, last in PageRange.several(pages) if pages else [PageRange(1, record.pages)]:
            yield from read_part_pages(self._pages_of(record), first, min(last, record.pages))

    def table(self, document: str, page: int, number: int) -> Table:
        """One table.

        Args:
            document: its name.
            page: 1-based.
            number: 1-based, from top to bottom of the page.

        Raises:
            DataError: there is no such document, page or table.
        """
        tables = self.page(document, page).tables
        for table in tables:
            if table.number == number:
                return table
        has = f"It has {len(tables)}" if tables else "It has none"
        raise DataError(f"{document}:{page}", f"has no table {number}", has)

    def connection(self) -> "duckdb.DuckDBPyConnection":
        """A read-only connection with the tables `documents`, `pages`, `tables` and `cells`. The caller closes it.

        It can reach no files and no network, and its settings cannot be changed.
        """
        from worktrial.archive.store.database import open_database

        return open_database(self._database)

    def image(self, document: str, page: int, scale: float = 2.0, *, upright: bool = False) -> "Image":
        """A page's picture, rendered from the original file.

        Args:
            document: its name.
            page: 1-based.
            scale: pixels per point.
            upright: whether it is turned as it was for reading.

        Raises:
            DataError: there is no such page, or the original is gone, has changed, or has no pictures.
        """
        from worktrial.archive.pictures import render_page

        content = self.page(document, page)
        return render_page(self.document(document), page, scale, content if upright else None)

    def marked(
        self,
        document: str,
        page: int,
        scale: float = 2.0,
        *,
        tables: "Sequence[Table] | None" = None,
        cells: "Sequence[Box] | None" = None,
    ) -> bytes:
        """A page's picture as a PNG, upright, with tables outlined and cells marked.

        Args:
            document: its name.
            page: 1-based.
            scale: pixels per point.
            tables: tables to outline; all of the page unless told.
            cells: boxes to shade; the outlines of all cells of the tables unless told.

        Raises:
            DataError: as `image`.
        """
        from worktrial.archive.pictures import marked_page

        content = self.page(document, page)
        shown = content.tables if tables is None else tables
        return marked_page(self.document(document), content, scale, shown, cells)

    def search(
        self, query: str, *, limit: int = 10, document: str | None = None, kind: "Kind" = "page"
    ) -> "Sequence[Hit]":
        """Pages or tables that match a question or keywords, the best first.

        Args:
            query: natural language; quoted words count as a phrase; a named issue (`the February 1939 bulletin`) is
                looked into first.
            limit: most hits.
            document: search in this document only.
            kind: `page` or `table`.

        Raises:
            DataError: there is no such document, or the index is damaged.
        """
        if document is not None:
            self.document(document)
        try:
            return self._searcher.search(query, limit=limit, document=document, kind=kind)
        except (ValueError, OSError) as e:
            said = str(e).partition("\n")[0][:200]
            what = f"the index is damaged ({said})"
            raise DataError(self.folder / INDEX, what, "Remove it; it is made again from the parts") from None

    def grep(
        self, pattern: str, *, document: str | None = None, limit: int = 50, ignore_case: bool = True
    ) -> list[GrepLine]:
        """Lines of pages that match a regular expression, in order of document and page.

        Args:
            pattern: in RE2's syntax, which answers in time proportional to the text whatever the pattern.
            document: look into this document only.
            limit: most lines.
            ignore_case: whether capital and small letters are the same.

        Raises:
            DataError: the pattern is not a regular expression, or there is no such document.
        """
        if document is not None:
            self.document(document)
        with self.connection() as connection:
            return [GrepLine(*row) for row in grep(connection, pattern, document, limit, ignore_case)]

    def parts(self) -> "list[StoredPart]":
        """The readable documents with their folders; of an archive in a store, all are brought here."""
        from worktrial.archive.store.parts import PARTS, StoredPart

        readable = [record for record in self.documents if record.readable]
        folder = self.folder
        if self.stored is not None:
            wanted = {record.part for record in readable}
            names = [n for n in self.stored.state.files if n.startswith(f"{PARTS}/") and n.split("/")[1] in wanted]
            folder = self.stored.brought(names)
        return [StoredPart(folder / PARTS / record.part, record) for record in readable]

    def derive(self, tell: Callable[[str], None] = lambda what: None) -> None:
        """Make index and database in its folder, where they are not of its documents already.

        Args:
            tell: told what is made, before it is.
        """
        from worktrial.archive.search.index import is_index_of, write_entries
        from worktrial.archive.search.words import entries
        from worktrial.archive.store.database import database_path, write_database

        parts = self.parts()
        if not is_index_of(self.folder / INDEX, self.fingerprint):
            tell("search index")
            write_entries(self.folder / INDEX, entries(parts), self.fingerprint)
        path = database_path(self.folder, self.fingerprint)
        if not path.is_file():
            tell("database")
            write_database(path, parts)

    def settle(self, originals: Path) -> None:
        """Make an archive whole that came without index and database, and with originals told by their names.

        Args:
            originals: Folder in which they lie now.
        """
        manifest = read_manifest(self.folder)
        manifest.documents = [
            msgspec.structs.replace(one, source=str(originals / one.source)) for one in manifest.documents
        ]
        write_manifest(self.folder, manifest)
        Archive(self.folder, manifest.documents).derive()

    @property
    def fingerprint(self) -> str:
        """Changes when a document does; index and database carry it."""
        return fingerprint_of(self.documents)

    def _pages_of(self, record: DocumentRecord) -> "Path | RawIOBase":
        from worktrial.archive.store.parts import PAGES, PARTS

        if self.stored is not None:
            return self.stored.open(f"{PARTS}/{record.part}/{PAGES}")
        return self.folder / PARTS / record.part

    def _derived(self, name: str) -> Path:
        """Folder that holds the file or folder `name`, if there is one."""
        if self.stored is None:
            return self.folder
        return self.stored.brought([n for n in self.stored.state.files if n.split("/")[0] == name])

    @cached_property
    def _database(self) -> Path:
        from worktrial.archive.store.database import database_path, write_database

        path = database_path(self.folder, self.fingerprint)
        path = self._derived(path.name) / path.name
        if not path.is_file():
            # The build was cut short, or the archive came without it: it is made from the parts, for as long as
            # the archive is open.
            path = self._temporary() / path.name
            write_database(path, self.parts())
        return path

    @cached_property
    def _searcher(self) -> "Searcher":
        from worktrial.archive.search.index import Searcher, is_index_of, write_entries
        from worktrial.archive.search.words import entries

        folder = self._derived(INDEX) / INDEX
        if not is_index_of(folder, self.fingerprint):
            folder = self._temporary() / INDEX
            write_entries(folder, entries(self.parts()), self.fingerprint)
        names = {word.casefold() for record in self.documents for word in _NAME_WORD.findall(record.name)}
        issues = {record.issue for record in self.documents if record.readable and record.issue}
        return Searcher(folder, frozenset(names), frozenset(issues))

    def _temporary(self) -> Path:
        made: tempfile.TemporaryDirectory[str] = tempfile.TemporaryDirectory(prefix="worktrial-archive-")
        self._made.append(made)
        return Path(made.name)


def open_archive(folder: Path | str) -> Archive:
    """Open an archive for reading; of its pages, only those that are asked for are read.

    Args:
        folder: of the archive; `worktrial.stores.archives` opens those in object stores.

    Raises:
        DataError: there is no archive, or one that this version cannot read.
    """
    return Archive.open(folder)


def fingerprint_of(documents: Sequence[DocumentRecord]) -> str:
    """Fingerprint of the documents that can be read, by content and by the code that read them."""
    told = [
        (
            d.name,
            d.sha256,
            d.issue,
            d.read_with,
            d.understood_with,
            *filter(None, [d.pages_read, d.corrected]),
        )
        for d in documents
        if d.readable
    ]
    return hashlib.sha256(repr(sorted(told)).encode()).hexdigest()[:16]


def grep(
    connection: "duckdb.DuckDBPyConnection", pattern: str, document: str | None, limit: int, ignore_case: bool
) -> list[tuple[Any, ...]]:
    """(document, page, line number, line) of every match."""
    import duckdb

    # (?m): ^ and $ are ends of lines in the test of the whole page, too.
    given = {
        "pattern": pattern,
        "anywhere": f"(?m){pattern}",
        "options": "i" if ignore_case else "c",
        "document": document,
        "most": limit,
    }
    try:
        return connection.execute(_GREP, given).fetchall()
    except (duckdb.InvalidInputException, duckdb.OutOfRangeException) as error:
        raise DataError(f"pattern {pattern!r}", f"is not a regular expression ({error})") from None
