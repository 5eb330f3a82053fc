"""Segments of a run's work: lines that are written once, and read by the places that records name.

`work/0001.jsonl` is open: plain lines, appended. With 64 MB it is sealed as `work/0001.jsonl.zst`: frames of a
megabyte of content each, and at the end a table of their sizes, as zstd's seekable format has it. Any tool of zstd
reads it. A place counts bytes of the content, so it stays true when a segment is sealed.
"""

import contextlib
import os
import re
import struct
from collections import OrderedDict
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO, NamedTuple

from worktrial.engine.lines import cut_torn_tail, sync_folder, write_all
from worktrial.engine.record import Place
from worktrial.errors import DataError
from worktrial.outside.files import MOST_BYTES, open_file, refuse_leaving
from worktrial.outside.zstandard import zstd

WORK = "work"
"""Folder of the segments within a run."""
SEGMENT_BYTES = 64 << 20
"""Bytes of content after which a segment is full; a longer line has one of its own."""
FRAME_BYTES = 1 << 20
"""Bytes of content of every frame but the last."""

_NAME = re.compile(r"(\d{4,9})\.jsonl(\.zst)?")
_SKIPPABLE = 0x184D2A5E
_SEEKABLE = 0x8F92EAB1
_HEADER = struct.Struct("<II")  # magic number, bytes that follow
_ENTRY = struct.Struct("<II")  # bytes of the frame, and of its content
_FOOTER = struct.Struct("<IBI")  # number of frames, flags, magic number
_MOST_FRAMES = (SEGMENT_BYTES + MOST_BYTES) // FRAME_BYTES + 1
_WRITTEN = {int(zstd.CompressionParameter.compression_level): 3, int(zstd.CompressionParameter.checksum_flag): 1}
_READ = {int(zstd.DecompressionParameter.window_log_max): FRAME_BYTES.bit_length() - 1}
_KEPT_FILES = 16
_KEPT_FRAMES = 8
_COPY_AGAIN = "Copy the file again from where it is whole"


def segment_path(folder: Path, number: int, *, sealed: bool = False) -> Path:
    """Path of a segment of the run in `folder`."""
    return folder / WORK / f"{number:04}.jsonl{'.zst' if sealed else ''}"


def segments_in(folder: Path) -> dict[int, Path]:
    """Files of the segments of a run by their numbers; of one that is there in both forms the sealed one.

    Raises:
        DataError: their folder lies elsewhere, or is none.
    """
    place = folder / WORK
    refuse_leaving(folder, place)
    if not place.is_dir():
        if place.exists():
            raise DataError(place, "is no folder", "Remove it, or put back the folder that was there")
        return {}
    found = sorted((int(match[1]), path) for path in place.iterdir() if (match := _NAME.fullmatch(path.name)))
    return dict(found)


class MissingWork(DataError):
    """Work that a record points at is not there."""


class _Segment(NamedTuple):
    """A segment that is open for reading."""

    path: Path
    file: IO[bytes]
    frames: list[tuple[int, int]] | None
    """Bytes at which each frame begins and ends; None of a plain one."""
    starts: list[int]
    """Bytes of the content at which the frames begin, and the last one ends."""


class Segments:
    """Reader of the work of the run in a folder, by places. Use as a context manager.

    A run may be at work on it. At most some files and some megabytes of content are held.

    Args:
        folder: Of the run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: OrderedDict[int, _Segment] = OrderedDict()
        self._contents: OrderedDict[tuple[int, int], bytes] = OrderedDict()

    def __enter__(self) -> "Segments":
        return self

    def __exit__(self, *_: object) -> None:
        while self._open:
            self._open.popitem()[1].file.close()

    def line(self, place: Place) -> bytes:
        """The line at a place, without its line break.

        Raises:
            MissingWork: its segment is not there, or breaks off before it.
            DataError: the segment is damaged, or no line lies there.
        """
        segment = self._segment(place.segment)
        data = self._text(place.segment, segment, place.offset, place.length)
        if len(data) < place.length:
            raise MissingWork(
                segment.path, "is shorter than the records say", f"{_COPY_AGAIN}, or run its samples again"
            )
        if data.find(b"\n") != place.length - 1:
            raise DataError(
                f"{segment.path}, byte {place.offset}",
                "no line of work lies where its record says",
                f"{_COPY_AGAIN}, or run the sample again",
            )
        return data[:-1]

    def size(self, number: int) -> int:
        """Bytes of the content of a segment."""
        segment = self._segment(number)
        return os.fstat(segment.file.fileno()).st_size if segment.frames is None else segment.starts[-1]

    def text(self, number: int, offset: int, length: int) -> bytes:
        """Bytes of a segment's content, as many as there are up to `length`."""
        return self._text(number, self._segment(number), offset, length)

    def _text(self, number: int, segment: _Segment, offset: int, length: int) -> bytes:
        if length > MOST_BYTES:
            raise DataError(segment.path, f"a line of more than {MOST_BYTES:,} bytes", "Run the sample again")
        if segment.frames is None:
            return os.pread(segment.file.fileno(), length, offset)
        pieces = []
        end = min(offset + length, segment.starts[-1])
        while offset < end:
            at = offset // FRAME_BYTES
            begin = offset - segment.starts[at]
            pieces.append(self._content(number, segment, at)[begin : begin + end - offset])
            offset += len(pieces[-1])
        return b"".join(pieces)

    def _segment(self, number: int) -> _Segment:
        found = self._open.pop(number, None)
        if found is None:
            found = self._opened(number)
            while len(self._open) >= _KEPT_FILES:
                self._open.popitem(last=False)[1].file.close()
        self._open[number] = found
        return found

    def _opened(self, number: int) -> _Segment:
        # Sealed, plain, and sealed meanwhile.
        for sealed in (True, False, True):
            path = segment_path(self.folder, number, sealed=sealed)
            try:
                file = open_file(path, within=self.folder)
            except FileNotFoundError:
                continue
            with contextlib.ExitStack() as stack:
                stack.callback(file.close)
                frames, starts = _frames(file, path) if sealed else (None, [])
                stack.pop_all()
            return _Segment(path, file, frames, starts)
        raise MissingWork(path.with_suffix(""), "is missing", f"{_COPY_AGAIN}, or run its samples again")

    def _content(self, number: int, segment: _Segment, at: int) -> bytes:
        content = self._contents.pop((number, at), None)
        if content is None:
            assert segment.frames is not None  # else there is nothing to unpack
            begin, end = segment.frames[at]
            size = segment.starts[at + 1] - segment.starts[at]
            content = _unpacked(os.pread(segment.file.fileno(), end - begin, begin), size, segment.path, begin)
            while len(self._contents) >= _KEPT_FRAMES:
                self._contents.popitem(last=False)
        self._contents[number, at] = content
        return content


def _frames(file: IO[bytes], path: Path) -> tuple[list[tuple[int, int]], list[int]]:
    """Frames of a sealed segment by the table at its end, and where their contents begin."""
    size = os.fstat(file.fileno()).st_size
    footer = os.pread(file.fileno(), _FOOTER.size, max(0, size - _FOOTER.size))
    count, flags, magic = _FOOTER.unpack(footer) if len(footer) == _FOOTER.size else (0, 0, 0)
    length = _HEADER.size + count * _ENTRY.size + _FOOTER.size
    if magic != _SEEKABLE or flags or not 0 < count <= _MOST_FRAMES or length > size:
        raise DataError(path, "has no table of its frames at its end", _COPY_AGAIN)
    table = os.pread(file.fileno(), length, size - length)
    entries = [*_ENTRY.iter_unpack(table[_HEADER.size : -_FOOTER.size])]
    ends = [*accumulate((packed for packed, _ in entries), initial=0)]
    *whole, last = [content for _, content in entries]
    if (
        _HEADER.unpack(table[: _HEADER.size]) != (_SKIPPABLE, length - _HEADER.size)
        or ends[-1] != size - length
        or any(content != FRAME_BYTES for content in whole)
        or not 0 < last <= FRAME_BYTES
        or any(packed > _bound(FRAME_BYTES) for packed, _ in entries)
    ):
        raise DataError(path, "the table of its frames does not add up", _COPY_AGAIN)
    starts = [*accumulate((content for _, content in entries), initial=0)]
    return [*pairwise(ends)], starts


def _bound(size: int) -> int:
    """Most bytes that a frame of so many bytes of content takes, whatever they are."""
    return size + (size >> 7) + 512


def _unpacked(data: bytes, size: int, path: Path, begin: int) -> bytes:
    reader = zstd.ZstdDecompressor(options=_READ)
    try:
        content = reader.decompress(data, size + 1)
    except zstd.ZstdError as e:
        raise DataError(f"{path}, byte {begin}", f"damaged frame: {e}", _COPY_AGAIN) from None
    if len(content) != size or not reader.eof or reader.unused_data:
        raise DataError(f"{path}, byte {begin}", "damaged frame: it holds more or less than it should", _COPY_AGAIN)
    return content


class SegmentWriter:
    """Writer of a run's work: lines are appended to the open segment, which is sealed when it is full.

    A line is in a file before it counts as added: a kill costs none. While a segment is open, its full frames are
    packed into a temporary file, so that sealing it does not keep the run waiting.

    Args:
        folder: Of the run; must be locked by whoever writes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0
        self._size = 0
        self._is_named = False
        self._plain: IO[bytes] | None = None
        self._packed: IO[bytes] | None = None
        self._entries: list[tuple[int, int]] = []
        self._content = 0

    def open(self, ends: dict[int, int]) -> Place | None:
        """Go on with what the folder holds, mended after a crash: a torn line is removed.

        Args:
            ends: Number of every segment that records point into, to the byte at which the last of them ends.

        Returns:
            Place in the open segment that records point at and a power cut has taken; None where all is there.

        Raises:
            DataError: a file lies out of the folder, or is no regular one.
            OSError: a file cannot be written to.
        """
        found = segments_in(self._folder)
        for path in found.values():
            refuse_leaving(self._folder, path)
            if path.suffix == ".zst":
                # The process ended between the two steps of sealing it.
                path.with_suffix("").unlink(missing_ok=True)
        self._number = max([0, *found, *ends])
        last = found.get(self._number)
        if last is None or last.suffix == ".zst":
            return None
        open_file(last, within=self._folder).close()
        cut_torn_tail(last)
        self._plain = last.open("r+b", buffering=0)
        self._size = os.fstat(self._plain.fileno()).st_size
        end = ends.get(self._number, 0)
        return Place(self._number, self._size, end - self._size) if self._size < end else None

    def add(self, line: bytes) -> Place:
        """Store a line, given without its line break.

        Raises:
            OSError: a file cannot be written to.
        """
        length = len(line) + 1
        if self._plain is not None and self._size and self._size + length > SEGMENT_BYTES:
            self._seal()
        if self._plain is None:
            self._number += 1
            path = segment_path(self._folder, self._number)
            path.parent.mkdir(exist_ok=True)
            self._plain, self._size, self._is_named = path.open("w+b", buffering=0), 0, False
        # Over what a full disk has left of a line.
        self._plain.seek(self._size)
        write_all(self._plain, line + b"\n")
        place = Place(self._number, self._size, length)
        self._size += length
        self._pack(FRAME_BYTES)
        return place

    def sync(self) -> None:
        """Bring everything to the disk.

        Raises:
            OSError: it cannot be written to.
        """
        if self._plain is not None:
            os.fsync(self._plain.fileno())
            if not self._is_named:
                sync_folder(self._folder / WORK)
            self._is_named = True

    def close(self, *, seal: bool) -> None:
        """Let go of the files.

        Args:
            seal: Whether the open segment is sealed if it holds more than a frame; else it stays as it is.
        """
        with contextlib.suppress(OSError):  # the plain segment is whole, and the next session goes on with it
            if seal and self._size > FRAME_BYTES:
                self._seal()
        if self._packed is not None:
            self._packed.close()
            with contextlib.suppress(OSError):
                self._temporary.unlink(missing_ok=True)
        if self._plain is not None:
            self._plain.close()

    @property
    def _temporary(self) -> Path:
        return segment_path(self._folder, self._number, sealed=True).with_suffix(".zst.tmp")

    def _pack(self, least: int) -> None:
        """Pack the content that is not packed yet by the frame, as long as there are `least` bytes of it."""
        assert self._plain is not None  # what is packed
        while self._size - self._content >= least:
            if self._packed is None:
                self._packed = self._temporary.open("wb", buffering=0)
            content = os.pread(self._plain.fileno(), min(FRAME_BYTES, self._size - self._content), self._content)
            try:
                frame = zstd.compress(content, options=_WRITTEN)
            except zstd.ZstdError as e:
                # Whatever the content, only for want of memory.
                raise MemoryError(str(e)) from None
            write_all(self._packed, frame)
            self._entries.append((len(frame), len(content)))
            self._content += len(content)

    def _seal(self) -> None:
        assert self._plain is not None  # what is sealed
        self._pack(1)
        assert self._packed is not None  # it holds something
        write_all(self._packed, _table(self._entries))
        os.fsync(self._packed.fileno())
        self._packed.close()
        self._temporary.replace(segment_path(self._folder, self._number, sealed=True))
        sync_folder(self._folder / WORK)
        self._plain.close()
        segment_path(self._folder, self._number).unlink()
        self._plain = self._packed = None
        self._entries, self._content, self._size = [], 0, 0


def _table(entries: list[tuple[int, int]]) -> bytes:
    """Seek table of the frames with these sizes: a skippable frame."""
    rows = b"".join(_ENTRY.pack(*entry) for entry in entries)
    footer = _FOOTER.pack(len(entries), 0, _SEEKABLE)
    return _HEADER.pack(_SKIPPABLE, len(rows) + len(footer)) + rows + footer
