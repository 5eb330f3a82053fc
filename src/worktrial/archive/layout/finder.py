"""A page's tables and its text in reading order, found from its words and rules."""

from collections import Counter
from collections.abc import Sequence

from worktrial.archive.layout.draft import Draft, caption_above, notes_below
from worktrial.archive.layout.lines import TextLine, find_lines, is_sideways
from worktrial.archive.layout.open_tables import find_open_tables
from worktrial.archive.layout.ruled_tables import find_ruled_tables
from worktrial.archive.pages import Box, PageContent, PageText, Table, Word

_GUTTER = 0.9  # font sizes between two columns of prose
_BIN = 4.0  # points; gaps this near stand under each other
_LEAST = 4  # lines with text on both sides


def find_tables(page: PageText) -> tuple[Table, ...]:
    """The tables of a page, from top to bottom.

    Works on words alone, whether they are a page's own characters or were recognised; ruling lines help where there
    are any.
    """
    return tables_and_lines(page)[0]


def tables_and_lines(page: PageText) -> tuple[tuple[Table, ...], list[TextLine] | None]:
    """The tables, and the lines of all words where these were made on the way."""
    if not page.words:
        return (), []
    levels = [rule.box for rule in page.rules if rule.box.width >= rule.box.height]
    uprights = [rule.box for rule in page.rules if rule.box.width < rule.box.height]
    ruled = find_ruled_tables(page.words, levels, uprights)
    rest = (
        [word for word in page.words if not any(draft.box.holds(word.box) for draft in ruled)]
        if ruled
        else page.words
    )
    lines = find_lines(rest, uprights)
    for draft in ruled:
        _caption(draft, lines)
    drafts = [*ruled, *find_open_tables(lines, levels, uprights)]
    drafts.sort(key=lambda draft: (draft.box.y0, draft.box.x0))
    tables = tuple(draft.finished(number, page.number) for number, draft in enumerate(drafts, 1))
    return tables, None if ruled else lines


def _caption(draft: Draft, lines: Sequence[TextLine]) -> None:
    near = [line for line in lines if line.box.x0 < draft.box.x1 and line.box.x1 > draft.box.x0]
    above = [line for line in near if line.middle < draft.box.y0 + 2]
    if above and draft.box.y0 - above[-1].middle < 4 * above[-1].size:
        draft.title, draft.unit, _ = caption_above(above, len(above), max(0, len(above) - 5))
    below = [line for line in near if line.middle > draft.box.y1 - 2]
    if below and below[0].middle - draft.box.y1 < 3 * below[0].size:
        draft.notes = notes_below([below[0], *below], 0, min(len(below) + 1, 12))


def page_content(page: PageText) -> PageContent:
    """Turn a page as it was read into everything that an archive keeps of it."""
    found, lines = tables_and_lines(page)
    sure = sum(word.confidence for word in page.words) / len(page.words) if page.words else 1.0
    text = reading_text(page, [table.box for table in found], lines)
    return PageContent(page.number, page.width, page.height, page.route, text, found, sure, page.trouble)


def reading_text(page: PageText, tables: Sequence[Box] = (), lines: Sequence[TextLine] | None = None) -> str:
    """All text, one line a line: columns of prose one after the other, rows of tables whole.

    Words that run up or down the page come last.

    Args:
        page: as it was read.
        tables: where tables are; they are not taken for columns of prose.
        lines: of all its words, where they are known.
    """
    band: list[TextLine] = []
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


def _in_columns(band: list[TextLine]) -> list[str]:
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


def _gutter(band: list[TextLine]) -> float | None:
    """Middle of a column of gaps that stand under each other line for line, in points; None where there is none."""
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


def _sides(line: TextLine, gutter: float) -> tuple[list[Word], list[Word]] | None:
    """The words left and right of the gutter; None where the line runs across it."""
    left = [word for word in line.words if word.box.x1 <= gutter + 0.5]
    right = [word for word in line.words if word.box.x0 >= gutter - 0.5]
    if len(left) + len(right) != len(line.words):
        return None
    if left and right and right[0].box.x0 - left[-1].box.x1 < _GUTTER * line.size:
        return None  # a heading that happens to have a space there
    return left, right
