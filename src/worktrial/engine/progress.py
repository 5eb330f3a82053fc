"""Showing how a run is going: a live panel on a terminal, a line a minute elsewhere."""

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from worktrial.engine.finished import SampleFigures, figures_of
from worktrial.engine.notices import say
from worktrial.engine.record import SampleRecord
from worktrial.grading import Outcome
from worktrial.workplaces.watch import SimulatorHealth

if TYPE_CHECKING:
    from rich.console import Group

    from worktrial.engine.heartbeat import Heartbeat

PLAIN_SECONDS = 60.0
BAR_WIDTH = 16
_FAILURES = 3
_IN_FLIGHT = 3


class Tally:
    """Counts of a run so far."""

    def __init__(self, total: int, finished: Iterable[tuple[str, SampleFigures]] = ()) -> None:
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
        self.conditions: dict[str, list[int]] = {}
        """Passed and all finished samples of each condition."""
        self.last_failures: deque[SampleRecord] = deque(maxlen=_FAILURES)
        """Samples of this session that did not pass, the newest last."""
        self.now: Callable[[], Sequence[Heartbeat]] = tuple
        """Asks what each run is doing at this moment."""
        for condition, figures in finished:
            self._book(condition, figures)

    def add(self, record: SampleRecord) -> None:
        """Count a sample that finished just now."""
        self.now_done += 1
        self._book(record.condition, figures_of(record))
        if record.outcome is not Outcome.PASS:
            self.last_failures.append(record)

    def _book(self, condition: str, figures: SampleFigures) -> None:
        self.counts[figures.outcome] += 1
        of_condition = self.conditions.setdefault(condition, [0, 0])
        of_condition[0] += figures.outcome is Outcome.PASS
        of_condition[1] += 1
        self._health += figures.health
        self.tokens += figures.tokens
        if figures.cost is None:
            self.unpriced = True
        else:
            self.cost += figures.cost

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
    """The terminal's `Progress`, on standard error: a live panel on a terminal, else a line a minute."""
    shown = _Panel() if sys.stderr.isatty() else _PlainLines()
    try:
        yield shown.update
    finally:
        shown.stop()


class _PlainLines:
    """A line with the first sample, with the last, and each minute, whether anything finished or not."""

    def __init__(self) -> None:
        self._warned = False
        self._tally: Tally | None = None
        self._has_begun = False
        self._ended = threading.Event()
        self._clock = threading.Thread(target=self._each_minute, daemon=True)

    def update(self, tally: Tally) -> None:
        if self._tally is None:
            # Before anything is asked for: a machine without memory has no thread to give.
            self._tally = tally
            self._clock.start()
        if not self._warned and (warning := tally.warning):
            self._warned = True
            say(warning, err=True)
        if not (tally.now_done or tally.batches):
            return
        if not self._has_begun:
            self._has_begun = True
            self._print(tally)
        elif tally.done == tally.total:
            self._print(tally)

    def stop(self) -> None:
        self._ended.set()

    def _each_minute(self) -> None:
        while self._tally is not None and not self._ended.wait(PLAIN_SECONDS):
            self._print(self._tally)

    def _print(self, tally: Tally) -> None:
        say(tally.line(), err=True)


class _Panel:
    """A panel that appears with the first update, so that a run with nothing to do or a refused one shows none."""

    def __init__(self) -> None:
        from rich.live import Live

        from worktrial.terminal import SafeConsole

        # First: the display draws at once.
        self._tally: Tally | None = None
        self._console = SafeConsole(stderr=True)
        self._shown = Live(console=self._console, get_renderable=self._drawn, refresh_per_second=1, transient=True)
        self._warned = False

    def update(self, tally: Tally) -> None:
        if self._tally is None:
            self._tally = tally
            self._shown.start()
        if not self._warned and (warning := tally.warning):
            self._warned = True
            self._console.print(warning, style="yellow")
        if tally.done == tally.total:
            self._shown.refresh()

    def stop(self) -> None:
        self._shown.stop()

    def _drawn(self) -> "Group":
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        tally = self._tally
        if tally is None:
            return Group()
        bar = Table.grid(padding=(0, 1))
        room = self._console.width - BAR_WIDTH - 1
        bar.add_row(ProgressBar(tally.total, tally.done, width=BAR_WIDTH), Text(tally.line(room), no_wrap=True))
        lines = (Text(line, no_wrap=True, overflow="ellipsis") for line in panel_lines(tally))
        return Group(bar, *lines)


def panel_lines(tally: Tally) -> list[str]:
    """Facts below the bar: rates by condition, samples in flight, trouble with endpoints, the last failures."""
    parts = []
    if tally.done:
        rates = (f"{name} {passed} of {done} passed" for name, (passed, done) in sorted(tally.conditions.items()))
        parts.append(" · ".join(rates))
    beats = list(tally.now())
    longest = sorted((one for beat in beats for one in beat.samples), key=lambda one: -one.seconds)
    if longest:
        named = (f"{one.sample} {one.condition} {duration(one.seconds)}" for one in longest[:_IN_FLIGHT])
        parts.append(f"in flight: {sum(beat.in_flight for beat in beats)}, longest {', '.join(named)}")
    troubles = sorted((one for beat in beats for one in beat.troubles), key=lambda one: one.at)
    if troubles:
        parts.append(f"sent again: {sum(beat.retries for beat in beats)} requests, last for {troubles[-1].said}")
    parts += [
        f"{record.outcome.value}: {record.sample} {record.condition}: {record.reason}"
        for record in reversed(list(tally.last_failures))
    ]
    return parts


def duration(seconds: float) -> str:
    """Seconds as people say them: `45 s`, `12 min`, `2 h 10 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
