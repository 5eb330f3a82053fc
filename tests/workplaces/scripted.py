"""A model that answers from a script and remembers what it was asked."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from worktrial.language import Completion, JsonObject, Message


@dataclass
class Scripted:
    """Answers with the given replies in turn, the last one for ever; dicts become JSON text."""

    replies: Sequence[Any]
    requests: list[list[Message]] = field(default_factory=list)
    schemas: list[JsonObject | None] = field(default_factory=list)
    draws: list[int] = field(default_factory=list)
    stop_reason: str = "stop"

    async def __call__(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[JsonObject] = (),
        schema: JsonObject | None = None,
        draw: int = 0,
        top_logprobs: int = 0,
        max_tokens: int | None = None,
    ) -> Completion:
        reply = self.replies[min(len(self.requests), len(self.replies) - 1)]
        self.requests.append(list(messages))
        self.schemas.append(schema)
        self.draws.append(draw)
        text = reply if isinstance(reply, str) else json.dumps(reply)
        return Completion({"role": "assistant", "content": text}, stop_reason=self.stop_reason)


def patched(observation: JsonObject, *operations: JsonObject, facts: JsonObject | None = None) -> JsonObject:
    """A ledger reply."""
    return {"observation": observation, "patch": list(operations), "facts": facts or {}}


def characters(messages: Iterable[Message]) -> int:
    """Characters of text in `messages`."""
    return sum(len(m["content"]) for m in messages)
