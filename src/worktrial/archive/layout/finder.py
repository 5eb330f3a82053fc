"""A page's tables and its text in reading order, found from its words and rules."""

from collections.abc import Sequence

from worktrial.archive.layout.charts import BarValues, find_charts, values_over_bars
from worktrial.archive.layout.draft import Draft, caption_above, notes_below, notes_by_column
from worktrial.archive.layout.lines import TextLine, around, find_lines, is_sideways, size_of
from worktrial.archive.layout.open_tables import find_open_tables
from worktrial.archive.layout.regularity import layout_confidence
from worktrial.archive.layout.ruled_tables import find_ruled_tables
from worktrial.archive.layout.zones import find_zones
from worktrial.archive.pages import DOUBTFUL_LAYOUT, PageContent, PageText, Table, Word


def find_tables(page: PageText) -> tuple[Table, ...]:
    """The tables of a page, from top to bottom.

    Works on words alone, whether they are a page's own characters or were recognised; ruling lines help where there
    are any.
    """
    return _tables_and_zones(page)[0]


def _tables_and_zones(page: PageText) -> tuple[tuple[Table, ...], list[list[TextLine]]]:
    """The tables, and the lines of all words part by part in reading order."""
    if not page.words:
        return (), []
    levels = [rule.box for rule in page.rules if rule.box.width >= rule.box.height]
    uprights = [rule.box for rule in page.rules if rule.box.width < rule.box.height]
    ruled = find_ruled_tables(page.words, levels, uprights)
    charts = find_charts(page.areas, page.curves, levels, page.words)
    charts = [box for box in charts if not any(draft.box.holds(box) for draft in ruled)]
    framed: list[list[Word]] = []
    inside: set[int] = set()
    for box in (*(draft.box for draft in ruled), *charts):
        # The same bars may be two charts, one for each way of looking at them.
        words = [word for word in page.words if box.holds(word.box, 0.0) and id(word) not in inside]
        if words:
            framed.append(words)
            inside.update(map(id, words))
    rest = [word for word in page.words if id(word) not in inside]
    zones = find_zones(find_lines(rest, uprights), [*levels, *(draft.box for draft in ruled)], uprights)
    zones = [notes_by_column(zone) for zone in zones]
    lines = sorted((line for zone in zones for line in zone), key=lambda line: line.middle)
    for draft in ruled:
        _caption(draft, lines)
    drafts = [*ruled, *(draft for zone in zones for draft in find_open_tables(zone, levels, uprights))]
    drafts.sort(key=lambda draft: (draft.box.y0, draft.box.x0))
    tables = tuple(draft.finished(number, page.number) for number, draft in enumerate(drafts, 1))
    values = values_over_bars(page.areas, page.words) if charts else []
    for words in framed:
        # Where all run up or down the page there is no line.
        if lines := _framed_lines(words, values):
            _put(lines, zones)
    return tables, zones


def _framed_lines(words: list[Word], values: Sequence[BarValues]) -> list[TextLine]:
    """Lines of a table or chart; figures over bars are one line, so that their order is that of the bars."""
    here = {id(word) for word in words}
    bars = [of_bars for of_bars in values if all(id(word) in here for word in of_bars.words)]
    apart = {id(word) for of_bars in bars for word in of_bars.words}
    lines = find_lines([word for word in words if id(word) not in apart], phrases=False)
    lines += [TextLine(of_bars.words, of_bars.base, size_of(of_bars.words[0])) for of_bars in bars]
    return sorted(lines, key=lambda line: line.middle)


def _put(lines: list[TextLine], zones: list[list[TextLine]]) -> None:
    """Put the lines of a framed table into the part of the page in which it stands."""
    box = around(line.box for line in lines)
    if not zones:
        zones.append([])

    def away(zone: list[TextLine]) -> tuple[float, float]:
        whole = around(line.box for line in zone) if zone else box
        aside = max(0.0, whole.x0 - box.x0) + max(0.0, box.x1 - whole.x1)
        return aside, max(0.0, whole.y0 - box.y0, box.y1 - whole.y1)

    home = min(zones, key=away)
    home += lines
    home.sort(key=lambda line: line.middle)


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
    found, zones = _tables_and_zones(page)
    sure = sum(word.confidence for word in page.words) / len(page.words) if page.words else 1.0
    layout = layout_confidence(found, zones)
    if layout is not None:
        sure *= min(1.0, layout / DOUBTFUL_LAYOUT)
    text = _reading_text(page, zones)
    size = (page.width, page.height)
    return PageContent(page.number, *size, page.route, text, found, sure, page.trouble, layout)


def _reading_text(page: PageText, zones: Sequence[Sequence[TextLine]]) -> str:
    """All text, one line a line: columns one after the other, rows of tables whole.

    Words that run up or down the page come last.
    """
    texts = [line.text for zone in zones for line in zone]
    texts += [word.text for word in page.words if is_sideways(word)]
    return "\n".join(text for text in texts if text)
