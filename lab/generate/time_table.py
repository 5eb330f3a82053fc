"""Tables over time: fiscal years, then months, with the figures as known at an issue."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.generate.calendar import LAG, Period, PeriodKind, month, year_of
from lab.generate.catalogue import Measure, TimeTable
from lab.generate.columns import Figure, Group, Node, Terms, leaves
from lab.generate.printed import Column, Heading, PrintedTable, Row, digits, printed, rounded
from lab.generate.style import Months, Style
from lab.generate.world import Key, World, vocabulary

_ROUNDING = "Figures are rounded and may not add to totals."
_REVISED = "r Revised since the preceding issue."


@dataclass(frozen=True, slots=True)
class Reported:
    """An issue, and the issue before it, against which revisions are marked."""

    issue: int
    before: int | None

    @property
    def last(self) -> int:
        """The last month with figures."""
        return self.issue - LAG


def time_table(world: World, table: TimeTable, reported: Reported, style: Style) -> PrintedTable:
    """Print a table over time as it stands in an issue."""
    periods = _periods(world, table, reported.last)
    figures = leaves(table.columns)
    cells = _cells(world, table, figures, periods, reported)
    renamed = year_of(reported.issue) >= world.renamed
    heads = _Heads(style, renamed)
    headings = tuple(heads.heading(node) for node in table.columns)
    rows = tuple(_rows(periods, cells, style, heads))
    notes = [*heads.notes]
    if any(cell.endswith(" r") for row in rows for cell in row.cells):
        notes.append(_REVISED)
    if table.divisor > 1 and any(one.total for one in figures):
        notes.append(_ROUNDING)
    stock = table.measure is Measure.STOCK
    return PrintedTable(
        title=style.title(table.code, table.title),
        name=table.title,
        unit="In percent" if table.measure is Measure.RATE else f"In {table.unit}",
        stub=("End of fiscal year or month" if stock else "Fiscal year or month",),
        headings=headings,
        columns=tuple(_columns(table, headings, figures, renamed)),
        rows=rows,
        notes=(*notes, f"Source: {vocabulary().office}."),
        province=table.province,
    )


def figures_of(
    world: World, terms: Terms, periods: Sequence[Period], measure: Measure, issue: int
) -> list[tuple[int, int]]:
    """The exact figure of each period as known at an issue, as a fraction (a mean is not whole)."""
    since, until = min(p.first for p in periods), max(p.last for p in periods)
    sums = [0] * len(periods)
    for key, sign in terms:
        for i, value in enumerate(_of_periods(world, key, periods, measure, issue, since, until)):
            sums[i] += sign * value
    lengths = [p.last - p.first + 1 if measure is Measure.RATE else 1 for p in periods]
    return list(zip(sums, lengths, strict=True))


def _of_periods(
    world: World, key: Key, periods: Sequence[Period], measure: Measure, issue: int, since: int, until: int
) -> list[int]:
    known = world.known(key, since, until, issue)
    if measure is Measure.STOCK:
        return [int(known[p.last - since]) for p in periods]
    up_to = [0, *known.cumsum().tolist()]
    return [up_to[p.last - since + 1] - up_to[p.first - since] for p in periods]


def _periods(world: World, table: TimeTable, last: int) -> list[Period]:
    first = month(year_of(last) - 1, 1) if table.two_years else last - 12
    months = [Period(PeriodKind.MONTH, when, when) for when in range(first, last + 1)]
    return [*world.calendar.ending_by(last, table.years), *months]


def _cells(
    world: World, table: TimeTable, figures: Sequence[Figure], periods: Sequence[Period], reported: Reported
) -> list[list[str]]:
    """Columns of printed cells."""
    columns = []
    for one in figures:
        now = _texts(world, table, one, periods, reported.issue)
        if reported.before is not None:
            before = reported.before
            then = _texts(world, table, one, periods, before)
            was_there = [p.last <= before - LAG - one.late for p in periods]
            now = [
                f"{text} r" if seen and text != old else text
                for text, old, seen in zip(now, then, was_there, strict=True)
            ]
        if one.late:
            now = ["n.a." if p.last == reported.last else text for p, text in zip(periods, now, strict=True)]
        columns.append(now)
    return columns


def _texts(world: World, table: TimeTable, one: Figure, periods: Sequence[Period], issue: int) -> list[str]:
    values = figures_of(world, one.terms, periods, table.measure, issue)
    if one.share_of:
        whole = figures_of(world, one.share_of, periods, table.measure, issue)
        decimals = one.decimals or 0
        return [
            digits(rounded(100 * part, base, decimals), decimals) if base else "-"
            for (part, _), (base, _) in zip(values, whole, strict=True)
        ]
    divisor = one.divisor or table.divisor
    return [printed(value, divisor * length, table.decimals) for value, length in values]


class _Heads:
    """Headings with their footnote marks and numbers, in the order in which they are printed."""

    def __init__(self, style: Style, renamed: bool) -> None:
        self.notes: list[str] = []
        self._style, self._renamed, self._column = style, renamed, 0

    def heading(self, node: Node) -> Heading:
        if isinstance(node, Group):
            return Heading(node.text, tuple(self.heading(child) for child in node.children))
        self._column += 1
        text = _name(node, self._renamed)
        note = node.note
        if node.renamed and self._renamed:
            note = f"{note} Formerly {node.text}.".strip()
        mark = self.marked(note) if note else ""
        return Heading(text, mark=mark, number=f"({self._column})" if self._style.numbered else "")

    def marked(self, note: str) -> str:
        """The mark of a new footnote."""
        mark = self._style.mark(len(self.notes) + 1)
        self.notes.append(f"{mark} {note}")
        return mark


def _name(one: Figure, renamed: bool) -> str:
    return one.renamed if one.renamed and renamed else one.text


def _columns(
    table: TimeTable, headings: Sequence[Heading], figures: Sequence[Figure], renamed: bool
) -> Iterator[Column]:
    paths = _paths(table.columns, renamed)
    for path, one in zip(paths, figures, strict=True):
        phrase = f"receipts from {one.renamed.lower()}" if one.renamed and renamed else one.phrase
        unit = "percent" if one.share_of else "thousand ounces" if one.divisor else table.unit
        yield Column(path, phrase, unit, one.total)


def _paths(nodes: Sequence[Node], renamed: bool) -> list[tuple[str, ...]]:
    paths: list[tuple[str, ...]] = []
    for node in nodes:
        if isinstance(node, Group):
            paths.extend((node.text, *path) for path in _paths(node.children, renamed))
        else:
            paths.append((_name(node, renamed),))
    return paths


def _rows(periods: Sequence[Period], cells: Sequence[Sequence[str]], style: Style, heads: _Heads) -> Iterator[Row]:
    year: int | None = None
    for r, period in enumerate(periods):
        values = tuple(column[r] for column in cells)
        if period.kind is not PeriodKind.MONTH:
            label = str(period.year)
            if period.kind is PeriodKind.TRANSITION:
                mark = heads.marked("April to September, between two kinds of fiscal year.")
                label = f"Half-year {label}"
                yield Row((label,), values, (label,), period=period, mark=mark)
            else:
                yield Row((label,), values, (label,), period=period)
            continue
        name, new_year = style.month_name(period.last), period.year != year
        path = (str(period.year), name)
        if style.months is Months.SECTION:
            if new_year:
                yield Row((f"{period.year}:",), ("",) * len(values), path[:1], indent=0, gap=True)
            yield Row((name,), values, path, indent=1, period=period)
        else:
            joint = "-" if style.months is Months.FIRST else " - "
            label = f"{period.year}{joint}{name}" if new_year else name
            yield Row((label,), values, path, indent=0 if new_year else 1, gap=new_year, period=period)
        year = period.year
