"""How a workplace's author marks the functions that are tools."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from worktrial.language import JsonObject, JsonValue

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)

_MARK = "__worktrial_tool__"


class ToolError(Exception):
    """The workplace's rules forbid this call; the agent sees the reason and the state stays as it was."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message

    @property
    def observation(self) -> JsonObject:
        """What the agent sees."""
        return {"error": {"type": self.code, "message": self.message}}


@dataclass(frozen=True, slots=True)
class Declaration:
    """What `@reads` and `@writes` say about a function."""

    writes: bool
    example: Mapping[str, JsonValue]
    """Arguments of a call that succeeds in the initial state; its result is the tool's example output."""


def reads(**example: JsonValue) -> Callable[[F], F]:
    """Mark a function as a tool that only looks.

    Args:
        example: Arguments of a call that succeeds in the initial state.
    """
    return _marker(Declaration(writes=False, example=example))


def writes(**example: JsonValue) -> Callable[[F], F]:
    """Mark a function as a tool that may change the state, which it does on success only.

    Args:
        example: Arguments of a call that succeeds in the initial state.
    """
    return _marker(Declaration(writes=True, example=example))


def declaration(function: Function) -> Declaration | None:
    """What the function was marked with; None when it is no tool."""
    found = getattr(function, _MARK, None)
    return found if isinstance(found, Declaration) else None


def _marker(declared: Declaration) -> Callable[[F], F]:
    def mark(function: F) -> F:
        function.__dict__[_MARK] = declared
        return function

    return mark
