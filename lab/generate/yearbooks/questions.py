"""Questions on the yearbooks: several steps over several documents, each with wrong figures beside it."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from lab.generate.calendar import Period, PeriodKind
from lab.generate.questions.question import CellUsed, Difficulty, DraftQuestion, Kind, Source, shown
from lab.generate.world import vocabulary
from lab.generate.yearbooks.facts import CARRIAGE, REGIONS, TON, Place, Quarter, quarters_of_crop_year, sack
from lab.generate.yearbooks.shelf import Shelf, Told
from lab.generate.yearbooks.volumes import BY_KIND, BY_PORT, EXPORTED, HARVEST, LANDED, MILLED, register_name

NOT_TOLD = "cannot be told"
_LAST_WORD = (
    " Take the archive's last word on every figure. If the archive does not allow it to be told, "
    f"answer “{NOT_TOLD}”."
)
"""Ends every question, so that it tells nothing."""
_WEIGHT = "thousands of quintals"
_PERCENT = "percent"


def questions_on(shelf: Shelf, bulletins: Sequence[Source] = ()) -> list[DraftQuestion]:
    """Every question that the yearbooks answer, and some that nothing in the archive does.

    Args:
        shelf: the yearbooks.
        bulletins: tables of the bulletins of the same archive: where none tells of the half-year between the fiscal
            years, no fiscal year is asked about.
    """
    rows = (row for source in bulletins for row in source.table.rows)
    fiscal = any(row.period is not None and row.period.kind is PeriodKind.TRANSITION for row in rows)
    return [*_Asking(shelf).all(fiscal=fiscal)]


class _Asking:
    def __init__(self, shelf: Shelf) -> None:
        self._shelf, self._facts = shelf, shelf.facts

    def all(self, *, fiscal: bool) -> Iterator[DraftQuestion]:
        """All questions, of the kinds in turn."""
        yield from (self._wheat_of_years(), self._at_farm(), self._but_army(), self._net_exports(), self._blot())
        yield from (self._on_base(), self._two_sources(), self._hidden(), self._barley_of_years(), self._swapped())
        yield from (
            self._boundaries(),
            self._old_boundaries(),
            self._linked(),
            self._revised_down(),
            self._veiled(),
        )
        yield from (self._paid(), self._seed(), self._by_port_and_kind())
        if fiscal:
            yield from (self._landed(), self._other_ports())

    def _wheat_of_years(self) -> DraftQuestion:
        years = [self._shelf.region("Wheat", year, "Lowmere") for year in range(1953, 1958)]
        text = (
            "How much wheat did the growers of Lowmere deliver in the five crop years 1953 to 1957 together, each "
            "within the boundaries of its year, in thousands of quintals, rounded to a whole number (halves away "
            "from zero)?"
        )
        told = Told(_sum(years), (*_cells(years), self._shelf.note(1958, self._facts.withdrawn.province)))
        return _asked(text, told, Kind.RESTATED, _WEIGHT, 0)

    def _barley_of_years(self) -> DraftQuestion:
        years = [self._shelf.region("Barley", year, "Eastvale") for year in range(1953, 1957)]
        text = (
            "How much barley did the growers of Eastvale deliver on average in the crop years 1953 to 1956, in "
            "thousands of quintals a year, rounded to one decimal (halves away from zero)?"
        )
        return _asked(text, Told(_sum(years) / 4, _cells(years)), Kind.RESTATED, _WEIGHT, 1)

    def _swapped(self) -> DraftQuestion:
        province = self._facts.swapped[0].province
        early, late = (self._shelf.delivered(Place("Oats", year, province)) for year in (1953, 1957))
        text = (
            f"By what percentage did the oats delivered in {province} change from the crop year 1953 to the crop "
            "year 1957, by weight, rounded to 2 decimals (halves away from zero)? Give a negative number for a "
            "fall."
        )
        return _asked(text, _change(early, late), Kind.OTHER_UNITS, _PERCENT, 2)

    def _at_farm(self) -> DraftQuestion:
        early, late = self._shelf.price(1954, "Wheat"), self._shelf.price(1958, "Wheat")
        value = late.value - (early.value - CARRIAGE) / sack("Wheat", 1954)
        text = (
            "By how much did the price of wheat at the farm rise from the crop year 1954 to the crop year 1958, "
            "in florins a quintal, rounded to 2 decimals (halves away from zero)? Give a negative number for a "
            "fall."
        )
        told = Told(value, (*_cells([late, early]), self._shelf.note(1956, "0.42"), self._shelf.note(1956, "0.8")))
        return _asked(text, told, Kind.OTHER_UNITS, "florins a quintal", 2)

    def _paid(self) -> DraftQuestion:
        province, value, told = self._facts.misprint.province, Fraction(), []
        for year in (1953, 1954, 1955):
            grain, price = self._shelf.delivered(Place("Barley", year, province)), self._shelf.price(year, "Barley")
            told += [grain, price]
            value += grain.value * (
                price.value if year == 1955 else (price.value - CARRIAGE) / sack("Barley", year)
            )
        text = (
            f"What did the barley that {province} delivered in the crop years 1953 to 1955 cost at the farm, in "
            "thousands of florins for the three years together, rounded to a whole number (halves away from zero)?"
        )
        cells = (*_cells(told), self._shelf.note(1956, "0.42"))
        return _asked(text, Told(value, cells), Kind.OTHER_UNITS, "thousands of florins", 0)

    def _but_army(self) -> DraftQuestion:
        early, late = self._shelf.use(1954, "Use", MILLED), self._shelf.use(1957, "Use", MILLED)
        army = self._facts.army[1957][1]
        text = (
            "By how much did the wheat that was milled for others than the army grow from the crop year 1954 to "
            "the crop year 1957, in thousands of quintals, rounded to one decimal (halves away from zero)? Give "
            "a negative number for a fall."
        )
        told = Told(late.value - army - early.value, (*_cells([late, early]), self._shelf.note(1958, str(army))))
        return _asked(text, told, Kind.FOOTNOTE, _WEIGHT, 1)

    def _boundaries(self) -> DraftQuestion:
        province, moved = self._facts.taker, self._facts.ostrey[1955][1]
        early, late = (self._shelf.delivered(Place("Wheat", year, province)) for year in (1955, 1958))
        text = (
            f"Within the boundaries that {province} had in the crop year 1958, by what percentage did its wheat "
            "deliveries change from the crop year 1955 to the crop year 1958, rounded to 2 decimals (halves away"
            " from zero)? Give a negative number for a fall."
        )
        note = self._shelf.note(1958, str(moved))
        return _asked(
            text, _change(Told(early.value + moved, (*early.cells, note)), late), Kind.FOOTNOTE, _PERCENT, 2
        )

    def _seed(self) -> DraftQuestion:
        years = range(1953, 1957)
        harvests = [self._shelf.use(year, "Supply", HARVEST) for year in years]
        regions = [self._shelf.region("Wheat", year, region) for year in years for region in REGIONS]
        text = (
            "How much of the wheat of the crop years 1953 to 1956 did growers keep for seed, in thousands of "
            "quintals for the four years together, rounded to one decimal (halves away from zero)?"
        )
        told = Told(_sum(harvests) - _sum(regions), _cells([*harvests, *regions]))
        return _asked(text, told, Kind.FOOTNOTE, _WEIGHT, 1)

    def _exports(self, year: int) -> Told:
        """Thousands of quintals of wheat by the registers, without transit."""
        quarters = quarters_of_crop_year(year)
        shipped, transit = self._shelf.tons(BY_KIND, quarters, "Wheat"), self._shelf.transit(quarters)
        return Told((shipped.value - transit.value) * TON / 1000, _cells([shipped, transit]))

    def _net_exports(self) -> DraftQuestion:
        years = (1955, 1956, 1957)
        harbours = [self._exports(year) for year in years]
        board = [self._shelf.use(year, "Use", EXPORTED) for year in years]
        text = (
            "For the crop years 1955 to 1957 together, by how much do the exports of wheat that the Board of "
            "Provisions states exceed those that follow from the counts of the Harbour Office when they are taken "
            "in the Board's sense, in thousands of quintals, rounded to one decimal (halves away from zero)? Give "
            "a negative number if they are lower."
        )
        told = Told(_sum(board) - _sum(harbours), _cells([*board, *harbours]))
        return _asked(text, told, Kind.CALENDAR_VS_FISCAL, _WEIGHT, 1)

    def _landed(self) -> DraftQuestion:
        fiscal = self._shelf.tons(LANDED, _quarters(self._facts.world.calendar.fiscal_year(1957)), "Total")
        crop = self._shelf.tons(LANDED, quarters_of_crop_year(1957), "Total")
        text = (
            "By how much did the grain of all kinds that was landed for use in the fiscal year 1957 of the "
            "Commonwealth exceed that of the crop year 1957, in thousands of quintals, rounded to one decimal "
            "(halves away from zero)? Give a negative number if it was less."
        )
        told = Told((fiscal.value - crop.value) * TON / 1000, _cells([fiscal, crop]))
        return _asked(text, told, Kind.CALENDAR_VS_FISCAL, _WEIGHT, 1)

    def _other_ports(self) -> DraftQuestion:
        calendar = self._facts.world.calendar
        quarters = [*_quarters(calendar.fiscal_year(1956)), *_quarters(calendar.fiscal_year(1957))]
        barley = self._shelf.tons(BY_KIND, quarters, "Barley")
        lorne = self._shelf.tons(BY_PORT, quarters, "Lorne Sound")
        text = (
            "How much barley left the Commonwealth in its fiscal years 1956 and 1957 through other ports than "
            "Lorne Sound, in thousands of quintals for both years together, rounded to one decimal (halves away "
            "from zero)?"
        )
        note = self._shelf.note_in(register_name(1956), "nothing but barley")
        told = Told((barley.value - lorne.value) * TON / 1000, (*_cells([barley, lorne]), note))
        return _asked(text, told, Kind.CALENDAR_VS_FISCAL, _WEIGHT, 1)

    def _blot(self) -> DraftQuestion:
        province = self._facts.blot.province
        years = [self._shelf.delivered(Place("Wheat", year, province)) for year in (1953, 1954, 1955)]
        text = (
            f"How much wheat did {province} deliver in the crop years 1953, 1954 and 1955 together, in thousands "
            "of quintals, rounded to one decimal (halves away from zero)?"
        )
        return _asked(text, Told(_sum(years), _cells(years)), Kind.SCAN, _WEIGHT, 1)

    def _old_boundaries(self) -> DraftQuestion:
        province, told = self._facts.taker, self._facts.ostrey[1956][1]
        text = (
            f"Within the boundaries that {province} had in the crop year 1956, by how much did its wheat "
            "deliveries change from the crop year 1956 to the crop year 1957, in thousands of quintals?"
        )
        years = [self._shelf.delivered(Place("Wheat", year, province)) for year in (1956, 1957)]
        cells = (*_cells(years), self._shelf.note(1957, str(told)))
        return _asked(text, Told(Fraction(), cells), Kind.ABSENT, _WEIGHT, 0, answer=NOT_TOLD)

    def _on_base(self) -> DraftQuestion:
        early, base = self._shelf.index(1957, 1951), self._shelf.index(1958, 1955)
        text = (
            "On the base crop year 1956 = 100, where does the index of growers' prices stand in the crop year "
            "1952, rounded to 2 decimals (halves away from zero)?"
        )
        return _asked(text, Told(100 * early.value / base.value, _cells([early, base])), Kind.CHART, "", 2)

    def _linked(self) -> DraftQuestion:
        early, link = self._shelf.index(1956, 1950), self._shelf.index(1956, 1954)
        late = self._shelf.index(1958, 1957)
        text = (
            "By what percentage did growers' prices rise from the crop year 1951 to the crop year 1958 by their "
            "index, its two series linked in the year that is the base of the later one, rounded to 2 decimals "
            "(halves away from zero)?"
        )
        value = 100 * (late.value / 1000 * link.value / early.value - 1)
        return _asked(text, Told(value, _cells([late, link, early])), Kind.CHART, _PERCENT, 2)

    def _two_sources(self) -> DraftQuestion:
        years = [(year, self._shelf.use(year, "Use", EXPORTED), self._exports(year)) for year in (1955, 1956, 1957)]
        apart = [str(year) for year, board, own in years if abs(board.value / own.value - 1) > Fraction(1, 100)]
        text = (
            "For which of the crop years 1955, 1956 and 1957 do the exports of wheat that the Board of "
            "Provisions states differ by more than one percent from those that follow from the counts of the "
            "Harbour Office when they are taken in the Board's sense? List them in order of time, separated by "
            "semicolons."
        )
        cells = tuple(cell for _, board, own in years for cell in (*board.cells, *own.cells))
        return _listed(text, apart, "crop years", cells)

    def _revised_down(self) -> DraftQuestion:
        lowered: dict[str, list[str]] = {}
        for region in REGIONS:
            places = [Place("Wheat", 1955, province) for province in vocabulary().regions[region]]
            lowered[region] = sorted(
                place.province for place in places
                if self._shelf.delivered(place).value - self._first(place).value < Fraction(-1, 2)
            )  # fmt: skip
        region = min(REGIONS, key=lambda one: abs(len(lowered[one]) - 3))
        places = [Place("Wheat", 1955, province) for province in vocabulary().regions[region]]
        text = (
            f"Which provinces of {region} turned out to have delivered less wheat in the crop year 1955, by "
            "weight, than was reported at first? List them in alphabetical order, separated by semicolons."
        )
        cells = _cells([told for place in places for told in (self._shelf.delivered(place), self._first(place))])
        return _listed(text, lowered[region], "provinces", cells)

    def _first(self, place: Place) -> Told:
        told = self._shelf.first_printed(place)
        return Told(told.value * sack(place.grain, place.year), told.cells)

    def _hidden(self) -> DraftQuestion:
        place = self._facts.hidden[0]
        text = f"How much oats did {place.province} deliver in the crop year 1956, in thousands of quintals?"
        # Where one has to look to know that it is not there.
        cells = self._shelf.region("Oats", 1956, "Highfen").cells
        return _asked(text, Told(Fraction(), cells), Kind.ABSENT, _WEIGHT, 0, answer=NOT_TOLD)

    def _veiled(self) -> DraftQuestion:
        place = self._facts.veiled[0]
        text = f"How much barley did {place.province} deliver in the crop year 1957, in thousands of quintals?"
        return _asked(text, self._shelf.delivered(place), Kind.ABSENT, _WEIGHT, 0)

    def _by_port_and_kind(self) -> DraftQuestion:
        text = "How many tons of barley were shipped from Merrowport in the third quarter of 1956?"
        barley = self._shelf.tons(BY_KIND, [(1956, 3)], "Barley")
        port = self._shelf.tons(BY_PORT, [(1956, 3)], "Merrowport")
        return _asked(text, Told(Fraction(), _cells([barley, port])), Kind.ABSENT, "tons", 0, answer=NOT_TOLD)


def _quarters(period: Period) -> list[Quarter]:
    return [(when // 12, when % 12 // 3 + 1) for when in range(period.first, period.last + 1, 3)]


def _asked(text: str, told: Told, kind: Kind, unit: str, decimals: int, *, answer: str = "") -> DraftQuestion:
    answer = answer or shown(told.value, decimals)
    return DraftQuestion(text + _LAST_WORD, answer, kind, unit, Difficulty.HARDEST, decimals, told.cells)


def _listed(text: str, items: Sequence[str], unit: str, cells: tuple[CellUsed, ...]) -> DraftQuestion:
    answer = "; ".join(items)
    return DraftQuestion(text + _LAST_WORD, answer, Kind.DISAGREEING, unit, Difficulty.HARDEST, 0, cells)


def _change(early: Told, late: Told) -> Told:
    """The change in percent."""
    return Told(100 * (late.value / early.value - 1), (*late.cells, *early.cells))


def _sum(told: Sequence[Told]) -> Fraction:
    return sum((one.value for one in told), Fraction())


def _cells(told: Sequence[Told]) -> tuple[CellUsed, ...]:
    return tuple(cell for one in told for cell in one.cells)
