"""One round of timed runs: the product and the bare loop, with and without latency, and starts that do no work."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.scripted_process import ScriptedProcess

from benchmarks.measured import CommandFailed, Measured, measure
from benchmarks.workload import Workload


@dataclass(frozen=True, slots=True)
class Served:
    """A measured process, and what the server saw of it."""

    process: Measured
    requests: int
    connections: int
    """Most of them open at the same time."""
    first: float
    """Arrival of the first chat request, in seconds of `time.monotonic`."""
    last: float
    """When the last answer went out."""

    @property
    def start_up(self) -> float:
        """Seconds from the start of the process to its first chat request."""
        return self.first - self.process.began

    @property
    def working(self) -> float:
        """Seconds from the first chat request to the last answer."""
        return self.last - self.first

    @property
    def loop_cpu(self) -> float:
        """Seconds of CPU that a bare loop reports of itself."""
        cpu: float = json.loads(self.process.out)["cpu"]
        return cpu


@dataclass(frozen=True, slots=True)
class Repetition:
    """Everything that is measured once a repetition."""

    instant: Served
    """The product, at a server without latency."""
    idle: Measured
    """The same command again, when every sample is stored: start, summary, end."""
    instant_bare: Served
    delayed: Served
    """The product, at a server with latency."""
    delayed_bare: Served
    help: Measured


@dataclass(frozen=True, slots=True)
class Bench:
    """What every repetition uses."""

    product: Sequence[str]
    """The `worktrial` command."""
    work: Workload
    calls: Path
    """What `benchmarks.calls` recorded of this work."""
    instant: ScriptedProcess
    delayed: ScriptedProcess

    def repeat(self, folder: Path) -> Repetition:
        """Measure everything once; the runs are stored in `folder`."""
        return Repetition(
            instant=self._run(self.instant, folder / "instant"),
            idle=measure(self._command(self.instant, folder / "instant")),
            instant_bare=self._run_bare(self.instant),
            delayed=self._run(self.delayed, folder / "delayed"),
            delayed_bare=self._run_bare(self.delayed),
            help=measure([*self.product, "--help"]),
        )

    def _run(self, server: ScriptedProcess, run: Path) -> Served:
        return served(self._command(server, run), server)

    def _command(self, server: ScriptedProcess, run: Path) -> list[str]:
        return [*self.product, *self.work.options(server.url, run)]

    def _run_bare(self, server: ScriptedProcess) -> Served:
        words = [server.url, str(self.calls), str(self.work.concurrency)]
        return served([sys.executable, "-m", "benchmarks.bare", *words], server)


def served(command: Sequence[str], server: ScriptedProcess) -> Served:
    """Run `command`, which asks `server`, and measure both.

    Raises:
        CommandFailed: it did not end well, or asked nothing.
    """
    server.reset_stats()
    process = measure(command)
    seen = server.stats()
    if not seen["requests"]:
        raise CommandFailed(f"{' '.join(command)}\nmade no request")
    return Served(process, seen["requests"], seen["connections_peak"], seen["first_arrival"], seen["last_reply"])
