"""Reading and writing artifacts: whole or not at all, in a form that people like to edit."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from worktrial.errors import DataError, StopRun
from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import TaskDraft, WorkplaceDraft

T = TypeVar("T")

_BREAKS = frozenset("\x85\u2028\u2029\r")


class _Dumper(yaml.SafeDumper):
    """Texts of several lines are blocks, and nothing is an alias."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    # A block cannot hold spaces at a line's end, and some unseen characters would come back as line breaks.
    if any(c in _BREAKS for c in text):
        style = '"'
    elif "\n" in text and not text[0].isspace() and all(line == line.rstrip() for line in text.splitlines()):
        style = "|"
    else:
        style = None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def to_yaml(value: Any) -> str:
    """`value` (a struct, or JSON) as YAML, fields in the order of the struct."""
    return yaml.dump(msgspec.to_builtins(value), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


def write_text(path: Path, text: str) -> None:
    """Write a file; a reader, or a kill, never meets half of it.

    Raises:
        StopRun: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except OSError as e:
        raise StopRun(f"{path}: cannot be written ({e.strerror})") from None


def read_yaml_as(path: Path, kind: type[T]) -> T:
    """The artifact in a YAML file.

    Raises:
        DataError: there is none, it is no YAML, or not of that kind; the field is named.
    """
    # Imported here: the loader keeps dates as text and refuses keys given twice.
    from worktrial.workplaces.loading.folder import read_yaml

    try:
        return msgspec.convert(read_yaml(path), kind)
    except msgspec.ValidationError as e:
        raise DataError(path, str(e), "Put the field right, or remove the file to have it written anew") from None


def hash_of(value: JsonValue | bytes | Any) -> str:
    """SHA-256 of bytes, or of a value's canonical JSON."""
    data = value if isinstance(value, bytes) else msgspec.json.encode(msgspec.to_builtins(value), order="sorted")
    return hashlib.sha256(data).hexdigest()


def content_hash(workplace: WorkplaceDraft, task: TaskDraft) -> str:
    """Of what a slot's runs depend on."""
    return hash_of({"workplace": workplace, "task": task})
