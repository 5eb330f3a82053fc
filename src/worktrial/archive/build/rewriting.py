"""Parts of an archive written anew after all documents are read, for what the others tell of their pages."""

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from worktrial.archive.build.reading import STAGING, put_part
from worktrial.archive.pages import PageContent, Route
from worktrial.archive.store.parts import StoredPart, join_slices, read_part_pages, write_slice
from worktrial.archive.store.record import DocumentRecord


def rewritten(
    folder: Path, part: StoredPart, change: Callable[[PageContent], PageContent], **told: str
) -> DocumentRecord:
    """Write a part anew with its recognised pages changed.

    Args:
        folder: of the archive.
        part: as it is stored.
        change: makes a page of another.
        told: fields of its record that tell what was done.
    """
    work = folder / STAGING / f"{part.record.sha256[:24]}.again"
    shutil.rmtree(work, ignore_errors=True)
    for name in ("slice", "part"):
        (work / name).mkdir(parents=True)
    pages = (
        change(page) if page.route == Route.OCR else page
        for page in read_part_pages(part.folder, 1, part.record.pages)
    )
    counts = write_slice(work / "slice", part.record.name, pages)
    record = msgspec.structs.replace(part.record, part="", **told)
    written = join_slices(work / "part", record, [work / "slice"], counts, lambda routes: record.read_with)
    done = put_part(folder, work / "part", written)
    shutil.rmtree(work)
    return done


def digest_of(told: Any) -> str:
    """Fingerprint of what was found of a document; nothing where that is nothing."""
    return hashlib.sha256(msgspec.json.encode(told, order="sorted")).hexdigest()[:12] if told else ""
