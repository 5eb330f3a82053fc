"""Showing how a synthesis is going: a live table on a terminal, plain lines elsewhere."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from worktrial.engine.notices import say
from worktrial.engine.progress import duration
from worktrial.synthesis.artifacts import SlotRun

PLAIN_SECONDS = 10.0
STAGES = {
    "task": "being written",
    "checks": "checked",
    "solver": "worked a second time",
    "ruling": "ruled on",
    "runs": "calibration runs",
    "fresh": "fresh runs",
    "repair": "made harder or easier",
}
"""Stages in the order of the way, and their titles; a task is at one of them, or `done`."""
_KINDS = {"plan": "with the plan", "solver": "by the solver", "free": "without", "fresh": "fresh"}


class SynthesisProgress:
    """State of a synthesis while it goes on.

    Args:
        tasks: How many are wanted.
        spent: Reads dollars and tokens of all sessions so far, and whether some answers have no known price.
        waiting: Reads the number of requests in flight by role.
    """

    def __init__(
        self,
        tasks: int,
        spent: Callable[[], tuple[float, int, bool]],
        waiting: Callable[[], Mapping[str, int]] = dict,
    ) -> None:
        self.tasks = tasks
        self._spent = spent
        self._waiting = waiting
        self._started = time.monotonic()
        self._at: dict[str, str] = {}
        self._verdicts: Counter[str] = Counter()
        self.runs: Counter[tuple[str, str]] = Counter()
        self.repairs = 0

    def moved(self, task: str, stage: str, what: str = "") -> None:
        """Note that a task got further; at the end `what` is its fate."""
        self._at[task] = stage
        if stage == "done":
            self._verdicts[what] += 1
        self.repairs += stage == "repair"

    def ran(self, row: SlotRun) -> None:
        """Count a calibration run."""
        self.runs[row.kind, row.outcome] += 1

    @property
    def done(self) -> int:
        """Tasks that have come to their end."""
        return self._verdicts.total()

    @property
    def kept(self) -> int:
        """Tasks that are kept."""
        return self._verdicts["kept"]

    def line(self) -> str:
        """Everything in one line."""
        at = Counter(self._at.values())
        parts = [f"{self.kept}/{self.tasks} tasks kept", f"{self.done - self.kept} dropped"]
        parts += [f"{at[stage]} {title}" for stage, title in STAGES.items() if at[stage]]
        parts += [f"{self.runs.total()} runs", f"{self.repairs} made harder or easier", self._spend()]
        if waiting := self._waited_for():
            parts.append(f"waits for {waiting}")
        return " · ".join(parts)

    def table(self) -> Any:
        """The live table."""
        from rich.table import Table

        at = Counter(self._at.values())
        table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
        for stage, title in STAGES.items():
            table.add_row(f"tasks: {title}", str(at[stage]))
        rejected = ", ".join(f"{n} {verdict}" for verdict, n in self._verdicts.items() if verdict != "kept")
        table.add_row("tasks kept", f"{self.kept}/{self.tasks}" + (f"; dropped: {rejected}" * bool(rejected)))
        said = []
        for kind, name in _KINDS.items():
            passed, failed, invalid = (self.runs[kind, outcome] for outcome in ("pass", "fail", "invalid"))
            if count := passed + failed + invalid:
                said.append(f"{count} {name} ({passed} passed, {invalid} invalid)")
        table.add_row("runs", ", ".join(said) or "0")
        table.add_row("made harder or easier", str(self.repairs))
        table.add_row("spent", self._spend())
        table.add_row("requests in flight", self._waited_for() or "0")
        return table

    def _waited_for(self) -> str:
        """Roles that have requests to answer: a session that stands still says for whom."""
        return ", ".join(f"{role} ({count})" for role, count in self._waiting().items() if count)

    def _spend(self) -> str:
        cost, tokens, unpriced = self._spent()
        elapsed = duration(time.monotonic() - self._started)
        return f"${cost:.4f}{'+' if unpriced else ''} · {tokens:,} tokens · {elapsed}"


@asynccontextmanager
async def display(board: SynthesisProgress) -> AsyncIterator[None]:
    """Show `board` on standard error while something goes on: it moves with the clock, however slow a model is."""
    try:
        if sys.stderr.isatty():
            from rich.live import Live

            from worktrial.terminal import SafeConsole

            console = SafeConsole(stderr=True)
            with Live(get_renderable=board.table, console=console, refresh_per_second=4, transient=True):
                yield
        else:
            ticker = asyncio.create_task(_lines(board))
            try:
                yield
            finally:
                ticker.cancel()
    finally:
        # However it ends: this is what is done.
        say(board.line(), err=True)


async def _lines(board: SynthesisProgress) -> None:
    while True:
        await asyncio.sleep(PLAIN_SECONDS)
        say(board.line(), err=True)
