"""Our own format: a folder with `workplace.yaml`.

    workplace.yaml        name, and whichever of the fields below are not in a file of their own
    system_prompt.md      rules of behaviour, error handling and output
    tools.yaml            a list of {name, description, parameters, example_output, writes}
    initial_state.yaml    or initial_state.json
    state_description.yaml  optional

Each field lives in exactly one place.
"""

from pathlib import Path
from typing import Any

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.files import as_json, as_text, json_kind, read_bytes
from worktrial.outside.yaml_files import read_yaml
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.loading import checked
from worktrial.workplaces.tools import Tool

MAIN_FILE = "workplace.yaml"

_OWN_FILES = {
    "system_prompt": ("system_prompt.md",),
    "tools": ("tools.yaml",),
    "initial_state": ("initial_state.yaml", "initial_state.json"),
    "state_description": ("state_description.yaml",),
}
_OPTIONAL = {"state_description"}


class _YamlTool(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    description: str = ""
    parameters: Any = None
    example_output: Any = None
    writes: bool | None = None
    volatile: bool | None = None


def from_folder(folder: Path) -> Workplace:
    """The workplace that a folder of ours describes.

    Raises:
        DataError: a file or a field is missing, given twice, unknown, or cannot be used.
    """
    main = folder / MAIN_FILE
    fields = read_yaml(main, within=folder)
    if not isinstance(fields, dict):
        raise DataError(main, f"holds {json_kind(fields)}, not a mapping of fields", "Begin with `name: …`")
    unknown = sorted(set(fields) - {"name", *_OWN_FILES})
    if unknown:
        known = ", ".join(["name", *_OWN_FILES])
        raise DataError(main, f"unknown field {', '.join(unknown)}", f"Known fields: {known}")
    name = fields.get("name")
    if not isinstance(name, str) or not name.strip():
        raise DataError(main, "name is missing or not a text", "Add `name: …`")
    found = {field: _find(folder, main, fields, field, files) for field, files in _OWN_FILES.items()}
    prompt, at = found["system_prompt"]
    if not isinstance(prompt, str):
        raise DataError(at, f"system_prompt is {json_kind(prompt)}", "Make it a text")
    tools, tools_at = found["tools"]
    if not isinstance(tools, list):
        raise DataError(tools_at, f"tools is {json_kind(tools)}", "Make it a list")
    return checked.workplace(
        name=name,
        system_prompt=prompt,
        tools=[_tool(entry, i, tools_at) for i, entry in enumerate(tools)],
        initial_state=checked.object_field(*found["initial_state"], "initial_state"),
        state_description=checked.description_field(*found["state_description"], "state_description"),
        where=main,
        tools_field="tools",
    )


def _find(
    folder: Path, main: Path, fields: JsonObject, field: str, files: tuple[str, ...]
) -> tuple[JsonValue, Path]:
    own = [folder / name for name in files if (folder / name).exists()]
    places = [*([main] if field in fields else []), *own]
    if len(places) > 1:
        names = " and ".join(p.name for p in places)
        raise DataError(folder, f"{field} is given twice, in {names}", "Keep one of them")
    if own:
        return _read(own[0], folder), own[0]
    if field in fields:
        return fields[field], main
    if field in _OPTIONAL:
        return None, main
    raise DataError(main, f"lacks {field}", f"Add the field, or a file {' or '.join(files)} next to it")


def _read(path: Path, folder: Path) -> JsonValue:
    match path.suffix:
        case ".md":
            return as_text(read_bytes(path, within=folder), path)
        case ".json":
            return as_json(read_bytes(path, within=folder), path)
        case _:
            return read_yaml(path, within=folder)


def _tool(entry: JsonValue, index: int, where: Path) -> Tool:
    field = f"tools[{index}]"
    if not isinstance(entry, dict):
        raise DataError(where, f"{field} is {json_kind(entry)}", "Each tool is a mapping")
    try:
        t = msgspec.convert(entry, _YamlTool)
    except msgspec.ValidationError as e:
        raise DataError(where, f"{field}: {e}", "Correct the field") from None
    return checked.tool(
        name=t.name,
        description=t.description,
        parameters=t.parameters,
        example_output=t.example_output,
        where=where,
        field=field,
        writes=t.writes,
        volatile=t.volatile,
    )
