"""The text of a page in reading order."""

from collections import Counter
from collections.abc import Sequence

from worktrial.archive.geometry import Box
from worktrial.archive.layout.finder import tables_and_lines
from worktrial.archive.layout.lines import Line, find_lines, is_sideways
from worktrial.archive.tables import PageContent, Table
from worktrial.archive.words import PageText, Word

_GUTTER = 0.9  # font sizes between two columns of prose
_BIN = 4.0  # points; gaps this near stand under each other
_LEAST = 4  # lines with text on both sides


def page_content(page: PageText, tables: Sequence[Table] | None = None) -> PageContent:
    """What an archive keeps of a page.

    Args:
        page: as it was read.
        tables: those of the page when they are known already, as after a second look; else they are looked for.
    """
    found, lines = tables_and_lines(page) if tables is None else (tuple(tables), None)
    sure = sum(word.confidence for word in page.words) / len(page.words) if page.words else 1.0
    text = reading_text(page, [table.box for table in found], lines)
    return PageContent(page.number, page.width, page.height, page.route, text, found, sure, page.trouble)


def reading_text(page: PageText, tables: Sequence[Box] = (), lines: Sequence[Line] | None = None) -> str:
    """All text, one line a line: columns of prose one after the other, rows of tables whole.

    Words that run up or down the page come last.

    Args:
        page: as it was read.
        tables: where tables are; they are not taken for columns of prose.
        lines: of all its words, where they are known.
    """
    band: list[Line] = []
    texts: list[str] = []
    for line in find_lines(page.words, phrases=False) if lines is None else lines:
        if any(box.y0 - 1 <= line.middle <= box.y1 + 1 for box in tables):
            texts += _in_columns(band)
            band = []
            texts.append(line.text)
        else:
            band.append(line)
    texts += _in_columns(band)
    texts += [word.text for word in page.words if is_sideways(word)]
    return "\n".join(text for text in texts if text)


def _in_columns(band: list[Line]) -> list[str]:
    gutter = _gutter(band)
    if gutter is None:
        return [line.text for line in band]
    texts: list[str] = []
    left: list[str] = []
    right: list[str] = []
    for line in band:
        sides = _sides(line, gutter)
        if sides is None:
            texts += [*left, *right, line.text]
            left, right = [], []
            continue
        for side, words in zip((left, right), sides, strict=True):
            if words:
                side.append(" ".join(word.text for word in words))
    return [*texts, *left, *right]


def _gutter(band: list[Line]) -> float | None:
    """Where a gap stands under a gap, line for line."""
    gaps: Counter[int] = Counter()
    for line in band:
        for a, b in zip(line.words, line.words[1:], strict=False):
            if b.box.x0 - a.box.x1 >= _GUTTER * line.size:
                gaps.update(range(int(a.box.x1 / _BIN) + 1, int(b.box.x0 / _BIN) + 1))
    if not gaps:
        return None
    most = max(gaps.values())
    if most < max(_LEAST, 0.25 * len(band)):
        return None
    best = sorted(place for place, count in gaps.items() if count == most)
    return best[len(best) // 2] * _BIN


def _sides(line: Line, gutter: float) -> tuple[list[Word], list[Word]] | None:
    """The words left and right of the gutter; None where the line runs across it."""
    left = [word for word in line.words if word.box.x1 <= gutter + 0.5]
    right = [word for word in line.words if word.box.x0 >= gutter - 0.5]
    if len(left) + len(right) != len(line.words):
        return None
    if left and right and right[0].box.x0 - left[-1].box.x1 < _GUTTER * line.size:
        return None  # a heading that happens to have a space there
    return left, right
