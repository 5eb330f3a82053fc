"""Bytes on disk to JSON values, within bounds, with errors that say where and how to mend it."""

import os
import stat
from codecs import BOM_UTF8
from collections.abc import Iterable
from errno import EISDIR
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonValue
from worktrial.outside.budget import MOST_VALUES, holds_more_values

MOST_BYTES = 256 << 20
"""Most bytes of one file that is read whole."""
MOST_LEVELS = 100
"""Most collections within each other."""

_UTF8 = "Save the file as UTF-8 without a byte order mark"


def read_bytes(path: Path, *, within: Path | None = None, most: int = MOST_BYTES) -> bytes:
    """The bytes of `path`.

    Args:
        path: The file.
        within: Folder that the file was found in, and must lie in; None for a file that its user named.
        most: Bytes above which it is refused.

    Raises:
        DataError: there is no such file, it is too large or cannot be read, or it lies elsewhere than in `within`.
    """
    if within is not None:
        refuse_leaving(within, path)
    try:
        # The descriptor alone: a file object would cost as much as everything else here.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            found = os.fstat(handle)
            if stat.S_ISDIR(found.st_mode):
                raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
            if stat.S_ISREG(found.st_mode):
                return _read(handle, path, found.st_size, most)
        finally:
            os.close(handle)
        if within is not None:
            raise irregular(path)
        # A pipe, as a shell's `<(…)` makes it, says nothing about its size.
        with path.open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise DataError(path, "no such file", "Check the path") from None
    except OSError as e:
        raise DataError(path, f"cannot be read ({e.strerror})", "Check that it is a readable file") from e
    except ValueError as e:  # a zero byte in the name
        raise DataError(repr(str(path)), f"is no name of a file ({e})", "Check the path") from None
    if len(data) > most:
        raise _too_large(path, most)
    return data


def open_file(path: Path, *, within: Path | None = None) -> BinaryIO:
    """The regular file at `path`, opened for reading. A pipe is never waited for.

    Args:
        path: The file.
        within: Folder that the file was found in, and must lie in; None for a file that its user named.

    Raises:
        FileNotFoundError: there is none.
        DataError: it is a folder, a pipe or a device, it cannot be read, or it lies elsewhere than in `within`.
    """
    if within is not None:
        refuse_leaving(within, path)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as e:
        raise DataError(path, f"cannot be read ({e.strerror})", "Check that it is a readable file") from e
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise irregular(path)
    return os.fdopen(handle, "rb")


def irregular(path: Path) -> DataError:
    """Error about something that is no regular file where one has to be."""
    return DataError(path, "is no regular file", "Put a copy of its content there")


def _read(handle: int, path: Path, size: int, most: int) -> bytes:
    if size > most:
        raise _too_large(path, most)
    data = os.read(handle, size + 1)
    # Short where the system reads no more at a time, or the file grows meanwhile.
    while len(data) != size and (more := os.read(handle, min(most + 1 - len(data), 1 << 20))):
        data += more
        if len(data) > most:
            raise _too_large(path, most)
    return data


def _too_large(path: Path, most: int) -> DataError:
    what = f"has more than the {most:,} bytes that are read"
    return DataError(path, what, "Split it, or leave out what is not needed")


def refuse_leaving(folder: Path, path: Path) -> None:
    """Refuse a path that leads out of a folder, by `..` or by a symbolic link.

    Args:
        folder: The folder, which may be a link itself.
        path: Begins with `folder`; what it names need not be there.

    Raises:
        DataError: it leads elsewhere.
    """
    below = path.relative_to(folder).parts
    if ".." in below:
        raise DataError(path, f"lies outside of {folder}", "Name a file in the folder")
    at = str(folder)
    for part in below:
        at = f"{at}/{part}"
        if os.path.islink(at):  # noqa: PTH114 - a path's own way takes longer than to read the file
            # What is followed here is followed to its end, every link behind this one as well.
            if not _is_of(folder.resolve(), path.resolve()):
                raise DataError(at, "is a symbolic link out of the folder", "Put a copy of the file there")
            return


def _is_of(folder: Path, target: Path) -> bool:
    if target.is_relative_to(folder):
        return True
    # The hub's client keeps `snapshots/REVISION` as links into `blobs` beside it.
    return folder.parent.name == "snapshots" and target.parent == folder.parents[1] / "blobs"


def refuse_links_out(folder: Path) -> None:
    """Refuse a folder that shows what lies elsewhere.

    Raises:
        DataError: a symbolic link in it leads out of it.
    """
    for path in folder.rglob("*"):
        refuse_leaving(folder, path)


def as_text(raw: bytes, where: object) -> str:
    """`raw` as text.

    Raises:
        DataError: it is not UTF-8, or begins with a byte order mark.
    """
    if raw.startswith(BOM_UTF8):
        raise DataError(where, "begins with a byte order mark", _UTF8)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as e:
        raise DataError(where, f"is not UTF-8 (byte {e.start}: {e.reason})", _UTF8) from None


def as_json(raw: bytes, where: object) -> JsonValue:
    """The JSON value in `raw`.

    Raises:
        DataError: it is not UTF-8, is empty, breaks off, is not JSON, or more of it than is read.
    """
    text = as_text(raw, where).strip()
    if not text:
        raise DataError(where, "is empty", "It must hold one JSON object")
    if holds_more_values(raw, MOST_VALUES):
        raise DataError(where, f"holds more than {MOST_VALUES:,} values", "Split it")
    try:
        value: JsonValue = msgspec.json.decode(text)
    except msgspec.DecodeError as e:
        if "truncated" in str(e):
            raise DataError(where, "breaks off in the middle of its JSON", "Copy or download it again") from None
        raise DataError(where, f"is not JSON: {e}", "Mend it, or copy it again") from None
    except RecursionError:
        raise _too_deep(where) from None
    if isinstance(value, dict | list) and _deeper_than(value, MOST_LEVELS - 1):
        raise _too_deep(where)
    return value


def _too_deep(where: object) -> DataError:
    return DataError(where, f"nests too deeply, more than {MOST_LEVELS} levels", "Flatten it")


def _deeper_than(value: dict[str, JsonValue] | list[JsonValue], levels: int) -> bool:
    """Whether there are more than `levels` collections within each other in `value`; recursive, but no deeper.

    Every workplace that is loaded passes here, and this takes a third of the time of `nested_deeper_than`.
    """
    for inner in value.values() if isinstance(value, dict) else value:
        kind = type(inner)
        if (kind is dict or kind is list) and (levels == 0 or _deeper_than(inner, levels - 1)):
            return True
    return False


def as_object(raw: bytes, where: object) -> dict[str, JsonValue]:
    """The JSON object in `raw`.

    Raises:
        DataError: as `as_json`, or the value is not an object.
    """
    value = as_json(raw, where)
    if not isinstance(value, dict):
        raise DataError(where, f"holds {json_kind(value)}, not an object", "One object describes one workplace")
    return value


def json_kind(value: JsonValue) -> str:
    """Name of the JSON type of `value`, with its article."""
    kinds = {
        type(None): "null",
        bool: "a boolean",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
    }
    return kinds.get(type(value), "an object")


def files_fingerprint(folder: Path, files: Iterable[Path]) -> str:
    """SHA-256 over `files` and their places below `folder`, whatever order they come in.

    Raises:
        DataError: a file cannot be read, or lies elsewhere.
    """
    digest = sha256()
    for path in sorted(files):
        name = f"{path.relative_to(folder).as_posix()}\0"
        digest.update(name.encode() + read_bytes(path, within=folder) + b"\0")
    return digest.hexdigest()
