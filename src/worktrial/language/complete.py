"""The one seam between Worktrial and any language model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language.message import JsonObject, Message
from worktrial.language.reply import ModelReply, read_reply, result_messages
from worktrial.language.untrusted import printable


@dataclass(frozen=True, slots=True)
class Usage:
    """Consumption of requests; tokens as the endpoint reported them."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """The part of `input_tokens` that the provider read from its own prompt cache."""
    stored_tokens: int = 0
    """The part of `input_tokens` that the provider put into that cache, which some take more for."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.stored_tokens + other.stored_tokens,
        )

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True)
class Completion:
    """A model's answer."""

    message: Message
    """The assistant message exactly as the endpoint sent it; send this object back on the next turn."""
    usage: Usage = Usage(requests=1)
    stop_reason: str = "stop"
    """The endpoint's `finish_reason` (`stop`, `length`, `tool_calls`, `content_filter`, …)."""
    first_token: Mapping[str, float] | None = None
    """Log-probabilities (natural log) of the likeliest first tokens, when `top_logprobs` asked for them."""
    tools: Sequence[JsonObject] = ()
    """Tools that were offered; calls of them may stand in the text."""

    @cached_property
    def reply(self) -> ModelReply:
        """The message, read."""
        return read_reply(self.message, self.tools)

    def offering(self, tools: Sequence[JsonObject]) -> "Completion":
        """The same answer, to a request that offered `tools`."""
        return replace(self, tools=tools)

    @property
    def text(self) -> str:
        """Words of the model: no thinking, no calls, no refusal; "" where there are none."""
        return self.reply.text

    @property
    def tool_calls(self) -> Sequence[JsonObject]:
        """The tool calls in order, in the form of the wire wherever they stood; [] when there are none."""
        return self.reply.calls

    @property
    def blocked(self) -> InvalidReason | None:
        """Reason for which the provider kept the answer, or a part of it, to itself; None where it did not."""
        if self.tool_calls:
            return None
        if self.stop_reason in _FILTERED:
            return InvalidReason.CONTENT_FILTER
        return InvalidReason.REFUSED if self.reply.refusal or self.stop_reason == "refusal" else None

    @property
    def shortfall(self) -> str:
        """Half a sentence on what the provider did to the answer; "" where it kept nothing to itself."""
        if self.blocked is None:
            return ""
        said = printable(" ".join(self.reply.refusal[:_REFUSAL_SHOWN].split()))
        did = "refused"
        if self.blocked is InvalidReason.CONTENT_FILTER:
            did = f"filtered the reply, or its end, away ({self.stop_reason})"
        return f"the provider {did}: {said}" if said else f"the provider {did}"

    def withheld(self) -> InvalidSample | None:
        """Error of an answer that the provider kept to itself as a whole; None where the model got a word in."""
        reason = self.blocked
        return None if reason is None or self.text.strip() else InvalidSample(reason, self.shortfall)

    def answered(self, results: Sequence[str]) -> list[Message]:
        """Messages to follow `message`, which tell the model what its calls returned: a JSON text for each."""
        return result_messages(self.reply, results)


_REFUSAL_SHOWN = 300
# As OpenAI and Azure call it, and what gateways pass on from others.
_FILTERED = frozenset({"content_filter", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "safety", "sensitive"})


class Complete(Protocol):
    """Ask a language model for one assistant message.

    Raises:
        ContextOverflow: the prompt does not fit into the model's context.
        InvalidSample: the model cannot be reached, refuses the request, or answers nonsense.
    """

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
        """Answer `messages`.

        Args:
            messages: The whole conversation so far.
            tools: Tools on offer, as `{"type": "function", "function": {…}}`.
            schema: A JSON Schema the text must satisfy; used where the endpoint supports it, so the
                caller still has to check what comes back.
            draw: Tells independent draws of one and the same request apart (votes, repairs), so that a
                request cache does not hand out the first answer again.
            top_logprobs: How many of the likeliest first tokens to report in `first_token`.
            max_tokens: A tighter limit on the answer than the role's own.
        """
        ...
