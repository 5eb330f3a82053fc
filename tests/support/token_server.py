"""Agents whose endpoint gives tokens as vLLM does, by a template of bytes."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.support.happy import HappyAgent
from tests.support.request import ScriptedRequest
from tests.support.script import Behaviour
from tests.support.wire import Body


def spelled(message: dict[str, Any]) -> str:
    """The message as the template writes it into a prompt."""
    said = {name: value for name, value in message.items() if name != "role"}
    return json.dumps(said, sort_keys=True, separators=(",", ":")) + "\n"


def prompt_of(messages: list[dict[str, Any]]) -> str:
    return "".join(f"<{message['role']}>{spelled(message)}" for message in messages) + "<assistant>"


@dataclass(frozen=True)
class TokenAgent(Behaviour):
    """A happy agent with the ids and log-probabilities of what it says, a token for each byte."""

    agent: Behaviour = field(default_factory=HappyAgent)
    forgets: bool = False
    """Whether the template leaves out what the model thought in earlier messages."""
    swallows: int | None = None
    """Answer, from 0, of which a token is missing, as where a reader of calls takes it away."""

    def answer(self, request: ScriptedRequest) -> Body:
        whole = self.agent.answer(request)
        assert isinstance(whole, dict)
        choice = whole["choices"][0]
        choice["message"]["reasoning_content"] = f"Thought {request.number_in_role}."
        if not request.body.get("return_token_ids"):
            return whole
        assert request.body["logprobs"] is True and not request.body.get("stream")
        before = [self._told(message) for message in request.messages]
        ids = [*spelled(choice["message"]).encode()]
        whole["prompt_token_ids"] = [*prompt_of(before).encode()]
        choice["token_ids"] = ids[1:] if request.number_in_role == self.swallows else ids
        choice["logprobs"] = {"content": [{"token": chr(id), "logprob": -id / 1000} for id in ids]}
        return whole

    def _told(self, message: dict[str, Any]) -> dict[str, Any]:
        return {n: v for n, v in message.items() if not self.forgets or n != "reasoning_content"}
