"""Trajectories of a run as they are written: plain lines, of which full frames are packed away."""

import contextlib
import io
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from worktrial.engine.frames import frames, packed, unpacked
from worktrial.engine.lines import append_line, cut_torn_tail, write_all
from worktrial.engine.record import Key, SampleLine, key_digest
from worktrial.engine.trajectories import (
    DIGEST,
    FRAME_BYTES,
    FRAME_LINES,
    HEADER,
    PACKED,
    PACKED_INDEX,
    ROW,
    TRAJECTORIES,
    StoredTrajectories,
    indexed_end,
)
from worktrial.errors import DataError, SettingError, option
from worktrial.outside.files import refuse_leaving


class FrameWriter:
    """Lines that are packed into frames at the end of `trajectories.jsonl.zst`, and told of in their index.

    Args:
        folder: Of the run; must be locked by whoever writes.
        name: Name of the file of frames; a temporary one while an older is packed anew.
        durable: Whether each frame is brought to the disk as it is stored.
    """

    def __init__(self, folder: Path, name: str = PACKED, *, durable: bool = True) -> None:
        self._durable = durable
        self.path = folder / name
        self._index_path = folder / name.replace(PACKED, PACKED_INDEX)
        self._files = contextlib.ExitStack()
        self._packed: IO[bytes]
        self._index: IO[bytes]
        self._place = 0
        self._rows: list[tuple[bytes, int, int]] = []
        self._content = bytearray()

    def open(self) -> None:
        """Go on with the file: a torn frame is removed, and the index told of frames that it does not know.

        Raises:
            DataError: a frame is damaged.
            OSError: a file cannot be written to.
        """
        self._packed = self._files.enter_context(self.path.open("a+b", buffering=0))
        self._index = self._files.enter_context(self._index_path.open("a+b", buffering=0))
        size = os.fstat(self._packed.fileno()).st_size
        known = indexed_end(self._index, self._packed, size)
        end = known
        for frame in frames(self._packed, self.path, known, end=size):
            end = frame.end
        self._packed.truncate(end)
        self._place = known
        if not known:
            self._index.truncate(0)
            write_all(self._index, HEADER)
        length = os.fstat(self._index.fileno()).st_size - len(HEADER)
        self._index.truncate(len(HEADER) + length // ROW.size * ROW.size)
        for frame in frames(self._packed, self.path, known, end=end):
            with io.BytesIO(unpacked(self._packed, self.path, frame)) as lines:
                for line in lines:
                    self._take(line, key_digest(line_key(line, self.path))[:DIGEST])
            self._tell(frame.end)

    def close(self) -> None:
        """Let go of the files."""
        self._files.close()

    @property
    def is_full(self) -> bool:
        """Whether the lines that wait make a frame."""
        return len(self._content) >= FRAME_BYTES or len(self._rows) >= FRAME_LINES

    def add(self, line: bytes, key: Key) -> None:
        """Let a line, with its line break, wait for its frame."""
        self._take(line, key_digest(key)[:DIGEST])

    def _take(self, line: bytes, digest: bytes) -> None:
        self._rows.append((digest, len(self._content), len(line)))
        self._content += line

    def flush(self) -> bool:
        """Store the frame of the lines that wait; returns whether there were any.

        Raises:
            OSError: a file cannot be written to.
        """
        if not self._rows:
            return False
        frame = packed(bytes(self._content))
        write_all(self._packed, frame)
        if self._durable:
            self.sync()
        self._tell(self._place + len(frame))
        return True

    def sync(self) -> None:
        """Bring the frames to the disk.

        Raises:
            OSError: it cannot be written to.
        """
        os.fsync(self._packed.fileno())

    def _tell(self, end: int) -> None:
        """Put the lines that wait into the index: their frame has been stored, and ends at `end`."""
        write_all(self._index, b"".join(ROW.pack(digest, self._place, *span) for digest, *span in self._rows))
        self._place = end
        self._rows.clear()
        self._content.clear()


class TrajectoryWriter:
    """Trajectories of a run that is being written: plain lines as they come, packed away by the frame where asked.

    A line is in a file before it counts as added, whichever: a kill costs none.

    Args:
        folder: Of the run; must be locked by whoever writes.
        compress: Whether full frames are packed; None: as it was before. Lines that are packed stay so.
    """

    def __init__(self, folder: Path, *, compress: bool | None = None) -> None:
        self._folder = folder
        self._path = folder / TRAJECTORIES
        self._compress = compress
        self._plain: IO[bytes] | None = None
        self._frames: FrameWriter | None = None

    def open(self) -> None:
        """Go on with what the folder holds, mended after a crash.

        Raises:
            DataError: a file lies out of the folder, or is damaged.
            SettingError: lines are packed, and shall not be.
            OSError: a file cannot be written to.
        """
        for name in (PACKED, PACKED_INDEX):
            refuse_leaving(self._folder, self._folder / name)
        cut_torn_tail(self._path)
        has_frames = (self._folder / PACKED).exists()
        if has_frames and self._compress is False:
            raise SettingError(
                f"{self._folder}: its trajectories are compressed and stay so; {option('compress')} cannot be "
                "switched off here"
            )
        if not (has_frames or self._compress):
            self._plain = self._path.open("ab", buffering=0)
            return
        if has_frames and self._path.exists():
            with StoredTrajectories(self._folder) as stored:
                if not stored.has_plain:
                    # The process ended between the two steps of packing them.
                    self._path.unlink()
        if self._path.exists() and self._path.stat().st_size > 2 * FRAME_BYTES:
            self._pack_all()
        with contextlib.ExitStack() as stack:
            writer = FrameWriter(self._folder)
            stack.callback(writer.close)
            writer.open()
            for line in _lines(self._path):
                writer.add(line, line_key(line, self._path))
            stack.pop_all()
            self._frames = writer

    def _pack_all(self) -> None:
        """Pack plain lines that are too many to be held, in one step: they are in one file or in the other."""
        temporary = f"{PACKED}.tmp"
        for name in (PACKED, PACKED_INDEX):
            if (self._folder / name).exists():
                shutil.copyfile(self._folder / name, self._folder / f"{name}.tmp")
            else:
                (self._folder / f"{name}.tmp").unlink(missing_ok=True)
        writer = FrameWriter(self._folder, temporary)
        with contextlib.closing(writer):
            writer.open()
            for line in _lines(self._path):
                writer.add(line, line_key(line, self._path))
                if writer.is_full:
                    writer.flush()
            writer.flush()
        (self._folder / temporary).replace(self._folder / PACKED)
        (self._folder / f"{PACKED_INDEX}.tmp").replace(self._folder / PACKED_INDEX)
        self._path.unlink()

    def add(self, line: bytes, key: Key) -> None:
        """Store a line, without its line break.

        Raises:
            OSError: a file cannot be written to.
        """
        if self._plain is None:
            self._plain = self._path.open("ab", buffering=0)
        append_line(self._plain, line)
        if self._frames is not None:
            self._frames.add(line + b"\n", key)
            if self._frames.is_full:
                self._pack()

    def _pack(self) -> None:
        assert self._frames is not None  # what packs
        if self._plain is not None:
            self._plain.close()
            self._plain = None
        if self._frames.flush():
            self._path.unlink()

    def sync(self) -> None:
        """Bring everything to the disk.

        Raises:
            OSError: it cannot be written to.
        """
        if self._plain is not None:
            os.fsync(self._plain.fileno())

    def close(self, *, pack: bool) -> None:
        """Let go of the files.

        Args:
            pack: Whether lines that wait for others are packed without them; else they stay as they are.

        Raises:
            OSError: a file cannot be written to.
        """
        try:
            if pack and self._frames is not None:
                self._pack()
        finally:
            if self._plain is not None:
                self._plain.close()
            if self._frames is not None:
                self._frames.close()


def _lines(path: Path) -> Iterator[bytes]:
    """Lines of a file with their line breaks; none where it is not there."""
    if path.exists():
        with path.open("rb") as file:
            yield from file


def line_key(line: bytes, path: Path) -> Key:
    """Key of the sample that a line of `path` is about.

    Raises:
        DataError: the line is damaged.
    """
    try:
        return msgspec.json.decode(line, type=SampleLine).key
    except (msgspec.MsgspecError, UnicodeDecodeError) as e:
        raise DataError(path, f"damaged record: {e}", "Remove its line to go on") from None
