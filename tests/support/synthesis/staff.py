"""The agent, the simulator and the judge of a scripted job. Each sees only its own request."""

import itertools
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.support.request import ScriptedRequest, text_of
from tests.support.script import Behaviour
from tests.support.synthesis.author import TWIN_TITLE
from tests.support.synthesis.desks import Call, Desk, desk_of
from tests.support.synthesis.fates import JOBS
from tests.support.wire import Body, completion, json_text, tool_call

UNREADABLE = "unreadable"
"""The simulator answers no JSON to a call with this id, however often it is asked."""
_PLAN = "A plan that leads there:\n"
RUN = re.compile(r"call_([A-Z]{2}[123])_(plan|free)_(\d+)_")
"""In the ids of a run's calls: its desk, its kind, its number."""
_POINT = re.compile(r"([A-Z]{2}\d-\d{3}) ends with the status `([^`]+)`")
_PATIENCE = 3
"""Tries of a call that is answered with an error."""


@dataclass(frozen=True)
class Agent(Behaviour):
    """Works at its desk. Which of its runs succeed follows from their number: the first that comes is 0, and so on.

    The number goes along in the ids of its calls, so that a later request of the same run has it, too.
    """

    job: str = "plain"

    def answer(self, request: ScriptedRequest) -> Body:
        task = text_of(next(m for m in request.messages if m["role"] == "user"))
        desk = desk_of(task)
        kind = "plan" if _PLAN in task else "free"
        started = RUN.search(str(next((m for m in request.messages if m.get("tool_calls")), "")))
        number = int(started[3]) if started else next_number(request.memory, desk.code, kind)
        fate = JOBS[self.job].of(desk.slot)
        pattern = fate.plan if kind == "plan" else fate.free
        calls = _calls(desk, task, kind, pattern[number % len(pattern)], number)
        done, tries = _progress(request)
        if done >= len(calls) or tries >= _PATIENCE:
            return completion(f"At desk {desk.code} everything has been settled.")
        name, arguments = calls[done]
        call = tool_call(name, arguments, f"call_{desk.code}_{kind}_{number}_{done}_{tries}")
        return completion(None, tool_calls=[call], finish_reason="tool_calls")


def next_number(memory: dict[object, Any], desk: str, kind: str) -> int:
    """The number of a run that begins: the least that no run has."""
    taken: set[int] = memory.setdefault(("runs", desk, kind), set())
    number = next(n for n in itertools.count() if n not in taken)
    taken.add(number)
    return number


def only_these_began(memory: dict[object, Any], began: Iterable[tuple[str, str, int]]) -> None:
    """Take back the numbers of all other runs: their first answer was lost, so they will begin once more."""
    for key, taken in memory.items():
        if isinstance(key, tuple) and key[0] == "runs":
            taken &= {number for desk, kind, number in began if key[1:] == (desk, kind)}


def _calls(desk: Desk, task: str, kind: str, fate: str, number: int) -> list[Call]:
    if fate == "x":
        return [(f"get_{desk.noun}", {"id": UNREADABLE})]
    if kind == "plan":
        steps = json.loads(task.partition(_PLAN)[2])
        return [(step["tool"], step.get("arguments", {})) for step in steps]
    calls = [*desk.solution]
    if fate == "0":
        # Every other failure stops early, the rest take the wrong decision.
        name, arguments = calls.pop()
        if number % 2:
            calls.append((name, {**arguments, "status": desk.other(arguments["status"])}))
    return calls


def _progress(request: ScriptedRequest) -> tuple[int, int]:
    """Calls that were answered, and how often the next has met an error."""
    done = tries = 0
    for message in request.messages:
        if message["role"] == "tool":
            failed = '"error"' in text_of(message)
            done, tries = (done, tries + 1) if failed else (done + 1, 0)
    return done, tries


@dataclass(frozen=True)
class Simulator(Behaviour):
    """Keeps the books of the desk that its prompt names."""

    def answer(self, request: ScriptedRequest) -> Body:
        desk = desk_of(text_of(request.messages[0]))
        calls = [call for m in request.messages if m["role"] == "user" for call in _call_in(text_of(m))]
        if calls[-1][1].get("id") == UNREADABLE:
            return completion("The screen shows nothing that could be read.")
        said, _ = desk.answer(calls)
        return completion(json_text(said))


def _call_in(text: str) -> list[Call]:
    try:
        call = json.loads(text)
    except ValueError:
        return []
    return [(call["name"], call["arguments"])]


@dataclass(frozen=True)
class Judge(Behaviour):
    """Applies the rubric to what was done; also tells whether two sub-topics are the same work."""

    def answer(self, request: ScriptedRequest) -> Body:
        text = "\n".join(text_of(m) for m in request.messages)
        if "BEGIN RECORD" not in text:
            same = TWIN_TITLE in text and "Vessel manifest reconciliation" in text
            return completion(json_text({"why": "Both count containers." if same else "Other work.", "same": same}))
        wrong = _wrong(text)
        said = f"Not as it should be: {', '.join(wrong)}." if wrong else "Every point is met."
        return completion(json_text({"feedback": said, "is_correct": not wrong}))


def _wrong(text: str) -> list[str]:
    """Records that did not end as the rubric says."""
    desk = desk_of(text.partition("## The task")[2])
    record, rubric = (
        text.partition("BEGIN RECORD")[2].partition("END OF RECORD")[0],
        text.partition("## The rubric")[2],
    )
    _, state = desk.answer([(e["tool"], e["arguments"]) for e in _entries(record) if _worked(e)])
    records = state[f"{desk.noun}s"]
    demanded = dict(_POINT.findall(rubric))
    before = {key: r["status"] for key, r in desk.state[f"{desk.noun}s"].items()}
    return [key for key, r in records.items() if r["status"] != demanded.get(key, before[key])]


def _entries(record: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in record.splitlines() if line.startswith("{")]


def _worked(entry: dict[str, Any]) -> bool:
    observation = entry.get("observation")
    return "tool" in entry and not (isinstance(observation, dict) and "error" in observation)
