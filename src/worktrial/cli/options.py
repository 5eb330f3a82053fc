"""The bridge from pydantic `Options` to the command line: every field becomes an option of a Typer command."""

import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import typer
from pydantic import Field, create_model

from worktrial.engine.notices import say
from worktrial.errors import WorktrialError, flag
from worktrial.options import Amount, Count, Flag, OptionRow, Options

if TYPE_CHECKING:
    from worktrial.suite import Suite

_PLAIN = (bool, int, float, str, Path)
_OPTIONS = "__worktrial_options__"
_Function = TypeVar("_Function", bound=Callable[..., None])


def takes(options: Callable[[], type[Options]]) -> Callable[[_Function], _Function]:
    """Decorator for a command `def f(…, **given)`.

    Args:
        options: Whose fields `given` holds, by name; None is not given.
    """

    def mark(function: _Function) -> _Function:
        setattr(function, _OPTIONS, options)
        return function

    return mark


def command_of(function: Callable[..., None], name: str, *, path: str = "", help: str | None = None) -> Any:
    """Command with the parameters of `function` and an option for every field of the `Options` that it takes.

    Where some rows are common, `--help` shows these alone, and `--help-all` shows all.

    Args:
        function: What the command does.
        name: What one writes for it.
        path: Words before `name` and after `worktrial`, such as `run`.
        help: What `--help` says; the function's docstring if it is None.
    """
    options = getattr(function, _OPTIONS, None)
    rows = [] if options is None else [*options().rows()]
    hidden = sum(not row.flag.common for row in rows) if any(row.flag.common for row in rows) else 0
    own = [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]
    parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in own]
    parameters += [_parameter(row, hidden=bool(hidden) and not row.flag.common) for row in rows]
    if hidden:
        parameters.append(_HELP_ALL)
    words = " ".join(["worktrial", *path.split(), name])

    def command(**given: Any) -> None:
        given.pop("help_all", None)
        function(**given)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    more = f"{hidden} more options: {words} --help-all" if hidden else None
    app.command(name, help=help or inspect.getdoc(function), epilog=more)(command)
    return typer.main.get_command(app)


def merged(kinds: Mapping[str, type[Options]]) -> type[Options]:
    """Fields of all of `kinds`, for commands that take any suite; none of them is required.

    Args:
        kinds: Options by name of the suite that has them.
    """
    rows: dict[str, OptionRow] = {}
    whose: dict[str, list[str]] = {}
    for suite, kind in kinds.items():
        for row in kind.rows():
            rows.setdefault(row.name, row)
            whose.setdefault(row.name, []).append(suite)
    fields: dict[str, Any] = {}
    for name, row in rows.items():
        annotation: Any = row.field.annotation
        for said in row.field.metadata:
            annotation = annotation if isinstance(said, Flag) else Annotated[annotation, said]
        description = f"{' '.join(whose[name])}: {_help(row)}"
        fields[name] = (Annotated[annotation | None, row.flag], Field(default=None, description=description))
    return create_model("MergedOptions", __base__=Options, **fields)


def data_of_any() -> type[Options]:
    """Options of all suites that say where tasks come from."""
    from worktrial.suites.executable.folder import TrustOptions

    return merged({**{suite.name: suite.data for suite in _loadable()}, "./FOLDER": TrustOptions})


def beside_of_any() -> type[Options]:
    """Options of all suites that say what a run is shown beside."""
    return merged({suite.name: suite.beside for suite in _loadable()})


def _loadable() -> "Iterator[Suite]":
    """Suites that are installed and can be loaded; others are named on the error stream."""
    # Imported here because only commands that take any suite load them all.
    from worktrial.suite import suites

    for name in suites.names:
        try:
            yield suites.get(name)
        except WorktrialError as e:
            say(f"note: {e}", err=True)


def together(first: type[Options], second: type[Options]) -> type[Options]:
    """Fields of both; where both have one, that of `first`."""
    return create_model("JointOptions", __base__=(first, second))


def _show_all(context: typer.Context, wanted: bool) -> None:
    if wanted:
        for parameter in context.command.params:
            parameter.hidden = False  # type: ignore[attr-defined]
        context.command.epilog = None
        say(context.get_help())
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
    words = flag(row.name)
    kind = _kind(row.field.annotation)
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    if kind is bool and row.field.default is not False:
        words += f"/--no-{row.name.replace('_', '-')}"
    bounds = [*row.field.metadata, *_metadata(row.field.annotation)]
    info = typer.Option(
        words,
        *([row.flag.short] if row.flag.short else []),
        help=_help(row),
        rich_help_panel=row.flag.panel,
        metavar=row.flag.metavar or ("|".join(map(str, choices)) if choices else None),
        min=_bound(bounds, "ge"),
        max=_bound(bounds, "le"),
        show_default=False,
        hidden=hidden,
    )
    # Left to the model: a value that was not given is None here, and its default there; so are words that stand for
    # one of the choices.
    return inspect.Parameter(
        row.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[(str if choices else kind) | None, info],
    )


def _help(row: OptionRow) -> str:
    said = " ".join(row.about.split())
    if row.field.is_required():
        return f"{said} (required)"
    default = row.flag.default or row.field.get_default(call_default_factory=True, validated_data={})
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


_DESK = "A person at the desk"
_RAY = "A Ray cluster"


class WhereOptions(Options):
    """Places where a run is done that are not this process."""

    port: Annotated[Annotated[int, Field(ge=0, le=65535)] | None, Flag(_DESK, common=True, metavar="PORT")] = None
    """Port of the page; default: a free one."""
    open: Annotated[bool, Flag(_DESK, common=True)] = False
    """Open the page in a browser."""
    hide_verdict: Annotated[bool, Flag(_DESK, common=True)] = False
    """Do not show the person what came of the work."""
    ray: Annotated[str | None, Flag(_RAY, common=True, metavar="ADDRESS")] = None
    """Run in shards on a Ray cluster: `local` (one of this command's own), `auto` (the one that this machine is
    in), or HOST:PORT of its head. Budgets and paces hold for all shards together."""
    shards: Annotated[Count | None, Flag(_RAY, common=True)] = None
    """Number of shards. Default: one for each CPU, or as many as there are."""
    ray_wait: Annotated[Amount | None, Flag(_RAY, common=True, metavar="SECONDS")] = None
    """Seconds in which the cluster has to be there. Default: 120."""
