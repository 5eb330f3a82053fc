"""What the product promises, and the rows that hold a measurement against it."""

from collections.abc import Sequence

from benchmarks.repetition import Repetition
from benchmarks.rows import Row, at_most, plain
from benchmarks.workload import Workload

CPU_MS = 0.8
"""Per request."""
WALL = 1.25
"""Times the ideal."""
START_UP_S = 0.6
HELP_S = 0.3
PEAK_MB = 120
SPARE_CONNECTIONS = 8
LEDGER_SHARE = 0.40
"""Of what history memory sends to the simulator, at the last of `MEMORY_CALLS`."""
MEMORY_CALLS = (8, 16, 32)
GROWTH = 1.10
"""Characters a call, at the last of `MEMORY_CALLS` over the first: 1 is growth in proportion to the calls."""


def timed_rows(work: Workload, latency: float, done: Sequence[Repetition]) -> list[Row]:
    """The rows of everything that is measured in each repetition; latency in seconds."""
    ideal = work.ideal_seconds(latency)
    slow = f"at {latency * 1000:g} ms latency"
    # The least of all starts, so that a start that was slow by chance makes no request look cheap.
    idle = min(r.idle.cpu for r in done)
    return [
        _all_requests(work, done),
        at_most(
            "CPU per request, start-up taken off",
            [_ms(r.instant.process.cpu - idle, work) for r in done],
            CPU_MS,
            "ms",
            bare=[_ms(r.instant_bare.loop_cpu, work) for r in done],
        ),
        at_most(
            f"CPU per request, start-up taken off, {slow}",
            [_ms(r.delayed.process.cpu - idle, work) for r in done],
            CPU_MS,
            "ms",
            bare=[_ms(r.delayed_bare.loop_cpu, work) for r in done],
        ),
        plain("CPU per request, whole command", [_ms(r.instant.process.cpu, work) for r in done], "ms"),
        at_most("start of the command to its first request", [r.instant.start_up for r in done], START_UP_S, "s"),
        at_most(
            f"first request to last answer {slow}, over the ideal {ideal:g} s",
            [r.delayed.working / ideal for r in done],
            WALL,
            "times",
            bare=[r.delayed_bare.working / ideal for r in done],
        ),
        plain(f"whole command {slow}", [r.delayed.process.seconds for r in done], "s"),
        plain(
            "first request to last answer without latency",
            [r.instant.working for r in done],
            "s",
            bare=[r.instant_bare.working for r in done],
        ),
        at_most("worktrial --help", [r.help.seconds for r in done], HELP_S, "s"),
        _greatest(
            "peak memory", [r.process.peak_bytes / 1e6 for d in done for r in (d.instant, d.delayed)], "MB", PEAK_MB
        ),
        _greatest(
            "connections open at once",
            [r.connections for d in done for r in (d.instant, d.delayed)],
            "",
            work.concurrency + SPARE_CONNECTIONS,
        ),
    ]


def memory_rows(history: Sequence[float], ledger: Sequence[float]) -> list[Row]:
    """The rows of both memories: characters that the simulator is sent for a task, at each of `MEMORY_CALLS`."""
    most = MEMORY_CALLS[-1]
    share = ledger[-1] / history[-1]
    grown = {name: _growth(sent) for name, sent in (("history", history), ("ledger", ledger))}
    figures = [f"{ledger[i] / 1000:.0f} of {history[i] / 1000:.0f} thousand" for i in range(len(MEMORY_CALLS))]
    return [
        Row(
            f"ledger memory: characters to the simulator, {most} calls a task",
            f"{share:.1%} ({figures[-1]})",
            limit=f"<= {LEDGER_SHARE:.0%} of history's",
            passed=share <= LEDGER_SHARE,
        ),
        Row(
            f"ledger memory: characters a call, {most} calls over {MEMORY_CALLS[0]}",
            f"{grown['ledger']:.3f} (history {grown['history']:.3f})",
            limit=f"<= {GROWTH:g}",
            passed=grown["ledger"] <= GROWTH,
        ),
        Row(
            f"ledger of history, {' and '.join(map(str, MEMORY_CALLS[:-1]))} calls a task", "; ".join(figures[:-1])
        ),
    ]


def _growth(sent: Sequence[float]) -> float:
    return (sent[-1] / MEMORY_CALLS[-1]) / (sent[0] / MEMORY_CALLS[0])


def _all_requests(work: Workload, done: Sequence[Repetition]) -> Row:
    """Every run has to make exactly the planned requests, or the other rows compare different work."""
    counts = sorted({r.requests for d in done for r in (d.instant, d.delayed)})
    bare = sorted({r.requests for d in done for r in (d.instant_bare, d.delayed_bare)})
    return Row(
        "requests that the server counted",
        ", ".join(map(str, counts)),
        ", ".join(map(str, bare)),
        f"= {work.requests}",
        counts == bare == [work.requests],
    )


def _greatest(name: str, values: Sequence[float], unit: str, limit: float) -> Row:
    return Row(name, f"{max(values):.3g} {unit}".strip(), "", f"<= {limit:g} {unit}".strip(), max(values) <= limit)


def _ms(seconds: float, work: Workload) -> float:
    return seconds / work.requests * 1000
