"""The archive's labels correct each other, once all documents are read; what was read stays beside a correction."""

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from worktrial.archive.building.messages import BuildEvent, Progress
from worktrial.archive.building.reading import STAGING, put_part
from worktrial.archive.meaning.lexicon import Lexicon
from worktrial.archive.pages import Cell, PageContent, Route, Table
from worktrial.archive.store.archive import Archive, fingerprint_of
from worktrial.archive.store.parts import StoredPart, join_slices, read_part_pages, write_slice
from worktrial.archive.store.record import ArchiveManifest, DocumentRecord


def correct_labels(
    folder: Path,
    manifest: ArchiveManifest,
    enter: Callable[[DocumentRecord], None],
    tell: Progress,
) -> bool:
    """Correct labels that were misread by the words of the others, and write parts that change anew.

    The outcome depends on what the documents' pages say, and not on the order in which they came into the archive.

    Args:
        folder: of the archive.
        manifest: with its documents; what was done for them before is not done again.
        enter: told the record of each changed part.
        tell: told that there is something to do.

    Returns:
        Whether the manifest has changed.
    """
    parts = Archive(folder, manifest.documents).parts()
    if manifest.labels_of == fingerprint_of(manifest.documents) or not any(map(_scanned, parts)):
        return False
    tell(BuildEvent("step", "labels"))
    lexicon = Lexicon()
    read = [_counted(lexicon, part) for part in parts]
    settled = {part.record.name: part.record for part in parts}
    for part, labels in zip(parts, read, strict=True):
        wanted = {label: right for label in labels if (right := lexicon.corrected(label)) != label}
        if wanted != {label: text for label, text in labels.items() if text != label}:
            settled[part.record.name] = _rewritten(folder, part, wanted)
            enter(settled[part.record.name])
    manifest.labels_of = fingerprint_of(list(settled.values()))
    return True


def _scanned(part: StoredPart) -> bool:
    return Route.OCR in part.record.routes


def _counted(lexicon: Lexicon, part: StoredPart) -> dict[str, str]:
    """Count the words of a document's labels; those of its scanned pages as they were read, with what is stored."""
    scanned: dict[str, str] = {}
    for page in read_part_pages(part.folder, 1, part.record.pages):
        if page.text:
            labels = {cell.reading or cell.text: cell.text for table in page.tables for cell in _labels(table)}
            lexicon.add_page(labels, page.text if page.route == Route.TEXT else "")
            if page.route == Route.OCR:
                scanned |= labels
    return scanned


def _rewritten(folder: Path, part: StoredPart, corrections: Mapping[str, str]) -> DocumentRecord:
    """Write a part anew with these corrections of labels on its recognised pages, and none of those it had."""
    work = folder / STAGING / f"{part.record.sha256[:24]}.again"
    shutil.rmtree(work, ignore_errors=True)
    for name in ("slice", "part"):
        (work / name).mkdir(parents=True)
    pages = (_with_labels(page, corrections) for page in read_part_pages(part.folder, 1, part.record.pages))
    counts = write_slice(work / "slice", part.record.name, pages)
    told = msgspec.json.encode(corrections, order="sorted")
    digest = hashlib.sha256(told).hexdigest()[:12] if corrections else ""
    record = msgspec.structs.replace(part.record, part="", corrected=digest)
    written = join_slices(work / "part", record, [work / "slice"], counts, lambda routes: record.read_with)
    done = put_part(folder, work / "part", written)
    shutil.rmtree(work)
    return done


def _with_labels(page: PageContent, corrections: Mapping[str, str]) -> PageContent:
    if page.route != Route.OCR:
        return page
    return replace(page, tables=tuple(_corrected(table, corrections) for table in page.tables))


def _corrected(table: Table, corrections: Mapping[str, str]) -> Table:
    places = {(cell.row, cell.column) for cell in _labels(table)}
    rows = (
        tuple(_cell(cell, corrections) if (cell.row, cell.column) in places else cell for cell in row)
        for row in table.rows
    )
    return replace(table, rows=tuple(rows))


def _cell(cell: Cell, corrections: Mapping[str, str]) -> Cell:
    read = cell.reading or cell.text
    text = corrections.get(read, read)
    return replace(cell, text=text, reading=read if text != read else "")


def _labels(table: Table) -> Iterator[Cell]:
    for r, row in enumerate(table.rows):
        yield from (cell for cell in row[: None if r < table.header_rows else table.label_columns] if cell.text)
