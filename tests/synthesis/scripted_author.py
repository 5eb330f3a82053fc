"""An author whose model says what a test wants."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from worktrial.language import Completion, JsonObject, Message
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.author import Author

Json = dict[str, Any]
SPEC = JobSpec(role="returns clerk", industry="Commerce", domain="Online retail")


@dataclass
class Model:
    """Answers with each reply in turn, the last one for good; remembers what it was asked."""

    replies: Sequence[Any] | Callable[[str, int], Any]
    prompts: list[str] = field(default_factory=list)
    corrections: list[str] = field(default_factory=list)
    """What was wrong, as the author was told."""
    salts: list[str] = field(default_factory=list)

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
        count = len(self.prompts)
        self.prompts.append(messages[0]["content"])
        self.corrections += [messages[-1]["content"]] if len(messages) > 1 else []
        if callable(self.replies):
            reply = self.replies(messages[0]["content"], count)
        else:
            reply = self.replies[min(count, len(self.replies) - 1)]
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        return Completion({"role": "assistant", "content": text})


def author(model: Model) -> Author:
    """The author that this model is."""

    def line(salt: str) -> Model:
        model.salts.append(salt)
        return model

    return Author("scripted", line)
