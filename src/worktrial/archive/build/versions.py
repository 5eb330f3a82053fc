"""Which version of the code read a page: a page that was read by other code is read again."""

import hashlib
from functools import lru_cache
from pathlib import Path

import worktrial

_ROOM = Path(worktrial.__file__).parent / "archive"
# What decides the content of a page, and what only decides the meaning of its cells. Reading a scan takes seconds,
# its meaning milliseconds: a change of the second does not bring about the first.
_READING = ("geometry.py", "words.py", "tables.py", "pipeline.py", "pdf", "layout", "ocr", "producers")
_MEANING = ("meaning", "store/parts.py", "store/rows.py", "store/schemas.py", "store/issue.py", "confidence.py")


def reading_version() -> str:
    """Of the code that reads pages."""
    return _of(_READING)


def meaning_version() -> str:
    """Of the code that gives cells their meaning."""
    return _of(_MEANING)


@lru_cache
def _of(names: tuple[str, ...]) -> str:
    digest = hashlib.sha256(worktrial.__version__.encode())
    for name in names:
        place = _ROOM / name
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            if file.is_file():
                digest.update(file.relative_to(_ROOM).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]
