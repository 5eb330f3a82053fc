"""Artifacts on disk: whole or not at all, in a form that people like to edit."""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec
import yaml

from worktrial.engine.store import cut_torn_tail, read_lines
from worktrial.errors import DataError, StopRun
from worktrial.language import JsonValue
from worktrial.synthesis.artifacts import JobSpec, Reference, SubTopic, TaskDraft, ToolDraft, WorkplaceDraft

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


def read_yaml_as(path: Path, kind: type[T], *, retired: Collection[str] = ()) -> T:
    """The artifact in a YAML file.

    Args:
        path: The file.
        kind: What it is read as.
        retired: Fields that an earlier release had, and that are passed over.

    Raises:
        DataError: there is none, it is no YAML, or not of that kind; the field is named.
    """
    # Imported here: the loader keeps dates as text and refuses keys given twice.
    from worktrial.workplaces.loading.folder import read_yaml

    fields = read_yaml(path)
    if isinstance(fields, dict):
        fields = {name: value for name, value in fields.items() if name not in retired}
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as e:
        raise DataError(path, str(e), "Put the field right, or remove the file to have it written anew") from None


def read_spec(path: Path) -> JobSpec:
    """The job in a YAML file.

    Raises:
        DataError: as `read_yaml_as`.
    """
    return read_yaml_as(path, JobSpec, retired=("faces", "twins"))


def hash_of(value: JsonValue | bytes | Any) -> str:
    """SHA-256 of bytes, or of a value's canonical JSON."""
    data = value if isinstance(value, bytes) else msgspec.json.encode(msgspec.to_builtins(value), order="sorted")
    return hashlib.sha256(data).hexdigest()


def content_hash(workplace: WorkplaceDraft, task: TaskDraft) -> str:
    """Hash of what a slot's runs depend on: its workplace and its task."""
    return hash_of({"workplace": workplace, "task": task})


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """Form in which artifacts of a kind lie on disk."""

    read: Callable[[Path], T]
    write: Callable[[Path, T], None]
    """Replaces what was there."""
    hash: Callable[[T], str]
    """Hash of an artifact's content; what is read back has the same."""
    mend: Callable[[Path], None] = lambda path: None
    """Finishes or takes back a writing that a kill interrupted."""


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
        try:
            file = path.open("ab", buffering=0)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("ab", buffering=0)
        # One write, unbuffered: after a kill at most the last line is torn.
        with file:
            rest = memoryview(line + b"\n")
            while rest:
                rest = rest[file.write(rest) :]
    except OSError as e:
        raise StopRun(f"{path}: cannot be written ({e.strerror})") from None


def write_lines(path: Path, records: list[T]) -> None:
    """Write a whole file of records anew."""
    write_text(path, "".join(msgspec.json.encode(record).decode() + "\n" for record in records))


MAIN_FILE = "workplace.yaml"
PROMPT_FILE = "system_prompt.md"
_FIELDS = {
    "tools": ("tools.yaml",),
    "initial_state": ("initial_state.yaml", "initial_state.json"),
    "state_description": ("state_description.yaml",),
}
_FIX = "Put the field right, or remove the folder to have it written anew"


def _yaml(kind: Any) -> Form[Any]:
    def read(path: Path) -> Any:
        return read_yaml_as(path, kind)

    def write(path: Path, value: Any) -> None:
        write_text(path, to_yaml(value))

    return Form(read, write, hash_of)


SUBTOPICS: Form[list[SubTopic]] = _yaml(list[SubTopic])
REFERENCE: Form[Reference] = _yaml(Reference)
TASK: Form[TaskDraft] = _yaml(TaskDraft)


def read_workplace(folder: Path) -> WorkplaceDraft:
    """The draft in a workplace folder of our format.

    Unlike the loader of finished workplaces it takes what the static checks will find fault with.

    Raises:
        DataError: a file or a field is missing, given twice, or of another kind.
    """
    # Imported here: only this needs the loader.
    from worktrial.workplaces.loading.files import as_text, read_bytes
    from worktrial.workplaces.loading.folder import read_yaml

    main = folder / MAIN_FILE
    fields = read_yaml(main)
    if not isinstance(fields, dict):
        raise DataError(main, "holds no mapping of fields", "Begin with `name: …`")
    prompt = folder / PROMPT_FILE
    if prompt.exists():
        _once(fields, "system_prompt", prompt)
        fields["system_prompt"] = as_text(read_bytes(prompt), prompt)
    for field, names in _FIELDS.items():
        for path in (folder / name for name in names):
            if path.exists():
                _once(fields, field, path)
                fields[field] = read_yaml(path)
    fields.setdefault("state_description", {})
    try:
        return msgspec.convert(fields, WorkplaceDraft)
    except msgspec.ValidationError as e:
        raise DataError(folder, str(e), _FIX) from None


def _once(fields: dict[str, Any], field: str, path: Path) -> None:
    if field in fields:
        raise DataError(path, f"gives {field} a second time", "Keep one of the two")


def write_workplace(folder: Path, draft: WorkplaceDraft) -> None:
    """Put a workplace in the place of what is at `folder`; see `mend_workplace` for what a kill leaves.

    Raises:
        StopRun: it cannot be written.
    """
    new, old = _siblings(folder)
    main: dict[str, Any] = {"name": draft.name}
    try:
        _mend(folder)
        if _is_plain(draft.system_prompt):
            write_text(new / PROMPT_FILE, draft.system_prompt)
        else:
            main["system_prompt"] = draft.system_prompt
        write_text(new / "tools.yaml", to_yaml([_tool(tool) for tool in draft.tools]))
        write_text(new / "initial_state.yaml", to_yaml(draft.initial_state))
        write_text(new / "state_description.yaml", to_yaml(draft.state_description))
        write_text(new / MAIN_FILE, to_yaml(main))
        if folder.exists():
            folder.replace(old)
        new.replace(folder)
        if old.exists():
            shutil.rmtree(old)
    except OSError as e:
        raise StopRun(f"{folder}: cannot be written ({e.strerror})") from None


def mend_workplace(folder: Path) -> None:
    """Bring a folder that a kill left in the middle of being replaced to its old or its new content.

    The new content is whole as soon as the old has been moved away, so then it takes its place.

    Raises:
        StopRun: something cannot be moved or removed.
    """
    try:
        _mend(folder)
    except OSError as e:
        raise StopRun(f"{folder}: cannot be written ({e.strerror})") from None


def _mend(folder: Path) -> None:
    new, old = _siblings(folder)
    if not folder.exists() and old.exists():
        (new if new.exists() else old).replace(folder)
    for rest in (new, old):
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(rest)


def _siblings(folder: Path) -> tuple[Path, Path]:
    return folder.with_name(f".{folder.name}-new"), folder.with_name(f".{folder.name}-old")


def _is_plain(text: str) -> bool:
    """Whether a text file gives the text back as it is."""
    return not text.startswith("\ufeff")


def _tool(tool: ToolDraft) -> dict[str, Any]:
    return {field: getattr(tool, field) for field in tool.__struct_fields__}


WORKPLACE: Form[WorkplaceDraft] = Form(read_workplace, write_workplace, hash_of, mend_workplace)
