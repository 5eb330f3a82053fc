"""Showing how a synthesis is going: a live table on a terminal, plain lines elsewhere."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from worktrial.engine.notices import say
from worktrial.engine.progress import duration
from worktrial.synthesis.artifacts import SlotRun

PLAIN_SECONDS = 10.0
# In the order of the way; a task is at one of them.
STAGES = ("task", "checks", "solver", "ruling", "runs", "fresh", "repair")
_TITLES = {
    "task": "being written",
    "checks": "checked",
    "solver": "worked a second time",
    "ruling": "ruled on",
    "runs": "calibration runs",
    "fresh": "fresh runs",
    "repair": "made harder or easier",
}
_KINDS = (("plan", "with the plan"), ("solver", "by the solver"), ("free", "without"), ("fresh", "fresh"))

Spent = Callable[[], tuple[float, int, bool]]
"""Dollars and tokens of all sessions so far, and whether some answers have no known price."""


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """A task, or the suite, got further."""

    subject: str
    """A task's id, or `suite`."""
    stage: str
    """`tasks` (`what` says how many are wanted), one of `STAGES`, or `done`."""
    what: str = ""


class SynthesisProgress:
    """State of a synthesis while it goes on.

    Args:
        tasks: How many are wanted.
        spent: Reads the spend.
    """

    def __init__(self, tasks: int, spent: Spent) -> None:
        self.tasks = tasks
        self._spent = spent
        self._started = time.monotonic()
        self._at: dict[str, str] = {}
        self._verdicts: Counter[str] = Counter()
        self.runs: Counter[tuple[str, str]] = Counter()
        self.repairs = 0

    def moved(self, moved: ProgressEvent) -> None:
        """Note that a task, or the suite, got further."""
        if moved.stage == "tasks":
            self.tasks = int(moved.what)
            return
        self._at[moved.subject] = moved.stage
        if moved.stage == "done":
            self._verdicts[moved.what] += 1
        self.repairs += moved.stage == "repair"

    def ran(self, row: SlotRun) -> None:
        """Count a calibration run."""
        self.runs[row.kind, row.outcome] += 1

    @property
    def done(self) -> int:
        """Tasks that have come to their end."""
        return sum(self._verdicts.values())

    @property
    def kept(self) -> int:
        """Tasks that are kept."""
        return self._verdicts["kept"]

    def line(self) -> str:
        """Everything in one line."""
        at = Counter(self._at.values())
        parts = [f"{self.kept}/{self.tasks} tasks kept", f"{self.done - self.kept} dropped"]
        parts += [f"{at[stage]} {_TITLES[stage]}" for stage in STAGES if at[stage]]
        parts += [f"{self.runs.total()} runs", f"{self.repairs} made harder or easier", self._spend()]
        return " · ".join(parts)

    def table(self) -> Any:
        """The live table."""
        from rich.table import Table

        at = Counter(self._at.values())
        table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
        for stage in STAGES:
            table.add_row(f"tasks: {_TITLES[stage]}", str(at[stage]))
        rejected = ", ".join(f"{n} {verdict}" for verdict, n in self._verdicts.items() if verdict != "kept")
        table.add_row("tasks kept", f"{self.kept}/{self.tasks}" + (f"; dropped: {rejected}" * bool(rejected)))
        table.add_row("runs", self._runs())
        table.add_row("made harder or easier", str(self.repairs))
        table.add_row("spent", self._spend())
        return table

    def _runs(self) -> str:
        said = []
        for kind, name in _KINDS:
            ran = {outcome: self.runs[kind, outcome] for outcome in ("pass", "fail", "invalid")}
            if not any(ran.values()):
                continue
            said.append(f"{sum(ran.values())} {name} ({ran['pass']} passed, {ran['invalid']} invalid)")
        return ", ".join(said) or "0"

    def _spend(self) -> str:
        cost, tokens, unpriced = self._spent()
        elapsed = duration(time.monotonic() - self._started)
        return f"${cost:.4f}{'+' if unpriced else ''} · {tokens:,} tokens · {elapsed}"


@contextmanager
def display(board: SynthesisProgress) -> Iterator[Callable[[], None]]:
    """Show `board` on standard error; what is yielded is called after every change."""
    try:
        if sys.stderr.isatty():
            with _live(board):
                yield lambda: None
        else:
            yield _PlainLines(board).changed
    finally:
        # However it ends: this is what is done.
        say(board.line(), err=True)


def _live(board: SynthesisProgress) -> AbstractContextManager[Any]:
    from rich.live import Live

    from worktrial.terminal import SafeConsole

    console = SafeConsole(stderr=True)
    return Live(get_renderable=board.table, console=console, refresh_per_second=4, transient=True)


class _PlainLines:
    def __init__(self, board: SynthesisProgress) -> None:
        self._board = board
        self._last = time.monotonic()

    def changed(self) -> None:
        now = time.monotonic()
        if now - self._last >= PLAIN_SECONDS:
            self._last = now
            say(self._board.line(), err=True)
