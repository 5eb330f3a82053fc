"""The yearbooks as they are printed: five harvest reports and three port registers."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from lab.generate.calendar import month
from lab.generate.issue import Blot, Issue
from lab.generate.printed import (
    Chart,
    ChartKind,
    Column,
    Contents,
    Heading,
    Page,
    PrintedTable,
    Prose,
    Role,
    Row,
    digits,
)
from lab.generate.style import Months, Style
from lab.generate.time_table import Reported
from lab.generate.world import vocabulary
from lab.generate.yearbooks.facts import (
    CARRIAGE,
    GRAINS,
    LAST_IN_SACKS,
    PORTS,
    REGIONS,
    REGISTERS,
    REPORTS,
    TON,
    Facts,
    Place,
    Quarter,
    in_quintals,
    sack,
)

DELIVERIES, SUPPLY, PRICES = "Deliveries of Grain by Province", "Supply and Use of Wheat", "Prices Paid to Growers"
INDEX = "Index of Growers' Prices"
BY_KIND, BY_PORT, LANDED = "Grain Shipped Abroad by Kind", "Grain Shipped Abroad by Port", "Grain Landed for Use"
OPENING, HARVEST, IMPORTS, MILLED, FED = "Opening stocks", "Harvest", "Imports", "Milled", "Fed to stock"
EXPORTED, LOST, CLOSING = "Exported", "Lost", "Closing stocks"
QUARTERS = ("First quarter", "Second quarter", "Third quarter", "Fourth quarter")
_STYLE = Style("Times-Roman", "Times-Bold", 8.5, Months.SECTION, False, True, True, False, False, True)
_SCANNED = 1955
"""The report whose page of deliveries is a picture."""
_Figures = Callable[[int, Quarter], list[int]]
"""Amounts of a quarter by column, as a register has them."""


@cache
def words() -> dict[str, Any]:
    """Read once."""
    read: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("words.yaml").read_text("utf-8"))
    return read


def yearbooks(facts: Facts) -> tuple[Issue, ...]:
    """All reports, then all registers, each in order of time."""
    return (*(_report(facts, year) for year in REPORTS), *(_register(facts, year) for year in REGISTERS))


def report_name(year: int) -> str:
    """`halvern_harvest_report_1954`."""
    return f"{words()['report'].lower().replace(' ', '_')}_{year}"


def register_name(year: int) -> str:
    """`halvern_port_register_1955`."""
    return f"{words()['register'].lower().replace(' ', '_')}_{year}"


def _report(facts: Facts, year: int) -> Issue:
    blocks = (
        (_deliveries(facts, year),),
        (_supply(facts, year), _prices(facts, year)),
        (_index(facts, year),),
        (Prose(words()["notes_heading"], tuple(_notes(facts, year))),),
    )
    blots = (Blot(2, facts.blot.province, _column(facts.blot, year)),) if year == _SCANNED else ()
    name = f"{words()['report']} {year}"
    return Issue(
        report_name(year), name, Reported(month(year, 12), None), _STYLE, _pages(words()["board"], name, blocks),
        running_head=name, pictures=frozenset({2} if year == _SCANNED else ()), blots=blots,
    )  # fmt: skip


def _register(facts: Facts, year: int) -> Issue:
    blocks = (
        (_by_kind(facts, year), _by_port(facts, year)),
        (_landed(facts, year), Prose(words()["register_heading"], tuple(_register_notes(facts, year)))),
    )
    name = f"{words()['register']} {year}"
    pages = _pages(words()["harbours"], name, blocks)
    return Issue(register_name(year), name, Reported(month(year, 12), None), _STYLE, pages, running_head=name)


def _pages(office: str, name: str, blocks: Sequence[tuple[Any, ...]]) -> tuple[Page, ...]:
    entries = [
        (block.heading if isinstance(block, Prose) else block.title, str(folio))
        for folio, page in enumerate(blocks, 1)
        for block in page
    ]
    front = Page((Contents((vocabulary().state, office, name), tuple(entries)),))
    return (front, *(Page(page, folio=str(folio)) for folio, page in enumerate(blocks, 1)))


def _quantity(report: int) -> str:
    return "thousands of sacks" if report <= LAST_IN_SACKS else "thousands of quintals"


def _column(place: Place, report: int) -> int:
    return 2 * GRAINS.index(place.grain) + (place.year == report)


def _deliveries(facts: Facts, report: int) -> PrintedTable:
    unit = _quantity(report)
    heads = [(grain, year) for grain in GRAINS for year in (report - 1, report)]
    rows: list[Row] = []
    for region in REGIONS:
        rows.append(Row((f"{region}:",), ("",) * len(heads), (region,), Role.SECTION, gap=True))
        for province in vocabulary().regions[region]:
            cells = tuple(_delivery(facts, report, Place(grain, year, province)) for grain, year in heads)
            rows.append(Row((province,), cells, (region, province), indent=1))
        totals = tuple(digits(facts.region_total(report, grain, year, region), 0) for grain, year in heads)
        rows.append(Row((f"Total, {region}",), totals, (region, f"Total, {region}"), Role.TOTAL, indent=2))
    whole = tuple(digits(facts.whole(report, grain, year), 0) for grain, year in heads)
    rows.append(Row(("All regions",), whole, ("All regions",), Role.TOTAL, gap=True))
    return PrintedTable(
        title=_STYLE.title("H-1", DELIVERIES),
        name=DELIVERIES,
        unit=f"In {unit}",
        stub=("Region and province",),
        headings=tuple(
            Heading(grain, (Heading(str(report - 1)), Heading(str(report)))) for grain in GRAINS
        ),
        columns=tuple(Column((grain, str(year)), "", unit) for grain, year in heads),
        rows=tuple(rows),
        notes=("r Revised. c Not told.", f"Source: {words()['board']}."),
    )  # fmt: skip


def _delivery(facts: Facts, report: int, place: Place) -> str:
    if facts.is_hidden(place):
        return "c"
    text = digits(facts.printed_delivery(report, place), 0)
    return f"{text} r" if facts.is_revised(report, place) else text


def _years(report: int, cells: dict[int, tuple[str, ...]]) -> tuple[Row, ...]:
    """Five crop years, marked where they are still in sacks among others that are not."""
    return tuple(
        Row((str(year),), row, (str(year),), mark="1/" if report > LAST_IN_SACKS > year else "")
        for year, row in cells.items()
    )  # fmt: skip


def _supply(facts: Facts, report: int) -> PrintedTable:
    heads = ((OPENING, HARVEST, IMPORTS), (MILLED, FED, EXPORTED, LOST))
    unit, sacks = _quantity(report), "1/ Thousands of sacks."
    rows = {
        year: tuple(digits(n, 0) for n in _balance(facts, report, year)) for year in range(report - 4, report + 1)
    }
    groups = [Heading("Supply", tuple(map(Heading, heads[0]))), Heading("Use", tuple(map(Heading, heads[1])))]
    paths = [*(("Supply", text) for text in heads[0]), *(("Use", text) for text in heads[1]), (CLOSING,)]
    return PrintedTable(
        title=_STYLE.title("H-2", SUPPLY),
        name=SUPPLY,
        unit=f"In {unit}",
        stub=("Crop year",),
        headings=(*groups, Heading(CLOSING)),
        columns=tuple(Column(path, "", unit) for path in paths),
        rows=_years(report, rows),
        notes=((sacks,) if report > LAST_IN_SACKS else ()),
    )


def _balance(facts: Facts, report: int, year: int) -> list[int]:
    """Supply, then uses and the stocks that are left: what is fed is the rest."""
    opening = facts.use(report, year - 1, "closing")
    if report > LAST_IN_SACKS == year:
        opening = in_quintals(opening, "Wheat", year)
    named = ("harvest", "imports", "milled", "exported", "lost", "closing")
    harvest, imports, milled, exported, lost, closing = (facts.use(report, year, name) for name in named)
    fed = opening + harvest + imports - milled - exported - lost - closing
    return [opening, harvest, imports, milled, fed, exported, lost, closing]


def _prices(facts: Facts, report: int) -> PrintedTable:
    unit = "florins a sack" if report <= LAST_IN_SACKS else "florins a quintal"
    rows = {
        year: tuple(digits(facts.price(report, year, grain), 2) for grain in GRAINS)
        for year in range(report - 4, report + 1)
    }
    return PrintedTable(
        title=_STYLE.title("H-3", PRICES),
        name=PRICES,
        unit=f"In {unit}",
        stub=("Crop year",),
        headings=tuple(map(Heading, GRAINS)),
        columns=tuple(Column((grain,), "", unit) for grain in GRAINS),
        rows=_years(report, rows),
        notes=(("1/ Florins a sack.",) if report > LAST_IN_SACKS else ()),
    )


def _index(facts: Facts, report: int) -> Chart:
    base = 1949 if report <= 1956 else 1954
    harvests = facts.harvests(report)
    return Chart(
        ChartKind.BARS, INDEX, f"Harvest of {base} = 1,000", "the index of growers' prices",
        tuple(map(str, harvests)), tuple(facts.index(report, harvest) for harvest in harvests),
    )  # fmt: skip


def _notes(facts: Facts, report: int) -> Iterator[str]:
    ostrey, army = facts.ostrey, facts.army
    withdrawn, misprint = facts.withdrawn, facts.misprint
    known = {
        "harvest": report - 1, "year": report, "wheat": _decimal(sack("Wheat", 1954)),
        "barley": _decimal(sack("Barley", 1954)), "oats": _decimal(sack("Oats", 1954)),
        "early_oats": _decimal(sack("Oats", 1953)), "carriage": _decimal(CARRIAGE),
        "giver": facts.giver, "taker": facts.taker, "ostrey_1955": ostrey[1955][0], "ostrey_1956": ostrey[1956][0],
        "ostrey": ostrey[1955][1], "army_1956_first": army[1956][0], "army_1957_first": army[1957][0],
        "army_1956": army[1956][1], "army_1957": army[1957][1], "army_1958": army[1958][1],
        "withdrawn": withdrawn.province, "kept": digits(facts.delivered(1954, withdrawn), 0),
        "wrong": digits(facts.correction(withdrawn), 0), "misprinted": misprint.province,
        "misprint": digits(facts.correction(misprint), 0), "right": digits(facts.delivered(1955, misprint), 0),
        "swapped_one": facts.swapped[0].province, "swapped_other": facts.swapped[1].province,
        "told": facts.veiled[1].province, "told_amount": digits(facts.delivered(1958, facts.veiled[1]), 0),
    }  # fmt: skip
    for note in words()["notes"]:
        if note["from"] <= report <= note["to"]:
            yield note["text"].format(**known)


def _register_notes(facts: Facts, register: int) -> Iterator[str]:
    transit = [
        f"{digits(facts.transit((year, quarter)), 0)} tons in the {QUARTERS[quarter - 1].lower()} of {year}"
        for year in (register - 1, register)
        for quarter in range(1, 5)
    ]
    for note in words()["register_notes"]:
        if note["from"] <= register <= note["to"]:
            yield note["text"].format(transit=", ".join(transit), ton=_decimal(TON))


def _decimal(value: Fraction) -> str:
    return f"{float(value):g}"


def _by_quarter(
    title: str,
    code: str,
    register: int,
    heads: Sequence[str],
    figures: Callable[[int, Quarter], list[int]],
    note: str,
) -> PrintedTable:
    rows: list[Row] = []
    for year in (register - 1, register):
        rows.append(Row((f"{year}:",), ("",) * (len(heads) + 1), (str(year),), Role.SECTION, gap=True))
        for quarter, text in enumerate(QUARTERS, 1):
            amounts = figures(register, (year, quarter))
            cells = tuple(digits(amount, 0) for amount in (*amounts, sum(amounts)))
            rows.append(Row((text,), cells, (str(year), text), indent=1))
    return PrintedTable(
        title=_STYLE.title(code, title),
        name=title,
        unit="In tons",
        stub=("Quarter",),
        headings=tuple(map(Heading, (*heads, "Total"))),
        columns=tuple(Column((head,), "", "tons") for head in (*heads, "Total")),
        rows=tuple(rows),
        notes=(note,),
    )


def _by_kind(facts: Facts, register: int) -> PrintedTable:
    def figures(told: int, quarter: Quarter) -> list[int]:
        return [facts.tons("shipped", told, quarter, grain) for grain in GRAINS]

    return _by_quarter(BY_KIND, "N-1", register, GRAINS, figures, "Figures of the year before are revised.")


def _by_port(facts: Facts, register: int) -> PrintedTable:
    return _by_quarter(BY_PORT, "N-2", register, PORTS, facts.port_tons, f"Source: {words()['harbours']}.")


def _landed(facts: Facts, register: int) -> PrintedTable:
    def figures(told: int, quarter: Quarter) -> list[int]:
        return [facts.tons("landed", told, quarter, grain) for grain in GRAINS]

    return _by_quarter(LANDED, "N-3", register, GRAINS, figures, "Figures of the year before are revised.")
