"""Runs against endpoints that misbehave. Each trouble strikes a share of the requests, drawn by chance."""

import gzip
import json
import random
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from tests.engine.rig import TinyTrial, role_settings, run_tiny
from tests.support import behaviours
from tests.support.behaviours import CutsBody, DropsConnection, Html, NeverAnswers, Says, Status, Trickles
from tests.support.request import ScriptedRequest
from tests.support.script import Answer, Script, Step
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Reply, completion, tool_call

from benchmarks.reliability.rows import Row, Strike, counted, total
from worktrial.errors import StopRun
from worktrial.grading import Outcome

WIRES = (None, "anthropic", "gemini", "responses")
CONCURRENCY = 4
_MOST_ROUNDS = 20
_LARGE = json.dumps(completion("x" * 50_000_000)).encode()
_CALL = tool_call("nobody_has_this", {}, "twice")


def _constant(reply: Reply) -> Step:
    return lambda request: reply


TROUBLES: Mapping[str, tuple[float, Step]] = {
    "429 without Retry-After": (0.5, Status(429)),
    "429 with Retry-After": (0.5, Status(429, retry_after=0)),
    "429 until a time by a clock that is an hour ahead": (0.3, Status(429, retry_after_date=0, clock_ahead=3600)),
    "500": (0.05, Status(500)),
    "connection dropped": (0.2, DropsConnection()),
    "connection reset": (0.2, DropsConnection(reset=True)),
    "body cut": (0.2, CutsBody()),
    "no answer": (0.02, NeverAnswers()),
    "a byte at a time, without end": (0.02, Trickles()),
    "truncated JSON": (0.2, behaviours.broken_json),
    "wrong content type": (0.2, Html()),
    "no choices": (0.2, behaviours.empty_choices),
    "not UTF-8": (0.2, behaviours.not_utf8),
    "half a surrogate pair": (0.2, Says("\ud800")),
    "the same call id twice, of an unknown tool": (
        0.2,
        lambda request: completion(None, tool_calls=[_CALL, _CALL]),
    ),
    "50 MB": (0.02, _constant(Reply(_LARGE))),
    "50 MB, packed": (0.05, _constant(Reply(gzip.compress(_LARGE), headers={"Content-Encoding": "gzip"}))),
}
"""Name to share of requests, and what they are answered with."""


def strikes(samples: int) -> Iterator[tuple[str, Strike]]:
    """Every trouble, on all wires in turn."""
    for name, (share, step) in TROUBLES.items():
        yield (
            name,
            partial(_on_all_wires, share, step, samples),
        )


def _on_all_wires(share: float, step: Step, samples: int, chance: random.Random) -> Row:
    return total(troubled(wire, share, step, samples, chance) for wire in WIRES)


def troubled(
    wire: str | None, share: float, step: Step, samples: int, chance: random.Random, *, timeout: float = 2.0
) -> Row:
    """A run of which a share of the requests is answered by `step`, begun again until every sample is settled."""
    script = Script(agent=_sometimes(share, step, chance), tool_calls=0)
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(script, keep_requests=False) as server:
        role = role_settings(server.url, wire=wire, timeout=timeout)
        place = Path(folder) / "run"
        for _ in range(_MOST_ROUNDS):
            # A first answer that is none at all stops the run, and the same command goes on.
            try:
                end = run_tiny(place, server.url, TinyTrial(samples), role=role, concurrency=CONCURRENCY)
            except StopRun:
                continue
            if all(record.outcome is not Outcome.INVALID for record in end.records.values()):
                break
        return counted(place, samples)


def _sometimes(share: float, step: Step, chance: random.Random) -> Step:
    def answer(request: ScriptedRequest) -> Answer:
        return step(request) if chance.random() < share else None

    return answer
