"""Runs against endpoints that misbehave, and killed runs: what is lost, counted twice, blamed or paid twice.

`python -m benchmarks.reliability [--samples 100] [--kills 20] [--seed N]` prints a table and exits with 1 unless
its zeros are zeros. Each trouble strikes a share of the requests, drawn with the seed; samples that it makes
invalid are run again by the same command until they are done. A kill is SIGKILL at a drawn moment, half of them
after the first request of a session, the others at its start; then the run is resumed.
"""

import argparse
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.engine.rig import TinyTrial, role_settings, run_tiny
from tests.support import behaviours
from tests.support.behaviours import CutsBody, DropsConnection, Html, NeverAnswers, Says, Status
from tests.support.request import ScriptedRequest
from tests.support.script import Script, Step
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Reply, completion, tool_call

from benchmarks.arguments import positive
from benchmarks.machine import load, machine
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
    "500": (0.05, Status(500)),
    "connection dropped": (0.2, DropsConnection()),
    "connection reset": (0.2, DropsConnection(reset=True)),
    "body cut": (0.2, CutsBody()),
    "no answer": (0.02, NeverAnswers()),
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


@dataclass(frozen=True)
class Row:
    """What came of the runs of one kind."""

    name: str
    runs: int
    lost: int
    twice: int
    blamed: int
    """Samples scored `fail`, which no agent here deserves."""
    repeated: int | None = None
    """Paid calls repeated beyond those in flight at a kill; None where the endpoint's answers were no answers."""

    @property
    def is_good(self) -> bool:
        """Whether all of it is zero."""
        return not (self.lost or self.twice or self.blamed or self.repeated)


def main() -> int:
    """Run the campaign, print its table; 0 where all zeros are zeros."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability", description=__doc__)
    parser.add_argument("--samples", type=positive, default=100, metavar="N", help="of each run")
    parser.add_argument("--kills", type=positive, default=20, metavar="N")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    options = parser.parse_args()
    print(f"{machine()}; load {load():.1f} before; seed {options.seed}\n")
    print("| trouble | runs | lost | counted twice | failed without fault | paid calls repeated |")
    print("|---|---|---|---|---|---|")
    good = True
    for row in _rows(options.samples, options.kills, options.seed):
        repeated = "-" if row.repeated is None else row.repeated
        print(f"| {row.name} | {row.runs} | {row.lost} | {row.twice} | {row.blamed} | {repeated} |", flush=True)
        good = good and row.is_good
    return 0 if good else 1


def _rows(samples: int, kills: int, seed: int) -> Iterator[Row]:
    for name, (share, step) in TROUBLES.items():
        yield _total(
            name, [_troubled(wire, share, step, samples, random.Random(f"{seed} {name} {wire}")) for wire in WIRES]
        )
    yield _killed(kills, random.Random(seed))


def _total(name: str, rows: list[Row]) -> Row:
    return Row(name, len(rows), sum(r.lost for r in rows), sum(r.twice for r in rows), sum(r.blamed for r in rows))


def _sometimes(share: float, step: Step, chance: random.Random) -> Step:
    def answer(request: ScriptedRequest) -> object:
        return step(request) if chance.random() < share else None

    return answer


def _troubled(wire: str | None, share: float, step: Step, samples: int, chance: random.Random) -> Row:
    script = Script(agent=_sometimes(share, step, chance), tool_calls=0)
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(script, keep_requests=False) as server:
        role = role_settings(server.url, wire=wire, timeout=2.0)
        place = Path(folder) / "run"
        for _ in range(_MOST_ROUNDS):
            # A first answer that is none at all stops the run, and the same command goes on.
            try:
                end = run_tiny(place, server.url, TinyTrial(samples), role=role, concurrency=CONCURRENCY)
            except StopRun:
                continue
            if all(record.outcome is not Outcome.INVALID for record in end.records.values()):
                break
        return _counted("", place, samples)


def _counted(name: str, place: Path, samples: int, repeated: int | None = None) -> Row:
    """What is on record, as the files say: the last record of a sample counts."""
    lines = [json.loads(line) for line in (place / "samples.jsonl").read_bytes().splitlines()]
    settled = [line for line in lines if line["outcome"] != "invalid"]
    times = Counter(line["sample"] for line in settled)
    return Row(
        name,
        1,
        lost=samples - len(times),
        twice=sum(count - 1 for count in times.values()),
        blamed=sum(line["outcome"] == "fail" for line in settled),
        repeated=repeated,
    )


def _killed(kills: int, chance: random.Random) -> Row:
    samples = 10 * kills
    with tempfile.TemporaryDirectory() as folder, ScriptedServer(Script(latency=0.05)) as server:
        words = [sys.executable, "-m", "tests.engine.child_run", server.url, folder, str(samples)]
        at_work = 0
        for number in range(kills):
            asked = server.count()
            with subprocess.Popen(words, stderr=subprocess.DEVNULL) as child:
                while number % 2 and server.count() == asked and child.poll() is None:
                    time.sleep(0.005)
                time.sleep(chance.uniform(0, 0.4))
                os.kill(child.pid, signal.SIGKILL)
            at_work += server.count() > asked
        run_tiny(Path(folder), server.url, TinyTrial(samples))
        repeated = max(0, server.count() - samples - at_work * CONCURRENCY)
        name = f"SIGKILL, {kills} times, {at_work} of them at work"
        return _counted(name, Path(folder), samples, repeated)


if __name__ == "__main__":
    sys.exit(main())
