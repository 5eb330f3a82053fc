"""Bodies of tables without a full grid: where they are, and which only look like one."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from worktrial.archive.layout.draft import TITLE, Draft
from worktrial.archive.layout.lines import TextLine
from worktrial.archive.layout.tokens import has_letters, is_column_number, is_lone_month, is_month, is_year
from worktrial.archive.pages import Box

# In font sizes.
_FAR_BELOW = 6.5
_GROUPS_APART = 3.2  # usual distances between rows
_APART = 1.0
_LARGER = 1.3  # the font of a heading between two tables
_END = 0.8  # from the end of one figure to that of another in its column
# A phrase with this many words is a sentence, not a cell.
_SENTENCE = 9
_LEAST_LINES = 2
_SET_IN = 4.0  # font sizes from the labels' edge; what begins further right is text of a cell

_LEAST_PAGES = 4
_MOST_PAGES = 1000


@dataclass(slots=True)
class Body:
    """Lines of figures that belong to one table: indices into the page's lines."""

    first: int
    last: int
    """Inclusive."""

    def lines(self, lines: Sequence[TextLine]) -> list[TextLine]:
        """The lines themselves."""
        return list(lines[self.first : self.last + 1])


def is_data(line: TextLine) -> bool:
    """Whether the line looks like a row of figures, with or without a label."""
    figures = line.figures
    if not figures or not any(any(map(str.isdigit, phrase.text)) or len(figures) > 1 for phrase in figures):
        return False
    texts = [phrase for phrase in line.phrases if not phrase.figure]
    if any(len(phrase.words) >= _SENTENCE and not line.leaders for phrase in texts[1:]) and not _framed(line):
        return False
    if len(figures) >= 2:
        # Months in columns of their own are as good as figures.
        return len(texts) - sum(is_month(phrase.text) for phrase in texts[1:]) <= 1 + len(figures)
    if not texts:
        return False
    gap = figures[0].box.x0 - texts[0].box.x1
    return figures[0].box.x0 > texts[0].box.x1 and (gap >= _APART * line.size or bool(line.leaders))


def _framed(line: TextLine) -> bool:
    """Whether a long text is a cell of its row: a short label to its left, and figures beside it."""
    first = line.phrases[0]
    return not first.figure and len(first.words) < _SENTENCE and len(line.figures) >= 2


def is_heading_like(line: TextLine) -> bool:
    """Whether the line can only belong to a header: column numbers, or nothing but years and months."""
    if sum(is_column_number(phrase.text) for phrase in line.phrases) >= 2:
        return True
    figures = line.figures
    texts = [phrase for phrase in line.phrases if not phrase.figure]
    if figures and all(is_year(phrase.text) for phrase in figures):
        # Over the labels stands one word more.
        months = sum(is_lone_month(phrase.text) for phrase in texts)
        if months >= 2 and len(texts) - months <= 1:
            return True
    plain = [phrase for phrase in texts if not is_year(phrase.words[-1].text)]
    return len(figures) >= 2 and len(plain) <= 1 and all(is_year(phrase.text) for phrase in figures)


def find_bodies(lines: Sequence[TextLine], rules: Sequence[Box]) -> list[Body]:
    """Bodies from top to bottom."""
    bodies: list[Body] = []
    for index, line in enumerate(lines):
        if not is_data(line) or is_heading_like(line):
            continue
        if bodies and _continues(lines, bodies[-1], index, rules):
            bodies[-1].last = index
        else:
            bodies.append(Body(index, index))
    return [body for body in bodies if _is_table(lines, body)]


def _continues(lines: Sequence[TextLine], body: Body, index: int, rules: Sequence[Box]) -> bool:
    above, below = lines[body.last], lines[index]
    # Groups of rows stand apart: in wide-set tables by more than elsewhere.
    far = max(_FAR_BELOW * max(above.size, below.size), _GROUPS_APART * _pitch(lines, body))
    if below.middle - above.middle > far * (1 + 0.5 * (index - body.last - 1)):
        return False
    figures = [phrase for line in body.lines(lines)[-6:] for phrase in line.figures]
    left = min(phrase.box.x0 for phrase in figures)
    right = max(phrase.box.x1 for phrase in figures)
    # The first line may be that of the page, with nothing but its number: headings stand over figures of either.
    headed = min(left, below.figures[0].box.x0)
    beside = not any(phrase.box.x1 > left and phrase.box.x0 < right for phrase in below.figures)
    if beside and not _in_columns(below, body.lines(lines)):
        return False
    between = list(lines[body.last + 1 : index])
    heads = 0
    for line in between:
        if TITLE.match(line.text) or is_heading_like(line) or line.text.startswith("["):
            return False
        if line.size > _LARGER * max(above.size, below.size):
            return False
        over = [phrase for phrase in line.phrases if phrase.box.x1 > headed + 2 and has_letters(phrase.text)]
        if len(over) >= 2:
            heads += 1
        start = min(above.phrases[0].box.x0, below.phrases[0].box.x0) + _SET_IN * line.size
        if not line.leaders and any(
            len(phrase.words) >= _SENTENCE + 3 and phrase.box.x0 < start for phrase in line.phrases
        ):
            return False
    if heads >= 2:
        return False
    crossed = _full_rule_between(above.middle, below.middle, left, right, rules)
    return not (crossed and between and (heads or _headless_gap(between, left)))


def _in_columns(line: TextLine, rows: Sequence[TextLine]) -> bool:
    """Whether all figures of a line end where others do further up: one of two panels had no rows for a while."""
    ends = [phrase.box.x1 for row in rows for phrase in row.figures]
    return all(any(abs(phrase.box.x1 - end) <= _END * line.size for end in ends) for phrase in line.figures)


def _pitch(lines: Sequence[TextLine], body: Body) -> float:
    """The usual distance between the body's rows; 0 while there is only one."""
    heights = [line.middle for line in body.lines(lines)[-8:]]
    steps = sorted(b - a for a, b in pairwise(heights))
    return steps[len(steps) // 2] if steps else 0.0


def _headless_gap(between: Sequence[TextLine], left: float) -> bool:
    return sum(any(phrase.box.x1 > left for phrase in line.phrases) for line in between) >= 2


def _full_rule_between(top: float, bottom: float, left: float, right: float, rules: Sequence[Box]) -> bool:
    return any(
        top < rule.y0 < bottom and rule.x1 - rule.x0 > rule.y1 - rule.y0 and rule.x0 < left and rule.x1 > right - 6
        for rule in rules
    )


def _is_table(lines: Sequence[TextLine], body: Body) -> bool:
    data = [line for line in body.lines(lines) if is_data(line)]
    figures = sum(len(line.figures) for line in data)
    if len(data) < _LEAST_LINES or (figures < 4 and not any(line.leaders for line in data)):
        return len(data) == 1 and figures >= 4
    return True


def is_contents(draft: Draft) -> bool:
    """Whether it is a list of headings with the pages on which they stand."""
    if not draft.grid or len(draft.grid[0]) != 2:
        return False
    rows = draft.grid[draft.header_rows :]
    pages = [row[1].text for row in rows if row[1].text]
    if len(pages) < _LEAST_PAGES or not all(page.isdigit() for page in pages):
        return False
    numbers = [int(page) for page in pages]
    ordered = all(a <= b for a, b in pairwise(numbers))
    return (
        ordered
        and numbers[-1] - numbers[0] < _MOST_PAGES
        and all(is_label(row[0].text) for row in rows if row[1].text)
    )


def is_label(text: str) -> bool:
    """Whether there are words, as in a heading."""
    return sum(map(str.isalpha, text)) >= 4
