"""The printed yearbooks, to be looked things up in: what a question's answer is computed from."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from lab.generate.printed import Chart, PrintedTable, Prose, digits
from lab.generate.questions.question import CellUsed, Source, number_in
from lab.generate.truth import tables_of
from lab.generate.world import vocabulary
from lab.generate.yearbooks.facts import LAST_IN_SACKS, REGIONS, REPORTS, Facts, Place, Quarter, sack
from lab.generate.yearbooks.volumes import (
    DELIVERIES,
    INDEX,
    QUARTERS,
    SUPPLY,
    register_name,
    report_name,
    yearbooks,
)


class Told(NamedTuple):
    """A figure with what is printed of it."""

    value: Fraction
    cells: tuple[CellUsed, ...]


class Shelf:
    """The last word of the yearbooks on their figures, with the cells and notes that say it."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.issues = yearbooks(facts)
        self._issues = {issue.document: issue for issue in self.issues}

    def delivered(self, place: Place) -> Told:
        """Thousands of quintals delivered in a province, corrections included.

        Raises:
            AssertionError: the figure cannot be told.
        """
        facts = self.facts
        assert place not in facts.hidden
        if place == facts.blot or place in facts.veiled:
            return self._rest_of_region(place)
        if place in facts.swapped:
            one, other = facts.swapped
            found = self._printed(other if place == one else one)
            return Told(
                found.value * sack(place.grain, place.year), (*found.cells, self.note(1957, place.province))
            )
        found = self._printed(place)
        if place == facts.misprint:
            right = facts.delivered(1955, place)
            found = Told(Fraction(right), (*found.cells, self.note(1957, digits(right, 0))))
        return Told(found.value * self._weight(place.grain, place.year), found.cells)

    def region(self, grain: str, year: int, region: str) -> Told:
        """Thousands of quintals delivered in a region, corrections included."""
        found = self._cell_of_report(_last_report(year), (region, f"Total, {region}"), (grain, str(year)))
        misprint, value, cells = self.facts.misprint, _number(found), [found]
        if (misprint.grain, misprint.year) == (grain, year) and region == _region_of(misprint.province):
            printed, right = self._printed(misprint), self.facts.delivered(1955, misprint)
            value += right - printed.value
            cells += [*printed.cells, self.note(1957, digits(right, 0))]
        return Told(value * self._weight(grain, year), tuple(cells))

    def _rest_of_region(self, place: Place) -> Told:
        """The total of the region less all other provinces."""
        region = _region_of(place.province)
        total = self._cell_of_report(
            _last_report(place.year), (region, f"Total, {region}"), (place.grain, str(place.year))
        )
        value, cells = _number(total), [total]
        for province in vocabulary().regions[region]:
            other = Place(place.grain, place.year, province)
            if other == place:
                continue
            if other in self.facts.veiled:
                told = self.facts.delivered(1958, other)
                value, cells = value - told, [*cells, self.note(1958, digits(told, 0))]
            else:
                found = self._printed(other)
                value, cells = value - found.value, [*cells, *found.cells]
        return Told(value * self._weight(place.grain, place.year), tuple(cells))

    def _printed(self, place: Place) -> Told:
        """The figure as the last report prints it, in that report's unit."""
        path, head = (_region_of(place.province), place.province), (place.grain, str(place.year))
        cell = self._cell_of_report(_last_report(place.year), path, head)
        return Told(_number(cell), (cell,))

    def first_printed(self, place: Place) -> Told:
        """The figure as the report of its own year prints it, in that report's unit."""
        path, head = (_region_of(place.province), place.province), (place.grain, str(place.year))
        cell = self._cell_of_report(place.year, path, head)
        return Told(_number(cell), (cell,))

    def use(self, year: int, *head: str) -> Told:
        """Thousands of quintals of wheat of a crop year under a heading of supply and use."""
        cell = self.cell(report_name(min(REPORTS[-1], year + 4)), SUPPLY, (str(year),), head)
        weight = sack("Wheat", year) if year < LAST_IN_SACKS else Fraction(1)
        return Told(_number(cell) * weight, (cell,))

    def price(self, year: int, grain: str) -> Told:
        """Price of a crop year as the last report prints it: florins a sack before 1955, then a quintal."""
        cell = self.cell(report_name(min(REPORTS[-1], year + 4)), "Prices Paid to Growers", (str(year),), (grain,))
        return Told(_number(cell), (cell,))

    def index(self, report: int, harvest: int) -> Told:
        """The bar of a harvest in the chart of a report."""
        issue = self._issues[report_name(report)]
        for page, content in enumerate(issue.pages, 1):
            for chart in content.blocks:
                if isinstance(chart, Chart):
                    at = chart.labels.index(str(harvest))
                    text = digits(chart.values[at], 0)
                    table = f"{issue.document}:{page}:c1"
                    cell = CellUsed(table, issue.document, page, at, 0, (chart.labels[at],), (INDEX,), text)
                    return Told(_number(cell), (cell,))
        raise AssertionError(f"{issue.document} has no chart")

    def tons(self, table: str, quarters: Sequence[Quarter], head: str) -> Told:
        """Tons of some quarters by the last registers, in a column of one of their tables."""
        cells = tuple(
            self.cell(register_name(min(1957, year + 1)), table, (str(year), QUARTERS[quarter - 1]), (head,))
            for year, quarter in quarters
        )  # fmt: skip
        return Told(sum(map(_number, cells), Fraction()), cells)

    def transit(self, quarters: Sequence[Quarter]) -> Told:
        """Tons of wheat that only changed ships."""
        amounts = [self.facts.transit(quarter) for quarter in quarters]
        cells = (
            self.note_in(register_name(min(1957, year + 1)), digits(amount, 0))
            for (year, _), amount in zip(quarters, amounts, strict=True)
        )
        return Told(Fraction(sum(amounts)), tuple(cells))

    def cell(self, document: str, table: str, row: tuple[str, ...], head: tuple[str, ...]) -> CellUsed:
        """The cell of a row and a column, both by their whole paths."""
        issue = self._issues[document]
        for place, printed in tables_of(issue):
            if printed.name == table:
                return Source(issue, place, printed).cell(*_at(printed, row, head))
        raise AssertionError(f"{document} has no table {table}")

    def note(self, report: int, text: str) -> CellUsed:
        """The last paragraph of a report's notes that holds a text."""
        return self.note_in(report_name(report), text)

    def note_in(self, document: str, text: str) -> CellUsed:
        """The last paragraph of a document's notes that holds a text."""
        for page, content in enumerate(self._issues[document].pages, 1):
            for block in content.blocks:
                if isinstance(block, Prose):
                    at = max(i for i, paragraph in enumerate(block.paragraphs) if text in paragraph)
                    return CellUsed(f"{document}:{page}:n", document, page, at, 0, (block.heading,), (), text)
        raise AssertionError(f"{document} has no notes")

    def _cell_of_report(self, report: int, row: tuple[str, ...], head: tuple[str, ...]) -> CellUsed:
        return self.cell(report_name(report), DELIVERIES, row, head)

    @staticmethod
    def _weight(grain: str, year: int) -> Fraction:
        """Quintals in the unit of the last report that prints the deliveries of a year."""
        return sack(grain, year) if _last_report(year) <= LAST_IN_SACKS else Fraction(1)


def _last_report(year: int) -> int:
    """The last report that prints the deliveries of a crop year."""
    return min(REPORTS[-1], year + 1)


def _region_of(province: str) -> str:
    return next(region for region in REGIONS if province in vocabulary().regions[region])


def _at(table: PrintedTable, row: tuple[str, ...], head: tuple[str, ...]) -> tuple[int, int]:
    return (
        next(i for i, one in enumerate(table.rows) if one.path == row),
        next(i for i, one in enumerate(table.columns) if one.path == head),
    )


def _number(cell: CellUsed) -> Fraction:
    value = number_in(cell.text)
    assert value is not None, cell
    return value
