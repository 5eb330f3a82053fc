"""What a build has to do: which documents are stored, changed or new."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from worktrial.archive.build.settings import Versions
from worktrial.archive.build.versions import meaning_version
from worktrial.archive.producers import DocumentSource
from worktrial.archive.store.parts import PARTS, read_record
from worktrial.archive.store.record import DocumentRecord
from worktrial.archive.words import Route


@dataclass(frozen=True, slots=True)
class Job:
    """One document of a build."""

    source: DocumentSource
    record: DocumentRecord
    """As far as it is known before the pages are read."""
    stored: DocumentRecord | None = None
    """Set where nothing has to be done."""
    pages_from: Path | None = None
    """A stored part whose pages are good, and whose meanings or name are not."""


def plan(
    sources: Iterable[DocumentSource], folder: Path, versions: Versions, others: Sequence[DocumentRecord]
) -> list[Job]:
    """Look at every file and at what the archive has.

    Args:
        sources: documents to be in the archive.
        folder: of the archive.
        versions: of code and settings.
        others: what the archive has already.
    """
    parts = _stored_parts(folder)
    jobs: list[Job] = []
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
            jobs.append(Job(source, record, record))
            continue
        if names.get(source.name, sha) != sha:
            source = replace(source, name=f"{source.path.parent.name}-{source.name}-{sha[:6]}")
        record = _record(source, sha, size)
        if sha in by_content:
            record = msgspec.structs.replace(record, trouble=f"same content as {by_content[sha]}; left out")
            jobs.append(Job(source, record, record))
            continue
        by_content[sha] = source.name
        jobs.append(_job(source, record, versions, parts.get(sha, []), folder))
    return jobs


def part_name(record: DocumentRecord) -> str:
    """Folder of a part: readable, and different for other content, other code and another name."""
    slug = re.sub(r"[^A-Za-z0-9]+", "_", record.name)[:60].strip("_")
    told = f"{record.name}\0{record.sha256}\0{record.read_with}\0{record.understood_with}"
    return f"{slug}-{hashlib.sha256(told.encode()).hexdigest()[:10]}"


def staging_key(record: DocumentRecord, versions: Versions) -> str:
    """Of content and settings: whether a page of an interrupted build is still good."""
    return f"{record.sha256} {versions.recognised}"


def _job(
    source: DocumentSource,
    record: DocumentRecord,
    versions: Versions,
    stored: Sequence[DocumentRecord],
    folder: Path,
) -> Job:
    # Doubtful pages are those of scans read without OCR.
    good = [s for s in stored if s.kind == record.kind and s.read_with == _wanted(s, versions)]
    whole = [s for s in good if s.name == record.name and s.understood_with == record.understood_with]
    if whole:
        kept = msgspec.structs.replace(whole[0], source=record.source)
        return Job(source, kept, kept)
    if good:
        old = good[0]
        base = msgspec.structs.replace(
            record, pages=old.pages, read_with=old.read_with, seconds=old.seconds, trouble=old.trouble
        )
        return Job(source, base, pages_from=folder / PARTS / old.part)
    return Job(source, record)


def _wanted(stored: DocumentRecord, versions: Versions) -> str:
    routes = [*stored.routes, *([Route.OCR] if stored.doubts else [])]
    return versions.of(routes)


def _record(source: DocumentSource, sha: str, size: int, trouble: str | None = None) -> DocumentRecord:
    return DocumentRecord(
        name=source.name,
        kind=source.kind,
        source=str(source.path),
        sha256=sha,
        size=size,
        trouble=trouble,
        understood_with=meaning_version(),
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
