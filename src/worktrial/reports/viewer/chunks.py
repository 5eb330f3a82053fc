"""Trajectories cut into scripts of bounded size, which the viewer loads one at a time."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self
from zlib import crc32

import msgspec

from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.store import TRAJECTORIES

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


class StoredLines:
    """The lines of a run's `trajectories.jsonl`. Use as a context manager.

    Args:
        folder: The run's.
        places: Byte at which a sample's line begins. Other samples have no line.
    """

    def __init__(self, folder: Path, places: Mapping[Key, int]) -> None:
        self._path = folder / TRAJECTORIES
        self._places = places
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        if self._places:
            self._file = self._path.open("rb")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def line(self, key: Key) -> bytes | None:
        """The sample's last line as it is stored; None where there is none."""
        place = self._places.get(key)
        if place is None or self._file is None:
            return None
        self._file.seek(place)
        return self._file.readline().rstrip(b"\n")


CHUNK = 384 * 1024
"""Bytes after which a file is full. A longer sample has a file of its own."""

KEYS = 4000
"""Samples that an index file names, in the mean."""


def write_trajectories(
    slug: str, lines: StoredLines, records: Sequence[SampleRecord], into: Path, progress: Callable[[int], None]
) -> list[int]:
    """Write the samples of a run, and the index from their keys to their numbers.

    Every sample is there, those without a trajectory with their record alone.

    Args:
        slug: The run's.
        lines: The run's.
        records: Its samples. The number of a sample is its place here.
        into: The site's folder.
        progress: Told how many more samples are written.

    Returns:
        The number of the first sample in each file.
    """
    _write_keys(slug, records, into)
    encoder = msgspec.json.Encoder()
    firsts: list[int] = []
    waiting: list[bytes] = []
    size = 0

    def write(end: int) -> None:
        nonlocal size
        first = end - len(waiting)
        neighbours = [_key(records, first - 1), _key(records, end)]
        fields = {"first": b"%d" % first, "neighbours": encoded(neighbours), "samples": array(waiting)}
        write_data(into, f"{slug}/t{len(firsts)}", fields)
        firsts.append(first)
        progress(len(waiting))
        waiting.clear()
        size = 0

    for number, record in enumerate(records):
        stored = lines.line(record.key)
        done = b"null" if stored is None else literal(stored)
        sample = b"[" + literal(encoder.encode(record)) + b"," + done + b"]"
        if waiting and size + len(sample) > CHUNK:
            write(number)
        waiting.append(sample)
        size += len(sample)
    if waiting:
        write(len(records))
    return firsts


def key_files(samples: int) -> int:
    """Number of files that the index of so many samples has."""
    return max(1, -(-samples // KEYS))


def key_text(key: Key) -> str:
    """A key as the index names it. The page makes the same from an address."""
    sample, repeat, condition = key
    return f"{repeat}\n{condition}\n{sample}"


def _key(records: Sequence[SampleRecord], number: int) -> Key | None:
    return records[number].key if 0 <= number < len(records) else None


def _write_keys(slug: str, records: Sequence[SampleRecord], into: Path) -> None:
    files: list[dict[str, int]] = [{} for _ in range(key_files(len(records)))]
    for number, record in enumerate(records):
        text = key_text(record.key)
        files[crc32(text.encode()) % len(files)][text] = number
    for place, numbers in enumerate(files):
        write_data(into, f"{slug}/k{place}", {"numbers": encoded(numbers)})
