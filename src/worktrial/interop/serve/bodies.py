"""Shapes of what is sent and answered over HTTP. `/openapi.json` is made of the same classes."""

from typing import Annotated, Any

import msgspec

from worktrial.language import JsonObject, JsonValue

_Text = Annotated[str, msgspec.Meta(max_length=200)]


class OpenRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Wish for an episode; an empty one takes the run's next open sample."""

    sample: _Text | None = None
    """Id of a task of the run."""
    repeat: Annotated[int, msgspec.Meta(ge=0)] | Annotated[float, msgspec.Meta(ge=0)] | None = None
    """Number of the repeat, from 0. JSON writes 2 as 2.0, too; there is no repeat 2.5, and the run says so."""
    condition: _Text | None = None
    """Name of one of the run's fault conditions."""


class CallRequest(msgspec.Struct, forbid_unknown_fields=True):
    """One tool call, as the agent made it."""

    tool: str
    arguments: Any = msgspec.field(default_factory=dict)
    """Any JSON: what is not as the tool asks for is answered by the workplace."""


class FinishRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The agent's last words."""

    answer: str


class EpisodeOpened(msgspec.Struct):
    """An episode that waits for its first call."""

    episode: str
    """Address and secret: whoever knows it may drive it."""
    sample: str
    repeat: int
    condition: str
    instruction: str
    clock: str
    """Date and time at the workplace."""
    tools: list[JsonObject]
    """Tools in the chat-completions form, the one that ends the work among them."""
    finish_tool: str | None
    """Name of that tool; null where there is none."""
    system_prompt: str | None
    """Text for a model before the instruction, where the suite has words of its own."""
    mcp: str
    """Address of the same tools over MCP."""


class CallAnswer(msgspec.Struct):
    """Observation of one call."""

    observation: JsonObject
    is_error: bool


class EpisodeState(msgspec.Struct, omit_defaults=True):
    """State of an episode; and its verdict, as soon as there is one."""

    episode: str
    """First six characters of its address; all of it for whoever named all of it."""
    sample: str
    repeat: int
    condition: str
    state: str
    """open, judging, or over."""
    calls: int
    outcome: str | None = None
    """pass, fail or invalid."""
    reason: str | None = None
    answered_by: str | None = None
    """tool or driver."""
    checks: list[JsonObject] | None = None
    """Checks of the state and the answer, where the server shows them: they are the answer key."""
    votes: list[JsonObject] | None = None
    """Votes of the judge, likewise."""


class EpisodeList(msgspec.Struct):
    """All open episodes, and how far the run is."""

    suite: str
    open: list[EpisodeState]
    waiting: int
    """Samples that nobody has taken yet."""
    finished: int
    """Samples that are stored with a verdict, those of earlier sessions included."""
    samples: int


class Health(msgspec.Struct):
    """Sign of life."""

    status: str
    suite: str


class NotDone(msgspec.Struct):
    """Reason for which something was not done."""

    error: str


def read(kind: Any, body: bytes) -> Any:
    """`body` as `kind`.

    Raises:
        ValueError: it is no JSON, or not of that shape; the message says where.
    """
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as e:
        raise ValueError(f"the body cannot be used: {e}") from None


def as_json(value: Any) -> JsonValue:
    """Plain JSON of one of the structures above, or of a record's."""
    found: JsonValue = msgspec.to_builtins(value)
    return found
