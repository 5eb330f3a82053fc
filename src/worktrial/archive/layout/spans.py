"""The columns that each heading stands over: those above its rule, or those over which it is centred."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from worktrial.archive.layout.body import BodyColumn
from worktrial.archive.layout.draft import DraftCell
from worktrial.archive.layout.lines import Phrase
from worktrial.archive.layout.tokens import joined
from worktrial.archive.pages import Box

# In font sizes.
_UNDER = 1.6
_OFF_CENTRE = 0.9

_THROUGH = 3.0  # points by which a heading may reach over a rule beside it
_AS_WIDE = 1.0  # points
_TOO_WIDE = 1.0  # times the width of a column's slot
_MISSED = 3.0  # cost of a column under a heading that its run leaves out
_WIDER = 0.05  # what one more column is worth, among equals
_WIDE = 0.4  # the same to a heading that is wider than a column
_NEVER = 1e18


@dataclass(slots=True)
class Heading:
    """A text over the columns `first` to `last` (inclusive)."""

    pieces: list[Phrase]
    first: int = -1
    last: int = -1
    height: int = 0
    """Number of levels of headings below it."""
    box: Box = field(default=Box(0, 0, 0, 0))

    @property
    def text(self) -> str:
        """Its lines joined."""
        return joined([piece.text for piece in self.pieces])

    @property
    def cell(self) -> DraftCell:
        """The heading as a cell of the grid, for each place that it covers."""
        return DraftCell.of(self.text, self.box, [word for piece in self.pieces for word in piece.words])

    @property
    def middle(self) -> float:
        """Middle of the width, in points from the left."""
        return (self.box.x0 + self.box.x1) / 2


def place(
    headings: list[Heading],
    columns: Sequence[BodyColumn],
    rules: Sequence[Box],
    labels: int,
    walls: Sequence[Box] = (),
) -> None:
    """Set the columns of each heading.

    Args:
        headings: of a header zone, in any order.
        columns: of the body.
        rules: horizontal rules within the zone that do not cross the whole table.
        labels: how many of the columns hold labels.
        walls: vertical rules that reach into the zone.
    """
    free: list[Heading] = []
    over: dict[int, set[int]] = {}
    spanning: set[int] = set()
    for heading in headings:
        rule = _rule_under(heading, rules)
        if rule is not None:
            under = [k for k, column in enumerate(columns) if rule.x0 - 2 <= column.middle <= rule.x1 + 2]
            others = _sharing(rule, heading, headings)
            if under and not others and (len(under) == 1 or not _underlines(rule, heading)):
                heading.first, heading.last = under[0], under[-1]
                continue
            # Rules of neighbours that were scanned as one: each still stands over some of its columns.
            if len(under) >= 2 * (others + 1):
                spanning.add(id(heading))
        walled = _between_walls(heading, columns, walls)
        if walled:
            heading.first, heading.last = walled[0], walled[-1]
        else:
            free.append(heading)
    for heading in free:
        below = {
            _slot(other.middle, columns)
            for other in headings
            if other is not heading
            and other.box.y0 >= heading.box.y1 - 1.5
            and min(other.box.x1, heading.box.x1) - max(other.box.x0, heading.box.x0) >= 0.5 * other.box.width
        }
        over[id(heading)] = below - {-1}
        several = id(heading) in spanning or len(over[id(heading)]) >= 2
        # Above labels, lines begin at the left and are as long as they are.
        if several or (_slot(heading.middle, columns) >= labels and _off_column(heading, headings, columns)):
            continue  # over several headings: placed with its neighbours
        x0, x1 = heading.box.x0, heading.box.x1
        touched = [k for k, column in enumerate(columns) if column.x0 < x1 and x0 < column.x1]
        slots = [k for k, column in enumerate(columns) if column.left < heading.middle < column.right]
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
    extents = _extents(headings, columns)
    for row in rows:
        top, bottom = row[0].box.y0, row[0].box.y1
        taken = {
            k
            for other in headings
            if other.first >= 0 and other.box.y0 < bottom - 1 and other.box.y1 > top + 1
            for k in range(other.first, other.last + 1)
        }
        row.sort(key=lambda one: one.box.x0)
        if not _over_rounds(row, headings, extents, taken | set(range(labels))):
            _centre(row, extents, over, taken | set(range(labels)))
    _nest(headings, labels)
    _spread(headings, columns, labels)


def _spread(headings: Sequence[Heading], columns: Sequence[BodyColumn], labels: int) -> None:
    """Columns without a heading have that of the column beside them, where it reaches over their content."""
    for order in (range(labels, len(columns)), reversed(range(labels, len(columns)))):
        for k in order:
            if any(one.first <= k <= one.last for one in headings):
                continue
            for one in headings:
                beside = one.first >= labels and k in (one.first - 1, one.last + 1)
                if beside and one.box.x0 < columns[k].x1 and columns[k].x0 < one.box.x1:
                    one.first, one.last = min(one.first, k), max(one.last, k)
                    break


def _over_rounds(
    row: list[Heading], headings: Sequence[Heading], extents: Sequence[tuple[float, float]], taken: set[int]
) -> bool:
    """Give each heading of a line one round of columns, where the headings below go round once for each of them.

    Columns with the same heading are told apart by what stands above them, wherever that is printed.

    Args:
        row: from left to right.
        headings: of the header, those of single columns placed.
        extents: of all columns.
        taken: columns that none of these may cover.

    Returns:
        Whether they do.
    """
    alone = {one.first: _letters(one) for one in headings if one.first == one.last >= 0}
    texts = ["" if k in taken else alone.get(k, "") for k in range(len(extents))]
    for wide in range(len(extents) // len(row), 1, -1) if len(row) > 1 else ():
        for start in range(len(extents) - wide * len(row) + 1):
            runs = [(first, first + wide) for first in range(start, start + wide * len(row), wide)]
            rounds = [texts[first:end] for first, end in runs]
            if (
                all(rounds[0])
                and len(set(rounds[0])) == wide
                and all(one == rounds[0] for one in rounds)
                and all(
                    extents[first][0] < one.middle < extents[end - 1][1]
                    for one, (first, end) in zip(row, runs, strict=True)
                )
            ):
                for one, (first, end) in zip(row, runs, strict=True):
                    one.first, one.last = first, end - 1
                return True
    return False


def _letters(heading: Heading) -> str:
    return "".join(filter(str.isalpha, heading.text)).casefold()


def _nest(headings: Sequence[Heading], labels: int) -> None:
    """Headings over headings hold them whole: a rule may be drawn shorter than what it stands over."""
    placed = sorted((one for one in headings if one.first >= 0), key=lambda one: -one.box.y0)
    for k, upper in enumerate(placed):
        beside = [one for one in placed if one is not upper and _same_height(one, upper)]
        for lower in placed[:k]:
            shared = min(upper.last, lower.last) - max(upper.first, lower.first) + 1
            below = lower.box.y0 >= upper.box.y1 - 1
            # Over a heading of several columns there is none of one of them.
            wide = shared == 1 and upper.last == upper.first and lower.last > lower.first
            if not below or not (wide or (upper.last > upper.first and 2 * shared >= lower.last - lower.first + 1)):
                continue
            first, last = min(upper.first, max(labels, lower.first)), max(upper.last, lower.last)
            if not any(one.first <= last and first <= one.last for one in beside):
                upper.first, upper.last = first, last


def _same_height(one: Heading, other: Heading) -> bool:
    return one.box.y0 < other.box.y1 - 1 and other.box.y0 < one.box.y1 - 1


def _between_walls(heading: Heading, columns: Sequence[BodyColumn], walls: Sequence[Box]) -> list[int]:
    """The columns between the vertical rules to the left and right of a heading, where both are drawn."""
    y = (heading.box.y0 + heading.box.y1) / 2
    here = [(wall.x0 + wall.x1) / 2 for wall in walls if wall.y0 <= y <= wall.y1]
    left = max((x for x in here if x <= heading.middle), default=None)
    right = min((x for x in here if x > heading.middle), default=None)
    if left is None or right is None or heading.box.x0 < left - _THROUGH or heading.box.x1 > right + _THROUGH:
        return []
    inside = [k for k, column in enumerate(columns) if left <= column.middle <= right]
    # A frame around the whole table parts nothing.
    return inside if len(inside) < len(columns) else []


def _off_column(heading: Heading, headings: Sequence[Heading], columns: Sequence[BodyColumn]) -> bool:
    """Whether it stands over headings of columns, but is wider than its column or not in its middle."""
    slot = _slot(heading.middle, columns)
    below = [
        other
        for other in headings
        if other.box.y0 >= heading.box.y1 - 1.5 and abs(_slot(other.middle, columns) - slot) <= 1
    ]
    own = [other for other in below if _slot(other.middle, columns) == slot]
    if slot < 0 or len(below) < 2 or not own:
        return False
    size = heading.pieces[0].box.height
    middle = own[0].middle
    return abs(heading.middle - middle) > _OFF_CENTRE * size or heading.box.width > _TOO_WIDE * (
        columns[slot].right - columns[slot].left
    )


def _slot(x: float, columns: Sequence[BodyColumn]) -> int:
    return next((k for k, column in enumerate(columns) if column.left <= x < column.right), -1)


def same_column_joined(headings: list[Heading], rules: Sequence[Box]) -> list[Heading]:
    """Texts over the same columns with nothing between them are one heading, however far apart they stand."""
    kept: list[Heading] = []
    for heading in sorted(headings, key=lambda one: (round(one.box.y0), one.box.x0)):
        over = [other for other in kept if (other.first, other.last) == (heading.first, heading.last)]
        above = over[-1] if over else None
        if above is not None and not any(
            above.box.y1 - 3 < (rule.y0 + rule.y1) / 2 < heading.box.y0 + 3 and rule.x0 < heading.middle < rule.x1
            for rule in rules
        ):
            above.pieces += heading.pieces
            above.box = above.box.union(heading.box)
        else:
            kept.append(heading)
    return kept


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


def _underlines(rule: Box, heading: Heading) -> bool:
    """Whether a rule is as wide as the text above it: it tells nothing of the columns that this stands over."""
    return abs(rule.x0 - heading.box.x0) < _AS_WIDE and abs(rule.x1 - heading.box.x1) < _AS_WIDE


def _sharing(rule: Box, heading: Heading, headings: Sequence[Heading]) -> int:
    """Number of other headings on the same rule; where there are any, it tells nothing of where each ends."""
    return sum(
        other is not heading
        and rule.x0 <= other.middle <= rule.x1
        and abs(other.box.y1 - heading.box.y1) < 0.5 * heading.pieces[-1].box.height
        for other in headings
    )


def _extents(headings: Sequence[Heading], columns: Sequence[BodyColumn]) -> list[tuple[float, float]]:
    """Left and right edge of each column, its own heading included, in points."""
    extents = [(column.x0, column.x1) for column in columns]
    for heading in headings:
        if heading.first >= 0 and heading.first == heading.last:
            x0, x1 = extents[heading.first]
            extents[heading.first] = (min(x0, heading.box.x0), max(x1, heading.box.x1))
    return extents


def _centre(
    row: list[Heading], extents: Sequence[tuple[float, float]], over: dict[int, set[int]], taken: set[int]
) -> None:
    """Give the headings of one line neighbouring runs of columns over which they are centred.

    Dynamic programming over columns: best[k][c] is the least cost of placing the first k headings within the
    first c columns. A run costs its distance from the heading's middle, what of the heading sticks out, and the
    columns under the heading that it leaves out.

    Args:
        row: from left to right.
        extents: of all columns.
        over: by heading, the columns whose own headings stand under it.
        taken: columns that none of these may cover.
    """
    n = len(extents)
    best = [[0.0] * (n + 1)] + [[_NEVER] * (n + 1) for _ in row]
    choice: list[list[tuple[int, int] | None]] = [[None] * (n + 1) for _ in range(len(row) + 1)]
    for k, heading in enumerate(row, 1):
        for end in range(1, n + 1):
            best[k][end] = best[k][end - 1]
            for start in range(end):
                if not taken.isdisjoint(range(start, end)):
                    continue
                cost = best[k - 1][start] + _cost(heading, extents, start, end, over[id(heading)])
                if cost < best[k][end]:
                    best[k][end], choice[k][end] = cost, (start, end)
    k, end = len(row), n
    while k > 0 and end > 0:
        run = choice[k][end]
        if run is None:
            end -= 1
            continue
        row[k - 1].first, row[k - 1].last = run[0], run[1] - 1
        k, end = k - 1, run[0]


def _cost(heading: Heading, extents: Sequence[tuple[float, float]], start: int, end: int, below: set[int]) -> float:
    size = max(4.0, heading.pieces[0].box.height)
    left, right = extents[start][0], extents[end - 1][1]
    off = abs(heading.middle - (left + right) / 2)
    out = max(0.0, left - heading.box.x0) + max(0.0, heading.box.x1 - right)
    missed = sum(not start <= column < end for column in below)
    # A heading wider than a column's own stands over several, where it can.
    wide = heading.box.width > 0.8 * (extents[start][1] - extents[start][0])
    return (off + 0.5 * out) / size + _MISSED * missed - (_WIDE if wide else _WIDER) * (end - start)
