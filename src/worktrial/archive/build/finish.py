"""From pages to a document's files, in folders that no reader looks into yet."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from worktrial.archive.build.staging import staged_pages
from worktrial.archive.build.tasks import JoinSlices, WriteSlice
from worktrial.archive.store.issue import issue_of
from worktrial.archive.store.parts import join_slices, read_part_pages, write_slice
from worktrial.archive.store.record import DocumentRecord
from worktrial.archive.store.rows import Counts
from worktrial.archive.tables import PageContent

_OPENING_PAGES = 2


def slice_document(task: WriteSlice) -> Counts:
    """Write one slice."""
    _empty(task.into)
    return write_slice(task.into, task.record.name, _pages(task.pages_from, task.first, task.last))


def join_document(task: JoinSlices) -> DocumentRecord:
    """Write the part; the caller renames it to where it belongs."""
    _empty(task.into)
    opening = "\n".join(page.text for page in _pages(task.pages_from, 1, _OPENING_PAGES))
    record = msgspec.structs.replace(task.record, issue=issue_of(task.record.name, opening))
    return join_slices(task.into, record, task.slices, task.counts, task.versions.of)


def _pages(place: Path, first: int, last: int) -> Iterator[PageContent]:
    return read_part_pages(place, first, last) if place.is_dir() else staged_pages(place, first, last)


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
