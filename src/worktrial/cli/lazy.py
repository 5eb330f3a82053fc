"""Commands that are imported when they are called: start-up is part of speed."""

from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import typer
import typer.core


class CommandRow(NamedTuple):
    """One command of a group."""

    about: str
    """One sentence on what it does."""
    place: str
    """`module:name` below `worktrial.cli`: a function, or the Typer app of a group."""


class LazyGroup(typer.core.TyperGroup):
    """Group whose help page imports none of its commands."""

    rows: ClassVar[dict[str, CommandRow]] = {}
    path: ClassVar[str] = ""
    """Words before the names of its commands, after `worktrial`."""
    _listing = False

    # Typer has moved the classes of these from one release to the next.
    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands, in the order in which they are listed."""
        return list(self.rows)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Command of that name; on a help page only its name and what it does."""
        if cmd_name not in self.rows:
            return None
        row = self.rows[cmd_name]
        return stub(cmd_name, row.about) if self._listing else load(cmd_name, row.place, self.path)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page."""
        self._listing = True
        super().format_help(ctx, formatter)


def stub(name: str, about: str) -> Any:
    """Command that is there to be listed."""
    return typer.core.TyperCommand(name, help=about)


def load(name: str, place: str, path: str = "") -> Any:
    """Command at `place` (see `CommandRow`), to be called `name`, after the words `path`."""
    module, _, attribute = place.partition(":")
    found: Any = getattr(import_module(f"worktrial.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        group = typer.main.get_group(found)
        group.name = name
        return group
    # Imported here because a help page has no options to make.
    from worktrial.cli.options import command_of

    return command_of(found, name, path=path)
