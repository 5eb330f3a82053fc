"""The statement of the treasury: sections and subtotals down the page, four spans of time across it."""

from collections.abc import Iterator, Sequence

from lab.generate.calendar import Period, PeriodKind, name_of, year_of
from lab.generate.catalogue import EXPENDITURES, RECEIPTS, Measure
from lab.generate.columns import Figure, Group, Node
from lab.generate.printed import Column, Heading, PrintedTable, Role, Row
from lab.generate.rounding import printed
from lab.generate.style import Style
from lab.generate.time_table import Reported, figures_of
from lab.generate.vocabulary import vocabulary
from lab.generate.world import World

_TITLE = "Statement of the Treasury"
_UNIT = "thousands of florins"


def statement(world: World, reported: Reported, style: Style) -> PrintedTable:
    """The latest month and the fiscal year to date beside the same a year before."""
    last = reported.last
    month_now = Period(PeriodKind.MONTH, last, last)
    year_now = world.calendar.year_to_date(last)
    periods = [month_now, _year_before(month_now), year_now, _year_before(year_now)]
    year = year_of(last)
    to_date = "Half-year to date" if year_now.kind is PeriodKind.TRANSITION else "Fiscal year to date"
    spans = ((f"Month of {name_of(last)}", (year, year - 1)), (to_date, (year_now.year, year_now.year - 1)))
    headings = tuple(Heading(text, tuple(Heading(str(y)) for y in years)) for text, years in spans)
    columns = tuple(Column((text, str(y)), "", _UNIT) for text, years in spans for y in years)
    rows = _Rows(world, periods, reported.issue, year_of(reported.issue) >= world.renamed)
    body = (*rows.of("Receipts", RECEIPTS), *rows.of("Expenditures", EXPENDITURES))
    return PrintedTable(
        title=style.title("B-1", _TITLE),
        name=_TITLE,
        unit=f"In {_UNIT}",
        stub=("Receipts and expenditures",),
        headings=headings,
        columns=columns,
        rows=body,
        notes=(f"Source: {vocabulary().office}.",),
    )


def _year_before(period: Period) -> Period:
    return Period(period.kind, period.first - 12, period.last - 12)


class _Rows:
    def __init__(self, world: World, periods: Sequence[Period], issue: int, renamed: bool) -> None:
        self._world, self._periods, self._issue, self._renamed = world, periods, issue, renamed

    def of(self, text: str, nodes: Sequence[Node]) -> Iterator[Row]:
        """A section with everything below it; its total is the last of the nodes."""
        yield Row((f"{text}:",), ("",) * 4, (text,), Role.SECTION, gap=True)
        yield from self._below(nodes, (text,), 1)

    def _below(self, nodes: Sequence[Node], above: tuple[str, ...], indent: int) -> Iterator[Row]:
        for node in nodes:
            if isinstance(node, Group):
                path = (*above, node.text)
                yield Row((f"{node.text}:",), ("",) * 4, path, Role.SECTION, indent)
                yield from self._below(node.children, path, indent + 1)
            else:
                yield self._row(node, above, indent)

    def _row(self, one: Figure, above: tuple[str, ...], indent: int) -> Row:
        text = one.renamed if one.renamed and self._renamed else one.text
        if one.total and len(above) > 1:
            text = f"Total, {above[-1].lower()}"
        values = figures_of(self._world, one.terms, self._periods, Measure.FLOW, self._issue)
        cells = tuple(printed(value, 1) for value, _ in values)
        role = Role.TOTAL if one.total else Role.ITEM
        return Row((text,), cells, (*above, text), role, indent - (one.total and len(above) == 1))
