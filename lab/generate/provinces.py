"""Taxes that each province collected in a fiscal year: regions with subtotals, and a grand total."""

from collections.abc import Iterator, Sequence

from lab.generate.calendar import Period
from lab.generate.catalogue import Measure, TimeTable
from lab.generate.columns import Figure, Group, Node, completed, figure, total
from lab.generate.printed import Column, Heading, PrintedTable, Role, Row, printed
from lab.generate.style import Style
from lab.generate.time_table import Reported, figures_of
from lab.generate.world import World, vocabulary

_UNIT = "thousands of florins"


def provincial(subject: int, province: str, number: int) -> tuple[TimeTable, ...]:
    """Tables of a province, which differ from those of the next one by a name in the title alone."""
    return tuple(
        TimeTable(
            f"P-{subject + 1}.{number}{letter}",
            title.format(province=province),
            _provincial_columns(title.format(province=province), province, headings),
            divisor=1,
            years=4,
            two_years=False,
            province=province,
        )
        for letter, table in zip("ab", vocabulary().subjects[subject], strict=True)
        for title, headings in table.items()
    )


def _provincial_columns(title: str, province: str, headings: list[str | dict[str, list[str]]]) -> tuple[Node, ...]:
    def one(text: str) -> Figure:
        return figure(text, provincial_key(province, text), f"{text.lower()} ({title})")

    nodes: list[Node] = []
    for heading in headings:
        if isinstance(heading, str):
            nodes.append(one(heading))
            continue
        for text, below in heading.items():
            inner = (*map(one, below), total("Total", f"{text.lower()} in total ({title})"))
            nodes.append(Group(text, inner))
    return completed((*nodes, total("Total", f"the total ({title})")))


def provincial_key(province: str, text: str) -> str:
    """The series of a province under a heading."""
    return f"province.{province}.{text.lower()}"


PROVINCIAL_TAXES = ("Land tax", "Income tax", "Stamp duties", "Licence fees")
"""Taxes that every province collects; the first two are direct."""


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
