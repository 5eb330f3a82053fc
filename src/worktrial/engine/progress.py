"""Showing how a run is going: a live line on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from worktrial.engine.record import SampleRecord, total_tokens
from worktrial.grading import Outcome

PLAIN_SECONDS = 10.0


class Tally:
    """Counts of a run so far."""

    def __init__(self, total: int, finished: Iterable[SampleRecord] = ()) -> None:
        self.total = total
        self.counts = dict.fromkeys(Outcome, 0)
        self.tokens = 0
        self.cost = 0.0
        self.unpriced = False
        self._started = time.monotonic()
        self._now_done = 0
        for record in finished:
            self._book(record)

    def add(self, record: SampleRecord) -> None:
        """Count a sample that finished just now."""
        self._now_done += 1
        self._book(record)

    def _book(self, record: SampleRecord) -> None:
        self.counts[record.outcome] += 1
        self.tokens += total_tokens(record.usage)
        if record.cost is None:
            self.unpriced = True
        else:
            self.cost += record.cost

    @property
    def done(self) -> int:
        """Finished samples, earlier sessions included."""
        return sum(self.counts.values())

    def line(self) -> str:
        """The state of the run in one line."""
        elapsed = time.monotonic() - self._started
        passed, invalid = self.counts[Outcome.PASS], self.counts[Outcome.INVALID]
        parts = [f"{self.done}/{self.total} done", f"{passed} passed", f"{invalid} invalid"]
        parts.append(f"{self.tokens:,} tokens")
        parts.append(f"${self.cost:.4f}{'+' if self.unpriced else ''}")
        if self._now_done and elapsed > 0:
            per_second = self._now_done / elapsed
            parts.append(f"{per_second * 60:.1f} samples/min")
            if self.done < self.total:
                parts.append(f"{duration((self.total - self.done) / per_second)} left")
        return " · ".join(parts)


OnTally = Callable[[Tally], None]


@contextmanager
def display() -> Iterator[OnTally]:
    """Where the tally is shown, on standard error: a bar on a terminal, else a line every few seconds."""
    if sys.stderr.isatty():
        with _bar() as update:
            yield update
    else:
        yield _PlainLines().update


class _PlainLines:
    def __init__(self) -> None:
        self._last = 0.0

    def update(self, tally: Tally) -> None:
        now = time.monotonic()
        if now - self._last >= PLAIN_SECONDS or tally.done == tally.total:
            self._last = now
            print(tally.line(), file=sys.stderr, flush=True)


@contextmanager
def _bar() -> Iterator[OnTally]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(bar_width=24), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), refresh_per_second=4, transient=True) as progress:
        bar = progress.add_task("starting", total=None)

        def update(tally: Tally) -> None:
            progress.update(bar, total=tally.total, completed=tally.done, description=tally.line())

        yield update


def duration(seconds: float) -> str:
    """Seconds as people say them: `45 s`, `12 min`, `2 h 10 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
