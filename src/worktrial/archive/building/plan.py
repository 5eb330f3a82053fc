"""Settings of a build, and its plan: the documents that are stored, changed or new."""

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

import msgspec

from worktrial.archive.pages import PageRange, Route, pages_within
from worktrial.archive.producers.files import KINDS, DocumentSource, ReadSettings, libraries_of
from worktrial.archive.producers.pdf import ocr_version, text_version
from worktrial.archive.store.parts import PARTS, read_record
from worktrial.archive.store.record import DocumentRecord
from worktrial.errors import SettingError

Ocr = Literal["auto", "never", "force"]
_MODES = ("auto", "never", "force")

READING = 2
"""Version of what pages hold: raised when a file, read with the same settings and libraries, gives other pages."""
MEANING = 1
"""Version of what is made of pages (labels, values, units, periods, chances), which need not be read again then."""


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Resources that a build may use, and how it reads."""

    workers: int = 0
    """Processes; 0 for one per core."""
    ocr: Ocr = "auto"
    page_seconds: float = 600.0
    """A page that takes longer stays unread, for a later build: what is stored depends on no machine's speed."""
    pages: str = ""
    """Pages to read of each document, such as `1-3,10`; nothing for all."""
    password: str | None = field(default=None, repr=False)
    """Password of encrypted PDFs."""
    memory: int = 4_000_000_000
    """Bytes that one worker may allocate; a page that needs more crashes it and is given up."""
    threads: int = 0
    """Threads of one worker; 0 for its share of the cores."""
    tired: int = 2_500_000_000
    """Bytes allocated after which a worker is replaced: libraries for recognition keep what they once needed."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises:
            SettingError: a value is out of range.
        """
        if self.ocr not in _MODES:
            raise SettingError(f"ocr {self.ocr!r}: must be one of {', '.join(_MODES)}")
        if not 0 <= self.workers <= 256:
            raise SettingError(f"workers {self.workers}: must be 1 to 256, or 0 for one per core")
        if self.pages:
            PageRange.several(self.pages)
        if self.page_seconds <= 0:
            raise SettingError(f"page_seconds {self.page_seconds:g}: must be more than 0")

    @property
    def processes(self) -> int:
        """Workers in number."""
        return self.workers or cores()

    @property
    def reading(self) -> ReadSettings:
        """Settings that a worker needs to know."""
        # Workers share the cores: recognition with more threads than its share only waits.
        return ReadSettings(self.ocr, self.threads or max(1, cores() // self.processes), self.password)

    @property
    def versions(self) -> "Versions":
        """Code and settings that decide, with the content of the file, whether a page is still good."""
        plain = f"{READING}/{self.ocr}/{_short(text_version())}"
        libraries = {kind: _short(told) for kind in KINDS if (told := libraries_of(kind))}
        return Versions(plain, f"{plain}/{_short(ocr_version())}", libraries)


def _short(version: str) -> str:
    return hashlib.sha256(version.encode()).hexdigest()[:8]


class Versions(NamedTuple):
    """Code and settings that pages are read with. Asked for once a build: workers are told."""

    plain: str
    """Version for documents whose pages all have usable characters."""
    recognised: str
    """Version for documents with scanned pages, which also depend on the recogniser."""
    libraries: Mapping[str, str] = MappingProxyType({})
    """Version of what else reads a kind of documents."""

    def of(self, routes: Iterable[str], kind: str) -> str:
        """Version that pages of a document depend on, which were read by these routes."""
        scanned = any(route in (Route.OCR, Route.FAILED) for route in routes)
        return "/".join(filter(None, (self.recognised if scanned else self.plain, self.libraries.get(kind))))


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class DocumentJob:
    """One document of a build."""

    source: DocumentSource
    record: DocumentRecord
    """The document as far as it is known before its pages are read."""
    stored: DocumentRecord | None = None
    """Set where nothing has to be done."""
    pages_from: Path | None = None
    """A stored part whose pages are good, and whose meanings, name or labels are not."""
    corrections: Mapping[str, str] | None = None
    """The labels to be put right on its recognised pages, instead of those put right before; None to leave them."""


def plan(
    sources: Iterable[DocumentSource],
    folder: Path,
    versions: Versions,
    others: Sequence[DocumentRecord],
    password_env: str = "",
    pages: str = "",
) -> list[DocumentJob]:
    """Look at every file and at what the archive has.

    Args:
        sources: documents to be in the archive.
        folder: of the archive.
        versions: of code and settings.
        others: what the archive has already.
        password_env: variable that holds the password of encrypted documents.
        pages: those to read of each document; nothing for all.
    """
    parts = _stored_parts(folder)
    jobs: list[DocumentJob] = []
    by_content: dict[str, str] = {}
    listed = list(sources)
    ours = {str(source.path) for source in listed}
    # Documents of earlier builds keep their names.
    names = {record.name: record.sha256 for record in others if record.source not in ours}
    for source in listed:
        try:
            sha, size = _digest(source.path)
        except OSError as error:
            record = _record(source, "", 0, f"cannot be read ({error.strerror})")
            jobs.append(DocumentJob(source, record, record))
            continue
        if names.get(source.name, sha) != sha:
            source = replace(source, name=f"{source.path.parent.name}-{source.name}-{sha[:6]}")
        record = msgspec.structs.replace(_record(source, sha, size), password_env=password_env)
        if sha in by_content:
            record = msgspec.structs.replace(record, trouble=f"same content as {by_content[sha]}; left out")
            jobs.append(DocumentJob(source, record, record))
            continue
        by_content[sha] = source.name
        stored = [s for s in parts.get(sha, []) if _has_pages(s, pages)]
        jobs.append(_job(source, record, versions, stored, folder))
    return jobs


def _has_pages(stored: DocumentRecord, pages: str) -> bool:
    """Whether a stored document has the pages that are asked for."""
    if not stored.pages_read:
        return True
    having = pages_within(PageRange.several(stored.pages_read), stored.pages)
    return bool(pages) and pages_within(PageRange.several(pages), stored.pages) <= having


def part_name(record: DocumentRecord) -> str:
    """Folder of a part: readable, and different for other content, other code and another name."""
    slug = re.sub(r"[^A-Za-z0-9]+", "_", record.name)[:60].strip("_")
    told = f"{record.name}\0{record.sha256}\0{record.read_with}\0{record.understood_with}{record.pages_read}"
    told += f"\0{record.corrected}" if record.corrected else ""
    return f"{slug}-{hashlib.sha256(told.encode()).hexdigest()[:10]}"


def staging_key(record: DocumentRecord, versions: Versions) -> str:
    """Key of content and settings; while it is the same, pages of an interrupted build are good."""
    return f"{record.sha256} {versions.of([Route.OCR], record.kind)}"


def _job(
    source: DocumentSource,
    record: DocumentRecord,
    versions: Versions,
    stored: Sequence[DocumentRecord],
    folder: Path,
) -> DocumentJob:
    # Doubtful pages are those of scans read without OCR.
    good = [s for s in stored if s.kind == record.kind and s.read_with == _wanted(s, versions)]
    whole = [s for s in good if s.name == record.name and s.understood_with == record.understood_with]
    if whole:
        kept = msgspec.structs.replace(whole[0], source=record.source)
        return DocumentJob(source, kept, kept)
    if good:
        old = good[0]
        base = msgspec.structs.replace(
            record,
            pages=old.pages,
            pages_read=old.pages_read,
            read_with=old.read_with,
            seconds=old.seconds,
            trouble=old.trouble,
        )
        return DocumentJob(source, base, pages_from=folder / PARTS / old.part)
    return DocumentJob(source, record)


def _wanted(stored: DocumentRecord, versions: Versions) -> str:
    routes = [*stored.routes, *([Route.OCR] if stored.doubts else [])]
    return versions.of(routes, stored.kind)


def _record(source: DocumentSource, sha: str, size: int, trouble: str | None = None) -> DocumentRecord:
    return DocumentRecord(
        name=source.name,
        kind=source.kind,
        source=str(source.path),
        sha256=sha,
        size=size,
        trouble=trouble,
        understood_with=str(MEANING),
    )


def _stored_parts(folder: Path) -> dict[str, list[DocumentRecord]]:
    """Whole parts by content, whether the manifest knows them or not: a kill may have come in between."""
    found: dict[str, list[DocumentRecord]] = {}
    for place in sorted((folder / PARTS).glob("*")):
        record = read_record(place)
        if record is not None:
            found.setdefault(record.sha256, []).append(msgspec.structs.replace(record, part=place.name))
    return found


def _digest(path: Path) -> tuple[str, int]:
    with path.open("rb") as file:
        sha = hashlib.file_digest(file, "sha256").hexdigest()
        return sha, file.tell()
