"""The issues of an archive of a given size, and the length of each."""

import math

from lab.generate.calendar import all_issues, month
from lab.generate.issue import LONGEST, SHORTEST, Outline
from lab.generate.time_table import Reported
from lab.generate.world import World
from worktrial.errors import SettingError

FEWEST, MOST = 3 * SHORTEST, 200_000
"""Pages of an archive."""
_FEW = 9
"""Issues below which clusters are pairs."""


def outlines(world: World, pages: int) -> tuple[Outline, ...]:
    """Issues with exactly so many pages together, in order of time.

    A small archive leaps through the decades in clusters of neighbouring issues, so that revisions can be seen;
    one cluster lies just after the change of the fiscal year. A large one holds every issue.

    Raises:
        SettingError: too few pages for three issues, or more than the longest issues hold.
    """
    if not FEWEST <= pages <= MOST:
        raise SettingError(f"--pages must be from {FEWEST} to {MOST:,}, and is {pages:,}")
    months = all_issues()
    length = min(125, max(6, math.isqrt(pages)))
    count = min(len(months), max(3, pages // length))
    chosen = sorted(months[i] for i in _indices(world, months, count))
    shortest, longer = divmod(pages, count)
    assert SHORTEST <= shortest < LONGEST
    return tuple(
        Outline(Reported(issue, chosen[i - 1] if i else None), shortest + (i < longer), turn=i // _cluster(count))
        for i, issue in enumerate(chosen)
    )


def _indices(world: World, months: tuple[int, ...], count: int) -> set[int]:
    if count > len(months) // 3:
        # Nearly all: no leaps, the oldest are left out.
        return set(range(len(months) - count, len(months)))
    dice = world.dice("timeline", count)
    size = _cluster(count)
    clusters = math.ceil(count / size)
    stretch = len(months) / clusters
    starts = [int(i * stretch + dice.uniform(0.1, 0.6) * stretch) for i in range(clusters)]
    after_change = next(i for i, when in enumerate(months) if when > month(world.calendar.change + 1, 12))
    nearest = min(range(clusters), key=lambda i: abs(starts[i] - after_change))
    starts[nearest] = after_change
    indices: set[int] = set()
    for start in starts:
        step = 1 if start + 2 * size >= len(months) else int(dice.integers(1, 3))
        for i in range(size):
            if len(indices) < count:
                indices.add(min(start + i * step, len(months) - 1))
    free = (i for i in range(len(months) - 1, -1, -1) if i not in indices)
    while len(indices) < count:
        indices.add(next(free))
    return indices


def _cluster(count: int) -> int:
    """Issues that follow each other before the next leap in time, where not all are held."""
    return 2 if count < _FEW else 3
