"""The headings over a table's columns: a tree of texts, each over one column or several."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from worktrial.archive.geometry import Box
from worktrial.archive.layout.columns import Column
from worktrial.archive.layout.lines import Line, Phrase, around
from worktrial.archive.layout.tokens import is_column_number, joined

# In font sizes.
_STACKED = 1.75
_HEADING_GAP = 0.5
_UNDER = 1.6
_OFF_CENTRE = 1.0


@dataclass(slots=True)
class Heading:
    """A text over the columns `first` to `last` (inclusive)."""

    pieces: list[Phrase]
    first: int = -1
    last: int = -1
    height: int = 0
    """How many levels of headings stand below it."""
    box: Box = field(default=Box(0, 0, 0, 0))

    @property
    def text(self) -> str:
        """Its lines joined."""
        return joined([piece.text for piece in self.pieces])

    @property
    def middle(self) -> float:
        """Of its width."""
        return (self.box.x0 + self.box.x1) / 2


def header_grid(lines: Sequence[Line], columns: Sequence[Column], rules: Sequence[Box]) -> list[list[str]]:
    """The header's rows; a heading over several columns or rows is repeated in each of them.

    Args:
        lines: of the header zone, from top to bottom.
        columns: of the body.
        rules: horizontal rules within the header zone that do not cross the whole table.
    """
    if not lines:
        return []
    headings = _blocks(lines, columns, rules)
    _place(headings, columns, rules)
    return _levels([heading for heading in headings if heading.first >= 0], len(columns))


def _phrases(line: Line, columns: Sequence[Column]) -> list[Phrase]:
    """Heading texts of one line; neighbours stand closer than in a body, and a valley below tells them apart."""
    seams = [column.left for column in columns[1:]]
    found: list[Phrase] = []
    for word in [word for phrase in line.phrases for word in phrase.words]:
        last = found[-1] if found else None
        if last is not None:
            gap = word.box.x0 - last.box.x1
            seam = any(last.box.x1 - 1.5 <= x <= word.box.x0 + 1.5 for x in seams)
            if gap < (_HEADING_GAP if seam else 0.9) * line.size:
                last.words.append(word)
                last.box = last.box.union(word.box)
                continue
        found.append(Phrase([word], word.box, figure=False))
    return found


def _blocks(lines: Sequence[Line], columns: Sequence[Column], rules: Sequence[Box]) -> list[Heading]:
    """Phrases stacked without a rule between them are one heading."""
    blocks: list[Heading] = []
    for line in lines:
        phrases = _phrases(line, columns)
        open_blocks = [block for block in blocks if line.middle - _middle(block.pieces[-1]) < _STACKED * line.size]
        above = {
            id(phrase): [block for block in open_blocks if _stacked(block, phrase, rules, line.size)]
            for phrase in phrases
        }
        for phrase in phrases:
            fitting = above[id(phrase)]
            numbered = is_column_number(phrase.text)
            if numbered and not fitting:
                fitting = _over(blocks, phrase, rules)
            # A text over two others is their common heading, not their first line.
            fitting = [
                block
                for block in fitting
                if sum(block in others for others in above.values()) == 1 or numbered or _narrow(block, columns)
            ]
            if len(fitting) == 1 or (fitting and numbered):
                block = max(fitting, key=lambda block: block.box.y1)
                block.pieces.append(phrase)
                block.box = block.box.union(phrase.box)
            else:
                blocks.append(Heading([phrase], box=phrase.box))
    return blocks


def _middle(phrase: Phrase) -> float:
    return (phrase.box.y0 + phrase.box.y1) / 2


def _narrow(block: Heading, columns: Sequence[Column]) -> bool:
    return sum(column.left < block.box.x1 and block.box.x0 < column.right for column in columns) <= 1


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
    over = [block for block in blocks if block.box.x0 <= phrase.middle <= block.box.x1 and block.box.y1 <= phrase.box.y1]
    over = [block for block in over if _stacked(block, phrase, rules, phrase.box.height)]
    return [max(over, key=lambda block: block.box.y1)] if over else []


def _place(headings: list[Heading], columns: Sequence[Column], rules: Sequence[Box]) -> None:
    """Which columns each heading stands over."""
    free: list[Heading] = []
    for heading in headings:
        rule = _rule_under(heading, rules)
        if rule is not None:
            under = [k for k, column in enumerate(columns) if rule.x0 - 2 <= column.middle <= rule.x1 + 2]
            if under:
                heading.first, heading.last = under[0], under[-1]
                continue
        free.append(heading)
    for heading in free:
        below = [
            other
            for other in headings
            if other is not heading
            and other.box.y0 >= heading.box.y1 - 1.5
            and other.box.x0 < heading.box.x1
            and other.box.x1 > heading.box.x0
        ]
        touched = [k for k, column in enumerate(columns) if column.x0 < heading.box.x1 and heading.box.x0 < column.x1]
        slots = [k for k, column in enumerate(columns) if column.left < heading.middle < column.right]
        if len(below) >= 2 and len(touched) >= 2:
            continue  # over several headings: placed with its neighbours
        if slots:
            heading.first = heading.last = slots[0]
        elif touched:
            heading.first = heading.last = touched[0]
    rows: list[list[Heading]] = []
    for heading in sorted((one for one in free if one.first < 0), key=lambda one: one.box.y0):
        if rows and heading.box.y0 < rows[-1][0].box.y1 - 1:
            rows[-1].append(heading)
        else:
            rows.append([heading])
    for row in rows:
        _centre(sorted(row, key=lambda one: one.box.x0), columns)


def _rule_under(heading: Heading, rules: Sequence[Box]) -> Box | None:
    size = heading.pieces[-1].box.height
    near = [
        rule
        for rule in rules
        if -0.6 * size <= rule.y0 - heading.box.y1 <= _UNDER * size
        and rule.x0 - 2 <= heading.middle <= rule.x1 + 2
        and rule.width >= 0.6 * heading.box.width
    ]
    return min(near, key=lambda rule: rule.y0) if near else None


def _centre(row: list[Heading], columns: Sequence[Column]) -> None:
    """Give the headings of one line neighbouring runs of columns over which they are centred.

    Dynamic programming over columns: best[k][c] is the least cost of placing the first k headings within the first c
    columns. A run costs its distance from the heading's middle and what of the heading sticks out.
    """
    n = len(columns)
    infinite = 1e18
    best = [[0.0] * (n + 1)] + [[infinite] * (n + 1) for _ in row]
    choice: list[list[tuple[int, int] | None]] = [[None] * (n + 1) for _ in range(len(row) + 1)]
    for k, heading in enumerate(row, 1):
        size = max(4.0, heading.pieces[0].box.height)
        for end in range(1, n + 1):
            best[k][end] = best[k][end - 1]
            choice[k][end] = None
            for start in range(end):
                left, right = columns[start], columns[end - 1]
                off = abs(heading.middle - (left.x0 + right.x1) / 2) / size
                out = max(0.0, left.left - heading.box.x0) + max(0.0, heading.box.x1 - right.right)
                cost = best[k - 1][start] + off + 0.5 * out / size - 0.05 * (end - start)
                if cost < best[k][end]:
                    best[k][end], choice[k][end] = cost, (start, end)
    k, end = len(row), n
    while k > 0 and end > 0:
        taken = choice[k][end]
        if taken is None:
            end -= 1
            continue
        row[k - 1].first, row[k - 1].last = taken[0], taken[1] - 1
        k, end = k - 1, taken[0]


def _levels(headings: list[Heading], count: int) -> list[list[str]]:
    paths = [
        sorted((h for h in headings if h.first <= k <= h.last), key=lambda h: (h.box.y0, -(h.last - h.first)))
        for k in range(count)
    ]
    for path in paths:
        for height, heading in enumerate(reversed(path)):
            heading.height = max(heading.height, height)
    depth = max((len(path) for path in paths), default=0)
    depth = max([depth, *(heading.height + 1 for heading in headings)])
    grid = [[""] * count for _ in range(depth)]
    for k, path in enumerate(paths):
        level = depth - 1
        for below, heading in zip([None, *reversed(path)], reversed(path), strict=False):
            lowest = depth - 1 - heading.height if below is not None else depth - 1
            level = min(level, lowest)
            # What stands over the next heading is printed somewhere above it; it is repeated down to it, and up.
            for row in range(level, -1, -1):
                grid[row][k] = heading.text
            level -= 1
    return grid


def header_box(lines: Sequence[Line]) -> Box:
    """Around a header zone."""
    return around(line.box for line in lines)
