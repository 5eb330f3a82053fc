"""The figures behind the yearbooks: harvests by province, ships by quarter, and what went wrong in print."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from lab.generate.printed import rounded
from lab.generate.world import World, vocabulary

GRAINS = ("Wheat", "Barley", "Oats")
REGIONS = ("Eastvale", "Lowmere", "Highfen")
PORTS = ("Kestrel Bay", "Greyhythe", "Merrowport", "Lorne Sound")
REPORTS = range(1954, 1959)
"""Crop years after each of which a harvest report appears."""
REGISTERS = range(1955, 1958)
"""Calendar years after each of which a port register appears."""
LAST_IN_SACKS = 1955
"""The last report that states quantities in sacks."""
TON = Fraction(96, 10)
"""Quintals in a harbour ton."""
CARRIAGE = Fraction(42, 100)
"""Florins a sack."""

Quarter = tuple[int, int]
"""Calendar year, and 1 to 4."""


def sack(grain: str, year: int) -> Fraction:
    """Quintals in a sack of the grain of a crop year."""
    if grain == "Oats" and year <= 1953:
        return Fraction(55, 100)
    return {"Wheat": Fraction(80, 100), "Barley": Fraction(65, 100), "Oats": Fraction(50, 100)}[grain]


def in_quintals(sacks: int, grain: str, year: int) -> int:
    """Sacks as whole quintals, halves up."""
    weight = sack(grain, year)
    return rounded(sacks * weight.numerator, weight.denominator, 0)


def quarters_of_crop_year(year: int) -> list[Quarter]:
    """July to June."""
    return [(year - 1, 3), (year - 1, 4), (year, 1), (year, 2)]


@dataclass(frozen=True, slots=True)
class Place:
    """One figure of the deliveries."""

    grain: str
    year: int
    province: str


@dataclass(frozen=True)
class Facts:
    """Everything that the yearbooks of a world say, and where they err."""

    world: World

    @cached_property
    def _drawn(self) -> dict[str, list[str]]:
        """Provinces of each region in the order in which accidents befall them."""
        dice = self.world.dice("yearbooks")
        return {r: [str(p) for p in dice.permutation(vocabulary().regions[r])] for r in REGIONS}

    @property
    def withdrawn(self) -> Place:
        """A figure that one report corrects and a later one leaves as it was."""
        return Place("Wheat", 1953, self._drawn["Lowmere"][0])

    @property
    def misprint(self) -> Place:
        """A figure that a later report corrects."""
        return Place("Barley", 1954, self._drawn["Eastvale"][0])

    @property
    def swapped(self) -> tuple[Place, Place]:
        """Two figures that stand in each other's place."""
        one, other = self._drawn["Eastvale"][1:3]
        return Place("Oats", 1953, one), Place("Oats", 1953, other)

    @property
    def blot(self) -> Place:
        """The figure of the report of 1955 that a stain covers."""
        return Place("Wheat", 1954, self._drawn["Eastvale"][3])

    @property
    def hidden(self) -> tuple[Place, Place]:
        """Figures that cannot be told: nobody ever says either of the two."""
        one, other = self._drawn["Highfen"][:2]
        return Place("Oats", 1956, one), Place("Oats", 1956, other)

    @property
    def veiled(self) -> tuple[Place, Place]:
        """Figures of which the last report tells the second, and with it the first."""
        one, other = self._drawn["Lowmere"][2:4]
        return Place("Barley", 1957, one), Place("Barley", 1957, other)

    @property
    def giver(self) -> str:
        """The province that lost the district of Ostrey."""
        return self._drawn["Highfen"][3]

    @property
    def taker(self) -> str:
        """The province that gained it."""
        return self._drawn["Lowmere"][4]

    @cached_property
    def _sacks(self) -> dict[Place, tuple[int, int]]:
        """Thousands of sacks, as first reported and a year later."""
        told: dict[Place, tuple[int, int]] = {}
        for region in REGIONS:
            for province in vocabulary().regions[region]:
                for grain, size in zip(GRAINS, (520, 310, 240), strict=True):
                    dice = self.world.dice("harvest", province, grain)
                    level = size * dice.uniform(0.55, 1.6)
                    for year in range(1953, REPORTS[-1] + 1):
                        first = int(level * dice.uniform(0.82, 1.2))
                        change = int(dice.choice([-1, 1])) * max(2, int(first * dice.uniform(0.01, 0.06)))
                        place = Place(grain, year, province)
                        kept = dice.random() < 0.4 and place != self.blot
                        told[place] = (first, first if kept else first + change)
        return told

    def correction(self, place: Place) -> int:
        """Thousands of sacks that stand wrongly in print for such a place; two digits have changed places."""
        right = self._sacks[place][1]
        figures = list(str(right))
        if figures[-1] == figures[-2]:
            return right + 90
        figures[-1], figures[-2] = figures[-2], figures[-1]
        return int("".join(figures))

    def delivered(self, report: int, place: Place) -> int:
        """The figure in thousands of the report's unit, as it should have been printed."""
        # The year before the first report is printed once.
        sacks = self._sacks[place][report > place.year]
        return sacks if report <= LAST_IN_SACKS else in_quintals(sacks, place.grain, place.year)

    def is_revised(self, report: int, place: Place) -> bool:
        """Whether the report before this one had another figure."""
        return place.year < report and place.year >= REPORTS[0] and len(set(self._sacks[place])) > 1

    def printed_delivery(self, report: int, place: Place) -> int:
        """The figure as it was printed."""
        if report == 1955 and place == self.misprint:
            return self.correction(place)
        if report == 1954 and place in self.swapped:
            one, other = self.swapped
            return self.delivered(report, other if place == one else one)
        return self.delivered(report, place)

    def is_hidden(self, place: Place) -> bool:
        """Whether a letter stands instead of the figure."""
        return place in (*self.hidden, *self.veiled)

    def region_total(self, report: int, grain: str, year: int, region: str) -> int:
        """Sum of a region as printed, in the report's unit."""
        return sum(
            self.printed_delivery(report, Place(grain, year, p)) for p in vocabulary().regions[region]
        )  # fmt: skip

    def whole(self, report: int, grain: str, year: int) -> int:
        """Sum of all regions as printed, in the report's unit."""
        return sum(self.region_total(report, grain, year, region) for region in REGIONS)

    @cached_property
    def ostrey(self) -> dict[int, tuple[int, int]]:
        """Wheat of the district in thousands of quintals by crop year, as first told and as corrected."""
        dice = self.world.dice("ostrey")
        early = int(dice.integers(34, 60))
        late = int(dice.integers(34, 60))
        return {1955: (early, early + int(dice.choice([-9, -7, 6, 8]))), 1956: (late, late)}

    @cached_property
    def army(self) -> dict[int, tuple[int, int]]:
        """Wheat milled for the army in thousands of quintals by crop year, as first told and last."""
        dice = self.world.dice("army")
        one, two, three = (int(x) for x in dice.integers(180, 260, 3))
        return {1956: (one, one), 1957: (two, two - int(dice.integers(5, 16))), 1958: (three, three)}

    @cached_property
    def _ships(self) -> dict[tuple[str, Quarter, str], tuple[int, int]]:
        """Tons by kind of movement, quarter and grain, as first reported and a year later."""
        told = {}
        for movement, sizes in (("shipped", (21_000, 9_500, 4_200)), ("landed", (7_800, 3_100, 1_900))):
            for grain, size in zip(GRAINS, sizes, strict=True):
                dice = self.world.dice("ships", movement, grain)
                for year in range(REGISTERS[0] - 1, REGISTERS[-1] + 1):
                    for quarter in range(1, 5):
                        first = int(size * dice.uniform(0.7, 1.35))
                        last = first + int(first * dice.normal(0, 0.03)) if dice.random() < 0.6 else first
                        told[movement, (year, quarter), grain] = (first, last)
        return told

    def tons(self, movement: str, register: int, quarter: Quarter, grain: str) -> int:
        """Tons `shipped` or `landed` in a quarter, as a register has them."""
        return self._ships[movement, quarter, grain][register > quarter[0]]

    def transit(self, quarter: Quarter) -> int:
        """Tons of wheat shipped that only changed ships."""
        return int(self.world.dice("transit", *quarter).integers(700, 2_600))

    def port_tons(self, register: int, quarter: Quarter) -> list[int]:
        """Tons of all grain shipped from each port."""
        grains = [self.tons("shipped", register, quarter, grain) for grain in GRAINS]
        dice = self.world.dice("ports", *quarter)
        lorne = int(grains[1] * dice.uniform(0.35, 0.65))
        rest = sum(grains) - lorne
        one, two = (int(rest * share) for share in (dice.uniform(0.36, 0.46), dice.uniform(0.24, 0.34)))
        return [one, two, rest - one - two, lorne]

    def net_exports(self, year: int) -> Fraction:
        """Thousands of quintals of wheat shipped in a crop year but for transit, by the last registers."""
        tons = sum(
            self.tons("shipped", min(q[0] + 1, REGISTERS[-1]), q, "Wheat") - self.transit(q)
            for q in quarters_of_crop_year(year)
        )  # fmt: skip
        return tons * TON / 1000

    @cached_property
    def _uses(self) -> dict[int, dict[str, tuple[int, int, int]]]:
        """Thousands of sacks of wheat by crop year and use, as reported at once, a year and two years later."""
        dice = self.world.dice("uses")
        apart = [Fraction(int(x), 1000) for x in dice.permutation([4, -37, 19])]
        told: dict[int, dict[str, tuple[int, int, int]]] = {}
        for year in range(REPORTS[0] - 5, REPORTS[-1] + 1):
            row: dict[str, tuple[int, int, int]] = {}
            for name, size in (
                ("seed", 640), ("imports", 410), ("milled", 5_900), ("exported", 920), ("lost", 95),
                ("closing", 1_150), ("harvest", 10_200),
            ):  # fmt: skip
                first = int(size * dice.uniform(0.88, 1.12))
                second = first + int(first * dice.uniform(-0.03, 0.03))
                row[name] = (first, second, second + int(first * dice.uniform(-0.02, 0.02)))
            if 1955 <= year <= 1957:
                net = self.net_exports(year) * (1 + apart[year - 1955]) / sack("Wheat", year)
                exported = rounded(net.numerator, net.denominator, 0)
                row["exported"] = (row["exported"][0], exported, exported)
            row["seed"] = (row["seed"][0],) * 3
            told[year] = row
        return told

    def use(self, report: int, year: int, name: str) -> int:
        """A figure of supply and use of wheat, in thousands of the unit in which the report prints that year."""
        sacks = self._uses[year][name][min(2, report - year)]
        in_sacks = report <= LAST_IN_SACKS or year < LAST_IN_SACKS
        if name == "harvest" and year >= 1953:
            told = max(REPORTS[0], min(report, year + 1))
            return self.whole(told, "Wheat", year) + self.use(report, year, "seed")
        return sacks if in_sacks else in_quintals(sacks, "Wheat", year)

    def price(self, report: int, year: int, grain: str) -> int:
        """Hundredths of a florin a sack or a quintal, as the report prints that year."""
        dice = self.world.dice("price", grain, year)
        size = {"Wheat": 1_950, "Barley": 1_320, "Oats": 1_010}[grain] * 1.035 ** (year - 1950)
        first = int(size * dice.uniform(0.9, 1.1))
        last = first + int(dice.integers(-28, 29)) if report > year else first
        if report <= LAST_IN_SACKS or year < LAST_IN_SACKS:
            weight = sack(grain, year)
            return rounded(last * weight.numerator, weight.denominator, 0) + int(100 * CARRIAGE)
        return last

    def index(self, report: int, harvest: int) -> int:
        """Index of growers' prices of a harvest, the base being 1,000."""
        dice = self.world.dice("index", harvest)
        level = 1000 * 1.037 ** (harvest - 1949) * dice.uniform(0.93, 1.08) if harvest != 1949 else 1000.0
        change = int(dice.choice([-1, 1])) * int(dice.integers(8, 30))
        told = int(level) + (change if report > harvest + 1 and harvest != 1949 else 0)
        if report <= 1956:
            return told
        base = self.index(1956, 1954)
        return rounded(told * 1000, base, 0)

    @staticmethod
    def harvests(report: int) -> Sequence[int]:
        """Harvests whose index a report draws."""
        return range(report - 6, report)
