"""Data as scripts: a page from a disk may not fetch, and runs a script instead that hands its data over."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

FOLDER = "data"
"""Folder of the data files beside the pages."""

# JSON goes into a script as text that the page parses. Written out as an object it would nearly be the same, but a
# key `__proto__` in a model's output would set a prototype, and two of them would be an error in the whole file.
# The rest cannot occur in a file that is nothing but script, or is harmless there; it is escaped all the same so
# that no reader ever takes a part of the file for markup or for the end of a line.
_ESCAPES = (
    (b"\\", b"\\\\"),
    (b"'", b"\\'"),
    (b"\n", b"\\n"),
    (b"\r", b"\\r"),
    (b"<", b"\\u003c"),
    (b">", b"\\u003e"),
    (b"&", b"\\u0026"),
    ("\u2028".encode(), b"\\u2028"),
    ("\u2029".encode(), b"\\u2029"),
)


def literal(json: bytes) -> bytes:
    """JSON as the text of a script's string literal, quotes included."""
    for raw, escaped in _ESCAPES:
        json = json.replace(raw, escaped)
    return b"'" + json + b"'"


def literal_size(json: bytes) -> int:
    """Length of the JSON's literal in bytes."""
    return len(json) + 2 + sum(json.count(raw) * (len(escaped) - len(raw)) for raw, escaped in _ESCAPES)


def encoded(value: Any) -> bytes:
    """`value` as a literal that holds JSON."""
    return literal(msgspec.json.encode(value))


def array(literals: Iterable[bytes]) -> bytes:
    """A list of literals."""
    return b"[" + b",\n".join(literals) + b"]"


def data_file(name: str, fields: Mapping[str, bytes]) -> bytes:
    """Content of a data file.

    Args:
        name: Place of the file within the data, without its ending; letters, digits, `-` and `/`.
        fields: Literals, or lists of them, by their names.
    """
    parts = b",".join(b"%s:%s" % (field.encode(), value) for field, value in fields.items())
    return b'Worktrial.receive("%s",{%s});\n' % (name.encode(), parts)
