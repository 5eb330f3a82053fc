"""The figures of the invented state: monthly series, and what was known of them at any issue."""

import hashlib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import numpy as np
import numpy.typing as npt
import yaml

from lab.generate.calendar import LAG, FiscalCalendar, month

Counts = npt.NDArray[np.int64]
Key = str
"""The name of a series, such as `receipts.customs` or `province.Corrin.land`. Its first part decides its nature."""

START, END = month(1918, 1), month(2025, 12)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Names and sentences."""

    state: str
    office: str
    bulletin: str
    unit: str
    regions: dict[str, list[str]]
    """Provinces by region."""
    review: list[str]
    """Paragraphs, with places for figures."""
    definitions: dict[str, list[str]]
    """Paragraphs by when they are true."""
    subjects: list[list[dict[str, list[str | dict[str, list[str]]]]]]
    """Pairs of tables that every province has: title, then its headings."""

    @property
    def provinces(self) -> tuple[str, ...]:
        """Provinces in the order of their regions."""
        return tuple(province for provinces in self.regions.values() for province in provinces)


@cache
def vocabulary() -> Vocabulary:
    """Read once."""
    return Vocabulary(**yaml.safe_load(files(__package__).joinpath("vocabulary.yaml").read_text("utf-8")))


@dataclass(frozen=True, slots=True)
class Series:
    """A series by month from `START`: as first reported, and as it became known later."""

    first: Counts
    final: Counts
    age: Counts
    """Months after which the final figure replaced the first; a large number where it never did."""
    undone: Counts
    """Months after which the first figure came back; a large number where it did not."""

    def known(self, since: int, until: int, issue: int) -> Counts:
        """The figures of months `since` to `until` (included) as an issue prints them."""
        part = slice(since - START, until - START + 1)
        age = issue - np.arange(since, until + 1)
        replaced = (age >= self.age[part]) & (age < self.undone[part])
        return np.where(replaced, self.final[part], self.first[part])


@dataclass(frozen=True, slots=True)
class World:
    """Everything that follows from a seed. Series are made when they are first asked for."""

    seed: int
    calendar: FiscalCalendar = field(init=False)
    renamed: int = field(init=False)
    """The year from which the posts are called communications."""
    _series: dict[Key, Series] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        dice = self.dice("calendar")
        object.__setattr__(self, "calendar", FiscalCalendar(int(dice.integers(1955, 1965))))
        object.__setattr__(self, "renamed", int(dice.integers(1946, 1953)))

    def dice(self, *what: object) -> np.random.Generator:
        """A source of chance for one purpose: the same for the same seed and purpose."""
        text = "\0".join(map(str, (self.seed, *what)))
        return np.random.Generator(
            np.random.PCG64(int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big"))
        )

    def known(self, key: Key, since: int, until: int, issue: int) -> Counts:
        """A series over months `since` to `until` (included), as an issue prints it."""
        series = self._series.get(key)
        if series is None:
            series = self._series[key] = self._made(key)
        return series.known(since, until, issue)

    def _made(self, key: Key) -> Series:
        family = key.split(".", 1)[0]
        if family == "rate":
            return self._rate(key)
        return self._stock(key) if family in ("debt", "coin") else self._flow(key)

    def _flow(self, key: Key) -> Series:
        """Amounts of a month in thousands: growth, slow swings, a season of its own, noise."""
        dice, months = self.dice(key), END - START + 1
        level = self._size(key, dice) * np.exp(np.cumsum(np.full(months, dice.uniform(0.034, 0.044) / 12)))
        swings = np.cumsum(dice.normal(0, 0.012, months))
        season = np.tile(dice.uniform(0.75, 1.3, 12), months // 12)
        noise = np.exp(dice.normal(0, 0.06, months) + swings - swings.mean())
        final = np.rint(level * season * noise).astype(np.int64)
        if key.split(".", 1)[0] not in ("receipts", "outlays") and dice.random() < 0.12:
            # A tax or a service that did not exist from the beginning.
            final[: int(dice.integers(240, 500))] = 0
        return self._with_revisions(final, dice, share=0.3, size=0.03)

    def _stock(self, key: Key) -> Series:
        """Amounts at the end of a month in thousands: a slow walk."""
        dice, months = self.dice(key), END - START + 1
        walk = np.cumsum(dice.normal(0.0032, 0.008, months))
        final = np.rint(40 * self._size(key, dice) * np.exp(walk)).astype(np.int64)
        return self._with_revisions(final, dice, share=0.08, size=0.01)

    def _rate(self, key: Key) -> Series:
        """Rates in hundredths of a percent."""
        dice, months = self.dice(key), END - START + 1
        walk = np.zeros(months)
        steps = dice.normal(0, 14, months)
        centre = dice.uniform(250, 600)
        for i in range(1, months):
            walk[i] = walk[i - 1] * 0.985 + steps[i]
        final = np.maximum(25, np.rint(centre + walk)).astype(np.int64)
        never = np.full(months, 10**6)
        return Series(final, final, never, never)

    def _size(self, key: Key, dice: np.random.Generator) -> float:
        """The level of the first year: provinces are small, and unlike each other; the state about pays its way."""
        if key.startswith("province."):
            _, province, kind = key.split(".", 2)
            weight = self.dice("weight", province).uniform(0.3, 2.5)
            return float(weight * self.dice("kind", kind).uniform(120, 900))
        low, high = {"receipts": (24_000, 86_000), "outlays": (16_000, 70_000), "duty": (2_000, 13_000)}.get(
            key.split(".", 1)[0], (9_000, 140_000)
        )
        return float(dice.uniform(low, high))

    def _with_revisions(self, final: Counts, dice: np.random.Generator, *, share: float, size: float) -> Series:
        months = len(final)
        revised = dice.random(months) < share
        delta = np.rint(final * dice.normal(0, size, months)).astype(np.int64)
        first = np.maximum(0, np.where(revised, final - delta, final))
        age = np.where(revised, LAG + dice.integers(1, 14, months), 10**6)
        undone = np.where(dice.random(months) < 0.06, age + dice.integers(2, 12, months), 10**7)
        return Series(first, final, age, undone)
