"""Data in script files: pages that lie on a disk may load scripts, but nothing else."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

FOLDER = "data"

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


def encoded(value: Any) -> bytes:
    """`value` as a literal that holds JSON."""
    return literal(msgspec.json.encode(value))


def write_data(into: Path, name: str, fields: Mapping[str, bytes]) -> None:
    """Write a data file.

    Args:
        into: The site's folder.
        name: Place of the file within the data, without its ending; letters, digits, `-` and `/`.
        fields: Literals, or lists of them, by their names.
    """
    path = into / FOLDER / f"{name}.js"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(b'Worktrial.receive("%s",{' % name.encode())
        for number, (field, value) in enumerate(fields.items()):
            file.write(b"%s%s:" % (b"," * bool(number), field.encode()))
            file.write(value)
        file.write(b"});\n")


def array(literals: Iterable[bytes]) -> bytes:
    """A list of literals."""
    return b"[" + b",\n".join(literals) + b"]"
