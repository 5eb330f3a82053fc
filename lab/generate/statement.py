"""Tables of one issue alone: the statement of the last month, and the loans."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lab.generate.calendar import Period, PeriodKind, month_year, name_of, year_of
from lab.generate.catalogue import Measure, catalogue
from lab.generate.columns import Figure, Group, Node
from lab.generate.printed import Column, Heading, PrintedTable, Role, Row, printed
from lab.generate.style import Style
from lab.generate.time_table import Reported, figures_of
from lab.generate.world import START, World, vocabulary

_NAMES = ("Consolidation Loan", "Harbour Loan", "Railway Loan", "Reconstruction Loan", "Waterworks Loan")
_EIGHTHS = ("", "-1/8", "-1/4", "-3/8", "-1/2", "-5/8", "-3/4", "-7/8")
_NAME = "Loans Outstanding"

_TITLE = "Statement of the Treasury"
_UNIT = "thousands of florins"


class _Loan(NamedTuple):
    name: str
    foreign: bool
    issued: int
    due: int
    rate: str
    amount: int
    """Thousands."""


def loans_outstanding(world: World, reported: Reported, style: Style) -> PrintedTable:
    """Every loan not yet due, by class, with what is left of it."""
    rows = tuple(_rows(_all_loans(world), reported.last))
    return PrintedTable(
        title=style.title("L-1", _NAME),
        name=_NAME,
        unit="Amounts in thousands of florins",
        stub=("Loan",),
        headings=(
            Heading("Date of issue"),
            Heading("Rate (percent)"),
            Heading("Due"),
            Heading("Amount", (Heading("Issued"), Heading("Outstanding"))),
        ),
        columns=(
            Column(("Date of issue",), "", "month"),
            Column(("Rate (percent)",), "", "percent"),
            Column(("Due",), "", "month"),
            Column(("Amount", "Issued"), "the amount issued", "thousands of florins"),
            Column(("Amount", "Outstanding"), "the amount outstanding", "thousands of florins"),
        ),
        rows=rows,
        notes=(f"Source: {vocabulary().office}, register of loans, end of {month_year(reported.last)}.",),
    )


def _all_loans(world: World) -> Iterator[_Loan]:
    dice = world.dice("loans")
    for year in range(year_of(START), 2025):
        for number in range(int(dice.integers(0, 3))):
            issued = 12 * year + int(dice.integers(0, 12))
            kind = f"{_NAMES[int(dice.integers(len(_NAMES)))]} of {year}"
            yield _Loan(
                name=f"{kind}, Series {'AB'[number]}",
                foreign=bool(dice.random() < 0.3),
                issued=issued,
                due=issued + 12 * int(dice.integers(6, 25)),
                rate=f"{int(dice.integers(2, 7))}{_EIGHTHS[int(dice.integers(8))]}",
                amount=int(dice.integers(40, 900) * 250 * 1.03 ** (year - 1920)),
            )


def _rows(loans: Iterator[_Loan], last: int) -> Iterator[Row]:
    running = sorted((loan for loan in loans if loan.issued <= last < loan.due), key=lambda loan: loan.issued)
    whole = [0, 0]
    for text, foreign in (("Internal loans", False), ("Foreign loans", True)):
        part = [loan for loan in running if loan.foreign == foreign]
        if not part:
            continue
        yield Row((f"{text}:",), ("",) * 5, (text,), Role.SECTION, gap=True)
        added = [0, 0]
        for loan in part:
            # A tenth is paid back in each tenth of the term.
            left = loan.amount - loan.amount * (10 * (last - loan.issued) // (loan.due - loan.issued)) // 10
            added = [added[0] + loan.amount, added[1] + left]
            dates = (month_year(loan.issued), loan.rate, month_year(loan.due))
            cells = (*dates, printed(loan.amount, 1), printed(left, 1))
            yield Row((loan.name,), cells, (text, loan.name), indent=1)
        yield _total(f"Total, {text.lower()}", added, (text,), indent=1)
        whole = [whole[0] + added[0], whole[1] + added[1]]
    yield _total("All loans", whole, (), indent=0)


def _total(label: str, amounts: list[int], above: tuple[str, ...], *, indent: int) -> Row:
    cells = ("", "", "", printed(amounts[0], 1), printed(amounts[1], 1))
    return Row((label,), cells, (*above, label), Role.TOTAL, indent, gap=not above)


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
    body = (
        *rows.of("Receipts", catalogue()["by_source"].columns),
        *rows.of("Expenditures", catalogue()["by_function"].columns),
    )
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
