"""Documents that lie in files: found by path, told apart by extension and first bytes, opened by kind."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol, cast

from worktrial.archive.pages import PageContent
from worktrial.errors import DataError, SettingError

PDF, PARSED_JSON, TEXT, PICTURE = "pdf", "parsed-json", "text", "picture"
SHEETS, SEPARATED, WORD, HTML = "spreadsheet", "separated", "word", "html"
EXTENSIONS = {
    **{".pdf": PDF, ".json": PARSED_JSON, ".txt": TEXT, ".md": TEXT},
    **{".xlsx": SHEETS, ".xlsm": SHEETS, ".csv": SEPARATED, ".tsv": SEPARATED, ".docx": WORD},
    **{".html": HTML, ".htm": HTML},
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".tif", ".tiff"), PICTURE),
}
DRAWN = (PDF, PICTURE)
"""Kinds whose pages can be shown as pictures."""
_READERS = {
    PDF: "pdf:PdfReader",
    PICTURE: "pictures:PictureReader",
    PARSED_JSON: "parsed:ParsedJsonReader",
    TEXT: "parsed:TextReader",
    SHEETS: "sheets:WorkbookReader",
    SEPARATED: "sheets:SeparatedReader",
    WORD: "word:WordReader",
    HTML: "web:HtmlReader",
}
_LIBRARIES = {PICTURE: ("pillow",), SHEETS: ("openpyxl",), WORD: ("python-docx", "lxml"), HTML: ("lxml",)}
KINDS = tuple(_READERS)
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """A document before it is read."""

    name: str
    """Name in the archive."""
    path: Path
    kind: str
    """Reader: one of `EXTENSIONS`, such as `pdf`, or `module:function` of one of your own."""


class Producer(Protocol):
    """Something that has documents."""

    def documents(self) -> Iterator[DocumentSource]:
        """All of them, in a stable order."""


class PageReader(Protocol):
    """An open document. A reader lives in one worker process and reads one page at a time."""

    @property
    def pages(self) -> int:
        """Number of pages."""

    @property
    def trouble(self) -> str | None:
        """Damage of a file that opened although; None where there is none."""

    def read(self, number: int) -> PageContent:
        """One page, 1-based. What is wrong with a single page is said in its `trouble`, not raised."""

    def close(self) -> None:
        """Release the file."""


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """Settings of reading; part of what decides whether a stored page is still good."""

    ocr: str = "auto"
    """`auto`: pages without usable characters; `force`: every page; `never`."""
    threads: int = 1
    """Processor threads that one worker may use for recognition."""
    password: str | None = field(default=None, repr=False)
    """Password of encrypted PDFs."""


@dataclass(frozen=True, slots=True)
class Files:
    """Documents in files and folders: PDFs, pictures, spreadsheets, texts, web pages, parsed JSON.

    A folder stands for the files in it and below it that have one of the known extensions. Files named one by one
    are taken whatever they are called; their first bytes decide.
    """

    paths: tuple[Path, ...]

    def documents(self) -> Iterator[DocumentSource]:
        """Every file once, in the order of names.

        Raises:
            DataError: a path does not exist, or a folder has nothing to read.
        """
        files = sorted(dict.fromkeys(path.resolve() for path in _files(self.paths)), key=lambda p: (p.stem, p))
        stems: dict[str, int] = {}
        for path in files:
            stems[path.stem] = stems.get(path.stem, 0) + 1
        taken: set[str] = set()
        for path in files:
            # Two files of one name: the folder tells them apart, and the ending when that is the same, too.
            names = (path.stem, f"{path.parent.name}-{path.stem}", f"{path.parent.name}-{path.name}", str(path))
            name = next(n for n in names[(stems[path.stem] > 1) :] if n not in taken)
            taken.add(name)
            yield DocumentSource(name, path, kind_of(path))


def kind_of(path: Path) -> str:
    """Kind of a file, by its first bytes where they are telling, else by its extension."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        head = b""
    if b"%PDF-" in head[:1024]:
        return PDF
    if head.startswith(_PICTURES):
        return PICTURE
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:14].lower().startswith((b"<!doctype html", b"<html")):
        return HTML
    if start.startswith(b"{") and path.suffix.lower() not in (".txt", ".md"):
        return PARSED_JSON
    # Whatever is left is read as its extension says, and that reader explains what is wrong with it.
    return EXTENSIONS.get(path.suffix.lower(), PDF)


def open_document(source: DocumentSource, settings: ReadSettings) -> PageReader:
    """Open a document with the reader of its kind.

    Raises:
        DataError: it cannot be read at all.
        SettingError: there is no reader of that kind.
    """
    reader = _READERS.get(source.kind)
    if reader is not None:
        module, _, name = reader.partition(":")
        kind = getattr(import_module(f"worktrial.archive.producers.{module}"), name)
        return cast(PageReader, kind(source.path, settings))
    module, _, function = source.kind.partition(":")
    try:
        return cast(PageReader, getattr(import_module(module), function)(source, settings))
    except (ImportError, AttributeError, ValueError) as error:
        raise SettingError(f"{source.kind}: there is no such reader ({error})") from None


def read_document(path: Path) -> tuple[list[PageContent], str | None]:
    """All pages of a file, read here and now, and what is wrong with the file as a whole; nothing is stored.

    Raises:
        DataError: it cannot be read at all.
    """
    with closing(open_document(DocumentSource(path.stem, path, kind_of(path)), ReadSettings())) as reader:
        return [reader.read(number) for number in range(1, reader.pages + 1)], reader.trouble


def libraries_of(kind: str) -> str:
    """Names and versions of the libraries that decide, beside those of PDFs, how such a document is read."""
    return ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES.get(kind, ()))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            inside = list(_inside(path))
            if not inside:
                raise DataError(path, "has no file in it that can be read", "Name the files or another folder")
            yield from inside
        elif path.exists():
            yield path
        else:
            raise DataError(path, "there is no such file or folder")


def _inside(folder: Path) -> Iterator[Path]:
    if (folder / "manifest.json").is_file() and (folder / "parts").is_dir():
        return  # an archive that was built beside its documents; its own files are none
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            yield from _inside(path)
        elif path.is_file() and path.suffix.lower() in EXTENSIONS:
            yield path
