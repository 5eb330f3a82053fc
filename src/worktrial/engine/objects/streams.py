"""Files of a run folder as streams of lines, of which an object store is given a piece at a time.

The records are one stream, and each segment of work is one. A place in a stream is a byte of its lines.
"""

import os
import re
from pathlib import Path

from worktrial.engine.records import SAMPLES
from worktrial.engine.segments import Segments, segments_in, unseal
from worktrial.outside.files import MOST_BYTES, open_file

RECORDS, WORK = "samples", "work"
"""Kinds of streams."""
_STREAM = re.compile(rf"{RECORDS}|{WORK}-(\d{{4,9}})")
_BLOCK = 1 << 16


def streams_in(folder: Path) -> list[str]:
    """Streams of a folder in the order in which they are sent: a sample on record has its work."""
    return [*(work_stream(number) for number in segments_in(folder)), RECORDS]


def is_stream(name: str) -> bool:
    """Whether a stream can have that name."""
    return _STREAM.fullmatch(name) is not None


def work_stream(segment: int) -> str:
    """Name of the stream of a segment."""
    return f"{WORK}-{segment:04}"


def kind_of(stream: str) -> str:
    """Kind of a stream."""
    return stream.partition("-")[0]


def _segment(stream: str) -> int:
    return int(stream.partition("-")[2])


def plain_path(folder: Path, stream: str) -> Path:
    """Path of a stream's file, to which lines can be appended; a sealed segment is unpacked."""
    return folder / SAMPLES if stream == RECORDS else unseal(folder, _segment(stream))


def size_of(folder: Path, stream: str) -> int:
    """Bytes of a stream; 0 where there is none."""
    if stream == RECORDS:
        return (folder / SAMPLES).stat().st_size if (folder / SAMPLES).exists() else 0
    if _segment(stream) not in segments_in(folder):
        return 0
    with Segments(folder) as segments:
        return segments.size(_segment(stream))


def text_at(folder: Path, stream: str, place: int, size: int) -> bytes:
    """Bytes of a stream from `place` on, so many where there are so many."""
    size = min(size, size_of(folder, stream) - place)
    if size <= 0:
        return b""
    if stream == RECORDS:
        with open_file(folder / SAMPLES) as file:
            return os.pread(file.fileno(), size, place)
    with Segments(folder) as segments:
        return segments.text(_segment(stream), place, size)


def whole_end(folder: Path, stream: str) -> int:
    """Place at which the last whole line of a stream ends."""
    end = size_of(folder, stream)
    while end > 0:
        start = max(0, end - _BLOCK)
        newline = text_at(folder, stream, start, end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def lines_from(folder: Path, stream: str, place: int, end: int, most: int) -> list[bytes]:
    """Lines of a stream from `place` up to `end`: some `most` bytes of them, at least one."""
    text = text_at(folder, stream, place, min(end - place, most))
    if b"\n" not in text:
        text = text_at(folder, stream, place, min(end - place, MOST_BYTES))
        return [text[: text.find(b"\n") + 1]] if b"\n" in text else []
    return text[: text.rfind(b"\n") + 1].splitlines(keepends=True)
