"""Files of zstd frames (RFC 8878) that grow: each frame is whole by itself, and any zstd tool reads the file.

So such a file can be written on after a crash, and one frame be read without those before it.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from worktrial.errors import DataError
from worktrial.outside.files import MOST_BYTES

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_MAGIC = (0xFD2FB528).to_bytes(4, "little")
_LONGEST_HEADER = 18  # bytes, magic number and all
_HAS_CHECKSUM = 0b100
_CHECKSUM = 4  # bytes
_BLOCK = 1 << 20
_MOST_BLOCKS = 1 << 15
"""Blocks of a frame: of 8 KB at the least, as zstd cuts them, and of `MOST_BYTES` together."""
_LOOKS = 16
"""Magic numbers that what is left of a torn frame may hold by chance; each has 32 bits."""
_OPTIONS = {int(zstd.CompressionParameter.compression_level): 3, int(zstd.CompressionParameter.checksum_flag): 1}
_AGAIN = "Copy the file again from where it is whole"


class Frame(NamedTuple):
    """A frame in its file."""

    start: int
    """Byte at which it begins."""
    end: int
    """Byte after its last."""
    size: int | None
    """Bytes of its content; None where the frame does not say."""


def packed(content: bytes) -> bytes:
    """Frame that holds `content` and says how long it is, with a checksum."""
    return zstd.compress(content, options=_OPTIONS)


def frames(file: IO[bytes], path: Path, place: int = 0, *, end: int | None = None) -> Iterator[Frame]:
    """Whole frames from `place` on; one that breaks off at the end of the file is torn, and left out.

    Args:
        file: The file.
        path: Of it, for messages.
        place: Byte at which a frame begins.
        end: Byte at which the file counts as ended; None: where it ends now.

    Raises:
        DataError: something that is no frame stands before other frames.
    """
    size = os.fstat(file.fileno()).st_size if end is None else end
    while (found := frame_at(file, place, size)) is not None:
        yield found
        place = found.end
    if place < size and _frame_follows(file, place + 1, size):
        raise DataError(f"{path}, byte {place}", "damaged frame", _AGAIN)


def _frame_follows(file: IO[bytes], place: int, size: int) -> bool:
    """Whether a whole frame begins at or after the byte `place`, or more beginnings than a torn one can hold."""
    looks = 0
    while place < size:
        file.seek(place)
        block = file.read(min(_BLOCK, size - place))
        at = -1
        while (at := block.find(_MAGIC, at + 1)) >= 0:
            looks += 1
            if looks > _LOOKS or frame_at(file, place + at, size) is not None:
                return True
        if len(block) < _BLOCK:
            return False
        place += _BLOCK - len(_MAGIC) + 1
    return False


def frame_at(file: IO[bytes], place: int, size: int) -> Frame | None:
    """Frame that begins at the byte `place`; None where none does, or it breaks off.

    Args:
        file: The file.
        place: Byte of it.
        size: Bytes that it has.
    """
    file.seek(place)
    header = file.read(min(_LONGEST_HEADER, max(0, size - place)))
    if not header.startswith(_MAGIC):
        return None
    if len(header) < 5:
        return None
    about = header[4]
    is_single = bool(about & 0b10_0000)
    dictionary = (0, 1, 2, 4)[about & 0b11]
    content = (1 if is_single else 0, 2, 4, 8)[about >> 6]
    at = place + 5 + (0 if is_single else 1) + dictionary + content
    for _ in range(_MOST_BLOCKS):
        file.seek(at)
        block = file.read(3)
        if len(block) < 3 or at >= size:
            return None
        told = int.from_bytes(block, "little")
        is_last, kind, length = told & 1, told >> 1 & 0b11, told >> 3
        # A block that repeats one byte holds only that.
        at += 3 + (1 if kind == 1 else length)
        if is_last:
            break
    else:
        return None
    at += _CHECKSUM if about & _HAS_CHECKSUM else 0
    if at > size:
        return None
    try:
        return Frame(place, at, zstd.get_frame_info(header).decompressed_size)
    except zstd.ZstdError:
        # What looks like a header, and is none: a content of more bytes than there can be.
        return None


def unpacked(file: IO[bytes], path: Path | str, frame: Frame) -> bytes:
    """Content of a frame.

    Raises:
        DataError: the frame is damaged, or holds more than one may.
    """
    file.seek(frame.start)
    data = file.read(frame.end - frame.start)
    reader = zstd.ZstdDecompressor()
    try:
        content = reader.decompress(data, MOST_BYTES)
    except zstd.ZstdError as e:
        raise DataError(f"{path}, byte {frame.start}", f"damaged frame: {e}", _AGAIN) from None
    if not reader.eof:
        what = f"a frame of more than {MOST_BYTES:,} bytes"
        raise DataError(f"{path}, byte {frame.start}", what, "Pack it again in shorter ones")
    return content


def cut_torn_frame(path: Path) -> None:
    """Remove an incomplete last frame, left by a process that was killed while writing.

    Raises:
        DataError: something that is no frame stands before other frames.
    """
    if not path.exists():
        return
    with path.open("r+b") as file:
        end = 0
        for frame in frames(file, path):
            end = frame.end
        file.truncate(end)


def frame_ends(path: Path, place: int) -> list[int]:
    """Bytes at which the whole frames end that begin at the byte `place` or later.

    Raises:
        DataError: something that is no frame stands before other frames.
    """
    with path.open("rb") as file:
        return [frame.end for frame in frames(file, path, place)]
