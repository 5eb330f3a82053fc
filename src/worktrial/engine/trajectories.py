"""Trajectories of a run: one long text of lines, of which all but the last may lie in compressed frames.

`trajectories.jsonl.zst` holds frames of some 250 KB of lines, `trajectories.jsonl` the lines after them; either may
be missing. A place is a byte of the text as it is unpacked, so that it stays the same when lines are packed.
`trajectories.idx` says in which frame a sample's line lies; without it every line is looked at.
"""

import contextlib
import io
import os
import struct
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

import msgspec

from worktrial.engine.frames import Frame, frame_at, frames, unpacked
from worktrial.engine.lines import decoded_lines
from worktrial.engine.record import Key, SampleLine, key_digest
from worktrial.outside.files import MOST_BYTES, open_file, refuse_leaving

TRAJECTORIES = "trajectories.jsonl"
PACKED = "trajectories.jsonl.zst"
PACKED_INDEX = "trajectories.idx"
FRAME_BYTES = 1 << 18
FRAME_LINES = 256
"""A frame is full with so many bytes, or so many lines."""
KEPT_FRAMES = 8
"""Frames whose content a reader keeps: lines that were stored one after the other are read so."""
# Digest of the key, place of the frame in its file, place of the line in the frame, length of the line.
ROW = struct.Struct("<12sQII")
DIGEST = 12
HEADER = b"worktrial packed lines 1 " + sha256(ROW.format.encode()).digest()[:7]

_T = TypeVar("_T")


class PackedLine(NamedTuple):
    """Place of a line in the file of frames, as the index has it."""

    digest: bytes
    """First bytes of the key's digest."""
    frame: int
    """Byte at which its frame begins."""
    begin: int
    """Byte of the frame's content at which the line begins."""
    length: int
    """Length of the line in bytes, with its line break."""

    @classmethod
    def of(cls, row: bytes) -> "PackedLine":
        """Line that a row of the index is about."""
        return cls(*ROW.unpack(row))


class FrameTable:
    """Frames of a file that grows, so that who opens it again need not look for them again."""

    def __init__(self) -> None:
        self._known: tuple[tuple[int, int] | None, list[Frame], list[int]] = None, [], [0]

    def of(self, file: IO[bytes], path: Path, size: int) -> tuple[list[Frame], list[int]]:
        """Frames, and the bytes of their contents at which each begins and the last ends.

        Args:
            file: The file.
            path: Of it, for messages.
            size: Bytes that it has.

        Raises:
            DataError: it is damaged.
        """
        inode, found, starts = self._known
        if inode != _inode(os.fstat(file.fileno())) or (found and found[-1].end > size):
            inode, found, starts = _inode(os.fstat(file.fileno())), [], [0]
        new = [*frames(file, path, found[-1].end if found else 0, end=size)]
        if new:
            sizes = (len(unpacked(file, path, one)) if one.size is None else one.size for one in new)
            found, starts = [*found, *new], [*starts[:-1], *accumulate(sizes, initial=starts[-1])]
            # In one step: several threads may read.
            self._known = inode, found, starts
        return found, starts


class StoredTrajectories:
    """Trajectories of the run in a folder, as they are when it is opened. Use as a context manager.

    A run may be at work on them: lines that come later are not seen, and those that are packed meanwhile are not
    lost.

    Args:
        folder: Of the run.
        kept: Number of frames whose content is kept in memory.
        table: Table of frames, kept by whoever opens them often.

    Raises:
        DataError: a file of them lies out of the folder, or is damaged.
    """

    def __init__(self, folder: Path, *, kept: int = KEPT_FRAMES, table: FrameTable | None = None) -> None:
        self.folder = folder
        self._plain_path, self._packed_path = folder / TRAJECTORIES, folder / PACKED
        self._kept = kept
        self._table = table or FrameTable()
        self._contents: OrderedDict[int, bytes] = OrderedDict()
        self._plain: list[IO[bytes]] = []
        self._packed: IO[bytes] | None = None
        self._packed_bytes = 0

    def __enter__(self) -> "StoredTrajectories":
        for path in (self._plain_path, self._packed_path, self.folder / PACKED_INDEX):
            refuse_leaving(self.folder, path)
        while True:
            # One to read through, and one to look up lines in.
            self._plain = [file for file in (_opened(self._plain_path), _opened(self._plain_path)) if file]
            self._packed = _opened(self._packed_path)
            self._packed_bytes = 0 if self._packed is None else os.fstat(self._packed.fileno()).st_size
            # Whoever packs lines stores their frame first, and then takes the file of the lines away.
            if {_inode(os.fstat(file.fileno())) for file in self._plain} == _inodes(self._plain_path):
                return self
            self.__exit__()

    def __exit__(self, *_: object) -> None:
        for file in (*self._plain, self._packed):
            if file is not None:
                file.close()

    @cached_property
    def _framed(self) -> tuple[list[Frame], list[int]]:
        if self._packed is None:
            return [], [0]
        return self._table.of(self._packed, self._packed_path, self._packed_bytes)

    @property
    def _frames(self) -> list[Frame]:
        return self._framed[0]

    @property
    def _starts(self) -> list[int]:
        """Places at which the frames' contents begin, and the last one ends."""
        return self._framed[1]

    @cached_property
    def has_plain(self) -> bool:
        """Whether there are plain lines that are not those of the last frames, too.

        They are where the packing was cut short, or goes on just now.
        """
        if not self._plain:
            return False
        file, starts = self._plain[1], self._starts
        size = os.fstat(file.fileno()).st_size
        first = bisect_right(starts, starts[-1] - size) - 1
        if not size or first < 0 or starts[-1] - starts[first] != size:
            return bool(size)
        file.seek(0)
        for number in range(first, len(self._frames)):
            content = self._content(number)
            if file.read(len(content)) != content:
                return True
        return False

    @property
    def is_packed(self) -> bool:
        """Whether some of them lie in frames."""
        return self._packed is not None

    def lines(self, kind: type[_T]) -> Iterator[tuple[_T, int, int]]:
        """Every line decoded as `kind`, in order, with the places at which it begins and ends.

        A torn last line is passed over.

        Raises:
            DataError: a line or a frame is damaged.
        """
        number = 1
        for at, start in enumerate(self._starts[:-1]):
            with io.BytesIO(self._content(at)) as file:
                for line, begin, end in decoded_lines(file, self._packed_path, kind, number=number):
                    yield line, start + begin, start + end
                    number += 1
        if self.has_plain:
            whole = self._starts[-1]
            for line, begin, end in decoded_lines(self._plain[0], self._plain_path, kind):
                yield line, whole + begin, whole + end

    def line(self, place: int) -> bytes:
        """The line that begins at `place`, with its line break; b"" where the text has ended.

        Raises:
            DataError: its frame is damaged.
        """
        whole = self._starts[-1]
        if place >= whole:
            if not self.has_plain:
                return b""
            self._plain[1].seek(place - whole)
            return self._plain[1].readline(MOST_BYTES)
        number = bisect_right(self._starts, place) - 1
        return _line_in(self._content(number), place - self._starts[number])

    def last(self, key: Key) -> bytes | None:
        """The last line about a sample, with its line break; None where there is none.

        With an index one frame is read, and what was stored since; without it, everything.

        Raises:
            DataError: a line or a frame is damaged.
        """
        if self._packed is not None:
            newest = self._last_plain(key)
            return self._last_packed(key) if newest is None else newest
        return self._last_plain(key)

    def _last_plain(self, key: Key) -> bytes | None:
        found = None
        for file in self._plain[:1]:
            for line, begin, _ in decoded_lines(file, self._plain_path, SampleLine):
                found = begin if line.key == key else found
        if found is None:
            return None
        self._plain[1].seek(found)
        return self._plain[1].readline(MOST_BYTES)

    def _last_packed(self, key: Key) -> bytes | None:
        assert self._packed is not None  # else there is no such line
        known, end = self._indexed(key)
        found = self._last_from(key, end)
        if found is None and known is not None:
            frame = frame_at(self._packed, known.frame, self._packed_bytes)
            content = b"" if frame is None else unpacked(self._packed, self._packed_path, frame)
            line = content[known.begin : known.begin + known.length]
            with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
                if msgspec.json.decode(line, type=SampleLine).key == key:
                    return line
        # An index that knows nothing of a sample may be wrong, and nobody waits for what is not there.
        return found if found is not None or not end else self._last_from(key, 0)

    def _last_from(self, key: Key, place: int) -> bytes | None:
        """The last line about a sample in frames from the byte `place` of their file on."""
        assert self._packed is not None  # else there are no frames
        found = None
        for frame in frames(self._packed, self._packed_path, place, end=self._packed_bytes):
            content = unpacked(self._packed, self._packed_path, frame)
            with io.BytesIO(content) as file:
                for line, begin, end in decoded_lines(file, self._packed_path, SampleLine):
                    if line.key == key:
                        found = content[begin:end]
        return found

    def _indexed(self, key: Key) -> tuple[PackedLine | None, int]:
        """Place of a sample's last line by the index, and the byte of the frames up to which it tells."""
        index = _opened(self.folder / PACKED_INDEX)
        if index is None or self._packed is None:
            return None, 0
        with index:
            end = indexed_end(index, self._packed, self._packed_bytes)
            if not end:
                return None, 0
            with mmap(index.fileno(), 0, access=ACCESS_READ) as rows:
                digest, at = key_digest(key)[:DIGEST], len(rows)
                while (at := rows.rfind(digest, 0, at)) >= 0:
                    if (at - len(HEADER)) % ROW.size == 0:
                        return PackedLine.of(rows[at : at + ROW.size]), end
                    at += DIGEST - 1
        return None, end

    def _content(self, number: int) -> bytes:
        if number in self._contents:
            self._contents.move_to_end(number)
            return self._contents[number]
        assert self._packed is not None  # it has frames
        content = unpacked(self._packed, self._packed_path, self._frames[number])
        while len(self._contents) >= self._kept:
            self._contents.popitem(last=False)
        self._contents[number] = content
        return content


def trajectory_lines(folder: Path, kind: type[_T]) -> Iterator[_T]:
    """Every trajectory of the run in a folder decoded as `kind`, in order; a torn last one is passed over.

    Raises:
        DataError: one is damaged.
    """
    with StoredTrajectories(folder) as stored:
        for line, _, _ in stored.lines(kind):
            yield line


def trajectory_places(folder: Path) -> dict[Key, int]:
    """Every sample to the place of its last trajectory.

    Raises:
        DataError: one is damaged.
    """
    with StoredTrajectories(folder) as stored:
        return {line.key: place for line, place, _ in stored.lines(SampleLine)}


def trajectories_size(folder: Path) -> int:
    """Bytes of the files of a run's trajectories together."""
    return sum(_size(folder / name) for name in (TRAJECTORIES, PACKED))


def indexed_end(index: IO[bytes], packed: IO[bytes], size: int) -> int:
    """Byte of the frames up to which an index tells of them; 0 where it is not theirs.

    Args:
        index: Its file.
        packed: File of the frames.
        size: Bytes that it has.
    """
    index.seek(0)
    rows = (os.fstat(index.fileno()).st_size - len(HEADER)) // ROW.size
    if index.read(len(HEADER)) != HEADER or rows < 1:
        return 0
    index.seek(len(HEADER) + (rows - 1) * ROW.size)
    last = PackedLine.of(index.read(ROW.size))
    frame = frame_at(packed, last.frame, size)
    return frame.end if frame is not None and frame.size == last.begin + last.length else 0


def _line_in(content: bytes, begin: int) -> bytes:
    return content[begin : content.find(b"\n", begin) + 1]


def _opened(path: Path) -> IO[bytes] | None:
    try:
        return open_file(path)
    except FileNotFoundError:
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _inode(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _inodes(path: Path) -> set[tuple[int, int]]:
    try:
        return {_inode(path.stat())}
    except FileNotFoundError:
        return set()
