"""How much a simulator is sent with each kind of memory. A process of its own.

`python -m benchmarks.memories ORDER` prints, as a JSON list, the characters of all messages that the simulator
of each of the order's works was sent.
"""

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
from tests.support.happy import asks_for_patch, ledger_reply
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Body, completion, json_text

from benchmarks.measured import measure
from benchmarks.workload import Workload

_FACT = "as agreed on the phone, not in any record so far"


@dataclass(frozen=True, slots=True)
class Order:
    """What to run."""

    product: list[str]
    """The `worktrial` command."""
    works: list[Workload]
    observation: int
    """Characters of an observation."""


def characters(order: Order) -> list[int]:
    """What the simulator was sent, for each of the order's works."""
    return [_sent(order.product, work, order.observation) for work in order.works]


def _sent(product: list[str], work: Workload, observation: int) -> int:
    script = Script(tool_calls=work.calls, simulator=simulator(observation))
    with ScriptedServer(script, keep_requests=False) as server, tempfile.TemporaryDirectory() as folder:
        measure([*product, *work.options(server.url, Path(folder) / "run")])
        sent: int = server.stats()["characters_by_role"]["simulator"]
        return sent


def simulator(length: int) -> Callable[[ScriptedRequest], Body]:
    """A simulator with observations of `length` characters, in whose workplaces every call changes something.

    So a ledger never gets to answer a repeated read by itself. Every fourth call also makes up a fact, which
    the ledger has to keep and to show.
    """
    observation = {"status": "success", "data": ""}
    observation["data"] = "x" * (length - len(json_text(observation)))

    def answer(request: ScriptedRequest) -> Body:
        if not asks_for_patch(request):
            return completion(json_text(observation))
        n = request.number_in_role
        patch = [{"op": "add", "path": "/last_change", "value": f"change {n}"}]
        facts = {f"entry {n} detail": _FACT} if n % 4 == 0 else {}
        return ledger_reply(request, observation, patch, facts)

    return answer


if __name__ == "__main__":
    print(msgspec.json.encode(characters(msgspec.json.decode(sys.argv[1], type=Order))).decode())
