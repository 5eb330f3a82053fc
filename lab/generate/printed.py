"""The blocks on the pages of an issue before they are set: tables as they are printed, prose, charts."""

from dataclasses import dataclass, replace
from enum import StrEnum

from lab.generate.calendar import Period


def rounded(value: int, divisor: int, decimals: int) -> int:
    """`value / divisor` in units of the last printed digit, half away from zero."""
    scaled, rest = divmod(abs(value) * int(10**decimals), divisor)
    size = scaled + (2 * rest >= divisor)
    return -size if value < 0 else size


def digits(units: int, decimals: int) -> str:
    """Units of the last digit as text with thousands separators: `-1,234.5`."""
    sign, size = ("-" if units < 0 else ""), abs(units)
    if not decimals:
        return f"{sign}{size:,}"
    whole, part = divmod(size, 10**decimals)
    return f"{sign}{whole:,}.{part:0{decimals}d}"


def printed(value: int, divisor: int, decimals: int = 0) -> str:
    """Number as a table prints it: a dash for nothing, a star for less than half of the last digit."""
    if not value:
        return "-"
    units = rounded(value, divisor, decimals)
    return digits(units, decimals) if units else "*"


class Role(StrEnum):
    """The part that a row plays in a table."""

    SECTION = "section"
    """A heading over the rows below it, without figures."""
    ITEM = "item"
    TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, over other headings or over one column."""

    text: str
    children: "tuple[Heading, ...]" = ()
    mark: str = ""
    """Mark of its footnote."""
    number: str = ""
    """The printed number of the column, such as `(11)`."""

    @property
    def depth(self) -> int:
        """Rows of headings, this one included."""
        return 1 + max((child.depth for child in self.children), default=0)

    @property
    def width(self) -> int:
        """Columns below it."""
        return sum(child.width for child in self.children) or 1

    @property
    def printed(self) -> str:
        """Text with footnote mark and column number, a space before each."""
        return " ".join(part for part in (self.text, self.mark, self.number) if part)


@dataclass(frozen=True, slots=True)
class Column:
    """Facts about a column of figures besides its headings."""

    path: tuple[str, ...]
    """Its headings, top to bottom, without marks and numbers."""
    phrase: str = ""
    """Name in running text."""
    unit: str = ""
    """Unit in words, such as `millions of florins`."""
    total: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row below the headings."""

    labels: tuple[str, ...]
    """One for each label column, without marks."""
    cells: tuple[str, ...]
    """Texts as printed, marks after a space."""
    path: tuple[str, ...]
    """Its labels with their parents, without marks."""
    role: Role = Role.ITEM
    indent: int = 0
    gap: bool = False
    """White space above."""
    period: Period | None = None
    mark: str = ""
    """Footnote mark of the last label."""

    @property
    def printed_labels(self) -> tuple[str, ...]:
        """Labels with the mark."""
        return (*self.labels[:-1], f"{self.labels[-1]} {self.mark}".rstrip())


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """One table. A title that is continued from an earlier part says so."""

    title: str
    name: str
    """The title without code and continuation, as a question calls it."""
    unit: str
    """Unit as printed below the title."""
    stub: tuple[str, ...]
    """Headings of the label columns."""
    headings: tuple[Heading, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    province: str = ""
    """Province that the table is about, where every province has one like it."""

    @property
    def header_rows(self) -> int:
        """Rows of headings."""
        return max(heading.depth for heading in self.headings)

    @property
    def grid(self) -> list[list[str]]:
        """All cells; a heading that spans several columns or rows is repeated in each of them."""
        heads: list[list[str]] = [[text] * self.header_rows for text in self.stub]
        for heading in self.headings:
            heads.extend(self._down(heading, []))
        rows = [[*row.printed_labels, *row.cells] for row in self.rows]
        return [*(list(level) for level in zip(*heads, strict=True)), *rows]

    def parts(self, after: int) -> "tuple[PrintedTable, PrintedTable]":
        """Cut in two, after so many of the outermost headings; the notes stand below the second part."""
        left, right = self.headings[:after], self.headings[after:]
        cut = sum(heading.width for heading in left)
        return (
            self._part(left, slice(None, cut), self.title, ()),
            self._part(right, slice(cut, None), f"{self.title}—Continued", self.notes),
        )

    def _part(
        self, headings: tuple[Heading, ...], columns: slice, title: str, notes: tuple[str, ...]
    ) -> "PrintedTable":
        rows = tuple(replace(row, cells=row.cells[columns]) for row in self.rows)
        return replace(self, headings=headings, columns=self.columns[columns], rows=rows, title=title, notes=notes)

    def _down(self, heading: Heading, above: list[str]) -> list[list[str]]:
        path = [*above, heading.printed]
        if heading.children:
            return [column for child in heading.children for column in self._down(child, path)]
        return [path + [path[-1]] * (self.header_rows - len(path))]


@dataclass(frozen=True, slots=True)
class Prose:
    """A heading and paragraphs."""

    heading: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """The title of the issue, and what is in it, with printed page numbers."""

    lines: tuple[str, ...]
    """The masthead."""
    entries: tuple[tuple[str, str], ...] = ()


class ChartKind(StrEnum):
    """The way in which a chart is drawn."""

    BARS = "bars"
    """Bars with their values printed."""
    LINE = "line"
    """A line with a scale only."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawn series."""

    kind: ChartKind
    title: str
    unit: str
    labels: tuple[str, ...]
    values: tuple[int, ...]
    """The values, in the unit."""


Block = PrintedTable | Prose | Contents | Chart


@dataclass(frozen=True, slots=True)
class Page:
    """One page; without blocks it is blank but for nothing at all."""

    blocks: tuple[Block, ...] = ()
    folio: str = ""
    """The printed page number, which is not the number of the PDF page."""

    @property
    def tables(self) -> tuple[PrintedTable, ...]:
        """Top to bottom."""
        return tuple(block for block in self.blocks if isinstance(block, PrintedTable))
