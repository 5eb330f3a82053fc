"""Numbers of a page by several readers: right and wrong by the truth, or by each other where there is none.

Without a transcription a number counts as right where another reader has it, too. Ours shares its network with
one of the bare engines, so that this favours neither of the two, and says little where both fail alike.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import NamedTuple

from lab.panels.engines import Reading
from lab.scoring.numbers import numbers_in

OURS = "ours"


class Count(NamedTuple):
    """Numbers of two and more digits that one reader has on a page."""

    right: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Standing:
    """How the readers of one page stand."""

    page: str
    true: int | None
    """Numbers printed, where they are transcribed."""
    counts: Mapping[str, Count]
    """By reader; `ours` is among them."""
    outside: int
    """Numbers that we read on the page, and that stand in none of our tables."""
    missing: Mapping[str, int]
    """Right numbers of the best bare engine that ours lacks, by their digits."""

    @property
    def best_bare(self) -> str:
        """The bare engine with most numbers right."""
        bare = [name for name in self.counts if name != OURS]
        return max(bare, key=lambda name: (self.counts[name].right, -self.counts[name].wrong))

    @property
    def behind(self) -> int:
        """Numbers by which we stand behind the best bare engine; negative where we stand before it."""
        return self.counts[self.best_bare].right - self.counts[OURS].right


def standing(page: str, readings: Mapping[str, Reading], truth: Counter[str] | None) -> Standing:
    """Compare the readings of one page.

    Args:
        page: Its name.
        readings: By reader, `ours` among them.
        truth: The numbers printed, or None.
    """
    found = {name: numbers_in(line.text for line in reading.lines) for name, reading in readings.items()}
    right = {}
    for name, numbers in found.items():
        others = reduce(or_, (theirs for other, theirs in found.items() if other != name), Counter[str]())
        right[name] = numbers & (others if truth is None else truth)
    counts = {n: Count(right[n].total(), found[n].total() - right[n].total()) for n in found}
    best = max((n for n in counts if n != OURS), key=lambda n: (counts[n].right, -counts[n].wrong))
    in_tables = numbers_in(readings[OURS].tables)
    return Standing(
        page,
        truth.total() if truth is not None else None,
        counts,
        (found[OURS] - in_tables).total(),
        dict(right[best] - found[OURS]),
    )
