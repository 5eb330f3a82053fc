"""Groups of commands that are made when they are called: start-up is part of speed."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import typer
import typer.core

from worktrial.errors import WorktrialError


class CommandRow(NamedTuple):
    """One command of a group."""

    about: str
    """One sentence on what it does."""
    place: str
    """`module:name` below `worktrial.cli`: a function, or the Typer app of a group."""


class LazyGroup(typer.core.TyperGroup):
    """Group whose help page makes none of its commands."""

    names: ClassVar[Callable[[], list[str]]]
    """Names of its commands, in the order in which they are listed."""
    about: ClassVar[Callable[[str], str]]
    """Sentence on the command of a name."""
    made: ClassVar[Callable[[str], Any]]
    """Command of a name; None where there is none."""
    _listing = False

    # Typer has moved the classes of these from one release to the next.
    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands."""
        return type(self).names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Command of that name; on a help page only its name and what it does, or why it cannot be loaded.

        Raises:
            UsageError: there is none; names those that are near.
        """
        if not self._listing:
            found = type(self).made(cmd_name)
            if found is None and not cmd_name.startswith("-"):
                from worktrial.registry import what_there_is

                ctx.fail(f"there is no command {cmd_name}: {what_there_is(cmd_name, self.list_commands(ctx))}")
            return found
        try:
            about = type(self).about(cmd_name)
        except WorktrialError as e:
            about = str(e)
        return typer.core.TyperCommand(cmd_name, help=about)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help page."""
        self._listing = True
        super().format_help(ctx, formatter)


def group(
    help: str,
    names: Callable[[], list[str]],
    about: Callable[[str], str],
    made: Callable[[str], Any],
    **more: Any,
) -> typer.Typer:
    """Typer app of a group.

    Args:
        help: What its help page says.
        names: As in `LazyGroup`.
        about: As in `LazyGroup`; what it raises stands on the help page.
        made: As in `LazyGroup`.
        more: Further settings of the app.
    """
    parts = {"names": staticmethod(names), "about": staticmethod(about), "made": staticmethod(made)}
    app = typer.Typer(cls=type("Commands", (LazyGroup,), parts), no_args_is_help=True, help=help, **more)
    # Without one Typer takes an app for a single command.
    app.callback()(lambda: None)
    return app


def fixed_group(path: str, help: str, rows: Mapping[str, CommandRow], **more: Any) -> typer.Typer:
    """Typer app of a group whose commands are known beforehand.

    Args:
        path: Words before the names of its commands, after `worktrial`.
        help: What its help page says.
        rows: Commands by name.
        more: Further settings of the app.
    """
    return group(
        help,
        lambda: list(rows),
        lambda name: rows[name].about,
        lambda name: load(name, rows[name].place, path) if name in rows else None,
        **more,
    )


def suite_group(help: str, command: Callable[[Any, str], Any]) -> typer.Typer:
    """Typer app with a command for every suite that is installed, and for the folder of every suite of one's own.

    Args:
        help: What its help page says.
        command: Makes the command for a suite, to be called by a word.
    """

    def names() -> list[str]:
        from worktrial.suite import suites

        return suites.names

    def found(word: str) -> Any:
        from worktrial.suite import find_suite

        return find_suite(word)

    return group(
        help,
        names,
        lambda word: str(found(word).about),
        lambda word: command(found(word), word),
        subcommand_metavar="SUITE|FOLDER [ARGS]...",
    )


def about_suite(suite: Any) -> str:
    """Sentence on what `suite` is about."""
    return f"{suite.about[:1].upper()}{suite.about[1:]}."


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
