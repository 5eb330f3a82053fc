"""Answers about the yearbooks, computed again from the printed pages alone: cells, charts, words of the notes."""

import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from lab.generate.generate import Plan, questions_of
from lab.generate.issue import Issue, outlines
from lab.generate.printed import Prose
from lab.generate.truth import chart_rows, table_rows
from lab.generate.world import World
from lab.generate.yearbooks import Facts, yearbooks

QUARTERS = ("First quarter", "Second quarter", "Third quarter", "Fourth quarter")


class Reader:
    """Reads the volumes as somebody would who has nothing else."""

    def __init__(self, volumes: tuple[Issue, ...]) -> None:
        self.cells: dict[tuple[str, str, str, str], dict[str, str]] = {}
        self.notes: dict[tuple[str, int], str] = {}
        self.bars: dict[tuple[int, str], Fraction] = {}
        for volume in volumes:
            about, year = ("harvest" if "harvest" in volume.document else "port"), int(volume.document[-4:])
            for table in table_rows(volume, "digital"):
                self._read(about, year, table)
            texts = [p for page in volume.pages for b in page.blocks if isinstance(b, Prose) for p in b.paragraphs]
            self.notes[about, year] = "\n".join(texts)
            for chart in chart_rows(volume, "digital"):
                for label, value in zip(chart["labels"], chart["values"], strict=True):  # type: ignore[call-overload]
                    self.bars[year, label] = Fraction(value.replace(",", ""))
        weights = r"wheat is ([\d.]+) .* barley ([\d.]+) .* ([\d.]+) quintal up .* is ([\d.]+) quintal since"
        found = self.said(weights, 1956)
        self.wheat, self.barley, self.early_oats, self.oats = map(Fraction, found.groups())

    def _read(self, about: str, year: int, table: dict[str, Any]) -> None:
        heads, section = table["header_rows"], ""
        grid = table["grid"]
        for row in grid[heads:]:
            label = row[0].removesuffix(" 1/")
            if not any(row[1:]):
                section = label.removesuffix(":")
                continue
            name = f"{section} {label}" if about == "port" else label
            for column in range(1, len(row)):
                head = "/".join(dict.fromkeys(grid[level][column] for level in range(heads)))
                table_name = table["title"].partition("—")[2]
                self.cells.setdefault((about, table_name, name, head), {})[str(year)] = row[column]

    def last(self, about: str, table: str, row: str, head: str) -> tuple[int, str]:
        """Year of the last volume that prints a cell, and its text."""
        told = self.cells[about, table, row, head]
        return max((int(year), text) for year, text in told.items())

    def weight(self, grain: str, year: int) -> Fraction:
        if grain == "Oats":
            return self.early_oats if year <= 1953 else self.oats
        return self.wheat if grain == "Wheat" else self.barley

    def sacks_or_quintals(self, grain: str, year: int, row: str) -> Fraction:
        """Thousands of quintals as the tables alone say it."""
        volume, text = self.last("harvest", "Deliveries of Grain by Province", row, f"{grain}/{year}")
        value = Fraction(text.removesuffix(" r").replace(",", ""))
        return value * self.weight(grain, year) if volume <= 1955 else value

    def said(self, pattern: str, year: int) -> re.Match[str]:
        found = re.search(pattern, self.notes["harvest", year])
        assert found, pattern
        return found

    def use(self, year: int, head: str) -> Fraction:
        _, text = self.last("harvest", "Supply and Use of Wheat", str(year), head)
        return Fraction(text.replace(",", "")) * (self.wheat if year <= 1954 else 1)

    def price(self, year: int, grain: str) -> Fraction:
        return Fraction(self.last("harvest", "Prices Paid to Growers", str(year), grain)[1])

    def tons(self, table: str, head: str, *quarters: str) -> Fraction:
        """Quarters such as `1956/3`."""
        total = Fraction()
        for quarter in quarters:
            year, number = quarter.split("/")
            _, text = self.last("port", table, f"{year} {QUARTERS[int(number) - 1]}", head)
            total += Fraction(text.replace(",", ""))
        return total

    def exports(self, year: int) -> Fraction:
        quarters = (f"{year - 1}/3", f"{year - 1}/4", f"{year}/1", f"{year}/2")
        tons = self.tons("Grain Shipped Abroad by Kind", "Wheat", *quarters)
        for quarter in quarters:
            when, number = quarter.split("/")
            words = f"{QUARTERS[int(number) - 1].lower()} of {when}"
            found = re.search(rf"([\d,]+) tons in the {words}", self.notes["port", max(1955, int(when))])
            assert found
            tons -= int(found[1].replace(",", ""))
        return self.quintals(tons)

    def quintals(self, tons: Fraction) -> Fraction:
        found = re.search(r"ton of ([\d.]+) quintals", self.notes["port", 1955])
        assert found
        return tons * Fraction(found[1]) / 1000


def answers(read: Reader) -> dict[str, Callable[[str], Fraction | list[str] | None]]:
    """The way to each answer, by words of the question; None where nothing tells it."""
    deliveries = "Deliveries of Grain by Province"
    landed = "Grain Landed for Use"
    carriage = Fraction(read.said(r"which was ([\d.]+) florins a sack", 1956)[1])
    misprint = read.said(r"barley, crop year 1954.* for (\w[\w ]*), instead of ([\d,]+) .* read ([\d,]+),", 1957)
    slip = (int(misprint[3].replace(",", "")) - int(misprint[2].replace(",", ""))) * read.barley
    army = int(read.said(r"Of the wheat milled, the army had .*, (\d+) in the crop year 1957 and", 1958)[1])
    ostrey = int(read.said(r"in the crop year 1955 it delivered (\d+) thousand", 1958)[1])
    gainer = read.said(r"passed from .* to ([\w ]+)\.", 1957)[1]
    one, other = read.said(r"the figures of ([\w ]+) and ([\w ]+) stand in each other's place", 1957).groups()
    told = read.said(r"dealers of ([\w ]+) have agreed .* told: ([\d,]+) thousand", 1958)
    assert "is withdrawn; the report of 1954 was right" in read.notes["harvest", 1958]

    def provinces(region: str) -> list[str]:
        names = [row for _, table, row, head in read.cells if table == deliveries and head == "Wheat/1955"]
        end = names.index(f"Total, {region}")
        return names[end - 6 : end]

    def named(text: str) -> str:
        return next(
            row for _, table, row, _ in read.cells if table == deliveries and re.search(rf"\b{row}\b", text)
        )

    def wheat(year: int, row: str) -> Fraction:
        return read.sacks_or_quintals("Wheat", year, row)

    def without_others(grain: str, year: int, province: str, region: str) -> Fraction:
        total = read.sacks_or_quintals(grain, year, f"Total, {region}")
        for row in provinces(region):
            if row == told[1] and (grain, year) == ("Barley", 1957):
                total -= int(told[2])
            elif row != province:
                total -= read.sacks_or_quintals(grain, year, row)
        return total

    def stained(text: str) -> Fraction:
        province = named(text)
        return wheat(1953, province) + without_others("Wheat", 1954, province, "Eastvale") + wheat(1955, province)

    def exchanged(text: str) -> Fraction:
        province = named(text)
        early = read.sacks_or_quintals("Oats", 1953, other if province == one else one)
        return 100 * (read.sacks_or_quintals("Oats", 1957, province) / early - 1)

    def grown(text: str) -> Fraction:
        province = named(text)
        assert province == gainer
        return 100 * (wheat(1958, province) / (wheat(1955, province) + ostrey) - 1)

    def cost(text: str) -> Fraction:
        province = named(text)
        assert province == misprint[1]
        first = read.sacks_or_quintals("Barley", 1953, province) / read.barley
        sacks = (first, Fraction(misprint[3].replace(",", "")))
        paid = [n * (read.price(year, "Barley") - carriage) for year, n in zip((1953, 1954), sacks, strict=True)]
        return sum(paid) + read.sacks_or_quintals("Barley", 1955, province) * read.price(1955, "Barley")

    def lowered(text: str) -> list[str]:
        region = next(r for r in ("Eastvale", "Lowmere", "Highfen") if r in text)
        first = {row: read.cells["harvest", deliveries, row, "Wheat/1955"]["1955"] for row in provinces(region)}
        sacks = {row: Fraction(cell.replace(",", "")) for row, cell in first.items()}
        return sorted(row for row, amount in sacks.items() if wheat(1955, row) + 1 < amount * read.wheat)

    def seed(_: str) -> Fraction:
        return sum((read.use(year, "Supply/Harvest") - wheat(year, "All regions") for year in range(1953, 1957)),
                   Fraction())  # fmt: skip

    fiscal = [f"{when // 4}/{when % 4 + 1}" for when in range(4 * 1955 + 1, 4 * 1957 + 1)]
    return {
        "wheat did the growers of Lowmere": lambda _: sum(
            (wheat(year, "Total, Lowmere") for year in range(1953, 1958)), Fraction()
        ),
        "price of wheat at the farm": lambda _: (
            read.price(1958, "Wheat") - (read.price(1954, "Wheat") - carriage) / read.wheat
        ),
        "others than the army": lambda _: read.use(1957, "Use/Milled") - army - read.use(1954, "Use/Milled"),
        "taken in the Board's sense, in thousands": lambda _: sum(
            (read.use(year, "Use/Exported") - read.exports(year) for year in (1955, 1956, 1957)), Fraction()
        ),
        "1953, 1954 and 1955 together": stained,
        "base crop year 1956 = 100": lambda _: 100 * read.bars[1957, "1951"] / read.bars[1958, "1955"],
        "differ by more than one percent": lambda _: [
            str(year) for year in (1955, 1956, 1957)
            if abs(read.use(year, "Use/Exported") - read.exports(year)) > read.exports(year) / 100
        ],
        "How much oats did": lambda _: None,
        "barley did the growers of Eastvale": lambda _: (
            slip + sum((read.sacks_or_quintals("Barley", year, "Total, Eastvale") for year in range(1953, 1957)),
                       Fraction())
        ) / 4,
        "By what percentage did the oats": exchanged,
        "had in the crop year 1958": grown,
        "had in the crop year 1956": lambda _: None,
        "two series linked": lambda _: 100 * (
            read.bars[1958, "1957"] / 1000 * read.bars[1956, "1954"] / read.bars[1956, "1950"] - 1
        ),
        "turned out to have delivered less": lowered,
        "deliver in the crop year 1957": lambda text: without_others("Barley", 1957, named(text), "Lowmere"),
        "What did the barley": cost,
        "keep for seed": seed,
        "shipped from Merrowport": lambda _: None,
        "fiscal year 1957 of the": lambda _: read.quintals(
            read.tons(landed, "Total", "1956/2") - read.tons(landed, "Total", "1957/2")
        ),
        "other ports than Lorne Sound": lambda _: read.quintals(
            read.tons("Grain Shipped Abroad by Kind", "Barley", *fiscal)
            - read.tons("Grain Shipped Abroad by Port", "Lorne Sound", *fiscal)
        ),
    }  # fmt: skip


def shown(value: Fraction | list[str] | None, decimals: int) -> str:
    if value is None:
        return "cannot be told"
    if isinstance(value, list):
        return "; ".join(value)
    units = abs(value) * 10**decimals + Fraction(1, 2)
    text = f"{Decimal(int(units)).scaleb(-decimals):,.{decimals}f}"
    return f"-{text}" if value < 0 else text


@pytest.mark.parametrize("seed", [1, 4])
def test_every_answer_follows_from_the_printed_pages(seed: int) -> None:
    plan, world = Plan(30, seed, questions=0, yearbooks=True), World(seed)
    asked = [one.row() for one in questions_of(plan, world, outlines(world, plan.pages))]
    ways = answers(Reader(yearbooks(Facts(world))))
    used: Counter[str] = Counter()
    for question in asked:
        text = str(question["question"])
        (way,) = [words for words in ways if words in text]
        used[way] += 1
        decimals = question["decimals"]
        assert isinstance(decimals, int)
        assert shown(ways[way](text), decimals) == question["answer"], text
        # Neither issue nor table is named, and whether it can be told is not given away.
        assert not re.search(r"Report|Register|Table|issue", text)
        assert text.endswith("answer “cannot be told”.")
    assert len(used) == len(asked) in (18, 20)
    assert max(used.values()) == 1


def test_a_shelf_where_no_bulletin_tells_of_the_half_year_is_asked_about_no_fiscal_year() -> None:
    world = World(2)
    asked = questions_of(Plan(15, 2, questions=0, yearbooks=True), world, outlines(world, 15)[:1])
    assert len(asked) == 18
    assert not any("fiscal" in one.asked.question for one in asked)
