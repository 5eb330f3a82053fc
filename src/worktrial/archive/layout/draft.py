"""A table while it is put together: its grid, and the title, unit and notes around it."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from worktrial.archive.layout.lines import Phrase, TextLine
from worktrial.archive.layout.tokens import joined
from worktrial.archive.pages import Box, Cell, Table, Word

# Some typesetters leave spaces inside words: "TA BLE".
TITLE = re.compile(
    r"\s*(?:(?:t ?a ?b ?l ?e|tableau|tabelle|tab\.|tabla|tabella|chart|figure|fig\.|abbildung|abb\.|schaubild"
    r"|graphique|grafik)(?!\w)|[표그]림? ?\d)",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\(?\[?\s*(?:(?:dollar\s+)?amounts?\s+in\b|in\s+(?:\w+\s+){0,3}(?:millions?|billions?|thousands?|dollars|percent|units)"
    r"|in\s+(?:tausend|tsd\.|millionen|mio\.?|milliarden|mrd\.?|prozent|euro|franken)|en\s+(?:milliers|millions|milliards|euros|francs|%)"
    r"|단위|angaben\s+in\b|(?:millions?|billions?|thousands?)\s+of\b|percent(?:age)?s?\b|per\s+cent\b|%|figures\s+in\b|index\b|€|eur\b)",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"[\[(]\s*(.*?)\s*[\])]?\s*$", re.DOTALL)
_SOURCE = re.compile(r"\s*[.;]?\s*(?:sources?\b|\]).*$", re.IGNORECASE | re.DOTALL)
_NOTE = re.compile(
    r"\s*(?:(?:notes?\s*[:.—–-]|sources?\s*[:.—–]|footnotes?\b|\*+|†|‡|[a-z]/|\d{1,2}/|[rpe]\s+(?:revised|preliminary|estimate))"
    r"|\d{1,2}\s+[A-Z]|\(\*?\d?[a-z]?\)\s*[A-Z])",
    re.IGNORECASE,
)
_CONTINUED = re.compile(r"\b(?:con|cont|cont['’]d|continued)\.?$", re.IGNORECASE)
# What is left of prose or of a chart, not a title: small letters first, or no letters at all.
_FRAGMENT = re.compile(r"[a-z]|[^a-zA-ZÀ-ž]*$|[IVXLC]+$")

_MOST_TITLE_LINES = 4
_FAR = 3.2  # font sizes between a caption's lines
_LEAST_LINES, _ROWS_NEAR = 2, 3  # of notes in columns, and above them
_NOTE_LETTERS = 4
_FAR_UNIT = 5.0  # the same from a unit in brackets to the headings


@dataclass(slots=True)
class DraftCell:
    """Text and place of a cell; its address comes from where it lies in the grid."""

    text: str = ""
    box: Box | None = None
    confidence: float = 1.0
    alternatives: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, box: Box | None, words: Sequence[Word]) -> "DraftCell":
        """A cell of these words, as sure as the least sure of them; a single number keeps its other readings."""
        sure = min((word.confidence for word in words), default=1.0)
        doubted = [word for word in words if word.alternatives and word.text in text]
        others = doubted[0].alternatives if len(doubted) == 1 else ()
        return cls(text, box, sure, tuple(text.replace(doubted[0].text, other, 1) for other in others))


@dataclass(slots=True)
class Draft:
    """A grid of cells with what stands around it."""

    box: Box
    grid: list[list[DraftCell]]
    header_rows: int = 0
    label_columns: int = 1
    title: str = ""
    unit: str = ""
    notes: tuple[str, ...] = ()

    def finished(self, number: int, page: int) -> Table:
        """The table with its addresses."""
        rows = tuple(
            tuple(Cell(r, c, cell.text, cell.box, cell.confidence, cell.alternatives) for c, cell in enumerate(row))
            for r, row in enumerate(self.grid)
        )
        labels = min(self.label_columns, len(rows[0]) - 1) if rows else 0
        return Table(number, page, self.box, rows, self.header_rows, labels, self.title, self.unit, self.notes)


def is_unit(text: str) -> bool:
    """Whether a line tells the unit of a table, such as `[In millions of dollars. Source: …]`."""
    return _UNIT.match(text) is not None


def unit_of(text: str) -> str:
    """The unit alone, as printed, without brackets and source."""
    found = _BRACKETS.match(text.strip())
    inner = found.group(1) if found else text.strip()
    return _SOURCE.sub("", inner).strip(" .;,[]()")


def is_note(text: str) -> bool:
    """Whether a line begins a footnote or names a source."""
    return _NOTE.match(text) is not None


def notes_by_column(lines: Sequence[TextLine]) -> list[TextLine]:
    """Put the lines of notes that are set in columns side by side one column after the other."""
    for first in range(len(lines)):
        end, seams = columns_of_notes(lines, first)
        if seams:
            edges = [-math.inf, *(x - lines[first].size for x in seams), math.inf]
            columns = [_part(one, left, right) for left, right in pairwise(edges) for one in lines[first:end]]
            return [*lines[:first], *(one for one in columns if one.words), *notes_by_column(lines[end:])]
    return list(lines)


def columns_of_notes(lines: Sequence[TextLine], first: int) -> tuple[int, list[float]]:
    """End of the notes in columns that begin with a line, and where the columns after the first begin; none: [].

    Right above them stand rows of figures: pages of prose in columns have numbered paragraphs, too.
    """
    rows = any(len(line.figures) > 1 for line in lines[max(0, first - _ROWS_NEAR) : first])
    if not rows or not any(map(_begins_note, lines[first].phrases[:1])):
        return first, []
    end = first + 1
    while end < len(lines) and lines[end].middle - lines[end - 1].middle <= _FAR * lines[end].size:
        end += 1
    beside = [line.phrases[1:] for line in lines[first:end] if all(map(_begins_note, line.phrases[1:]))]
    seams = [one.box.x0 for one in max(beside, key=len, default=[])]
    end = next((k for k in range(first, end) if _crosses(lines[k], seams)), end)
    plain = not any(len(line.figures) > 1 for line in lines[first:end])
    return end, seams if plain and end - first >= _LEAST_LINES else []


def _begins_note(phrase: Phrase) -> bool:
    return is_note(phrase.text) and sum(map(str.isalpha, phrase.text)) >= _NOTE_LETTERS


def _crosses(line: TextLine, seams: Sequence[float]) -> bool:
    return any(one.box.x0 < x - line.size and one.box.x1 > x for one in line.phrases for x in seams)


def _part(line: TextLine, left: float, right: float) -> TextLine:
    phrases = [one for one in line.phrases if left <= one.box.x0 < right]
    words = [word for one in phrases for word in one.words]
    return TextLine(words, line.middle, line.size, phrases)


def caption_above(lines: Sequence[TextLine], first: int, lowest: int) -> tuple[str, str, int]:
    """Title and unit from the lines above a table.

    Args:
        lines: of the page.
        first: index of the table's first line.
        lowest: index of the first line that may be used; lines before it belong to something else.

    Returns:
        Title, unit, and the index of the first line used.
    """
    unit, used = "", first
    titles: list[str] = []
    below = lines[first] if first < len(lines) else None
    for index in range(first - 1, max(lowest, first - 1 - _MOST_TITLE_LINES) - 1, -1):
        line = lines[index]
        text = line.text
        far = _FAR_UNIT if index == first - 1 and text.startswith("[") and is_unit(text) else _FAR
        if below is not None and below.middle - line.middle > far * max(line.size, below.size):
            break
        if not titles and text.rstrip().endswith("]") and "[" not in text:
            unit = text  # the second line of a unit in brackets
        elif not titles and (is_unit(text) or text.startswith("[")) and (not unit or unit.endswith("]")):
            unit = unit_of(f"{text} {unit}".strip())
        elif titles and (is_note(text) or _is_prose(line)) and not TITLE.match(text):
            break
        elif titles or not _is_prose(line) or TITLE.match(text):
            titles.insert(0, text)
            if TITLE.match(text):
                used, below = index, line
                break
            if len(titles) >= 2 and not TITLE.match(titles[0]) and line.size < 0.9 * (below.size if below else 0):
                titles.pop(0)
                break
        else:
            break
        used, below = index, line
    return _best_title(titles), unit, used


def _best_title(titles: list[str]) -> str:
    while titles and not TITLE.match(titles[0]) and _FRAGMENT.match(titles[0]):
        titles = titles[1:]
    starts = [k for k, text in enumerate(titles) if TITLE.match(text)]
    return joined(titles[starts[-1] :] if starts else titles[-2:])


def _is_prose(line: TextLine) -> bool:
    text = line.text.rstrip()
    ended = text.endswith((".", ";")) and not _CONTINUED.search(text)
    return len(line.words) > 18 or (len(line.words) > 9 and ended)


def notes_below(lines: Sequence[TextLine], last: int, end: int) -> tuple[str, ...]:
    """Footnotes under a table, each as one text.

    Args:
        lines: of the page.
        last: index of the table's last line.
        end: index of the first line that belongs to something else.
    """
    notes: list[list[str]] = []
    above = lines[last]
    for line in lines[last + 1 : end]:
        if line.middle - above.middle > (6.0 if not notes else _FAR) * max(above.size, line.size):
            break
        if is_note(line.text):
            notes.append([line.text])
        elif notes and line.size <= above.size * 1.1:
            notes[-1].append(line.text)
        else:
            break
        above = line
    return tuple(joined(note) for note in notes)
