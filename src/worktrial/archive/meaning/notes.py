"""Footnotes by their marks: the note that a heading, a label or a figure refers to."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from worktrial.archive.meaning.value import split_marks
from worktrial.archive.pages import Cell

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_NOTE = re.compile(r"\s*\(?(?P<mark>\d{1,2}|[*†‡§]{1,3}|[a-z](?=/))/?\)?[\s.]+(?P<text>\S.*)", re.DOTALL)


def notes_by_mark(notes: Iterable[str]) -> dict[str, str]:
    """The texts of footnotes by mark, `1` for `1/` and for a raised digit; notes without a mark are left out."""
    read = (_NOTE.fullmatch(note.translate(_RAISED)) for note in notes)
    return {found["mark"]: " ".join(found["text"].split()) for found in read if found is not None}


def noted(rows: Iterable[Sequence[Cell]], notes: Mapping[str, str]) -> Iterator[tuple[Cell, str]]:
    """Every cell that refers to a note, with the note; a heading over several columns once."""
    seen: set[tuple[int, str]] = set()
    for row in rows:
        for cell in row:
            for mark in split_marks(cell.text).marks if notes else ():
                note = notes.get(mark.strip("/() "))
                if note is not None and (cell.row, cell.text) not in seen:
                    seen.add((cell.row, cell.text))
                    yield cell, note
