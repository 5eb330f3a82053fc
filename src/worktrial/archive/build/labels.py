"""The archive's labels correct each other, once all documents are read."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from worktrial.archive.build.messages import Event, FinalStep
from worktrial.archive.build.rewriting import digest_of, rewritten
from worktrial.archive.meaning.lexicon import Lexicon
from worktrial.archive.pages import Route
from worktrial.archive.store.archive import Archive, fingerprint_of
from worktrial.archive.store.corrections import labels_read, with_labels
from worktrial.archive.store.parts import StoredPart, read_part_pages
from worktrial.archive.store.record import ArchiveManifest, DocumentRecord


def correct_labels(
    folder: Path,
    manifest: ArchiveManifest,
    enter: Callable[[DocumentRecord], None],
    tell: Callable[[Event], None],
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
    tell(FinalStep("labels"))
    lexicon = Lexicon()
    read = [_counted(lexicon, part) for part in parts]
    settled = {part.record.name: part.record for part in parts}
    for part, labels in zip(parts, read, strict=True):
        wanted = {label: right for label in labels if (right := lexicon.corrected(label)) != label}
        if wanted != {label: text for label, text in labels.items() if text != label}:
            change = partial(with_labels, corrections=wanted)
            settled[part.record.name] = rewritten(folder, part, change, corrected=digest_of(wanted))
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
            labels = labels_read(page)
            lexicon.add_page(labels, page.text if page.route == Route.TEXT else "")
            if page.route == Route.OCR:
                scanned |= labels
    return scanned
