"""Artifacts on disk: whole or not at all, in a form that people like to edit."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import yaml

from worktrial.engine import lines
from worktrial.engine.lines import cut_torn_tail, read_lines, replace_file
from worktrial.errors import DataError, StopRun
from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import JobSpec

T = TypeVar("T")


_BREAKS = frozenset("\x85\u2028\u2029\r")


_SafeDumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_SafeDumper):  # type: ignore[misc]
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
        replace_file(path, text.encode())
    except OSError as e:
        raise StopRun(f"{path}: cannot be written ({e.strerror})") from None


def read_yaml_as(path: Path, kind: type[T]) -> T:
    """The artifact in a YAML file.

    Raises:
        DataError: there is none, it is no YAML, or not of that kind; the field is named.
    """
    # Imported here: the loader keeps dates as text and refuses keys given twice.
    from worktrial.outside.yaml_files import read_yaml

    try:
        return msgspec.convert(read_yaml(path), kind)
    except msgspec.ValidationError as e:
        raise DataError(path, str(e), "Put the field right, or remove the file to have it written anew") from None


def read_spec(path: Path) -> JobSpec:
    """The job in a YAML file.

    Raises:
        DataError: as `read_yaml_as`.
    """
    return read_yaml_as(path, JobSpec)


def hash_of(value: JsonValue | bytes | Any) -> str:
    """SHA-256 of bytes, or of a value's canonical JSON."""
    data = value if isinstance(value, bytes) else msgspec.json.encode(value, order="sorted")
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """Form in which artifacts of a kind lie on disk."""

    read: Callable[[Path], T]
    write: Callable[[Path, T], None]
    """Replaces what was there."""
    hash: Callable[[T], str]
    """Hash of an artifact's content; what is read back has the same."""


class RecordFile(Generic[T]):
    """A file of records of one kind. One process writes; what a kill tore off is removed when it is opened.

    Raises:
        DataError: a line before the last is damaged.
    """

    def __init__(self, path: Path, kind: type[T]) -> None:
        self._path = path
        cut_torn_tail(path)
        self.records: list[T] = list(read_lines(path, kind))

    def __iter__(self) -> Iterator[T]:
        return iter(self.records)

    def add(self, record: T) -> None:
        """Append a record; it is on disk when this returns.

        Raises:
            StopRun: the file cannot be written.
        """
        append_line(self._path, msgspec.json.encode(record))
        self.records.append(record)


def append_line(path: Path, line: bytes) -> None:
    """Append one line to a file whose tail is whole; it is on disk when this returns.

    Raises:
        StopRun: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            lines.append_line(file, line)
    except OSError as e:
        raise StopRun(f"{path}: cannot be written ({e.strerror})") from None


def write_lines(path: Path, records: list[T]) -> None:
    """Write a whole file of records anew."""
    write_text(path, "".join(msgspec.json.encode(record).decode() + "\n" for record in records))


def yaml_form(kind: Any) -> Form[Any]:
    """Form of artifacts of a kind as YAML files."""
    return Form(
        lambda path: read_yaml_as(path, kind), lambda path, value: write_text(path, to_yaml(value)), hash_of
    )
