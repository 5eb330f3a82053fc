"""The one seam between Worktrial and any language model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

# A recursive alias would be more precise; it costs every reader more than it tells.
JsonValue = Any
JsonObject = dict[str, JsonValue]

Message = JsonObject
"""One chat message exactly as it travels on the wire (`role`, `content`, `tool_calls`, …)."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Consumption of requests; tokens as the endpoint reported them."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """The part of `input_tokens` that the provider read from its own prompt cache."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
        )

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer."""

    message: Message
    """The assistant message exactly as the endpoint sent it; send this object back on the next turn."""
    usage: Usage = Usage(requests=1)
    stop_reason: str = "stop"
    """The endpoint's `finish_reason` (`stop`, `length`, `tool_calls`, `content_filter`, …)."""
    first_token: Mapping[str, float] | None = None
    """Log-probabilities (natural log) of the likeliest first tokens, when `top_logprobs` asked for them."""

    @property
    def text(self) -> str:
        """The visible text: a string content, or the text parts of a content list, or ""."""
        content = self.message.get("content")
        if isinstance(content, str):
            return content
        if isinstance(content, list):
            return "".join(p["text"] for p in content if isinstance(p, dict) and isinstance(p.get("text"), str))
        return ""

    @property
    def tool_calls(self) -> list[JsonObject]:
        """The tool calls of the message in order, as sent; [] when there are none."""
        calls = self.message.get("tool_calls")
        return [c for c in calls if isinstance(c, dict)] if isinstance(calls, list) else []


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


def tool_spec(name: str, description: str, parameters: JsonObject) -> JsonObject:
    """A tool in the chat-completions form; `parameters` is a JSON Schema of its arguments."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }
