"""The headings over a table's columns: a tree of texts, each over one column or several."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from worktrial.archive.layout.body import BodyColumn
from worktrial.archive.layout.draft import DraftCell
from worktrial.archive.layout.lines import Phrase, TextLine, size_of
from worktrial.archive.layout.spans import Heading, place, same_column_joined
from worktrial.archive.layout.tokens import is_column_number
from worktrial.archive.pages import Box

# In font sizes.
_STACKED = 1.75
_HEADING_GAP = 0.62
_OFF = 0.75
_PART = 0.2  # of a phrase's width
_SEAM_GAP = 0.5  # where a valley between two columns of the body stands below
_NEAR_SEAM = 0.8  # from the middle between two columns to the space between their headings
_MARK = 0.85  # of the size of the words
_FLUSH = 1.0  # points within which lines end under each other
_RULED_OVER = 1.6  # from a rule to the line of headings under it
_TYPED_HEADING_GAP, _TYPED_SEAM_GAP = 1.62, 0.9  # of recognised words, which may be typed


def header_grid(
    lines: Sequence[TextLine],
    columns: Sequence[BodyColumn],
    rules: Sequence[Box],
    labels: int = 1,
    walls: Sequence[Box] = (),
) -> list[list[DraftCell]]:
    """The header's rows; a heading over several columns or rows is repeated in each of them.

    Args:
        lines: of the header zone, from top to bottom.
        columns: of the body.
        rules: horizontal rules within the header zone that do not cross the whole table.
        labels: how many of the columns hold labels; no heading spans them and figures.
        walls: vertical rules that reach into the header zone.
    """
    if not lines:
        return []
    headings = _blocks(lines, columns, rules)
    place(headings, columns, rules, labels, walls)
    placed = same_column_joined([heading for heading in headings if heading.first >= 0], rules)
    return _levels(placed, len(columns))


def _phrases(line: TextLine, columns: Sequence[BodyColumn], rules: Sequence[Box]) -> list[Phrase]:
    """Heading texts of one line; neighbours stand closer than in a body.

    A valley below or the end of a rule above tells them apart.
    """
    ends = [x for rule in rules if 0 < line.middle - rule.y0 < _RULED_OVER * line.size for x in (rule.x0, rule.x1)]
    seams = [column.left for column in columns[1:]]
    found: list[Phrase] = []
    typed = line.recognised
    open_gap, seam_gap = (_TYPED_HEADING_GAP, _TYPED_SEAM_GAP) if typed else (_HEADING_GAP, _SEAM_GAP)
    for word in [word for phrase in line.phrases for word in phrase.words]:
        last = found[-1] if found else None
        if last is not None:
            gap = word.box.x0 - last.box.x1
            seam = any(last.box.x1 - 1.5 <= x <= word.box.x0 + 1.5 for x in seams)
            ruled = any(last.box.x1 - 1 <= x <= word.box.x0 + 1 for x in ends)
            if not ruled and gap < (seam_gap if seam else open_gap) * line.size:
                last.add(word)
                continue
        found.append(Phrase([word], word.box, figure=False))
    return found


def _blocks(lines: Sequence[TextLine], columns: Sequence[BodyColumn], rules: Sequence[Box]) -> list[Heading]:
    """Phrases stacked without a rule between them are one heading."""
    blocks: list[Heading] = []
    set_apart = [_phrases(line, columns, rules) for line in lines]
    _part_above_numbers(set_apart, columns)
    _part_between_others(set_apart, columns)
    for index, (line, phrases) in enumerate(zip(lines, set_apart, strict=True)):
        below = [phrase for later in set_apart[index:] for phrase in later]
        open_blocks = [block for block in blocks if line.middle - _middle(block.pieces[-1]) < _STACKED * line.size]
        above = {
            id(phrase): [block for block in open_blocks if _stacked(block, phrase, rules, line.size)]
            for phrase in phrases
        }
        # Where some stand under nothing, what stands over their neighbour may be the heading of both.
        whole = all(above.values())
        for phrase in phrases:
            fitting = above[id(phrase)]
            numbered = is_column_number(phrase.text)
            if numbered and not fitting:
                fitting = _over(blocks, phrase, rules)
            # A text over two others is their common heading, not their first line.
            fitting = [
                block
                for block in fitting
                if numbered
                or (
                    sum(block in others for others in above.values()) == 1
                    and (
                        (_narrow(block, columns) and (whole or _aligned(block, phrase, line.size)))
                        or (
                            sum(_under(block, other) for other in phrases) == 1
                            and _aligned(block, phrase, line.size)
                            and not _heads_others(block, phrase, below, line.size)
                        )
                    )
                )
            ]
            if len(fitting) == 1 or (fitting and numbered):
                block = max(fitting, key=lambda block: block.box.y1)
                block.pieces.append(phrase)
                block.box = block.box.union(phrase.box)
            else:
                blocks.append(Heading([phrase], box=phrase.box))
    return blocks


class _Gap(NamedTuple):
    """A place at which two headings may be parted."""

    left: float
    right: float
    edges: tuple[float, ...]
    """Right edges of what stands above and below the left one."""


def _part_above_numbers(lines: list[list[Phrase]], columns: Sequence[BodyColumn]) -> None:
    """Part the texts right above the numbers of columns where one stands over several: each has its own heading."""
    at = next((k for k, line in enumerate(lines) if k and sum(is_column_number(one.text) for one in line) > 1), 0)
    numbers = [one for one in lines[at] if is_column_number(one.text)]
    if at:
        lines[at - 1] = [part for one in lines[at - 1] for part in _parted(one, _gaps(one, numbers), columns)]


def _part_between_others(lines: list[list[Phrase]], columns: Sequence[BodyColumn]) -> None:
    """Part a text where the lines above and below it are parted, too: one heading has not that many lines twice."""
    for k in range(len(lines) - 2, 0, -1):
        parted: list[Phrase] = []
        for phrase in lines[k]:
            both = [
                _Gap(max(above.left, below.left), min(above.right, below.right), above.edges + below.edges)
                for above in _gaps(phrase, lines[k - 1])
                for below in _gaps(phrase, lines[k + 1])
            ]
            parted += _parted(phrase, both, columns)
        lines[k] = parted


def _gaps(phrase: Phrase, line: Sequence[Phrase]) -> list[_Gap]:
    """Places between those of a line that stand over or under a phrase."""
    inside = [one for one in line if phrase.box.x0 < one.middle < phrase.box.x1]
    return [_Gap(left.middle, right.middle, (left.box.x1,)) for left, right in pairwise(inside)]


def _parted(phrase: Phrase, gaps: Sequence[_Gap], columns: Sequence[BodyColumn]) -> list[Phrase]:
    """The parts of a phrase between these places."""
    cuts = {_cut(phrase, gap, columns) for gap in gaps}
    parts: list[Phrase] = []
    for k, word in enumerate(phrase.words):
        if k == 0 or k in cuts:
            parts.append(Phrase([word], word.box, figure=False))
        else:
            parts[-1].add(word)
    return parts


def _cut(phrase: Phrase, gap: _Gap, columns: Sequence[BodyColumn]) -> int:
    """Number of the word with which the right one of two headings begins; 0 where none does."""
    size = size_of(phrase.words[0])
    ranked = []
    for k, (before, word) in enumerate(pairwise(phrase.words), 1):
        middle = (before.box.x1 + word.box.x0) / 2
        off = min(abs(middle - column.left) for column in columns) / size
        if any(abs(before.box.x1 - edge) < _FLUSH for edge in gap.edges):
            off = 0.0
        # A mark goes with the word before it.
        if gap.left < middle < gap.right and off < _NEAR_SEAM and size_of(word) > _MARK * size:
            ranked.append((off, k))
    return min(ranked, default=(0.0, 0))[1]


def _middle(phrase: Phrase) -> float:
    return (phrase.box.y0 + phrase.box.y1) / 2


def _under(block: Heading, phrase: Phrase) -> bool:
    """Whether the text reaches over a part of the phrase that is no chance."""
    shared = min(block.box.x1, phrase.box.x1) - max(block.box.x0, phrase.box.x0)
    return shared > _PART * phrase.box.width


def _narrow(block: Heading, columns: Sequence[BodyColumn]) -> bool:
    return sum(column.left < block.box.x1 and block.box.x0 < column.right for column in columns) <= 1


def _aligned(block: Heading, phrase: Phrase, size: float) -> bool:
    """Whether a line goes on a text over several columns: the first line over one of them stands off its middle."""
    last = block.pieces[-1]
    edges = (phrase.box.x0 - last.box.x0, phrase.box.x1 - last.box.x1, phrase.middle - last.middle)
    return min(abs(off) for off in edges) < _OFF * size


def _heads_others(block: Heading, phrase: Phrase, below: Sequence[Phrase], size: float) -> bool:
    """Whether a line begins the heading of a column, right under one that heads others, too, off its middle."""
    if phrase.text[:1].islower() or abs(phrase.middle - block.pieces[-1].middle) < _OFF * size:
        return False
    return any(
        _under(block, other) and (other.box.x0 > phrase.box.x1 or other.box.x1 < phrase.box.x0) for other in below
    )


def _stacked(block: Heading, phrase: Phrase, rules: Sequence[Box], size: float) -> bool:
    shared = min(block.box.x1, phrase.box.x1) - max(block.box.x0, phrase.box.x0)
    if shared < 0.5 * min(block.box.width, phrase.box.width):
        return False
    top, bottom = _middle(block.pieces[-1]), _middle(phrase)
    return bottom - top > 0.3 * size and not any(
        top < (rule.y0 + rule.y1) / 2 < bottom and rule.x0 < phrase.middle < rule.x1 for rule in rules
    )


def _over(blocks: list[Heading], phrase: Phrase, rules: Sequence[Box]) -> list[Heading]:
    """The lowest heading above a column number, however far."""
    over = [
        block for block in blocks if block.box.x0 <= phrase.middle <= block.box.x1 and block.box.y1 <= phrase.box.y1
    ]
    over = [block for block in over if _stacked(block, phrase, rules, phrase.box.height)]
    return [max(over, key=lambda block: block.box.y1)] if over else []


def _levels(headings: list[Heading], count: int) -> list[list[DraftCell]]:
    paths = [
        sorted((h for h in headings if h.first <= k <= h.last), key=lambda h: (h.box.y0, -(h.last - h.first)))
        for k in range(count)
    ]
    for path in paths:
        for height, heading in enumerate(reversed(path)):
            heading.height = max(heading.height, height)
    depth = max((len(path) for path in paths), default=0)
    depth = max([depth, *(heading.height + 1 for heading in headings)])
    grid = [[DraftCell() for _ in range(count)] for _ in range(depth)]
    for k, path in enumerate(paths):
        level = depth - 1
        for below, heading in zip([None, *reversed(path)], reversed(path), strict=False):
            lowest = depth - 1 - heading.height if below is not None else depth - 1
            level = min(level, lowest)
            # What stands over the next heading is printed somewhere above it; it is repeated down to it, and up.
            for row in range(level, -1, -1):
                grid[row][k] = heading.cell
            level -= 1
    return grid
