"""Folders on their way into object stores: claimed by one writer, sent block by block, let go."""

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import msgspec

from worktrial.errors import SettingError, StopRun, WorktrialError, option
from worktrial.stores.bucket import Bucket
from worktrial.stores.folders import BLOCK, PACK, STATE, BlockPack, FolderState, FoundFolder, blocks_of, read_folder
from worktrial.stores.writers import StoreWriter


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

    def ship(self, groups: Iterable[Iterable[str]], *, done: bool = False) -> None:
        """Send what is new in the folder, and tell what there is.

        Args:
            groups: Names of its files; those of a group come and go together, and share no pack with others.
            done: Whether this process lets the folder go.

        Raises:
            StoreFailed: the store fails; what was not sent is sent the next time.
            TakenOver: somebody else writes there now.
        """
        state = self.found.state
        packs = [*state.packs]
        known = {block.digest for block in blocks_of(packs)}
        files: dict[str, list[str]] = {}
        for group in groups:
            waiting: dict[str, bytes] = {}
            for name in group:
                with contextlib.suppress(FileNotFoundError):  # gone meanwhile
                    files[name] = self._digests(name, known, waiting, packs)
            self._pack(waiting, packs)
        used = {digest for digests in files.values() for digest in digests}
        kept = [pack for pack in packs if any(digest in used for digest, _ in pack.blocks)]
        dead = [pack.name for pack in state.packs if pack not in kept]
        number = {block.digest: n for n, block in enumerate(blocks_of(kept))}
        told = {name: [number[digest] for digest in digests] for name, digests in files.items()}
        self._tell(told, kept, busy=bool(dead) or not done)
        for name in dead:
            # Still ours: nobody else can have sent the same meanwhile.
            self.bucket.remove(f"packs/{name}")
        if dead and done:
            self._tell(told, kept, busy=False)

    def _digests(self, name: str, known: set[str], waiting: dict[str, bytes], packs: list[BlockPack]) -> list[str]:
        """Digests of a file's blocks; those that are new wait to be packed."""
        with (self.folder / name).open("rb") as file:
            found = os.fstat(file.fileno())
            stamp = found.st_size, found.st_mtime_ns
            if name in self._seen and self._seen[name][0] == stamp and known.issuperset(self._seen[name][1]):
                return self._seen[name][1]
            digests = []
            while data := file.read(min(BLOCK, found.st_size - file.tell())):
                digests.append(sha256(data).hexdigest())
                if digests[-1] not in known:
                    known.add(digests[-1])
                    waiting[digests[-1]] = data
                    if len(waiting) * BLOCK >= PACK and sum(map(len, waiting.values())) >= PACK:
                        self._pack(waiting, packs)
        self._seen[name] = stamp, digests
        return digests

    def _pack(self, waiting: dict[str, bytes], packs: list[BlockPack]) -> None:
        if waiting:
            data = b"".join(waiting.values())
            name = sha256(data).hexdigest()
            self.bucket.put(f"packs/{name}", data)
            packs.append(BlockPack(name, [(digest, len(block)) for digest, block in waiting.items()]))
            waiting.clear()

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
