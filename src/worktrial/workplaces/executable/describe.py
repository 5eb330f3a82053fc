"""A workplace's functions read: their tools' schemas, the type of the state, and example answers.

Imports nothing of ours but declarations, so that it can be done where foreign code is locked in.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.executable.declare import (
    Function,
    ToolError,
    declaration,
    read_doc,
    read_signature,
    refuse_lost_defaults,
)

encode = msgspec.json.Encoder(decimal_format="number").encode


class NoJson(TypeError):
    """A value that JSON cannot say, such as a complex number."""


def to_json(value: Any) -> JsonValue:
    """`value` (records, decimals, tuples, …) as plain JSON values of its own.

    Raises:
        NoJson: it has no JSON form.
    """
    try:
        return msgspec.json.decode(encode(value))
    except (TypeError, OverflowError, RecursionError, UnicodeError) as e:
        raise NoJson(str(e)) from e


@dataclass(frozen=True, slots=True)
class ToolFunction:
    """A tool's Python side."""

    run: Callable[..., Any]
    arguments: type[msgspec.Struct]
    writes: bool


@dataclass(frozen=True, slots=True)
class DescribedTool:
    """A tool as its function describes it."""

    name: str
    description: str
    parameters: JsonObject
    example: JsonObject | None
    """Arguments of its example call."""
    function: ToolFunction


@dataclass(frozen=True, slots=True)
class DescribedFunctions:
    """The functions of a workplace, and the state that they share."""

    tools: tuple[DescribedTool, ...]
    state_type: Any
    decoder: "msgspec.json.Decoder[Any]"
    initial_state: JsonObject
    """The state as it was given, fields that were left out at their defaults."""
    where: str
    """The workplace, for messages."""

    def example_output(self, tool: DescribedTool) -> JsonValue:
        """Answer to the tool's example call in the initial state; None for a tool that shows none.

        Raises:
            DataError: the call fails.
        """
        if tool.example is None:
            return None
        try:
            given = msgspec.convert(tool.example, tool.function.arguments)
            state = self.decoder.decode(encode(self.initial_state))
            return to_json(tool.function.run(state, **msgspec.structs.asdict(given)))
        except (ToolError, msgspec.ValidationError) as e:
            where = f"{self.where}: tool {tool.name}"
            raise DataError(where, f"its example call fails in the initial state: {e}") from e


def describe(
    functions: ModuleType | Iterable[Function], initial_state: JsonObject, where: str
) -> DescribedFunctions:
    """Read the functions marked `@reads` or `@writes`.

    Args:
        functions: A module, whose marked functions are taken in order, or the functions themselves.
        initial_state: JSON that fits the type of the functions' first parameter.
        where: The workplace, for messages.

    Raises:
        DataError: no tools, tools that disagree on the state's type, a type that loses its defaults, a state that
            does not fit it, or a tool without docstring, or with an argument without type or description.
    """
    marked = [(f, declared) for f in _members(functions) if (declared := declaration(f)) is not None]
    signatures = {
        f.__name__: read_signature(f, f"{where}: tool {f.__name__}", described=declared.described)
        for f, declared in marked
    }
    if not signatures:
        raise DataError(where, "has no tools", "Mark its functions with @reads() or @writes().")
    state_type = _common([signature.state_type for signature in signatures.values()], where)
    decoder = msgspec.json.Decoder(state_type)
    refuse_lost_defaults(state_type, where)
    tools = []
    for function, declared in marked:
        signature = signatures[function.__name__]
        description = read_doc(function).summary
        if not description:
            raise DataError(f"{where}: tool {function.__name__}", "has no docstring")
        called = ToolFunction(function, signature.arguments, declared.writes)
        example: JsonObject | None = None if declared.example is None else to_json(dict(declared.example))
        tools.append(DescribedTool(function.__name__, description, signature.parameters, example, called))
    return DescribedFunctions(tuple(tools), state_type, decoder, complete(decoder, initial_state, where), where)


def complete(decoder: "msgspec.json.Decoder[Any]", state: JsonObject, where: str) -> JsonObject:
    """Return `state` as a session shows it, fields that it leaves out at their defaults.

    Raises:
        DataError: it does not fit the type.
    """
    try:
        whole: JsonObject = to_json(decoder.decode(encode(state)))
    except msgspec.ValidationError as e:
        raise DataError(where, f"the initial state does not fit: {e}") from e
    # A whole state stays in the order in which its author wrote it: models are shown that.
    return state if whole == state else whole


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """Result of a call."""

    content: JsonValue
    """Answer, or the error that the agent sees."""
    state: bytes
    """State after it, as JSON."""
    refused: bool = False
    """Whether the arguments did not fit the function's types, so that it was not called."""
    touched: bool = False
    """Whether a function declared as a read changed its copy of the state; only where that was watched."""
    draft: Any = None
    """The state that the function was given, if it was watched and left as it was: the next may be given it."""


def carry_out(
    tool: str,
    function: ToolFunction,
    decoder: "msgspec.json.Decoder[Any]",
    state: bytes,
    arguments: JsonValue,
    *,
    watched: bool = False,
    draft: Any = None,
) -> CallOutcome:
    """Call a tool's function on a copy of the state, which replaces the state only after a write has succeeded.

    So a call that fails half-way leaves nothing behind, and a function declared as a read cannot change anything.
    Whatever the function raises, a `ToolError` excepted, is raised.

    Args:
        tool: Name of the tool.
        function: Its Python side.
        decoder: Reader of states.
        state: The state as `encode` writes it.
        arguments: What the agent sent.
        watched: Look whether a read tries to write, too.
        draft: The state as it was read for an earlier call, if nothing has changed it.
    """
    try:
        given = msgspec.json.decode(encode(arguments), type=function.arguments)
    # What the schema lets through but the function's types do not: NaN, a lone surrogate, 5.0 for an integer.
    except (msgspec.ValidationError, UnicodeError) as e:
        return CallOutcome({"error": {"type": "invalid_arguments", "message": f"{tool}: {e}"}}, state, refused=True)
    draft = decoder.decode(state) if draft is None else draft
    try:
        content = to_json(function.run(draft, **msgspec.structs.asdict(given)))
    except ToolError as e:
        return CallOutcome(e.observation, state, draft=draft if watched and _is_still(draft, state) else None)
    if function.writes:
        after = encode(draft)
        return CallOutcome(content, after, draft=draft if watched and after == state else None)
    still = watched and _is_still(draft, state)
    return CallOutcome(content, state, touched=watched and not still, draft=draft if still else None)


def _is_still(draft: Any, state: bytes) -> bool:
    try:
        return bool(encode(draft) == state)
    # A call that failed half-way may have left in it what has no JSON form.
    except (TypeError, OverflowError, RecursionError, UnicodeError):
        return False


def _common(types: list[Any], where: str) -> Any:
    """The state type of all tools; some may be written for a base of it.

    Raises:
        DataError: there is no such type.
    """
    for one in types:
        if all(one is other or one == other or _is_below(one, other) for other in types):
            return one
    raise DataError(where, "its tools disagree on the type of the state")


def _is_below(one: Any, other: Any) -> bool:
    return isinstance(one, type) and isinstance(other, type) and issubclass(one, other)


def _members(functions: ModuleType | Iterable[Function]) -> list[Function]:
    if not isinstance(functions, ModuleType):
        return list(functions)
    return [
        f for f in vars(functions).values() if callable(f) and getattr(f, "__module__", "") == functions.__name__
    ]
