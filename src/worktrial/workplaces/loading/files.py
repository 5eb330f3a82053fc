"""Bytes on disk to JSON values, with errors that say where and how to mend."""

from codecs import BOM_UTF8
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonValue

_UTF8 = "Save the file as UTF-8 without a byte order mark"


def read_bytes(path: Path) -> bytes:
    """The bytes of `path`.

    Raises:
        DataError: there is no such file, or it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(path, "no such file", "Check the path") from None
    except OSError as e:
        raise DataError(path, f"cannot be read ({e.strerror})", "Check that it is a readable file") from e


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
        DataError: it is not UTF-8, is empty, breaks off, or is not JSON.
    """
    text = as_text(raw, where).strip()
    if not text:
        raise DataError(where, "is empty", "It must hold one JSON object")
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as e:
        if "truncated" in str(e):
            raise DataError(where, "breaks off in the middle of its JSON", "Copy or download it again") from None
        raise DataError(where, f"is not JSON: {e}", "Mend it, or copy it again") from None
    except RecursionError:
        raise DataError(where, "nests too deeply", "Flatten it") from None


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
    """SHA-256 over `files` and their places below `folder`, whatever order they come in."""
    digest = sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()
