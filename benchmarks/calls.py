"""What the product sends, recorded for the bare loop and counted for the memories. A process of its own.

It holds all bodies in memory, which the measuring process must not; see `benchmarks.measured.measure`.
"""

import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from tests.support.happy import asks_for_patch, ledger_reply
from tests.support.request import Role, ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Body, completion, json_text

from benchmarks.measured import measure
from benchmarks.workload import Workload


def record(product: list[str], work: Workload, into: Path) -> None:
    """Run `work`, one task after the other, and write its bodies, task by task and step by step."""
    with ScriptedServer(Script(tool_calls=work.calls)) as server, tempfile.TemporaryDirectory() as folder:
        measure([*product, *work.options(server.url, Path(folder) / "run")])
        into.write_bytes(msgspec.json.encode(steps_of(server.requests)))


def steps_of(requests: Iterable[ScriptedRequest]) -> list[list[list[str]]]:
    """Tasks, their steps, and the bodies of each step; votes follow each other and make one step."""
    tasks: list[list[list[str]]] = []
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


def characters(product: list[str], work: Workload, observation: int) -> int:
    """Characters of all messages that a simulator is sent for `work`."""
    script = Script(tool_calls=work.calls, simulator=simulator(observation))
    with ScriptedServer(script, keep_requests=False) as server, tempfile.TemporaryDirectory() as folder:
        measure([*product, *work.options(server.url, Path(folder) / "run")])
        sent: int = server.stats()["characters_by_role"]["simulator"]
        return sent


def simulator(characters_each: int) -> Callable[[ScriptedRequest], Body]:
    """A simulator with observations of this length, in whose workplaces every call changes something.

    So a state ledger can never answer a repeated read by itself. Every fourth call also makes up a fact, which
    the ledger has to keep and show.
    """

    def answer(request: ScriptedRequest) -> Body:
        observation = {"status": "success", "data": "x" * (characters_each - 30)}
        if not asks_for_patch(request):
            return completion(json_text(observation))
        n = request.number_in_role
        patch = [{"op": "add", "path": "/last_change", "value": f"change {n}"}]
        if n % 4 == 0:
            patch.append({"op": "add", "path": f"/_facts/entry-{n}.detail", "value": "as told on the phone " * 3})
        return ledger_reply(request, observation, patch)

    return answer


def main() -> None:
    """One order, as JSON on stdin; the answer, if any, as JSON on stdout."""
    order = json.load(sys.stdin)
    work = msgspec.convert(order["work"], Workload)
    match order["do"]:
        case "record":
            record(order["product"], work, Path(order["into"]))
        case "characters":
            print(characters(order["product"], work, order["observation"]))


if __name__ == "__main__":
    main()
