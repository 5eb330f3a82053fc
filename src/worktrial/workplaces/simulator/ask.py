"""Asking the simulator's model for one usable object, with a bounded number of repairs."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import Complete, JsonObject, Message, NotOneObject, one_object
from worktrial.language.nesting import nested_deeper_than
from worktrial.language.templates import templates
from worktrial.workplaces.simulator.json_text import excerpt

T = TypeVar("T")

_PROMPTS = Path(__file__).parent / "prompts"

# Enough of a broken reply for a model to see its mistake, without paying for a runaway one again.
_BROKEN_REPLY = 2000
_SHOWN_IN_ERRORS = 160
# No answer of a tool is this deep; what goes through it later may take a few frames for each level.
_MOST_NESTED = 100
_DOUBTED = 2  # requests after the first, where an answer cannot be right
_MOST_DOUBTS = 5


def render(name: str, **values: object) -> str:
    """The prompt `name` with `values` filled in.

    Raises:
        jinja2.UndefinedError: the template uses a value that was not given.
    """
    prompts = templates(_PROMPTS, keep_trailing_newline=True)
    return prompts.get_template(f"{name}.j2").render(**values).rstrip()


class UnusableReply(ValueError):
    """A reply that is an object, but not the one asked for; the message tells the model what to do better."""

    def __init__(self, problem: str, reason: InvalidReason = InvalidReason.SIMULATOR_FORMAT) -> None:
        super().__init__(problem)
        self.reason = reason


class UsableReply(NamedTuple, Generic[T]):
    """Value that a model gave in the end, and everything said on the way."""

    value: T
    exchange: Sequence[Message]
    doubts: Sequence[str] = ()
    """Reasons why the value cannot be right, where no other was to be had."""


async def ask(
    complete: Complete,
    prefix: Sequence[Message],
    call: Message,
    read: Callable[[JsonObject], T],
    doubts: Callable[[T], Sequence[str]],
    *,
    schema: JsonObject,
    wanted: str,
    repairs: int,
) -> UsableReply[T]:
    """Ask for the answer to `call`, and again with the precise problem while the reply cannot be used, or be right.

    Where one cannot be right there are three requests in all; then the last that could be used stands, with what
    speaks against it.

    Args:
        complete: The simulator's model.
        prefix: What stands before the call; not part of the exchange.
        call: The user message with the call.
        read: Turns the reply's object into a value, or raises `UnusableReply`.
        doubts: Says why a value cannot be right; nothing where it may be.
        schema: The JSON Schema of the reply.
        wanted: What to send instead, for the repair request.
        repairs: How many times to ask again for a reply that can be used.

    Raises:
        InvalidSample: no reply could be used, or the model cannot be reached.
    """
    exchange: list[Message] = [call]
    problem, reason, text = "", InvalidReason.SIMULATOR_FORMAT, ""
    said: list[Message] = [call]
    asked = 0
    usable: UsableReply[T] | None = None
    while asked <= (repairs if usable is None else _DOUBTED):
        completion = await complete([*prefix, *said], schema=schema, draw=asked)
        asked += 1
        exchange.append(completion.message)
        text = completion.text
        try:
            reply = one_object(text)
            if nested_deeper_than(reply, _MOST_NESTED):
                raise UnusableReply(f"the reply nests more than {_MOST_NESTED} levels deep")
            value = read(reply)
        except NotOneObject as e:
            problem, reason = str(e), InvalidReason.SIMULATOR_FORMAT
        except UnusableReply as e:
            problem, reason = str(e), e.reason
        else:
            found = list(doubts(value))[:_MOST_DOUBTS]
            usable = UsableReply(value, exchange, found)
            if not found:
                return usable
            problem = "; ".join(["it cannot be right", *found])
        if completion.blocked is not None:
            problem, reason = completion.shortfall, completion.blocked
        elif completion.stop_reason == "length":
            problem += ", and it broke off at the output limit, so be shorter"
        request = {"role": "user", "content": render("repair", problem=problem, wanted=wanted)}
        said += [{"role": "assistant", "content": excerpt(text, _BROKEN_REPLY) or "(nothing)"}, request]
        exchange.append(request)
    if usable is not None:
        return usable
    shown = f"; the last reply began {excerpt(text, _SHOWN_IN_ERRORS)!r}" if text else ""
    raise InvalidSample(reason, f"the simulator's reply was unusable {repairs + 1} times: {problem}{shown}")
