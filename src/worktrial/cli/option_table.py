"""Command-line options as rows of a table.

A run has the same dozen options for each of its roles; a table of rows keeps them alike, and Typer reads
the signature made from it.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import typer

_F = TypeVar("_F", bound=Callable[..., None])


@dataclass(frozen=True, slots=True)
class Option:
    """One option: `--flag` on the command line, `name` in the values handed to the command."""

    flag: str
    kind: Any
    help: str
    default: Any = None
    panel: str | None = None
    short: str | None = None
    metavar: str | None = None
    minimum: float | None = None

    @property
    def name(self) -> str:
        """The key of the option's value."""
        return self.flag.removeprefix("--").split("/")[0].replace("-", "_")

    def parameter(self) -> inspect.Parameter:
        """The option as Typer reads it from a signature."""
        flags = [self.flag, *([self.short] if self.short else [])]
        info = typer.Option(
            *flags,
            help=self.help,
            rich_help_panel=self.panel,
            metavar=self.metavar,
            min=self.minimum,
            show_default=self.default not in (None, [], False),
        )
        return inspect.Parameter(
            self.name, inspect.Parameter.KEYWORD_ONLY, default=self.default, annotation=Annotated[self.kind, info]
        )


def with_options(options: Iterable[Option]) -> Callable[[_F], _F]:
    """Give a command function, declared as `def f(**given)`, the signature that `options` describe."""
    rows = list(options)

    def give(function: _F) -> _F:
        parameters = [row.parameter() for row in rows]
        function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        function.__annotations__ = {p.name: p.annotation for p in parameters}
        return function

    return give
