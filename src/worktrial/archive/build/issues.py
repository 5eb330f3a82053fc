"""Recognised figures held against the same figures of other documents, once all are read."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from worktrial.archive.build.messages import Event, FinalStep
from worktrial.archive.build.rewriting import digest_of, rewritten
from worktrial.archive.pages import OtherPrinting, Route
from worktrial.archive.store.archive import Archive, fingerprint_of
from worktrial.archive.store.neighbours import Place, elsewhere_on, neighbours_of, with_elsewhere
from worktrial.archive.store.parts import StoredPart, read_part_pages
from worktrial.archive.store.record import ArchiveManifest, DocumentRecord


def compare_issues(
    folder: Path,
    manifest: ArchiveManifest,
    enter: Callable[[DocumentRecord], None],
    tell: Callable[[Event], None],
) -> bool:
    """Put beside each recognised figure what the nearest other document prints, and write parts that change anew.

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
    scanned = any(Route.OCR in part.record.routes for part in parts)
    if manifest.compared_of == fingerprint_of(manifest.documents) or not scanned:
        return False
    tell(FinalStep("figures of other issues"))
    settled = {part.record.name: part.record for part in parts}
    for part, found in neighbours_of(parts):
        if found != _stored(part):
            told = digest_of([[*place, *_told(other)] for place, other in sorted(found.items())])
            settled[part.record.name] = rewritten(folder, part, partial(with_elsewhere, found=found), compared=told)
            enter(settled[part.record.name])
    labels_done = manifest.labels_of == fingerprint_of(manifest.documents)
    manifest.compared_of = fingerprint_of(list(settled.values()))
    if labels_done:
        manifest.labels_of = manifest.compared_of
    return True


def _stored(part: StoredPart) -> dict[Place, OtherPrinting]:
    pages = read_part_pages(part.folder, 1, part.record.pages)
    return {place: other for page in pages for place, other in elsewhere_on(page).items()}


def _told(other: OtherPrinting) -> tuple[str, str, bool, bool]:
    return other.address, other.text, other.agrees, other.revised
