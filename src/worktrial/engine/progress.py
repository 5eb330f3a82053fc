"""Showing how a run is going: a live line on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from worktrial.engine.record import SampleRecord, total_tokens
from worktrial.engine.roles import Role
from worktrial.grading import Outcome
from worktrial.workplaces.conformance import SimulatorHealth

PLAIN_SECONDS = 10.0
BAR_WIDTH = 16


class Tally:
    """Counts of a run so far."""

    def __init__(self, total: int, finished: Iterable[SampleRecord] = ()) -> None:
        self.total = total
        self.counts = dict.fromkeys(Outcome, 0)
        self.tokens = 0
        self.cost = 0.0
        self.unpriced = False
        self._health = SimulatorHealth()
        self._started = time.monotonic()
        self.batches = ""
        """State of the batches in flight, in a few words; "" where there is none."""
        self.now_done = 0
        """Samples that finished in this session."""
        for record in finished:
            self._book(record)

    def add(self, record: SampleRecord) -> None:
        """Count a sample that finished just now."""
        self.now_done += 1
        self._book(record)

    def _book(self, record: SampleRecord) -> None:
        self.counts[record.outcome] += 1
        # Work that is only judged again has been played before.
        if record.simulation is not None and Role.SIMULATOR in record.usage:
            self._health += record.simulation
        self.tokens += total_tokens(record.usage)
        if record.cost is None:
            self.unpriced = True
        else:
            self.cost += record.cost

    @property
    def done(self) -> int:
        """Finished samples, earlier sessions included."""
        return sum(self.counts.values())

    @property
    def warning(self) -> str | None:
        """Doubt about the simulator that makes the verdicts worth little; None where there is none."""
        return self._health.warning

    def line(self, width: int | None = None) -> str:
        """State of the run in one line.

        Args:
            width: Columns that there are. Where they do not do, the rate, the tokens and the cost are left out, in
                this order: how long it still takes is what one looks for. None is any number.
        """
        elapsed = time.monotonic() - self._started
        passed, invalid = self.counts[Outcome.PASS], self.counts[Outcome.INVALID]
        parts = {
            "done": f"{self.done}/{self.total} done",
            "passed": f"{passed} passed",
            "invalid": f"{invalid} invalid",
        }
        parts["tokens"] = f"{self.tokens:,} tokens"
        parts["cost"] = f"${self.cost:.4f}{'+' if self.unpriced else ''}"
        if self.now_done and elapsed > 0:
            per_second = self.now_done / elapsed
            parts["rate"] = f"{per_second * 60:.1f} samples/min"
            if self.done < self.total and not self.batches:
                parts["left"] = f"{duration((self.total - self.done) / per_second)} left"
        if self.batches:
            parts["batches"] = self.batches
        line = " · ".join(parts.values())
        for part in ("rate", "tokens", "cost"):
            if width is None or len(line) <= width:
                break
            parts.pop(part, None)
            line = " · ".join(parts.values())
        return line


Progress = Callable[[Tally], None]
"""Whoever wants to know how a run is going."""


@contextmanager
def display() -> Iterator[Progress]:
    """The terminal's `Progress`, on standard error: a live bar on a terminal, else a line every few seconds."""
    if sys.stderr.isatty():
        with _Bar() as bar:
            yield bar.update
    else:
        yield _PlainLines().update


class _PlainLines:
    def __init__(self) -> None:
        self._last = 0.0
        self._warned = False

    def update(self, tally: Tally) -> None:
        if not self._warned and (warning := tally.warning):
            self._warned = True
            print(warning, file=sys.stderr, flush=True)
        now = time.monotonic()
        begun = tally.now_done or tally.batches
        if begun and (now - self._last >= PLAIN_SECONDS or tally.done == tally.total):
            self._last = now
            print(tally.line(), file=sys.stderr, flush=True)


class _Bar:
    """A bar that appears with the first update, so that a run with nothing to do or a refused one shows none."""

    def __enter__(self) -> "_Bar":
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as LiveBar

        columns = (BarColumn(bar_width=BAR_WIDTH), TextColumn("{task.description}"))
        self._shown = LiveBar(*columns, console=Console(stderr=True), refresh_per_second=4, transient=True)
        self._bar = self._shown.add_task("starting", total=None)
        self._warned = False
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.stop()

    def update(self, tally: Tally) -> None:
        self._shown.start()
        if not self._warned and (warning := tally.warning):
            self._warned = True
            self._shown.console.print(warning, style="yellow", highlight=False, markup=False)
        # Beside the bar, and the space between.
        room = self._shown.console.width - BAR_WIDTH - 1
        self._shown.update(self._bar, total=tally.total, completed=tally.done, description=tally.line(room))


def duration(seconds: float) -> str:
    """Seconds as people say them: `45 s`, `12 min`, `2 h 10 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
