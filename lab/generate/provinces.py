"""Taxes that each province collected in a fiscal year: regions with subtotals, and a grand total."""

from collections.abc import Iterator, Sequence

from lab.generate.calendar import Period
from lab.generate.catalogue import Measure
from lab.generate.printed import Column, Heading, PrintedTable, Role, Row
from lab.generate.provincial import PROVINCIAL_TAXES, provincial_key
from lab.generate.rounding import printed
from lab.generate.style import Style
from lab.generate.time_table import Reported, figures_of
from lab.generate.vocabulary import vocabulary
from lab.generate.world import World

_UNIT = "thousands of florins"


def by_province(world: World, reported: Reported, style: Style) -> PrintedTable:
    """Table of the last fiscal year that is over."""
    year = world.calendar.ending_by(reported.last, 1)[-1]
    if world.calendar.transition == year:
        year = world.calendar.fiscal_year(world.calendar.change)
    name = f"Receipts by Province, Fiscal Year {year.year}"
    return PrintedTable(
        title=style.title("V-1", name),
        name=name,
        unit=f"In {_UNIT}",
        stub=("Region and province",),
        headings=(
            Heading("Direct taxes", tuple(map(Heading, PROVINCIAL_TAXES[:2]))),
            Heading("Other", tuple(map(Heading, PROVINCIAL_TAXES[2:]))),
            Heading("Total"),
        ),
        columns=(
            *(
                Column(("Direct taxes" if i < 2 else "Other", heading), heading.lower(), _UNIT)
                for i, heading in enumerate(PROVINCIAL_TAXES)
            ),
            Column(("Total",), "total receipts", _UNIT, total=True),
        ),
        rows=tuple(_rows(world, year, reported.issue)),
        notes=(f"Source: returns of the provinces to the {vocabulary().office}.",),
    )


def _rows(world: World, year: Period, issue: int) -> Iterator[Row]:
    whole: list[list[int]] = []
    for region, provinces in vocabulary().regions.items():
        yield Row((f"{region}:",), ("",) * (len(PROVINCIAL_TAXES) + 1), (region,), Role.SECTION, gap=True)
        part = []
        for province in provinces:
            part.append(_collected(world, province, year, issue))
            yield Row((province,), _cells(part[-1]), (region, province), indent=1, period=year)
        label = f"Total, {region}"
        yield Row((label,), _cells(_added(part)), (region, label), Role.TOTAL, indent=2, period=year)
        whole += part
    yield Row(("All provinces",), _cells(_added(whole)), ("All provinces",), Role.TOTAL, gap=True, period=year)


def _collected(world: World, province: str, year: Period, issue: int) -> list[int]:
    return [
        figures_of(world, ((provincial_key(province, heading), 1),), [year], Measure.FLOW, issue)[0][0]
        for heading in PROVINCIAL_TAXES
    ]


def _added(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def _cells(amounts: Sequence[int]) -> tuple[str, ...]:
    return tuple(printed(amount, 1) for amount in (*amounts, sum(amounts)))
