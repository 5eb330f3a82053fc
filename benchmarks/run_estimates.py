"""Hold what `worktrial estimate` foresees against what runs take, on three scripted workloads.

    python -m benchmarks.run_estimates

Each is estimated from a run of the same tasks without faults or further repeats: a tool loop under all faults that
waits for answers, the same that waits for its rate, and a simulated workplace with a judge, whose three models
differ in latency. A row without a limit is estimated from twenty samples of that run, drawn at random.
"""

import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from tests.support.occubench import TinyRelease
from tests.support.plan_model import PlanModel
from tests.support.scripted_server import Script, ScriptedServer

import worktrial as wt
from benchmarks.machine import load, machine
from benchmarks.rows import Row, exit_if_missed, print_table
from worktrial.engine.stored import open_run
from worktrial.results.run_estimate import estimate_runs
from worktrial.trials import prepare

REQUESTS, WALL = 0.10, 0.20
"""Largest errors, as shares of what the run took."""


@dataclass(frozen=True, slots=True)
class EstimatedWork:
    """A run, and the small one that it is estimated from."""

    name: str
    suite: str
    script: Script
    options: Mapping[str, Any]
    small: Mapping[str, Any]
    """What is different in the small run."""


def works(folder: Path) -> list[EstimatedWork]:
    release = TinyRelease().write(folder / "release")
    three = {"simulator": "simulator-1", "judge": "judge-1", "data": release, "concurrency": 16}
    slow = {"agent": 0.2, "simulator": 0.4, "judge": 0.1}
    return [
        EstimatedWork(
            "tool loop, all faults: waits for answers",
            "starter",
            Script(agent=PlanModel(), latency=0.25),
            {"faults": "all", "concurrency": 8},
            {"faults": None},
        ),
        EstimatedWork(
            "tool loop: waits for its rate",
            "starter",
            Script(agent=PlanModel(), latency=0.05),
            {"concurrency": 16, "rpm": 1200, "repeats": 2},
            {"rpm": None, "repeats": 1},
        ),
        EstimatedWork(
            "simulator and judge",
            "occupations",
            Script(tool_calls=4, latency=slow),
            {**three, "repeats": 30},
            {"repeats": 4},
        ),
    ]


def rows(work: EstimatedWork, folder: Path) -> list[Row]:
    with ScriptedServer(work.script, keep_requests=False) as server:
        options = {"base_url": server.url, **work.options}
        wt.run(work.suite, "agent-1", out=folder / "small", **{**options, **work.small})
        plan = prepare(work.suite, "agent-1", {**options, "output": folder / "whole"})
        small = open_run(folder / "small")
        found = estimate_runs([plan], [small])
        fewer = estimate_runs([plan], [replace(small, records=Random(1).sample(small.records, 20))])
        began = time.perf_counter()
        run = wt.run(work.suite, "agent-1", out=folder / "whole", **options)
        took = time.perf_counter() - began
    requests = sum(record.requests for record in run.run.records)
    print(f"{work.name}: {found.seconds:.0f} s", file=sys.stderr, flush=True)
    return [
        _row(f"{work.name}: requests", found.requests.likely, requests, "", REQUESTS),
        _row(f"{work.name}: wall", found.seconds, took, " s", WALL),
        _row(f"{work.name}: requests, from 20 samples", fewer.requests.likely, requests),
        _row(f"{work.name}: wall, from 20 samples", fewer.seconds, took, " s"),
    ]


def _row(name: str, foreseen: float, took: float, unit: str = "", most: float | None = None) -> Row:
    error = foreseen / took - 1
    said = f"{foreseen:,.4g}{unit} foreseen, {took:,.4g}{unit} taken"
    limit = "" if most is None else f"within {most:.0%}"
    return Row(name, said, f"{error:+.1%}", limit, None if most is None else abs(error) <= most)


def main() -> None:
    before = load()
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as place:
        for number, work in enumerate(works(Path(place))):
            found += rows(work, Path(place) / str(number))
    print_table(f"{machine()}; load {before:.1f} before", found)
    exit_if_missed(found)


if __name__ == "__main__":
    main()
