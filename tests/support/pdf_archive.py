"""An archive of one page that has a picture, with a question about it."""

import json
from pathlib import Path

from tests.support.small_pdf import Sheet, write_pdf


def pdf_archive(folder: Path) -> tuple[Path, Path]:
    """The built archive and its questions, below `folder`."""
    from worktrial.archive.building.build import build

    write_pdf(folder / "note_1951_05.pdf", [Sheet().text(72, 100, "The harbor has 42 cranes.")])
    build([folder / "note_1951_05.pdf"], folder / "pictured", workers=1, ocr="never")
    questions = folder / "pictured.jsonl"
    row = {"id": "P1", "question": "How many cranes?", "answer": "42", "pdf_pages": [["note_1951_05", 1]]}
    questions.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return folder / "pictured", questions
