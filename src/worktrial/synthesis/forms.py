"""How each kind of artifact lies on disk: what is read back is what was written, and never half of it."""

import contextlib
import shutil
from pathlib import Path
from typing import Any

import msgspec

from worktrial.errors import DataError, StopRun
from worktrial.synthesis.artifacts import Reference, SubTopic, TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.files import hash_of, read_yaml_as, to_yaml, write_text
from worktrial.synthesis.provenance import Form

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
