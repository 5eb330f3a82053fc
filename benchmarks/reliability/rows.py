"""What came of strikes of one kind, as the files say that were left."""

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass
from pathlib import Path

from worktrial.engine.record import SampleLine
from worktrial.engine.records import trajectory_lines


@dataclass(frozen=True)
class Row:
    """Strikes, and what they did that they must not."""

    strikes: int
    """Strikes that hit something at work."""
    lost: int = 0
    """Samples, pages, drafts or reports that were stored, or should have been in the end, and are not there."""
    twice: int = 0
    """Samples that count twice."""
    blamed: int = 0
    """Samples scored `fail`, which no agent here deserves."""
    repeated: int = 0
    """Paid calls beyond one for each, and those in flight at a strike."""
    wordless: int = 0
    """Commands that ended in a traceback, or not at all."""

    @property
    def is_good(self) -> bool:
        """Whether all of it is zero."""
        return not any(astuple(self)[1:])


class CouldNotLook(Exception):
    """This machine has no means of striking so."""


Strike = Callable[[random.Random], Row]
"""Strikes as chance will have it."""


def total(rows: Iterable[Row]) -> Row:
    """Sum of rows."""
    return Row(*(sum(figures) for figures in zip(*map(astuple, rows), strict=True)))


def turns(name: str, seed: int, count: int, until: float) -> Iterator[random.Random]:
    """Chance for each of `count` turns, the first even when the time, as `time.monotonic` tells it, is over."""
    for number in range(count):
        if number and time.monotonic() > until:
            return
        yield random.Random(f"{seed} {name} {number}")


def counted(place: Path, samples: int, *, strikes: int = 1, repeated: int = 0, wordless: int = 0) -> Row:
    """What is on record in a run's folder, where the last record of a sample counts."""
    lines = [json.loads(line) for line in (place / "samples.jsonl").read_bytes().splitlines()]
    settled = [line for line in lines if line["outcome"] != "invalid"]
    times = Counter(line["sample"] for line in settled)
    worked = {line.sample for line in trajectory_lines(place, SampleLine)}
    return Row(
        strikes,
        # A sample without its trajectory has lost what it is worth.
        lost=samples - len(times.keys() & worked),
        twice=sum(count - 1 for count in times.values()),
        blamed=sum(line["outcome"] == "fail" for line in settled),
        repeated=max(0, repeated),
        wordless=wordless,
    )
