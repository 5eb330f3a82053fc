"""The archive's labels correct each other, once all documents are read; what was read stays beside a correction."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from worktrial.archive.building.plan import DocumentJob
from worktrial.archive.meaning.lexicon import Lexicon
from worktrial.archive.pages import Cell, PageContent, Route, Table
from worktrial.archive.producers.files import DocumentSource
from worktrial.archive.store.archive import Archive, fingerprint_of
from worktrial.archive.store.parts import StoredPart, read_part_pages
from worktrial.archive.store.record import ArchiveManifest


def relabelled(folder: Path, manifest: ArchiveManifest) -> list[DocumentJob]:
    """Find the labels that were misread, by the words of the others; documents that change are to be written anew.

    The outcome depends on what the documents' pages say, and not on the order in which they came into the archive.

    Args:
        folder: of the archive.
        manifest: with its documents; where their labels were corrected before there is nothing to do.
    """
    parts = Archive(folder, manifest.documents).parts()
    if manifest.labels_of == fingerprint_of(manifest.documents) or not any(map(_scanned, parts)):
        return []
    lexicon = Lexicon()
    read = [_counted(lexicon, part) for part in parts]
    jobs = []
    for part, labels in zip(parts, read, strict=True):
        wanted = {label: right for label in labels if (right := lexicon.corrected(label)) != label}
        if wanted != {label: text for label, text in labels.items() if text != label}:
            told = msgspec.json.encode(wanted, order="sorted")
            digest = hashlib.sha256(told).hexdigest()[:12] if wanted else ""
            record = msgspec.structs.replace(part.record, part="", corrected=digest)
            source = DocumentSource(record.name, Path(record.source), record.kind)
            jobs.append(DocumentJob(source, record, pages_from=part.folder, corrections=wanted))
    return jobs


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


def with_labels(page: PageContent, corrections: Mapping[str, str]) -> PageContent:
    """A page with these corrections of its labels, where it was recognised, and none of those it had."""
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
