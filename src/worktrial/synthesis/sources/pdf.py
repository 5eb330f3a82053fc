"""PDF files, through the readers of the archive."""

from collections.abc import Sequence
from pathlib import Path

from worktrial.errors import DataError
from worktrial.synthesis.sources.plain import Section


def pdf_sections(path: Path) -> tuple[list[Section], list[str]]:
    """The pages with text, and notes on those that were recognised or could not be read.

    Pictures of pages are recognised where the libraries for that are installed.

    Raises:
        DataError: it is no PDF, damaged, encrypted, or has no page with text.
    """
    # Imported here: brings numpy and the PDF library.
    from worktrial.archive.producers import ReadSettings
    from worktrial.archive.producers.pdf import PdfReader
    from worktrial.archive.words import Route

    reader = PdfReader(path, ReadSettings())
    try:
        pages = [reader.read(number) for number in range(1, reader.pages + 1)]
        notes = [reader.trouble] if reader.trouble else []
    finally:
        reader.close()
    sections = [Section((), page.text, page.number) for page in pages if page.text.strip()]
    unread = [page.number for page in pages if page.route == Route.FAILED]
    if not sections:
        why = next((page.trouble for page in pages if page.trouble), "every page is blank")
        fix = "Give a PDF with a text layer, or install what reads pictures of pages: pip install 'worktrial[ocr]'"
        raise DataError(path, f"none of its {len(pages)} pages has text that can be read ({why})", fix)
    recognised = [page.number for page in pages if page.route == Route.OCR]
    if recognised:
        notes.append(f"{_listed(recognised)} recognised from a picture; check figures before you rely on them")
    if unread:
        why = next(page.trouble or "" for page in pages if page.number == unread[0])
        notes.append(f"{_listed(unread)} not read: {why}")
    return sections, notes


def _listed(numbers: Sequence[int]) -> str:
    """`pages 1-3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    spans = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return f"{'page' if len(numbers) == 1 else 'pages'} {', '.join(spans)}:"
