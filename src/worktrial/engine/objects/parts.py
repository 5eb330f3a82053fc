"""Parts of a run in an object store: names, sidecars, frames, and the check of what comes back.

    RUN/manifest.json                                          settings and data of the run, swapped on its ETag
    RUN/parts/K-of-N/manifest.json                             manifest of a shard, and who writes it
    RUN/parts/K-of-N/000123.json                               sidecar: part 123 is there, and what it holds
    RUN/parts/K-of-N/000123.SHA.samples.jsonl.zst              its records
    RUN/parts/K-of-N/000123.SHA.work-0001.jsonl.zst            its work, of each segment by itself

A part counts from the moment its sidecar is there, which is the last object of it to be written and is never
replaced. Names of the others hold the beginning of their SHA-256, so that what a writer that was killed left behind
is never taken for something else.
"""

import sys
from collections.abc import Sequence
from hashlib import sha256
from zlib import crc32

import msgspec

from worktrial.engine.manifest import Manifest
from worktrial.errors import DataError
from worktrial.outside.files import MOST_BYTES
from worktrial.stores.writers import StoreWriter

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

RUN_MANIFEST = "manifest.json"
FORMAT = 2
FRAME_ROWS = 256
"""Most samples of one frame."""
FRAME_BYTES = 1 << 20
"""Bytes of lines after which a frame is closed."""
_WRITTEN = {int(zstd.CompressionParameter.compression_level): 3, int(zstd.CompressionParameter.checksum_flag): 1}
PART_BYTES = 8 << 20
"""Most bytes of one object, as far as whole frames go."""


class PartFrame(msgspec.Struct, frozen=True, array_like=True):
    """A piece of an object that is decompressed by itself."""

    place: int
    """Byte of the object at which it begins."""
    size: int
    """Bytes of it."""
    lines: int
    """Bytes of its lines."""
    rows: int
    """Number of these."""
    checksum: int
    """CRC-32 of the frame."""


class PartFile(msgspec.Struct, frozen=True, kw_only=True):
    """One object of a part."""

    name: str
    """Name within the shard."""
    rows: int
    """Number of lines."""
    lines: int
    """Bytes of these."""
    lines_sha256: str
    size: int
    """Bytes of the object."""
    sha256: str
    frames: list[PartFrame]

    @property
    def adds_up(self) -> bool:
        """Whether the frames make up the object and its lines."""
        place = 0
        for frame in self.frames:
            if frame.place != place or min(frame.size, frame.lines, frame.rows) < 1:
                return False
            place += frame.size
        told = sum(frame.rows for frame in self.frames), sum(frame.lines for frame in self.frames)
        return (place, *told) == (self.size, self.rows, self.lines)


class RunPart(msgspec.Struct, frozen=True, kw_only=True):
    """A sidecar: what one part of a shard holds."""

    format: int = FORMAT
    shard: str
    """Name of the shard's folder."""
    number: int
    """Number of the part, from 1."""
    files: dict[str, PartFile]
    """Objects by stream; see `streams.streams_in`."""


class ShardState(msgspec.Struct, kw_only=True):
    """`parts/K-of-N/manifest.json`."""

    format: int = FORMAT
    parts: int
    """Parts that were there when it was written."""
    writer: StoreWriter | None
    """Null when nobody works on the shard."""
    manifest: Manifest


class RunState(msgspec.Struct, kw_only=True):
    """`manifest.json` of the whole run."""

    format: int = FORMAT
    of: int
    """Number of shards."""
    manifest: Manifest


def sidecar_name(number: int) -> str:
    """Name of a part's sidecar within its shard."""
    return f"{number:06}.json"


class MadeFile(msgspec.Struct, frozen=True):
    """An object that is ready to be written."""

    about: PartFile
    data: bytes


def made_file(number: int, stream: str, lines: Sequence[bytes]) -> MadeFile:
    """Object of the first of `lines`: of all, where they fit into `PART_BYTES`, else of whole frames that do.

    Args:
        number: Number of the part.
        stream: Name of it.
        lines: At least one, with its line break.
    """
    frames: list[PartFrame] = []
    pieces: list[bytes] = []
    at = place = 0
    while at < len(lines):
        rows = _rows_of_frame(lines, at)
        text = b"".join(lines[at : at + rows])
        data = zstd.compress(text, options=_WRITTEN)
        if pieces and place + len(data) > PART_BYTES:
            break
        frames.append(PartFrame(place, len(data), len(text), rows, crc32(data)))
        pieces.append(data)
        at, place = at + rows, place + len(data)
    whole, of_lines = b"".join(pieces), sha256()
    for line in lines[:at]:
        of_lines.update(line)
    digest = sha256(whole).hexdigest()
    about = PartFile(
        name=f"{number:06}.{digest[:12]}.{stream}.jsonl.zst",
        rows=at,
        lines=sum(map(len, lines[:at])),
        lines_sha256=of_lines.hexdigest(),
        size=len(whole),
        sha256=digest,
        frames=frames,
    )
    return MadeFile(about, whole)


def _rows_of_frame(lines: Sequence[bytes], at: int) -> int:
    rows, size = 0, 0
    for line in lines[at : at + FRAME_ROWS]:
        if rows and size + len(line) > FRAME_BYTES:
            break
        rows, size = rows + 1, size + len(line)
    return rows


def lines_of_file(about: PartFile, data: bytes, where: str) -> bytes:
    """The lines of an object, checked against its sidecar.

    Raises:
        DataError: it was cut or altered.
    """
    if len(data) != about.size:
        raise damaged(where, f"is cut: {len(data):,} of {about.size:,} bytes are there")
    if sha256(data).hexdigest() != about.sha256:
        raise damaged(where, "was altered: its SHA-256 is not that of its sidecar")
    text = b"".join(
        lines_of_frame(frame, data[frame.place : frame.place + frame.size], where) for frame in about.frames
    )
    if sha256(text).hexdigest() != about.lines_sha256 or text.count(b"\n") != about.rows:
        raise damaged(where, "does not hold the lines that its sidecar tells of")
    return text


def lines_of_frame(frame: PartFrame, data: bytes, where: str) -> bytes:
    """The lines of one frame.

    Raises:
        DataError: it was cut or altered.
    """
    if len(data) != frame.size or crc32(data) != frame.checksum:
        raise damaged(where, f"was altered: the frame at byte {frame.place:,} is not that of its sidecar")
    try:
        text = zstd.ZstdDecompressor().decompress(data, min(frame.lines, MOST_BYTES) + 1)
    except zstd.ZstdError as e:
        raise damaged(where, f"is damaged at byte {frame.place:,}: {e}") from None
    if len(text) != frame.lines or text.count(b"\n") != frame.rows:
        raise damaged(where, f"is damaged at byte {frame.place:,}: it holds more or less than it should")
    return text


def damaged(where: str, what: str) -> DataError:
    """Error about an object that is not as it was written."""
    return DataError(where, what, "Put back the object that was written there")
