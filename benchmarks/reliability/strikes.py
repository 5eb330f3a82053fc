"""Strikes from outside: agents, suites, clients and files that want more than their due. How many are held?"""

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.cli import command


@dataclass(frozen=True)
class Held:
    """Strikes of one kind, and how many of them came to nothing."""

    tried: int
    held: int

    def __add__(self, other: "Held") -> "Held":
        return Held(self.tried + other.tried, self.held + other.held)


def held(*came_to_nothing: bool) -> Held:
    """Strikes, of which each came to nothing or did not."""
    return Held(len(came_to_nothing), sum(came_to_nothing))


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


_SEEKERS = '''
import dataclasses

def reached(root):
    """All that attributes, items, slots and bound methods of an object lead to, as text."""
    seen, waiting, said = set(), [root], []
    while waiting and len(seen) < 20_000:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, (type, type(dataclasses))):
            continue
        seen.add(id(one))
        said.append(repr(one)[:20_000])
        waiting += getattr(one, "__dict__", {}).values()
        waiting += [getattr(one, n, None) for c in type(one).__mro__ for n in getattr(c, "__slots__", ())]
        waiting += [getattr(one, "__self__", None)]
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, (list, tuple)) else ()
    return " ".join(said)

def walks(assignment):
    return reached(assignment)

async def awaits(assignment):
    return reached(assignment)

def asks(assignment):
    return repr(getattr(assignment, "plan", None)) + repr(getattr(assignment, "reads", None))

def prints(assignment):
    return repr(assignment) + repr(vars(assignment))
'''


def look_for_solutions(chance: random.Random) -> Held:
    """Agents of one's own look for the plan of their task, in our process and in one of their own."""
    from worktrial.suites.starter import suite

    task = chance.choice([task for task in suite.load_tasks() if task.plan.steps])
    secrets = (task.plan.answer, "PlanFollower", "steps=(")
    came = []
    with _folder() as folder:
        (folder / "seekers.py").write_text(_SEEKERS)
        for number, (name, *more) in enumerate(
            (name, *more) for name in ("walks", "awaits", "asks", "prints") for more in ([], ["--isolate"])
        ):
            run = folder / str(number)
            agent = f"python:{folder}/seekers.py:{name}"
            done = command("run", "starter", "--agent", agent, "--tasks", task.id, "-o", run, *more)
            answers = [line["answer"] for line in _lines(run / "trajectories.jsonl")]
            came.append(done.code == 0 and len(answers) == 1)
            came[-1] &= not any(secret in answer for answer in answers for secret in secrets)
            came[-1] &= bool(answers[0])
    return held(*came)


def edit_outcomes(chance: random.Random) -> Held:
    """Outcomes of stored runs are turned round by hand; `show` says so, `gate` and `compare` refuse."""
    came = []
    with _folder() as folder:
        for suite, agent, more in (
            ("starter", "idle", ()),
            ("starter", "plan", ()),
            ("shifts", "idle", _SHORT_SHIFT),
        ):
            run = folder / f"{suite}-{agent}"
            command("run", suite, "--agent", agent, *(more or ("--tasks", "lab-01,lab-02")), "-o", run)
            clean = command("show", run)
            path = run / "samples.jsonl"
            lines = _lines(path)
            chosen = chance.choice(lines)
            chosen["outcome"] = {"pass": "fail", "fail": "pass"}[chosen["outcome"]]
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            shown = command("show", run)
            gated = command("gate", run, "--min-completion", "0")
            compared = command("compare", run, run)
            words = "the outcome is"
            came.append(clean.code == 0 and words not in clean.said)
            came.append(words in shown.err and shown.code == 0)
            came += [done.code == 2 and words in done.err for done in (gated, compared)]
    return held(*came)


_SHORT_SHIFT = ("--desk", "service_desk", "--limit", "1")

STRIKES: dict[str, Callable[[random.Random], Held]] = {
    "an agent of one's own looks for its task's solution": look_for_solutions,
    "an outcome is turned round by hand": edit_outcomes,
}
"""Name to strikes of a kind."""
