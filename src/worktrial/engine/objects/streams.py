"""Files of a run folder as streams of lines, of which an object store is given a piece at a time.

A place in a stream is a byte of its lines as they are unpacked, except of tokens, whose frames go as they are.
"""

import os
from itertools import pairwise
from pathlib import Path

from worktrial.engine.frames import frame_ends
from worktrial.engine.store import SAMPLES
from worktrial.engine.tokens import TOKENS
from worktrial.engine.trajectories import PACKED, TRAJECTORIES, StoredTrajectories

STREAMS = {"trajectories": TRAJECTORIES, "tokens": TOKENS, "samples": SAMPLES}
"""Files of the streams, in the order in which they are sent: a sample on record has its trajectory."""
_BLOCK = 1 << 16


def whole_end(folder: Path, stream: str) -> int:
    """Place at which the last whole line of a stream ends."""
    path = folder / STREAMS[stream]
    if _is_packed(folder, stream):
        with StoredTrajectories(folder) as stored:
            end = 0
            while (line := stored.line(end)).endswith(b"\n"):
                end += len(line)
            return end
    if not path.exists():
        return 0
    if stream == "tokens":
        return max(frame_ends(path, 0), default=0)
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end > 0:
            start = max(0, end - _BLOCK)
            file.seek(start)
            newline = file.read(end - start).rfind(b"\n")
            if newline >= 0:
                return start + newline + 1
            end = start
    return 0


def lines_from(folder: Path, stream: str, place: int, end: int, most: int) -> list[bytes]:
    """Lines of a stream, of tokens frames, from `place` up to `end`: some `most` bytes of them, at least one."""
    path = folder / STREAMS[stream]
    if place >= end:
        return []
    lines: list[bytes] = []
    if _is_packed(folder, stream):
        with StoredTrajectories(folder) as stored:
            while place < end and most > 0:
                lines.append(stored.line(place))
                place, most = place + len(lines[-1]), most - len(lines[-1])
        return lines
    with path.open("rb") as file:
        file.seek(place)
        if stream == "tokens":
            places = [place, *(at for at in frame_ends(path, place) if at <= end)]
            return [file.read(after - before) for before, after in pairwise(places)]
        for line in file.readlines(min(end - place, most)):
            place += len(line)
            if place > end:
                break
            lines.append(line)
    return lines


def text_at(folder: Path, stream: str, place: int, size: int) -> bytes:
    """Bytes of a stream from `place` on, so many where there are so many."""
    path = folder / STREAMS[stream]
    if _is_packed(folder, stream):
        with StoredTrajectories(folder) as stored:
            text = bytearray()
            while len(text) < size and (line := stored.line(place + len(text))):
                text += line
            return bytes(text[:size])
    if not path.exists():
        return b""
    with path.open("rb") as file:
        file.seek(place)
        return file.read(size)


def _is_packed(folder: Path, stream: str) -> bool:
    return stream == "trajectories" and (folder / PACKED).exists()
