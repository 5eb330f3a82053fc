"""Command lines of well-known agents, as data; `cli:NAME`."""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from worktrial.errors import DataError, SettingError
from worktrial.interop.programs.answers import AnswerPlace
from worktrial.interop.programs.command import CommandAgent
from worktrial.registry import what_there_is

_SUFFIX = ".yaml"


class Preset(BaseModel):
    """Start of one program for a sample, and the place of its answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    about: str
    """Name of the program, and the page that describes its options."""
    command: tuple[str, ...]
    """Program and arguments; see `CommandAgent.words`."""
    answer: str = "text"
    """Place of the answer: `text` or `json:FIELD`."""
    environment: tuple[str, ...] = ()
    """Variables that it is given, where they are set: keys, and where it keeps its settings."""
    files: dict[str, str] = {}
    """Files in its folder, by path."""


def names() -> Sequence[str]:
    """Names of all presets."""
    folder = files(__package__) / "presets"
    return sorted(one.name.removesuffix(_SUFFIX) for one in folder.iterdir() if one.name.endswith(_SUFFIX))


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
    import shlex

    try:
        name, *more = shlex.split(rest) or [""]
    except ValueError as e:
        raise SettingError(f"the arguments cannot be read: {e}") from None
    known = preset(name)
    agent = CommandAgent(
        [*known.command, *more], AnswerPlace.read(known.answer), known.environment, dict(known.files)
    )
    program = shutil.which(agent.words[0])
    if program is None:
        raise SettingError(f"the program {agent.words[0]} is not installed: {known.about}")
    return replace(agent, words=[program, *agent.words[1:]])
