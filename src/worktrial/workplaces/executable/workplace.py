"""An executable workplace: the artifact that a simulator can play, and the functions that are the truth."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import msgspec

from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.executable.declare import (
    Declaration,
    Function,
    Signature,
    ToolError,
    declaration,
    read_doc,
    read_signature,
    refuse_lost_defaults,
)
from worktrial.workplaces.session import Observation, Origin, refusal
from worktrial.workplaces.tools import Tool

encode = msgspec.json.Encoder(decimal_format="number").encode


def to_json(value: Any) -> JsonValue:
    """`value` (records, decimals, tuples, …) as plain JSON values of its own."""
    return msgspec.json.decode(encode(value))


class ExecutableSession:
    """Runs each call as a Python function on a private copy of the state.

    The copy replaces the state only after a write has succeeded. So a call that fails half-way leaves
    nothing behind, and a function declared as a read cannot change anything.
    """

    def __init__(self, workplace: "ExecutableWorkplace", decoder: "msgspec.json.Decoder[Any]") -> None:
        self._workplace = workplace
        self._decoder = decoder
        self._state = encode(decoder.decode(encode(workplace.artifact.initial_state)))

    @property
    def state(self) -> JsonObject:
        """The state as it is now, as a JSON copy of its own."""
        state: JsonObject = msgspec.json.decode(self._state)
        return state

    def restore(self, state: JsonObject) -> None:
        """Go on in `state`; see `Restorable`."""
        try:
            self._state = encode(self._decoder.decode(encode(state)))
        except msgspec.ValidationError as e:
            raise ValueError(f"{self._workplace.artifact.name} cannot be in this state: {e}") from None

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Run the tool's function; see `Session.call`.

        Raises:
            InvalidSample: the function failed in a way that the workplace's rules do not know.
        """
        refused = refusal(self._workplace.artifact, tool, arguments)
        if refused is not None:
            return refused
        function = self._workplace.functions[tool]
        try:
            given = msgspec.json.decode(encode(arguments), type=function.arguments)
        # What the schema lets through but the function's types do not: NaN, a lone surrogate, 5.0 for an integer.
        except (msgspec.ValidationError, UnicodeError) as e:
            error = {"type": "invalid_arguments", "message": f"{tool}: {e}"}
            return Observation({"error": error}, Origin.REFUSAL)
        try:
            draft = self._decoder.decode(self._state)
            result = to_json(function.run(draft, **msgspec.structs.asdict(given)))
            after = encode(draft) if function.writes else self._state
        except ToolError as e:
            return Observation(e.observation, Origin.EXECUTABLE)
        except Exception as e:
            where = f"{self._workplace.artifact.name}.{tool}({arguments})"
            raise InvalidSample(InvalidReason.INTERNAL, f"{where} raised {type(e).__name__}: {e}") from e
        self._state = after
        return Observation(result, Origin.EXECUTABLE)


@dataclass(frozen=True, slots=True)
class ToolFunction:
    """A tool's Python side."""

    run: Callable[..., Any]
    arguments: type[msgspec.Struct]
    writes: bool


@dataclass(frozen=True)
class ExecutableWorkplace:
    """Tools as Python functions over a typed state, and the artifact derived from them."""

    artifact: Workplace
    """Complete: a `LanguageSimulator` can play the same workplace from it."""
    functions: dict[str, ToolFunction]
    state_type: Any
    """Type of the state that the functions take; any that `msgspec` reads from JSON."""

    @classmethod
    def build(
        cls,
        name: str,
        functions: ModuleType | Iterable[Function],
        *,
        system_prompt: str,
        initial_state: JsonObject,
        state_description: JsonObject | None = None,
        source: str = "",
    ) -> "ExecutableWorkplace":
        """Derive tools, schemas and example outputs from functions marked `@reads` or `@writes`.

        Args:
            name: The workplace's name.
            functions: A module, whose marked functions are taken in order, or the functions themselves.
            system_prompt: The rules, for a model that plays the workplace.
            initial_state: JSON that fits the type of the functions' first parameter. Fields that it leaves out have
                their defaults in the artifact.
            state_description: Meaning of the state's fields.
            source: The file it came from, for messages.

        Raises:
            DataError: no tools, tools that disagree on the state's type, a type that loses its defaults, a state
                that does not fit it, an argument without type or description, or an example call that fails in the
                initial state.
        """
        where = source or name
        marked = [(f, declared) for f in _members(functions) if (declared := declaration(f)) is not None]
        signatures = {f.__name__: read_signature(f, f"{where}: tool {f.__name__}") for f, _ in marked}
        if not signatures:
            raise DataError(where, "has no tools", "Mark its functions with @reads() or @writes().")
        state_type = _common([signature.state_type for signature in signatures.values()], where)
        decoder = msgspec.json.Decoder(state_type)
        refuse_lost_defaults(state_type, where)
        initial_state = _complete(decoder, initial_state, where)
        tools, callables = [], {}
        for function, declared in marked:
            signature = signatures[function.__name__]
            state = decoder.decode(encode(initial_state))
            tools.append(_tool(function, declared, signature, state, f"{where}: tool {function.__name__}"))
            callables[function.__name__] = ToolFunction(function, signature.arguments, declared.writes)
        artifact = Workplace(
            name, system_prompt, tuple(tools), initial_state, state_description or {}, source=source
        )
        return cls(artifact, callables, state_type)

    @cached_property
    def _state_decoder(self) -> "msgspec.json.Decoder[Any]":
        return msgspec.json.Decoder(self.state_type)

    def starting_from(self, initial_state: JsonObject) -> "ExecutableWorkplace":
        """The same workplace, found by the agent in another state; fields left out have their defaults.

        Raises:
            DataError: the state does not fit the state type.
        """
        where = self.artifact.source or self.artifact.name
        state = _complete(self._state_decoder, initial_state, where)
        return replace(self, artifact=replace(self.artifact, initial_state=state))

    def open(self, initial_state: JsonObject | None = None) -> ExecutableSession:
        """Session that begins in `initial_state`, or in the workplace's own.

        Raises:
            DataError: the state does not fit the state type.
        """
        if initial_state is not None:
            return self.starting_from(initial_state).open()
        return ExecutableSession(self, self._state_decoder)


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


def _tool(function: Function, declared: Declaration, signature: Signature, state: Any, where: str) -> Tool:
    description = read_doc(function).summary
    if not description:
        raise DataError(where, "has no docstring")
    # A function of state and arguments alone shows the same each time.
    tool = Tool(function.__name__, description, signature.parameters, writes=declared.writes, volatile=False)
    if declared.example is None:
        return tool
    if problems := tool.problems(dict(declared.example)):
        raise DataError(where, f"its example call does not fit: {problems}")
    try:
        given = msgspec.convert(declared.example, signature.arguments)
        example = function(state, **msgspec.structs.asdict(given))
    except (ToolError, msgspec.ValidationError) as e:
        raise DataError(where, f"its example call fails in the initial state: {e}") from e
    return replace(tool, example_output=to_json(example))


def _complete(decoder: "msgspec.json.Decoder[Any]", state: JsonObject, where: str) -> JsonObject:
    """Return `state` as a session shows it, fields that it leaves out at their defaults."""
    try:
        complete: JsonObject = to_json(decoder.decode(encode(state)))
    except msgspec.ValidationError as e:
        raise DataError(where, f"the initial state does not fit: {e}") from e
    # A whole state stays in the order in which its author wrote it: models are shown that.
    return state if complete == state else complete
