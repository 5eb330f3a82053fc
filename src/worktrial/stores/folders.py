"""Folders in object stores: files cut into blocks, which are known by their SHA-256 and lie together in packs.

    PLACE/manifest.json        files and their blocks, packs and theirs, and who writes; swapped on its ETag
    PLACE/packs/SHA            blocks one after the other, compressed where that helps, never replaced

So a file that grows, and a folder that is written again, send only blocks that are new; and a piece of a file is
read by a request for the blocks that hold it.
"""

import io
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import msgspec

from worktrial.errors import DataError
from worktrial.outside.zstandard import zstd
from worktrial.stores.bucket import Bucket
from worktrial.stores.cache import ContentCache
from worktrial.stores.writers import StoreWriter

STATE = "manifest.json"
FORMAT = 1
BLOCK = 1 << 20
"""Most bytes of a block."""
PACK = 16 << 20
"""Bytes of blocks after which a pack is closed."""


_Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Size = Annotated[int, msgspec.Meta(ge=1, le=BLOCK)]


class BlockPack(msgspec.Struct, frozen=True):
    """An object with blocks."""

    name: _Digest
    """Its SHA-256."""
    blocks: list[tuple[_Digest, _Size, _Size]]
    """SHA-256 and bytes of each, and the bytes that it takes in the pack: fewer where it is compressed."""


class FolderState(msgspec.Struct, kw_only=True):
    """`manifest.json` of a folder in a store."""

    format: int = FORMAT
    holds: str
    """Kind of what is in the folder, in a word."""
    writer: StoreWriter
    """Whoever wrote it last."""
    busy: bool
    """Whether that one has not let go."""
    files: dict[str, list[int]] = {}
    """Numbers of the blocks of each file, counted over all packs."""
    packs: list[BlockPack] = []


class _Kind(msgspec.Struct):
    format: int = 0
    holds: str = ""


class StoredBlock(NamedTuple):
    """A block in its pack."""

    pack: str
    place: int
    stored: int
    """Bytes that it takes there."""
    size: int
    digest: str

    def content(self, data: bytes) -> bytes | None:
        """Content of the block by what its pack holds; None where that was altered."""
        if self.stored < self.size:
            try:
                data = zstd.ZstdDecompressor().decompress(data, self.size)
            except zstd.ZstdError:
                return None
        return data if sha256(data).hexdigest() == self.digest else None


@dataclass(slots=True)
class FoundFolder:
    """State of a folder as it was read, with its ETag."""

    state: FolderState
    tag: str


def kind_of(bucket: Bucket) -> str:
    """Kind of what lies at an address, as a folder there says; "" where there is no folder.

    Raises:
        DataError: something else is there.
    """
    found = bucket.get(STATE)
    return "" if found is None else _kind(bucket, found.data)


def _kind(bucket: Bucket, data: bytes) -> str:
    try:
        told = msgspec.json.decode(data, type=_Kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
        raise DataError(bucket.where(STATE), f"was not written by worktrial: {e}", "Name another address") from None
    if not told.holds:
        raise DataError(bucket.where(STATE), "was not written by worktrial", "Name another address")
    return told.holds


def read_folder(bucket: Bucket, holds: str) -> FoundFolder | None:
    """State of the folder at an address; None where nothing is there.

    Args:
        bucket: Of the address.
        holds: Kind of what should be there.

    Raises:
        DataError: a folder of another kind is there, or it is damaged.
    """
    found = bucket.get(STATE)
    if found is None:
        return None
    if (kind := _kind(bucket, found.data)) != holds:
        raise DataError(bucket.address, f"holds no {holds}, but something else ({kind})", "Name another address")
    where = bucket.where(STATE)
    try:
        if (stored := msgspec.json.decode(found.data, type=_Kind).format) != FORMAT:
            fix = "Use a newer worktrial" if stored > FORMAT else "Name another address"
            raise DataError(where, f"has format {stored}, and this version reads {FORMAT}", fix)
        state = msgspec.json.decode(found.data, type=FolderState)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
        raise DataError(where, f"is damaged: {e}", "Put back the object that was written there") from None
    blocks = sum(len(pack.blocks) for pack in state.packs)
    if not all(_is_plain(name) and all(0 <= n < blocks for n in numbers) for name, numbers in state.files.items()):
        raise DataError(where, "does not add up: a file is not of its blocks, or lies elsewhere")
    return FoundFolder(state, found.tag)


def _is_plain(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and str(path) == name != "."


class StoredFolder:
    """A folder in a store, opened for reading as it was at one moment.

    Args:
        bucket: Of its address.
        state: Of the folder.
    """

    def __init__(self, bucket: Bucket, state: FolderState) -> None:
        self.bucket = bucket
        self.state = state
        self._blocks = [*blocks_of(state.packs)]

    @cached_property
    def _cache(self) -> ContentCache:
        return ContentCache()

    def read(self, name: str) -> bytes:
        """Bytes of a file.

        Raises:
            DataError: it is not there, or not as it was written.
        """
        with self.open(name) as file:
            return file.readall()

    def open(self, name: str) -> io.RawIOBase:
        """A file, of which blocks are fetched when they are read.

        Raises:
            DataError: it is not there.
        """
        if name not in self.state.files:
            raise DataError(self.bucket.where(name), "is not there", "Build it again")
        return _StoredBytes(self, self.state.files[name])

    def brought(self, names: Sequence[str]) -> Path:
        """A folder of the cache with these files, for as long as this object lives."""
        told = [(name, [self._blocks[n].digest for n in self.state.files[name]]) for name in sorted(names)]
        return self._cache.folder(sha256(repr(told).encode()).hexdigest(), lambda into: self.bring(names, into))

    def bring(self, names: Iterable[str], into: Path) -> None:
        """Write files into a folder, each as a whole; of a file that is there already, only new blocks are fetched.

        Raises:
            DataError: something is not as it was written.
        """
        into.mkdir(parents=True, exist_ok=True)
        places: dict[int, list[tuple[Path, int]]] = {}
        with TemporaryDirectory(prefix=".bringing-", dir=into) as making:
            new = []
            for name in names:
                wanted, path = {*self._absent(name, into / name)}, Path(making, name)
                spans = [*zip(self.state.files[name], self._starts(name), strict=False)]
                size = self.size(self.state.files[name])
                if not wanted and (into / name).is_file() and (into / name).stat().st_size == size:
                    continue
                new.append(name)
                path.parent.mkdir(parents=True, exist_ok=True)
                if len(wanted) < len(spans):
                    shutil.copyfile(into / name, path)
                path.touch()
                os.truncate(path, size)
                for at, (number, place) in enumerate(spans):
                    if at in wanted:
                        places.setdefault(number, []).append((path, place))
            for number, data in self.blocks(places, keep=False):
                for path, place in places[number]:
                    with path.open("r+b") as file:
                        file.seek(place)
                        file.write(data)
            for name in new:
                (into / name).parent.mkdir(parents=True, exist_ok=True)
                Path(making, name).replace(into / name)

    def begins(self, name: str, path: Path) -> bool:
        """Whether a file on this machine begins with everything that the file of that name holds here."""
        return not [*self._absent(name, path)]

    def _absent(self, name: str, path: Path) -> Iterator[int]:
        """Blocks of a file, by their place in it, that `path` does not hold at theirs."""
        numbers = self.state.files[name]
        if not path.is_file():
            yield from range(len(numbers))
            return
        with path.open("rb") as file:
            for at, block in enumerate(map(self._blocks.__getitem__, numbers)):
                if sha256(file.read(block.size)).hexdigest() != block.digest:
                    yield at

    def _starts(self, name: str) -> list[int]:
        return [0, *accumulate(self._blocks[n].size for n in self.state.files[name])]

    def size(self, numbers: Iterable[int]) -> int:
        """Bytes of these blocks."""
        return sum(self._blocks[number].size for number in numbers)

    def blocks(self, numbers: Collection[int], *, keep: bool = True) -> Iterator[tuple[int, bytes]]:
        """Some blocks with their numbers, from the cache or by as few requests as can be.

        Args:
            numbers: Of the blocks.
            keep: Whether those that are fetched are kept in the cache.

        Raises:
            DataError: one is not as it was written.
        """
        absent: dict[str, list[int]] = {}
        for number in sorted(numbers):
            if (data := self._cache.get(self._blocks[number].digest)) is not None:
                yield number, data
            else:
                absent.setdefault(self._blocks[number].pack, []).append(number)
        for pack, wanted in absent.items():
            name = f"packs/{pack}"
            found = self.bucket.get_ranges(name, [(self._blocks[n].place, self._blocks[n].stored) for n in wanted])
            if found is None:
                fix = "Open it again, should it have been written anew; else put back the object"
                raise DataError(self.bucket.where(name), "is missing", fix)
            for number, stored in zip(wanted, found, strict=True):
                block = self._blocks[number]
                data = block.content(stored)
                if data is None:
                    what = f"was altered: the block at byte {block.place:,} is not the one that was written"
                    raise DataError(self.bucket.where(name), what, "Put back the object that was written there")
                if keep:
                    self._cache.put(block.digest, data)
                yield number, data


def blocks_of(packs: Iterable[BlockPack]) -> Iterator[StoredBlock]:
    """Blocks of packs, in their order."""
    for pack in packs:
        place = 0
        for digest, size, stored in pack.blocks:
            yield StoredBlock(pack.name, place, stored, size, digest)
            place += stored


class _StoredBytes(io.RawIOBase):
    """A file in a store as a file."""

    def __init__(self, folder: StoredFolder, numbers: Sequence[int]) -> None:
        self._folder, self._numbers = folder, numbers
        self._ends = [*accumulate(folder.size([number]) for number in numbers)]
        self._place = 0
        self._held: dict[int, bytes] = {}

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        size = self._ends[-1] if self._ends else 0
        self._place = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: size}[whence]
        return self._place

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        wanted = self._place + len(buffer)
        starts = [0, *self._ends]
        over = [i for i, end in enumerate(self._ends) if starts[i] < wanted and self._place < end]
        self._held.update(self._folder.blocks({self._numbers[i] for i in over} - self._held.keys()))
        piece = b"".join(self._held[self._numbers[i]] for i in over)
        first = self._place - starts[over[0]] if over else 0
        piece = piece[first : first + len(buffer)]
        buffer[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)
