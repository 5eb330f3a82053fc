"""The record of each document of an archive, and the file that lists them."""

import os
from pathlib import Path
from typing import Any

import msgspec

from worktrial.archive.producers.files import DRAWN
from worktrial.errors import DataError
from worktrial.outside.files import read_bytes

FORMAT_VERSION = 2
MANIFEST = "manifest.json"
INDEX = "index"
LOCK = ".lock"
"""File of an archive's folder that is locked by who works on it."""


class PageTrouble(msgspec.Struct, frozen=True):
    """A page that could not be read, or was read with doubts."""

    page: int
    what: str


class FootingCount(msgspec.Struct, frozen=True):
    """Number of printed sums that were checked, and of those that add up."""

    checked: int = 0
    held: int = 0


class DocumentRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One document of an archive."""

    name: str
    kind: str
    """Producer that read it, such as `pdf`, `spreadsheet`, `text`."""
    source: str
    """The original file; page images are rendered from it."""
    sha256: str = ""
    size: int = 0
    """Bytes of the original file."""
    password_env: str = ""
    """Variable of the environment that held the password of an encrypted file; nothing where none was named."""
    issue: str = ""
    """`1939-02`, `1939`, or nothing."""
    pages: int = 0
    pages_read: str = ""
    """Pages that were read, such as `1-3,10`, where others were not asked for; nothing where all were."""
    routes: dict[str, int] = {}
    """Number of pages by `Route`."""
    tables: int = 0
    cells: int = 0
    doubtful_cells: int = 0
    """Cells whose confidence is low."""
    confidence: float = 1.0
    """Mean over the pages that have text."""
    footing: FootingCount = FootingCount()
    failed: list[PageTrouble] = []
    """Pages that are not in the archive, with the reason."""
    doubts: list[PageTrouble] = []
    """Pages that are in the archive although something is wrong with them."""
    irregular: list[int] = []
    """Pages whose layout is doubtful."""
    trouble: str | None = None
    """Why the document as a whole could not be read, or what is wrong with its file."""
    part: str = ""
    """Its folder below `parts`; nothing when it could not be read."""
    read_with: str = ""
    """Settings and version of the code that read its pages."""
    understood_with: str = ""
    """Version of the code that gave the cells their meaning."""
    corrected: str = ""
    """Fingerprint of the corrections of its labels; nothing where there are none."""
    seconds: float = 0.0
    """Time that the pages took, summed over workers."""

    @property
    def has_pictures(self) -> bool:
        """Whether its pages can be shown as pictures."""
        return self.kind in DRAWN

    @property
    def readable(self) -> bool:
        """Whether its pages are in the archive."""
        return bool(self.part)


class ArchiveManifest(msgspec.Struct, kw_only=True):
    """`manifest.json` of an archive."""

    format_version: int = FORMAT_VERSION
    settings: dict[str, Any] = {}
    """Settings of the last build."""
    documents: list[DocumentRecord] = []
    labels_of: str = ""
    """Fingerprint of the documents whose labels have corrected each other."""


def read_manifest(folder: Path) -> ArchiveManifest:
    """The manifest of an archive.

    Raises:
        DataError: the folder is no archive, its manifest is damaged, or it was written by a newer version.
    """
    path = folder / MANIFEST
    if not path.exists():
        what = "there is no such folder" if not folder.exists() else f"is no archive (it holds no {MANIFEST})"
        raise DataError(folder, what, "Make one with: worktrial archive build")
    return decode_manifest(read_bytes(path, within=folder), path)


def decode_manifest(text: bytes, where: object) -> ArchiveManifest:
    """The manifest of an archive as its file holds it.

    Args:
        text: bytes of the file.
        where: its place, for messages.

    Raises:
        DataError: it is damaged, or was written by a newer version.
    """
    try:
        version = msgspec.json.decode(text, type=_Version).format_version
        if version != FORMAT_VERSION:
            what = f"has format {version}; this Worktrial reads format {FORMAT_VERSION}"
            raise DataError(where, what, "Build the archive again, into a new folder")
        return msgspec.json.decode(text, type=ArchiveManifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(where, f"damaged: {error}", "Remove it and build again; finished pages are kept") from None


def is_archive(folder: Path) -> bool:
    """Whether a folder's manifest is that of an archive."""
    try:
        msgspec.json.decode(read_bytes(folder / MANIFEST, within=folder), type=_Version)
    except (DataError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


def write_manifest(folder: Path, manifest: ArchiveManifest) -> None:
    """Write the manifest; a reader sees the old one or the new one, never a half."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=1)
    replace_file(folder / MANIFEST, text + b"\n")


def replace_file(path: Path, content: bytes) -> None:
    """Put a file in place as a whole."""
    temporary = path.with_name(f"{path.name}.tmp")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


class _Version(msgspec.Struct):
    format_version: int
