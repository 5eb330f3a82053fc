"""Command lines of well-known agents, as data; `cli:NAME`."""

import json
import shlex
import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from worktrial.agents.assignment import Assignment
from worktrial.agents.far import variable
from worktrial.errors import DataError, SettingError
from worktrial.interop.programs.command import CommandAgent, Start
from worktrial.interop.programs.reports import Rule
from worktrial.registry import what_there_is

_SUFFIX = ".yaml"


class PresetPart(BaseModel):
    """Something that the start of a program is put together from; see `Start`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    arguments: tuple[str, ...] = ()
    files: dict[str, Any] = {}
    variables: dict[str, str] = {}

    def with_value(self, value: str) -> "PresetPart":
        """The part with `{value}` filled in."""
        return PresetPart.model_validate_json(self.model_dump_json().replace("{value}", json.dumps(value)[1:-1]))


class Preset(PresetPart):
    """Start of one program for a sample, and what it prints."""

    about: str
    """Name of the program, and the page that describes its options."""
    package: str
    """Command that installs it."""
    command: tuple[str, ...]
    """Program and its first arguments; `arguments` follow, those of the parts that apply, and the user's own."""
    report: tuple[Rule, ...]
    """Rules of the events that it prints."""
    environment: tuple[str, ...] = ()
    """Variables that it is given, where they are set: keys, and the addresses of its models."""
    with_tools: PresetPart = PresetPart()
    """PresetPart that brings the workplace's tools."""
    with_files: PresetPart = PresetPart()
    """PresetPart for samples with files, on which it works with tools of its own."""
    without_files: PresetPart = PresetPart()
    """PresetPart for all others: tools of its own are off, as far as it lets us."""
    when_set: dict[str, PresetPart] = {}
    """Parts for when a variable is set, which is `{value}` in them."""

    def start(self, assignment: Assignment, more: Sequence[str]) -> Start:
        """Start of the program for `assignment`, with arguments of the user's own at the end."""
        parts = [
            self,
            *([self.with_tools] if assignment.tools else []),
            self.without_files if assignment.workspace is None else self.with_files,
            *(part.with_value(value) for name, part in self.when_set.items() if (value := variable(name))),
        ]
        content: dict[str, Any] = {}
        variables: dict[str, str] = {}
        for part in parts:
            content = _joined(content, part.files)
            variables |= part.variables
        program = shutil.which(self.command[0]) or self.command[0]
        arguments = [word for part in parts for word in part.arguments]
        return Start([program, *self.command[1:], *arguments, *more], content, variables)


def _joined(one: Any, other: Any) -> Any:
    """Both, entry by entry; lists one after the other."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return {**one, **{name: _joined(one[name], v) if name in one else v for name, v in other.items()}}
    return [*one, *other] if isinstance(one, list) and isinstance(other, list) else other


def names() -> Sequence[str]:
    """Names of all presets."""
    folder = files(__package__) / "presets"
    return sorted(one.name.removesuffix(_SUFFIX) for one in folder.iterdir() if one.name.endswith(_SUFFIX))


@cache
def preset(name: str) -> Preset:
    """The preset of that name.

    Raises:
        SettingError: there is none.
        DataError: it cannot be read.
    """
    if name not in names():
        raise SettingError(f"there is no preset {name!r}; {what_there_is(name, names())}")
    file = files(__package__) / "presets" / f"{name}{_SUFFIX}"
    read: Any = yaml.safe_load(file.read_text("utf-8"))
    try:
        return Preset.model_validate(read)
    except ValueError as e:
        raise DataError(file, str(e)) from None


def cli(rest: str, base: Path) -> CommandAgent:
    """Agent that `cli:NAME` names, or `cli:NAME ARGS` with further arguments at the end.

    Args:
        rest: Name of the preset, and arguments for its program, such as the model.
        base: Folder that relative paths start at; there are none.

    Raises:
        SettingError: there is no such preset, or its program is not installed.
    """
    try:
        name, *more = shlex.split(rest) or [""]
    except ValueError as e:
        raise SettingError(f"the arguments cannot be read: {e}") from None
    known = preset(name)
    program = known.command[0]
    if shutil.which(program) is None:
        raise SettingError(f"the program {program} is not installed: {known.package}. {known.about}")
    return CommandAgent(
        program,
        lambda assignment: known.start(assignment, more),
        report=known.report,
        environment=known.environment,
        own_home=True,
        model=_model_in(more),
    )


def _model_in(words: Sequence[str]) -> str:
    """Model that arguments name; "" where they name none."""
    for word, following in pairwise([*words, ""]):
        if word in ("--model", "-m"):
            return following
        if word.startswith("--model="):
            return word.partition("=")[2]
    return ""
