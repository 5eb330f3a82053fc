"""The bridge from pydantic `Options` to the command line: every field becomes an option of a Typer command."""

import inspect
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
import typer.core

from worktrial.options import OptionRow, Options

_PLAIN = (bool, int, float, str, Path)


def spelled(field: str) -> str:
    """Flag of an option, `--base-url` for `base_url`."""
    return f"--{field.replace('_', '-')}"


def command_of(
    function: Callable[..., None],
    name: str,
    options: type[Options],
    *,
    before: Sequence[inspect.Parameter] = (),
    help: str | None = None,
    path: str = "",
) -> Any:
    """Command with an option for every field of `options`; `function` is given their values by name.

    Where some rows are common, `--help` shows these alone, and `--help-all` shows all.

    Args:
        function: What the command does.
        name: What one writes for it.
        options: Its options.
        before: Parameters that come first and are no fields of `options`, keyword-only.
        help: What `--help` says; the function's docstring if it is None.
        path: Words before `name`, such as `run`, to say how the rest of the options are seen.
    """
    rows = list(options.rows())
    hidden = sum(not row.flag.common for row in rows) if any(row.flag.common for row in rows) else 0
    parameters = [*before, *(_parameter(row, hidden=bool(hidden) and not row.flag.common) for row in rows)]
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    if hidden:
        parameters.append(_HELP_ALL)
    words = " ".join(["worktrial", *path.split(), name])
    more = f"{hidden} more options: {words} --help-all" if hidden else None

    def command(**given: Any) -> None:
        given.pop("help_all", None)
        function(**given)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    app.command(name, help=help or inspect.getdoc(function), epilog=more)(command)
    return typer.main.get_command(app)


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        for parameter in context.command.params:
            parameter.hidden = False  # type: ignore[attr-defined]
        context.command.epilog = None
        typer.echo(context.get_help())
        raise typer.Exit


_HELP_ALL = inspect.Parameter(
    "help_all",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool, typer.Option("--help-all", callback=_show_all, is_eager=True, help="Show every option and exit.")
    ],
)


def _parameter(row: OptionRow, *, hidden: bool) -> inspect.Parameter:
    flags = [spelled(row.name)]
    kind = _kind(row.field.annotation)
    if kind is bool and row.field.default is not False:
        flags[0] += f"/--no-{row.name.replace('_', '-')}"
    if row.flag.short:
        flags.append(row.flag.short)
    bounds = [*row.field.metadata, *_metadata(row.field.annotation)]
    info = typer.Option(
        *flags,
        help=_help(row),
        rich_help_panel=row.flag.panel,
        metavar=row.flag.metavar,
        min=_bound(bounds, "ge"),
        max=_bound(bounds, "le"),
        show_default=False,
        hidden=hidden,
    )
    # Left to the model: a value that was not given is None here, and its default there.
    return inspect.Parameter(
        row.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, info]
    )


def _help(row: OptionRow) -> str:
    said = " ".join((row.field.description or "").split())
    if row.field.is_required():
        return f"{said} (required)"
    default = row.flag.default or row.field.default
    return said if default in (None, [], False, (), "") else f"{said} Default: {default}."


def _kind(annotation: Any) -> Any:
    """Plain type that Typer reads: without None, bounds and validators; text for whatever else there is."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        (kind, *others) = [part for part in get_args(annotation) if part is not type(None)]
        return str if others else _kind(kind)
    if get_origin(annotation) in (list, Sequence):
        return list[_kind(get_args(annotation)[0])]  # type: ignore[misc]
    return annotation if annotation in _PLAIN or get_origin(annotation) is Literal else str


def _metadata(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Annotated:
        for said in get_args(annotation)[1:]:
            yield said
            yield from getattr(said, "metadata", ())
    for part in get_args(annotation):
        if get_origin(annotation) is not Literal:
            yield from _metadata(part)


def _bound(metadata: Sequence[Any], name: str) -> float | None:
    return next((found for said in metadata if (found := getattr(said, name, None)) is not None), None)
