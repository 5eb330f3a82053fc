"""Folders on their way into object stores: claimed by one writer, sent block by block, let go."""

import contextlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import msgspec

from worktrial.errors import DataError, SettingError, StopRun, WorktrialError, option
from worktrial.outside.zstandard import zstd
from worktrial.stores.bucket import Bucket, StoreFailed
from worktrial.stores.folders import (
    BLOCK,
    PACK,
    STATE,
    BlockPack,
    FolderState,
    FoundFolder,
    blocks_of,
    read_folder,
)
from worktrial.stores.writers import StoreWriter

_LOOKS = 5  # at a folder whose files are replaced meanwhile


class Packer:
    """Cuts files into blocks, and puts those that are new into packs.

    Args:
        bucket: Where the packs go.
        packs: Those that are there.
    """

    def __init__(self, bucket: Bucket, packs: Iterable[BlockPack] = ()) -> None:
        self.packs = [*packs]
        """All that are there, new ones last."""
        self._bucket = bucket
        self._known = {block.digest for block in blocks_of(self.packs)}
        self._waiting: list[tuple[tuple[str, int, int], bytes]] = []
        self._bytes = 0

    def has(self, digests: Iterable[str]) -> bool:
        """Whether all of these blocks are there, or wait for it."""
        return self._known.issuperset(digests)

    def add(self, path: Path) -> list[str]:
        """SHA-256 of the blocks of a file, as far as it goes now.

        Raises:
            StoreFailed: a pack cannot be put.
        """
        digests = []
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            while data := file.read(min(BLOCK, size - file.tell())):
                digests.append(sha256(data).hexdigest())
                if digests[-1] not in self._known:
                    self._known.add(digests[-1])
                    small = zstd.compress(data)
                    block = digests[-1], len(data), min(len(small), len(data))
                    self._waiting.append((block, small if len(small) < len(data) else data))
                    if (
                        len(self._waiting) * BLOCK >= PACK
                        and sum(len(stored) for _, stored in self._waiting) >= PACK
                    ):
                        self.close()
        return digests

    def close(self) -> None:
        """Put what waits into a pack of its own.

        Raises:
            StoreFailed: it cannot be put.
        """
        if self._waiting:
            data = b"".join(stored for _, stored in self._waiting)
            name = sha256(data).hexdigest()
            self._bucket.put(f"packs/{name}", data)
            self.packs.append(BlockPack(name, [block for block, _ in self._waiting]))
            self._waiting.clear()
            self._bytes = 0


class TakenOver(StopRun):
    """Another process writes now what this one did."""


@dataclass
class FolderShipment:
    """A folder on this machine on its way into a store, with this process as its only writer.

    Args:
        bucket: Of its address.
        found: State of the folder in the store, claimed.
        folder: On this machine.
    """

    bucket: Bucket
    found: FoundFolder
    folder: Path
    _seen: dict[str, tuple[tuple[int, int], list[str]]] = field(default_factory=dict)
    """Size and time of change of each file, with the blocks that it had then."""

    def ship(self, groups: Callable[[Path], Iterable[Iterable[str]]], *, done: bool = False) -> None:
        """Send what is new in the folder, and tell what there is.

        Args:
            groups: Lists names of the files in a folder; those of a group come and go together, and share no pack
                with others. A later group is listed, and read, after those before it.
            done: Whether this process lets the folder go.

        Raises:
            StoreFailed: the store fails; what was not sent is sent the next time.
            TakenOver: somebody else writes there now.
        """
        state = self.found.state
        packer = Packer(self.bucket, state.packs)
        files = self._read(groups, packer)
        used = {digest for digests in files.values() for digest in digests}
        kept = [pack for pack in packer.packs if any(digest in used for digest, *_ in pack.blocks)]
        dead = {pack.name for pack in state.packs if pack not in kept}
        number = {block.digest: n for n, block in enumerate(blocks_of(kept))}
        told = {name: [number[digest] for digest in digests] for name, digests in files.items()}
        self._tell(told, kept, busy=bool(dead) or not done)
        # Still ours: nobody else can have sent the same meanwhile.
        self.bucket.remove(*(f"packs/{name}" for name in dead))
        if dead and done:
            self._tell(told, kept, busy=False)

    def _read(self, groups: Callable[[Path], Iterable[Iterable[str]]], packer: "Packer") -> dict[str, list[str]]:
        """SHA-256 of the blocks of all files, which are sent where they are new."""
        for _ in range(_LOOKS):
            files: dict[str, list[str]] = {}
            try:
                for group in groups(self.folder):
                    files.update({name: self._digests(name, packer) for name in group})
                    packer.close()
            except FileNotFoundError:
                # One has been replaced by another since they were listed.
                continue
            return files
        raise StoreFailed(self.folder, "its files are replaced faster than they can be read", "It is tried again")

    def _digests(self, name: str, packer: "Packer") -> list[str]:
        """SHA-256 of a file's blocks, which are sent where they are new."""
        found = (self.folder / name).stat()
        stamp = found.st_size, found.st_mtime_ns
        if name not in self._seen or self._seen[name][0] != stamp or not packer.has(self._seen[name][1]):
            self._seen[name] = stamp, packer.add(self.folder / name)
        return self._seen[name][1]

    def _tell(self, files: dict[str, list[int]], packs: list[BlockPack], *, busy: bool) -> None:
        now = msgspec.structs.replace(self.found.state, files=files, packs=packs, busy=busy)
        if now == self.found.state:
            return
        tag = self.bucket.swap(STATE, msgspec.json.encode(now), self.found.tag)
        if tag is None:
            raise TakenOver(
                f"{self.bucket.address}: another process has taken over; what this one did is in {self.folder}"
            )
        self.found = FoundFolder(now, tag)


def claim_folder(
    bucket: Bucket, holds: str, writer: StoreWriter, *, take_over: bool = False
) -> tuple[FoundFolder, bool]:
    """A folder with `writer` as the one who writes it, and whether this one wrote it last.

    Args:
        bucket: Of its address.
        holds: Kind of what it is for.
        writer: Whoever claims it.
        take_over: Whether it may be claimed from another writer.

    Raises:
        SettingError: another writer has it.
        DataError: something else is there.
    """
    found = read_folder(bucket, holds)
    state = FolderState(holds=holds, writer=writer, busy=True)
    if found is None:
        if strangers := sorted(bucket.names()):
            what = f"is not empty (it holds {strangers[0]})"
            raise DataError(bucket.address, what, f"Name a new or empty one with {option('output')}")
        if (tag := bucket.create(STATE, msgspec.json.encode(state))) is not None:
            return FoundFolder(state, tag), True
    else:
        is_ours = found.state.writer.token == writer.token
        if not found.state.busy or is_ours or take_over:
            state = msgspec.structs.replace(found.state, writer=writer, busy=True)
            if (tag := bucket.swap(STATE, msgspec.json.encode(state), found.tag)) is not None:
                return FoundFolder(state, tag), is_ours
    other = read_folder(bucket, holds)
    who = "another process" if other is None else f"{other.state.writer.host} since {other.state.writer.since}"
    raise SettingError(
        f"{bucket.address}: is being written by {who}. Where that has died, go on with {option('take_over')}"
    )


def let_go(shipment: FolderShipment, *, remove: bool = False) -> None:
    """Leave a folder as it was before it was claimed; nothing has been sent to it.

    Args:
        shipment: Of the folder.
        remove: Whether it was begun with the claim.
    """
    with contextlib.suppress(WorktrialError):
        if remove:
            shipment.bucket.remove(STATE)
            return
        before = msgspec.structs.replace(shipment.found.state, busy=False)
        shipment.bucket.swap(STATE, msgspec.json.encode(before), shipment.found.tag)
