"""The published way: the model that plays the workplace is asked to degrade its answers.

Nothing guarantees that it does, or when; there is no plan and no ledger.
"""

from collections.abc import Sequence
from pathlib import Path

from worktrial.language import Complete, Completion, JsonObject, Message
from worktrial.language.templates import templates
from worktrial.workplaces.faults.conditions import FaultSettings

_PROMPTS = Path(__file__).parent / "prompts"


class PromptedFaults:
    """A simulator's `Complete` that adds the rules of `settings` to the system message of every request."""

    def __init__(self, complete: Complete, settings: FaultSettings) -> None:
        self._complete = complete
        self._rules = rules(settings)

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
        """Answer `messages`, to which the request for faults is added; see `Complete`."""
        if self._rules:
            system, *rest = messages
            messages = [{**system, "content": f"{system['content']}\n\n{self._rules}"}, *rest]
        return await self._complete(
            messages, tools=tools, schema=schema, draw=draw, top_logprobs=top_logprobs, max_tokens=max_tokens
        )


def rules(settings: FaultSettings) -> str:
    """Sentence that the model is told; "" without faults."""
    if not settings.mode.is_faulty:
        return ""
    return (
        templates(_PROMPTS)
        .get_template("prompted.j2")
        .render(
            mode=settings.mode.value,
            count=settings.count,
            duration=settings.duration,
            unit=settings.unit.value,
        )
        .strip()
    )
