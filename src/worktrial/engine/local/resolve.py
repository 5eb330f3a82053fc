"""What `local` means on this machine."""

import os
from dataclasses import dataclass
from pathlib import Path

from worktrial.engine.local.catalogue import CATALOGUE, find_entry, is_present
from worktrial.errors import SettingError

PATH_VARIABLE = "WORKTRIAL_LOCAL_MODEL"


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A model file to serve."""

    name: str
    """What the endpoint calls the model; a catalogue name, or the file's stem."""
    path: Path


def resolve(model: str = "local") -> LocalFile:
    """The file behind `local` or `local:NAME` (a catalogue name or alias).

    Plain `local` is the file named by `WORKTRIAL_LOCAL_MODEL` if that is set, else the best pulled model.

    Raises:
        SettingError: nothing is there; the message names the command that gets it.
    """
    kind, _, name = model.partition(":")
    if kind != "local":
        raise SettingError(f"{model!r} is no embedded model; write local or local:NAME")
    if name:
        entry = find_entry(name)
        if not is_present(entry):
            raise SettingError(
                f"the embedded model {entry.name} is not on this machine; get it ({entry.size / 1e9:.1f} GB) with: "
                f"worktrial model pull {entry.name}"
            )
        return LocalFile(entry.name, entry.path)
    told = os.environ.get(PATH_VARIABLE)
    if told:
        path = Path(told).expanduser()
        if not path.is_file():
            raise SettingError(f"{PATH_VARIABLE}={told}: no such file; name a GGUF file, or unset the variable")
        return LocalFile(path.stem, path)
    for entry in CATALOGUE:
        if is_present(entry):
            return LocalFile(entry.name, entry.path)
    sizes = " or ".join(f"worktrial model pull {e.alias} ({e.size / 1e9:.1f} GB)" for e in CATALOGUE)
    raise SettingError(
        f"no embedded model is on this machine; get one with {sizes}, "
        f"or name a GGUF file in the environment variable {PATH_VARIABLE}"
    )
