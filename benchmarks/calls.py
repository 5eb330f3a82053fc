"""What the product sends, recorded for the bare loop. A process of its own: `python -m benchmarks.calls ORDER`.

It holds all bodies in memory, which the measuring process must not; see `benchmarks.measured.measure`.
"""

import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec
from tests.support.request import Role, ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import json_text

from benchmarks.measured import measure
from benchmarks.workload import Workload

Steps = list[list[str]]
"""The steps of a task, one after the other; the bodies of one step are sent together."""


@dataclass(frozen=True, slots=True)
class Order:
    """What to record."""

    product: list[str]
    """The `worktrial` command."""
    work: Workload
    into: str
    """A file."""


def record(order: Order) -> None:
    """Run the work and write its bodies as JSON: tasks, their steps, the bodies of each step.

    The work must have one task in flight, so that the requests of a task follow each other.
    """
    script = Script(tool_calls=order.work.calls)
    with ScriptedServer(script) as server, tempfile.TemporaryDirectory() as folder:
        measure([*order.product, *order.work.options(server.url, Path(folder) / "run")])
        Path(order.into).write_bytes(msgspec.json.encode(steps_of(server.requests)))


def steps_of(requests: Iterable[ScriptedRequest]) -> list[Steps]:
    """Requests in order of arrival as tasks; votes on the same work make one step."""
    tasks: list[Steps] = []
    last = None
    for request in requests:
        body = json_text(request.body)
        if request.role is Role.AGENT and request.turn == 0:
            tasks.append([])
        if request.role is last is Role.JUDGE:
            tasks[-1][-1].append(body)
        else:
            tasks[-1].append([body])
        last = request.role
    return tasks


if __name__ == "__main__":
    record(msgspec.json.decode(sys.argv[1], type=Order))
