"""What a turn-by-turn run asks, for the bare loop. A process of its own: `python -m benchmarks.team_calls ORDER`.

It holds all bodies in memory, which the measuring process must not; see `benchmarks.measured.measure`.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec

from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.run.ground import load_tasks
from worktrial.suites.orchestration.run.prompts import requests_of


@dataclass(frozen=True, slots=True)
class Order:
    """What to write."""

    data: str
    """Folder of the OrchestrationBench release."""
    language: str
    into: str
    """A file."""


def write(order: Order) -> int:
    """Write the bodies of all requests as JSON, in the form of `benchmarks.calls`; returns how many there are.

    Each is a task of its own, because no request waits for another.
    """
    language = Language(order.language)
    release, tasks = load_tasks(Path(order.data), [language])
    calls = []
    for task in tasks:
        for request in requests_of(task.scenario, release.teams[language]).requests:
            body = {"model": "agent-1", "messages": list(request.messages)}
            if request.tools:
                body["tools"] = list(request.tools)
            calls.append([[msgspec.json.encode(body).decode()]])
    Path(order.into).write_bytes(msgspec.json.encode(calls))
    return len(calls)


if __name__ == "__main__":
    print(write(msgspec.json.decode(sys.argv[1], type=Order)))
