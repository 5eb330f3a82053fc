"""A simulator that knows the truth: the starter suite's own code, behind the wire."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jsonpatch
from tests.support.happy import asks_for_patch
from tests.support.request import ScriptedRequest
from tests.support.script import Behaviour
from tests.support.wire import Body, completion, json_text

from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.suites.starter import load_workplace
from worktrial.workplaces.executable import ExecutableSession

Spoil = Callable[[str, dict[str, Any]], Any]
"""Tool and true observation to what is said instead."""


def untouched(tool: str, observation: dict[str, Any]) -> Any:
    return observation


@dataclass(frozen=True)
class TrueSimulator(Behaviour):
    """Plays the workplaces of `tasks` by their Python functions, with either memory.

    The full history prompt tells the task by its initial state; a ledger prompt holds the state itself.
    """

    tasks: Sequence[ExecutableTask]
    spoil: Spoil = field(default=untouched)
    spoil_patch: Callable[[list[Any]], list[Any]] = field(default=lambda patch: patch)

    def answer(self, request: ScriptedRequest) -> Body:
        if asks_for_patch(request):
            return self._from_ledger(request)
        system = request.messages[0]["content"]
        task = next(t for t in self.tasks if json_text(t.initial_state) in system and t.clock in system)
        session = load_workplace(task.workplace).open(task.initial_state)
        observation, tool = {}, ""
        for call in _calls(request):
            tool = call["name"]
            observation = _carried_out(session, call)
        return completion(_text(self.spoil(tool, observation)))

    def _from_ledger(self, request: ScriptedRequest) -> Body:
        # Asked again, the call stands before what was wrong with the answer.
        asked = next(m["content"] for m in request.messages if m["role"] == "user")
        lines = asked.splitlines()
        state = json.loads(lines[lines.index("State:") + 1])
        call = json.loads(lines[lines.index("Call to answer:") + 1])
        workplaces = [load_workplace(name) for name in {task.workplace for task in self.tasks}]
        workplace = next(w for w in workplaces if w.artifact.tool(call["name"]) and _fits(w.artifact, state))
        session = workplace.open(state)
        observation = _carried_out(session, call)
        patch = self.spoil_patch(jsonpatch.make_patch(state, session.state).patch)
        reply = {"observation": self.spoil(call["name"], observation), "patch": patch, "facts": {}}
        return completion(json_text(reply))


def _calls(request: ScriptedRequest) -> list[dict[str, Any]]:
    said = [m["content"] for m in request.messages if m["role"] == "user" and m["content"].startswith("{")]
    return [json.loads(text) for text in said]


def _carried_out(session: ExecutableSession, call: Mapping[str, Any]) -> dict[str, Any]:
    """An executable session never waits, so its coroutine ends at the first step."""
    try:
        session.call(call["name"], call["arguments"]).send(None)
    except StopIteration as e:
        content: dict[str, Any] = e.value.content
        return content
    raise RuntimeError("an executable workplace waited for something")


def _fits(artifact: Any, state: Mapping[str, Any]) -> bool:
    return bool(artifact.initial_state.keys() == state.keys())


def _text(said: Any) -> str:
    return said if isinstance(said, str) else json_text(said)
