"""Measure the orchestration suite: scoring a stored run, and generating one beside a bare aiohttp loop.

The product runs through its real command line in a child process, the scripted server, which knows the gold
answers, in another. Exits with 1 when a limit is missed.
"""

import argparse
import math
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from tests.support.data import missing_real_data, real_data_dir
from tests.support.scripted_process import ScriptedProcess

from benchmarks import child
from benchmarks.arguments import positive
from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed, Measured, measure
from benchmarks.repetition import Served, served
from benchmarks.rows import Row, at_most, exit_if_missed, plain, print_table
from benchmarks.stored_scores import Took

LANGUAGE = "EN"
REQUESTS = 1236
SCORING_S = 2.0
"""CPU for scoring a stored run in both modes."""
WALL = 1.3
"""Times the ideal."""
PEAK_MB = 200
STORED = "orchestration_run_schema_EN.tar.gz"


@dataclass(frozen=True, slots=True)
class Repetition:
    """Everything that is measured once a repetition."""

    took: Took
    score: Measured
    """The whole command `worktrial score orchestration`."""
    run: Served
    bare: Served


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    given = _parser().parse_args(words)
    problem = missing_real_data()
    if problem is not None:
        sys.exit(f"benchmarks: {problem}")
    load_before = load()
    try:
        rows = _measured(given)
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    print_table(
        f"{machine()}; load {load_before:.1f} before; least (median) of {given.repetitions} repetitions", rows
    )
    exit_if_missed(rows)


def _measured(given: argparse.Namespace) -> list[Row]:
    data, stored = real_data_dir() / "orchestrationbench", real_data_dir() / "oracles" / STORED
    product = str(Path(sysconfig.get_path("scripts")) / "worktrial")
    whose = ["--data", str(data), "--language", LANGUAGE.lower()]
    done: list[Repetition] = []
    with tempfile.TemporaryDirectory() as folder:
        calls = str(Path(folder) / "calls.json")
        asked = int(child.order("benchmarks.team_calls", {"data": str(data), "language": LANGUAGE, "into": calls}))
        team = f"agent:GoldTeam({str(data)!r})"
        with ScriptedProcess(latency_ms=given.latency_ms, script=[team]) as server:
            generate = [product, "run", "orchestration", *whose, "--agent", "agent-1", "--base-url", server.url]
            generate += ["--concurrency", str(given.concurrency)]
            bare = [sys.executable, "-m", "benchmarks.bare", server.url, calls, str(given.concurrency)]
            for n in range(given.repetitions):
                print(f"repetition {n + 1} of {given.repetitions}", file=sys.stderr, flush=True)
                order = {"data": str(data), "run": str(stored), "language": LANGUAGE}
                done.append(
                    Repetition(
                        took=msgspec.json.decode(child.order("benchmarks.stored_scores", order), type=Took),
                        score=measure([product, "score", "orchestration", str(stored), *whose]),
                        run=served([*generate, "-o", str(Path(folder) / str(n))], server),
                        bare=served(bare, server),
                    )
                )
    return [*scoring_rows(done), *generation_rows(done, asked, given)]


def scoring_rows(done: Sequence[Repetition]) -> list[Row]:
    """The rows of scoring what lies on disk."""
    scenarios = done[0].took.scenarios
    return [
        at_most(
            f"scoring a stored run of {scenarios} scenarios in both modes, CPU",
            [r.took.both for r in done],
            SCORING_S,
            "s",
        ),
        plain("of this, published mode alone (networkx)", [r.took.published for r in done], "s"),
        plain("figures with intervals from the scores, CPU", [r.took.figures for r in done], "s"),
        plain("worktrial score orchestration, whole command, CPU", [r.score.cpu for r in done], "s"),
    ]


def generation_rows(done: Sequence[Repetition], asked: int, given: argparse.Namespace) -> list[Row]:
    """The rows of a run beside a bare loop; `asked` is how many requests the suite makes."""
    ideal = math.ceil(asked / given.concurrency) * given.latency_ms / 1000
    counts = sorted({r.run.requests for r in done} | {r.bare.requests for r in done})
    name = f"first request to last answer at {given.latency_ms:g} ms latency, over the ideal {ideal:g} s"
    peak = max(r.run.process.peak_bytes for r in done) / 1e6
    return [
        Row(
            "requests that the server counted",
            ", ".join(map(str, counts)),
            str(asked),
            f"= {REQUESTS}",
            counts == [asked] == [REQUESTS],
        ),
        at_most(
            name,
            [r.run.working / ideal for r in done],
            WALL,
            "times",
            bare=[r.bare.working / ideal for r in done],
        ),
        plain("start of the command to its first request", [r.run.start_up for r in done], "s"),
        plain("whole command, with both scores and floors", [r.run.process.seconds for r in done], "s"),
        plain("whole command, CPU", [r.run.process.cpu for r in done], "s", bare=[r.bare.loop_cpu for r in done]),
        Row("peak memory of the whole command", f"{peak:.0f} MB", "", f"<= {PEAK_MB} MB", peak <= PEAK_MB),
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.orchestration",
        description="Measure the orchestration suite: scoring a stored run, and generating one beside a bare "
        "aiohttp loop. Needs the published data. Exits with 1 when a limit is missed.",
    )
    parser.add_argument("--repetitions", type=positive, default=3, metavar="N", help="of everything that is timed")
    parser.add_argument("--concurrency", type=positive, default=128, metavar="N", help="requests in flight")
    parser.add_argument("--latency-ms", type=float, default=1000.0, metavar="MS", help="before every reply")
    return parser


if __name__ == "__main__":
    main()
