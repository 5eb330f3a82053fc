"""A desk as its session needs it: tools with their minutes, and what happens when events fall due."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.workplaces.desk.state import DeskState
from worktrial.workplaces.desk.tools import standard_tools
from worktrial.workplaces.executable import ExecutableWorkplace
from worktrial.workplaces.executable.declare import Function, declaration, marked
from worktrial.workplaces.handbook import Handbook
from worktrial.workplaces.people.answering import Decide

Happening = Callable[[Any, JsonObject], None]
"""Function of state and payload that carries out an event."""


@dataclass(frozen=True)
class DeskWorkplace:
    """Tools, handbook and rules of a desk, whatever its day is like."""

    home: ExecutableWorkplace
    """Tools as functions, and the artifact in the state of an example day."""
    minutes: Mapping[str, int]
    """Tool to the minutes that a call takes."""
    happenings: Mapping[str, Happening] = field(default_factory=dict)
    """Kind of event to what it does; messages, answers and promises are known without."""
    decide: Decide | None = None
    """Answers of people by the desk's own rules."""

    @classmethod
    def build(
        cls,
        name: str,
        functions: "list[Function]",
        handbook: Handbook,
        example: DeskState,
        *,
        minutes: Mapping[str, int],
        happenings: Mapping[str, Happening] | None = None,
        decide: Decide | None = None,
        source: str = "",
    ) -> "DeskWorkplace":
        """Put a desk together.

        Args:
            name: The desk's name.
            functions: The desk's own tools, marked with `@reads()` or `@writes()`; they need no example calls.
            handbook: Its papers.
            example: State of some day.
            minutes: Tool to the minutes that a call takes; `default` is for those not named, 1 if that is missing.
            happenings: Kind of event to what it does.
            decide: Answers of people by the desk's own rules.
            source: The file it came from, for messages.

        Raises:
            DataError: as `ExecutableWorkplace.build`, or minutes of a tool that is not there, or no whole number.
        """
        home = ExecutableWorkplace.build(
            name,
            [*standard_tools(handbook), *map(_without_example, functions)],
            system_prompt="",
            initial_state=msgspec.to_builtins(example),
            source=source,
        )
        names = {tool.name for tool in home.artifact.tools}
        if unknown := sorted(minutes.keys() - names - {"default"}):
            raise DataError(source or name, f"minutes: there is no tool {', '.join(unknown)}")
        if bad := sorted(tool for tool, count in minutes.items() if not isinstance(count, int) or count < 1):
            raise DataError(source or name, f"minutes.{bad[0]}: must be a whole number from 1")
        usual = minutes.get("default", 1)
        taken = {tool: minutes.get(tool, usual) for tool in names}
        tools = tuple(
            replace(tool, description=_timed(tool.description, tool.name, taken[tool.name]), example_output=None)
            for tool in home.artifact.tools
        )
        home = replace(home, artifact=replace(home.artifact, tools=tools))
        return cls(home, taken, happenings or {}, decide)


def _without_example(function: Function) -> Function:
    """The tool as it was declared, but for its example: no day is so alike that one call succeeds on each."""
    declared = declaration(function)
    return function if declared is None else marked(function, replace(declared, example=None))


def _timed(description: str, tool: str, minutes: int) -> str:
    if tool in ("wait_until", "wait_for_message"):
        return description
    return f"{description} Takes {minutes} {'minute' if minutes == 1 else 'minutes'}."
