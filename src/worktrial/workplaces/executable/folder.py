"""Files of an executable workplace, read: what it is called, its rules, its initial state, its code as text."""

from pathlib import Path

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.outside.files import as_json, as_text, read_bytes
from worktrial.outside.yaml_files import read_yaml
from worktrial.workplaces.executable.report_form import ReportForm

WORKPLACE_FILE = "workplace.yaml"
STATE_FILE = "initial_state.yaml"
TOOLS_FILE = "tools.py"
STATES = "states"


class WorkplaceFile(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """Content of `workplace.yaml`."""

    name: str
    system_prompt: str
    state_description: JsonObject
    report: ReportForm | None = None
    """Form in which agents report, where they are to use one."""


def read_workplace_file(folder: Path) -> WorkplaceFile:
    """The `workplace.yaml` of a workplace.

    Raises:
        DataError: it is missing, or a field is, or cannot be used.
    """
    path = folder / WORKPLACE_FILE
    try:
        return msgspec.convert(read_yaml(path, within=folder), WorkplaceFile)
    except msgspec.ValidationError as e:
        needed = "Needed: name, system_prompt, state_description; a `report` holds `outcomes`, codes and meanings"
        raise DataError(path, str(e), needed) from None


def read_initial_state(folder: Path) -> JsonObject:
    """The `initial_state.yaml` of a workplace.

    Raises:
        DataError: it is missing, or holds no mapping.
    """
    state = read_yaml(folder / STATE_FILE, within=folder)
    if not isinstance(state, dict):
        raise DataError(folder / STATE_FILE, "holds no mapping of fields", "Begin with `clock: …`")
    return state


def read_start(folder: Path, name: str) -> JsonObject:
    """Another initial state of a workplace, `states/NAME.json`.

    Raises:
        DataError: there is none of this name, or it holds no JSON object.
    """
    path = folder / STATES / f"{name}.json"
    if path.name != f"{name}.json" or not path.is_file():
        known = ", ".join(sorted(p.stem for p in (folder / STATES).glob("*.json")))
        raise DataError(path, "no such file", f"There is: {known}" if known else f"{folder / STATES} holds none")
    state = as_json(read_bytes(path, within=folder), path)
    if not isinstance(state, dict):
        raise DataError(path, "holds no JSON object", "Begin with `{`")
    return state


def read_modules(folder: Path) -> dict[str, str]:
    """Texts of the Python files of a workplace, by module.

    Raises:
        DataError: there is no `tools.py`, or a file cannot be read.
    """
    if not (folder / TOOLS_FILE).is_file():
        raise DataError(
            folder / TOOLS_FILE, "no such file", "Write the tools there, as functions over a typed state"
        )
    return {path.stem: as_text(read_bytes(path, within=folder), path) for path in sorted(folder.glob("*.py"))}
