"""Loans outstanding: dates, rates in fractions, amounts."""

from collections.abc import Iterator
from typing import NamedTuple

from lab.generate.calendar import month_year, year_of
from lab.generate.printed import Column, Heading, PrintedTable, Role, Row
from lab.generate.rounding import printed
from lab.generate.style import Style
from lab.generate.time_table import Reported
from lab.generate.vocabulary import vocabulary
from lab.generate.world import START, World

_NAMES = ("Consolidation Loan", "Harbour Loan", "Railway Loan", "Reconstruction Loan", "Waterworks Loan")
_EIGHTHS = ("", "-1/8", "-1/4", "-3/8", "-1/2", "-5/8", "-3/4", "-7/8")
_NAME = "Loans Outstanding"


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
