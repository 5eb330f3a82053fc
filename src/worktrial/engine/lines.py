"""Lines of a run's files: read in order, added one by one, mended after a crash."""

import os
from collections.abc import Iterator
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import IO, TypeVar

import msgspec

from worktrial.errors import DataError
from worktrial.outside.files import MOST_BYTES, open_file

_T = TypeVar("_T")
_BLOCK = 1 << 16  # bytes; more do not stay in the processor's cache
_LINES = 100


def read_lines(path: Path, kind: type[_T]) -> Iterator[_T]:
    """The records of a JSONL file of ours, in order; nothing when the file is not there.

    A torn last line is passed over: a run that is still being written can be read.

    Raises:
        DataError: a line is not such a record.
    """
    return chain.from_iterable(line_blocks(path, kind))


def decoded_lines(
    file: IO[bytes], path: Path, kind: type[_T], *, place: int = 0, number: int = 1
) -> Iterator[tuple[_T, int, int]]:
    """Records of a file that is open, in order, each with the bytes at which its line begins and ends.

    Args:
        file: The file.
        path: Of it, for messages.
        kind: Of its records.
        place: Byte at which the first of them begins.
        number: Number of that line, for messages.

    Raises:
        DataError: a line is not such a record.
    """
    decode, read = msgspec.json.Decoder(kind).decode, file.readline
    file.seek(place)
    at = number
    while line := read(MOST_BYTES):
        if not line.endswith(b"\n"):
            if len(line) == MOST_BYTES:
                what = f"damaged record: more than {MOST_BYTES:,} bytes in one line"
                raise DataError(f"{path}:{at}", what, "Remove this line to go on")
            return
        try:
            record = decode(line)
            # Fields that `kind` leaves out are skipped, not decoded; whoever reads them later could not.
            if not line.isascii():
                line.decode()
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
            raise DataError(f"{path}:{at}", f"damaged record: {e}", "Remove this line to go on") from None
        end = place + len(line)
        yield record, place, end
        place = end
        at += 1


def line_blocks(path: Path, kind: type[_T]) -> Iterator[list[_T]]:
    """Records as `read_lines` gives them, some at a time, which takes less."""
    if not path.exists():
        return
    decode = msgspec.json.Decoder(kind).decode
    place, number, begun = 0, 1, b""
    with open_file(path, within=path.parent) as file:
        while block := file.read(_BLOCK):
            block = begun + block
            *lines, begun = block.split(b"\n")
            try:
                records = [*map(decode, lines)]
                if not block.isascii():
                    block[: len(block) - len(begun)].decode()
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
                break
            if not records:
                break
            yield records
            place += len(block) - len(begun)
            number += len(records)
        # What is damaged is named by its line, and so is a line that is longer than a block.
        rest = map(itemgetter(0), decoded_lines(file, path, kind, place=place, number=number))
        while records := list(islice(rest, _LINES)):
            yield records


def replace_file(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file of ours; who reads it sees the old one or the new one, never a half.

    Args:
        path: Of the file.
        data: All that it shall hold.
        durable: Whether that holds after a power cut, too; which of the two it is then, nobody knows.

    Raises:
        OSError: it cannot be written.
    """
    temporary = path.with_name(f"{path.name}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    temporary.replace(path)


def sync_folder(folder: Path) -> None:
    """Bring the names of a folder's files to the disk, which keeps them apart from what the files hold."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def append_line(file: IO[bytes], line: bytes) -> None:
    """Write a line of a JSONL file of ours."""
    # One write per line, unbuffered: after a kill at most the last line is torn.
    write_all(file, line + b"\n")


def write_all(file: IO[bytes], data: bytes) -> None:
    """Write `data` to an unbuffered file, which may take a part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def cut_torn_tail(path: Path) -> None:
    """Remove an incomplete last line, left by a process that was killed while writing."""
    if not path.exists():
        return
    with path.open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        end = size
        block = 65536
        while end > 0:
            start = max(0, end - block)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end != size:
            file.truncate(end)
