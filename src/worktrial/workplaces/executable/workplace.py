"""An executable workplace: the artifact that a simulator can play, and the functions that are the truth."""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import msgspec

from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.executable.declare import Function
from worktrial.workplaces.executable.describe import (
    DescribedFunctions,
    DescribedTool,
    ToolFunction,
    carry_out,
    complete,
    describe,
    encode,
)
from worktrial.workplaces.executable.report_form import ReportForm, report_functions
from worktrial.workplaces.session import Observation, Origin, refusal
from worktrial.workplaces.tools import Tool


class ExecutableSession:
    """Runs each call as a Python function on a private copy of the state; see `carry_out`."""

    never_waits = True
    """Whether a call never gives the event loop to anybody else."""

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
            done = carry_out(
                tool,
                function,
                self._decoder,
                self._state,
                arguments,
                watched=not function.writes,
                draft=None if function.writes else self._workplace.read.take(self._state),
            )
        except Exception as e:
            where = f"{self._workplace.artifact.name}.{tool}({arguments})"
            raise InvalidSample(InvalidReason.INTERNAL, f"{where} raised {type(e).__name__}: {e}") from e
        if done.draft is not None:
            self._workplace.read.keep(done.state, done.draft)
        self._state = done.state
        return Observation(done.content, Origin.REFUSAL if done.refused else Origin.EXECUTABLE)


class ReadState:
    """The state as it was read for the last call of a workplace, if nothing has changed it.

    Most calls read what the one before them left; to write a state and compare takes half as long as to read it.
    One is kept for all sessions of a workplace: a thousand open ones hold no more than their states as JSON.
    """

    def __init__(self) -> None:
        # Runs on loops of their own, in threads, may share a workplace; each step of a deque is taken alone.
        self._kept: deque[tuple[bytes, Any]] = deque(maxlen=1)

    def take(self, state: bytes) -> Any:
        """The state that is written as `state`, for one call; None where another was read last."""
        try:
            of, draft = self._kept.pop()
        except IndexError:
            return None
        return draft if of == state else None

    def keep(self, state: bytes, draft: Any) -> None:
        """Keep what a call left as it was."""
        self._kept.append((state, draft))


@dataclass(frozen=True)
class ExecutableWorkplace:
    """Tools as Python functions over a typed state, and the artifact derived from them."""

    artifact: Workplace
    """Complete: a `LanguageSimulator` can play the same workplace from it."""
    functions: dict[str, ToolFunction]
    state_type: Any
    """Type of the state that the functions take; any that `msgspec` reads from JSON."""
    read: ReadState = field(default_factory=ReadState, repr=False, compare=False)
    """The state that was read last, for its sessions."""
    report: ReportForm | None = field(default=None, repr=False)
    """Form in which agents report; None where they report in words."""

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
        report: ReportForm | None = None,
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
            report: Form in which agents report; None for none.

        Raises:
            DataError: no tools, tools that disagree on the state's type, a type that loses its defaults, a state
                that does not fit it, an argument without type or description, or an example call that fails in the
                initial state.
        """
        described = describe(functions, initial_state, source or name)
        tools = described.tools
        if report is not None:
            tools += describe(report_functions(report, dict[str, Any]), {}, source or name).tools
        artifact = Workplace(
            name,
            system_prompt,
            tuple(_tool(described, tool) for tool in tools),
            described.initial_state,
            state_description or {},
            source=source,
        )
        functions_by_name = {tool.name: tool.function for tool in tools}
        return cls(artifact, functions_by_name, described.state_type, report=report)

    @cached_property
    def _state_decoder(self) -> "msgspec.json.Decoder[Any]":
        return msgspec.json.Decoder(self.state_type)

    def starting_from(self, initial_state: JsonObject) -> "ExecutableWorkplace":
        """The same workplace, found by the agent in another state; fields left out have their defaults.

        Raises:
            DataError: the state does not fit the state type.
        """
        where = self.artifact.source or self.artifact.name
        state = complete(self._state_decoder, initial_state, where)
        return replace(self, artifact=replace(self.artifact, initial_state=state))

    def complete(self, states: Sequence[JsonObject], where: Sequence[str]) -> list[JsonObject]:
        """States with the defaults of what they leave out.

        Args:
            states: Any number of them.
            where: Name of each, for messages.

        Raises:
            DataError: one does not fit the state's type.
        """
        return [complete(self._state_decoder, state, name) for state, name in zip(states, where, strict=True)]

    def open(self, initial_state: JsonObject | None = None) -> ExecutableSession:
        """Session that begins in `initial_state`, or in the workplace's own.

        Raises:
            DataError: the state does not fit the state type.
        """
        if initial_state is not None:
            return self.starting_from(initial_state).open()
        return ExecutableSession(self, self._state_decoder)


def _tool(described: DescribedFunctions, tool: DescribedTool) -> Tool:
    made = tool_of(tool.name, tool.description, tool.parameters, writes=tool.function.writes)
    if tool.example is not None:
        refuse_misfit(made, tool.example, f"{described.where}: tool {tool.name}")
    return replace(made, example_output=described.example_output(tool))


def tool_of(name: str, description: str, parameters: JsonObject, *, writes: bool) -> Tool:
    """A tool whose truth is a function: of state and arguments alone, it shows the same each time."""
    return Tool(name, description, parameters, writes=writes, volatile=False)


def refuse_misfit(tool: Tool, example: JsonObject, where: str) -> None:
    """Refuse an example call whose arguments are none of the tool's.

    Raises:
        DataError: they do not fit.
    """
    if problems := tool.problems(example):
        raise DataError(where, f"its example call does not fit: {problems}")
