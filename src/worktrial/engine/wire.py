"""The contract of a wire: the form in which one kind of endpoint is asked and answers. No network here."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

import msgspec

from worktrial.language import Completion, JsonObject, Message

PROVIDER_BLOCKS = "provider_blocks"
"""Field of an assistant message that holds the provider's own form of it, `{"wire": NAME, "blocks": …}`.

Goes back to that wire in place of the message, unchanged, and to no other: signatures of thoughts are in it.
"""

JSON = {"Content-Type": "application/json"}
"""Headers of a body of JSON."""
NO_KEY = "none"
"""Key that is sent where there is none: these wires want one, and who needs none looks at none."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request as it is sent."""

    url: str
    body: bytes
    headers: Mapping[str, str] = field(repr=False)
    """Headers, the key among them."""
    is_stream: bool = False
    """Whether events are expected."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An endpoint's answer to one request, whatever its status."""

    status: int
    data: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    is_stream: bool = False
    """Whether `data` are server-sent events."""


class OversizedAnswer(ValueError):
    """An answer is larger than the role's bound; it was not read to its end."""


class Transport(Protocol):
    """The way of a role's requests to its endpoint."""

    async def post(self, request: HttpRequest, name: str) -> HttpAnswer:
        """Send a request, and wait for the whole answer.

        Args:
            request: As a wire wrote it.
            name: Its name among all requests of the run; "" where nobody keeps answers.

        Raises:
            TimeoutError: no answer, or no further event, in time.
            ConnectionError: the connection fails, at whatever point.
            OversizedAnswer: the answer is too large.
        """
        ...


class NotACompletion(ValueError):
    """The endpoint's answer does not follow the protocol."""


class ReportedFailure(Exception):
    """The endpoint reports an error with status 200, in the middle of a stream or in place of an answer.

    Args:
        status: HTTP status that the error would have had by itself.
        error: The error as the endpoint tells it.
    """

    def __init__(self, status: int, error: Any) -> None:
        super().__init__(str(error))
        self.status = status
        self.error = error

    def answer(self, headers: Mapping[str, str]) -> HttpAnswer:
        """The same error as if it had come with its status."""
        return HttpAnswer(self.status, msgspec.json.encode({"error": self.error}), headers)


def reported(error: Any, otherwise: int = 502) -> ReportedFailure:
    """The failure that an error object stands for.

    Args:
        error: The error as the endpoint tells it.
        otherwise: Status of one that names none in its `code`.
    """
    code = error.get("code") if isinstance(error, dict) else None
    status = int(code) if isinstance(code, int | str) and re.fullmatch("[0-9]{3}", str(code)) else 0
    told = error or "the provider behind the endpoint failed"
    return ReportedFailure(status if 400 <= status < 600 else otherwise, told)


class Concession(StrEnum):
    """A part of a request that an endpoint may not take, and that can be left out or put in simpler words."""

    SCHEMA_WORDS = "schema words"
    """Keywords of JSON Schema that not every endpoint knows."""
    MESSAGE_FIELDS = "message fields"
    """Fields of an assistant message beyond the protocol's own."""
    ENCRYPTED_THOUGHTS = "encrypted thoughts"
    """The wish for thoughts that can be sent back."""
    SCHEMA = "schema"
    """JSON Schema output."""
    STREAM = "stream"
    """The way of the answer: streamed where it was whole, whole where it was streamed."""


Concessions = frozenset[Concession]


@dataclass(frozen=True, slots=True)
class Request:
    """One request, as `worktrial.language.Complete` is asked."""

    messages: Sequence[Message]
    tools: Sequence[JsonObject] = ()
    schema: JsonObject | None = None
    top_logprobs: int = 0
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Address, name and key under which a role's model answers."""

    base_url: str
    model: str
    """Name that the endpoint knows."""
    key: str | None = field(default=None, repr=False)


class ModelWire(Protocol):
    """Form in which one kind of endpoint is asked and answers."""

    url: str
    """Address of the requests, which tells answers of several endpoints apart in the request cache."""

    @property
    def transport(self) -> Transport | None:
        """Way of its own to the model; None is HTTP."""
        ...

    def write(self, request: Request, without: Concessions) -> HttpRequest:
        """The request as it is sent; the same for the same request.

        Raises:
            StopRun: the wire has no such thing.
        """
        ...

    def whole(self, events: bytes) -> bytes:
        """Body of the answer that a stream of events spells out, in the form of one that came whole.

        Raises:
            ConnectionError: the stream breaks off.
            ReportedFailure: it reports an error.
            NotACompletion: it is no stream of this wire.
        """
        ...

    def read(self, data: bytes) -> Completion:
        """The completion in the data of an answer with status 200.

        Its message has the shape of chat completions: `content`, `reasoning_content`, `tool_calls`, `refusal`, and
        the wire's own blocks under `PROVIDER_BLOCKS`.

        Raises:
            NotACompletion: there is none.
            ReportedFailure: the body reports an error.
        """
        ...


def decoded(data: bytes) -> JsonObject:
    """The JSON object in a response body.

    Raises:
        NotACompletion: it is none.
    """
    try:
        reply: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise NotACompletion("not JSON") from None
    except RecursionError:
        raise NotACompletion("JSON nested too deeply") from None
    if not isinstance(reply, dict):
        raise NotACompletion("not a JSON object")
    return reply


MOST_TOKENS = 10**9
"""Tokens of one answer that are believed."""


def count(value: object) -> int:
    """Tokens in a field of a usage report; 0 for what is no count, or one that cannot be."""
    return value if isinstance(value, int) and 0 < value <= MOST_TOKENS else 0
