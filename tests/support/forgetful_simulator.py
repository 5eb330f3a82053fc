"""A simulator that remembers nothing by itself and hides nothing: what it is shown decides what it answers.

It carries out a write by recording it in one of the ways that models do, and answers a read with every write that
stands in its prompt. So a read that lacks an earlier write shows that the memory lost it, not the model.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tests.support.happy import asks_for_patch
from tests.support.request import ScriptedRequest
from tests.support.script import Behaviour
from tests.support.wire import Body, completion, json_text

from worktrial.language import Completion, JsonObject, Message
from worktrial.workplaces import Workplace
from worktrial.workplaces.effects import ToolEffect


class Recording(StrEnum):
    """Way in which a write is put on record in a ledger."""

    FACTS = "facts"  # as a fact, whole
    PATCH = "patch"  # in the state
    NOTHING = "nothing"  # not at all, though it says that it succeeded


class Effects:
    """Effects of the tools of many workplaces, of which several may share a name."""

    def __init__(self, workplaces: Iterable[Workplace]) -> None:
        self._known: dict[str, list[tuple[str, ToolEffect]]] = {}
        for workplace in workplaces:
            for tool in workplace.tools:
                self._known.setdefault(tool.name, []).append((json_text(tool.description), tool.effect))

    def of(self, tool: str, prompt: str) -> ToolEffect:
        """Effect of the tool of this name that a prompt defines."""
        known = self._known[tool]
        return next((effect for description, effect in known if description in prompt), known[0][1])


@dataclass(frozen=True)
class ForgetfulSimulator(Behaviour):
    """Plays any of some workplaces under either memory, behind the wire or called directly; full prompts only."""

    effects: Effects
    recording: Recording = Recording.FACTS

    def answer(self, request: ScriptedRequest) -> Body:
        return completion(self.said(request.messages, ledger=asks_for_patch(request)))

    async def complete(self, messages: list[Message], *, schema: JsonObject | None = None, **_: Any) -> Completion:
        """Answer as a `Complete`, without a server."""
        ledger = "patch" in (schema or {}).get("properties", {})
        return Completion({"role": "assistant", "content": self.said(messages, ledger=ledger)})

    def said(self, messages: list[Message], *, ledger: bool) -> str:
        """The reply's text."""
        return self._ledger_reply(messages) if ledger else self._observation(messages)

    def _observation(self, messages: list[Message]) -> str:
        prompt = messages[0]["content"]
        calls = [json.loads(m["content"]) for m in messages if m["role"] == "user" and m["content"][0] == "{"]
        if self._writes(calls[-1], prompt):
            return json_text({"status": "done"})
        return json_text({"data": [c["arguments"] for c in calls[:-1] if self._writes(c, prompt)]})

    def _ledger_reply(self, messages: list[Message]) -> str:
        # Asked again, the call stands before what was wrong with the answer.
        text = messages[1]["content"]
        call = json.loads(_after(text, "Call to answer:"))
        if not self._writes(call, text):
            shown = [_after(text, title) for title in ("Recorded facts:", "Recorded facts that matter here:")]
            seen = [json.loads(_after(text, "State:")), *(json.loads(facts) for facts in shown if facts)]
            return json_text({"observation": {"data": seen}, "patch": [], "facts": {}})
        key = f"{call['name']} of {json_text(call['arguments'])[:80]}"
        value = call["arguments"]
        patch: list[Mapping[str, Any]] = []
        facts: dict[str, Any] = {}
        match self.recording:
            case Recording.FACTS:
                facts = {key: value}
            case Recording.PATCH:
                patch = [{"op": "add", "path": f"/{_escaped(key)}", "value": value}]
        return json_text({"observation": {"status": "done"}, "patch": patch, "facts": facts})

    def _writes(self, call: Mapping[str, Any], prompt: str) -> bool:
        return self.effects.of(call["name"], prompt) in (ToolEffect.WRITE, ToolEffect.UNKNOWN)


def _after(text: str, title: str) -> str:
    lines = text.splitlines()
    return lines[lines.index(title) + 1] if title in lines else ""


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
