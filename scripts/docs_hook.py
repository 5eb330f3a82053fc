"""Pages of the documentation that are made from the code when it is built: commands, options, tables, picture.

MkDocs calls `on_files` (see `hooks` in `mkdocs.yml`). Nothing made here is kept in the repository, so none of it
can be out of date.
"""

import json
from collections.abc import Iterator
from typing import Any

import click
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from scripts.rooms import draw
from typer.main import get_command


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages and the picture to those in the folder."""
    made = {
        "reference/commands.md": "".join(commands()),
        "reference/options.md": "".join(options()),
        "reference/tables.md": "".join(tables()),
        "reference/output.md": "".join(machine_output()),
        "reference/output.schema.json": machine_schema(),
        "images/rooms.svg": draw(),
    }
    for place, content in made.items():
        files.append(File.generated(config, place, content=content))
    return files


def commands() -> Iterator[str]:
    """Reference page of the command line: every command with its arguments and options."""
    from worktrial.cli.main import app

    yield "# Commands\n\nAll of `worktrial`, as `--help-all` shows it. Options of the suites have "
    yield "[a page of their own](options.md).\n"
    yield from _command(get_command(app), ["worktrial"])


def _command(command: Any, path: list[str]) -> Iterator[str]:
    context = click.Context(command, info_name=path[-1])
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None and not child.hidden:
                yield from _command(child, [*path, name])
        return
    words = " ".join([*path, *(p.make_metavar(context) for p in command.params if p.param_type_name == "argument")])
    yield f"\n## `{words}`\n\n{(command.help or '').strip()}\n"
    if path[1:2] == ["run"]:
        return
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    if path[1:2] == ["serve"]:
        # The rest is the suite's.
        options = [p for p in options if p.rich_help_panel == "Doors"]
    rows = [_row(p) for p in options]
    rows = [row for row in rows if not row.startswith("| `--help`")]
    if rows:
        yield "\n| option | default | what it does |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _row(parameter: Any) -> str:
    default = parameter.default
    shown = (
        "" if default in (None, False, [], ()) or callable(default) else f"`{getattr(default, 'value', default)}`"
    )
    if parameter.required:
        shown = "required"
    return f"| {', '.join(f'`{o}`' for o in parameter.opts)} | {shown} | {_cell(_plain(parameter.help))} |"


def _plain(text: str | None) -> str | None:
    """Help without the backslash that keeps a bracket from being taken for markup."""
    return text.replace("\\[", "[") if text else text


def options() -> Iterator[str]:
    """Reference page of the suites' options: keyword, default, and whether it decides what is comparable."""
    from worktrial.options import EndpointOptions
    from worktrial.suite import suites

    yield (
        "# Options of the suites\n\nEvery option is a keyword argument of `wt.run` and, with `--` and hyphens, a "
        "flag of `worktrial run`. Runs are comparable if all options marked *yes* are equal.\n\n"
        "Each option of [the endpoints](#endpoints) is there once for all roles, and once for each role of the "
        "suite, its name after the role's: `judge_base_url`, `--judge-base-url`.\n"
    )
    shared = {row.name for row in EndpointOptions.rows()}
    for suite in suites.all():
        yield f"\n## {suite.name}\n\n{suite.about}. Needs: {suite.needs}. Roles: {', '.join(suite.roles)}.\n"
        yield from _options(row for row in suite.options.rows() if row.name not in shared)
    yield "\n## Endpoints\n"
    yield from _options(EndpointOptions.rows())


def _options(rows: Any) -> Iterator[str]:
    yield "\n| option | default | compared | what it does |\n|---|---|---|---|\n"
    for row in rows:
        default = "required" if row.field.is_required() else row.field.default
        shown = "" if default in (None, False, []) else f"`{default}`"
        compared = "" if row.flag.neutral else "yes"
        yield f"| `{row.name}` | {shown} | {compared} | {_cell(row.field.description)} |\n"


def tables() -> Iterator[str]:
    """Reference page of the SQL tables of runs, from the types of the records."""
    from worktrial.results.tables.catalogue import TABLES

    yield "# Tables of runs\n\nFor `worktrial sql`, `Run.sql` and `worktrial export`.\n"
    for table in TABLES.values():
        yield f"\n## `{table.name}`\n\n| column | type | meaning |\n|---|---|---|\n"
        for column in table.columns:
            yield f"| `{column.name}` | {column.kind} | {_cell(column.meaning)} |\n"


def machine_schema() -> str:
    """JSON Schema of the machine output."""
    from worktrial.results.machine import json_schema

    return json.dumps(json_schema(), indent=2)


def machine_output() -> Iterator[str]:
    """Reference page of the machine output: every kind of object with its fields, from the schema."""
    from worktrial.results.machine import FORMAT, OUTPUTS, json_schema

    schema = json_schema()
    yield (
        "# Machine output\n\nWhat `show`, `compare`, `gate`, `power` and `estimate` print with `--json`: format "
        f"{FORMAT}, described by a [JSON Schema](output.schema.json). Each document names its `command` and its "
        "`format`; the number grows when a field goes away or changes its meaning, not when one is added. "
        "Intervals are pairs, low and high, where null is without bound. Shares lie between 0 and 1.\n"
    )
    first = [output.__name__ for output in OUTPUTS]
    names = [*first, *sorted(name for name in schema["$defs"] if name not in first)]
    for name in names:
        shape = schema["$defs"][name]
        yield f"\n## {name}\n\n{shape.get('description', '')}\n"
        if "properties" in shape:
            yield "\n| field | type | meaning |\n|---|---|---|\n"
            for field, of in shape["properties"].items():
                yield f"| `{field}` | {_type(of)} | {_cell(of.get('description'))} |\n"


def _type(shape: Any) -> str:
    """Type in a JSON Schema, in words, with links to the objects."""
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in shape:
        return " or ".join(_type(one) for one in shape["anyOf"])
    if "enum" in shape:
        return " or ".join(f"`{value}`" for value in shape["enum"])
    if shape.get("type") == "array" and isinstance(shape.get("items"), dict):
        return f"list of {_type(shape['items'])}"
    if shape.get("type") == "object" and isinstance(shape.get("additionalProperties"), dict):
        return f"name to {_type(shape['additionalProperties'])}"
    return str(shape.get("type", "any"))


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")
