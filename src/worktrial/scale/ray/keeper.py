"""Shards that are written on other machines, kept on this one: what was appended there is appended here."""

import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from worktrial.engine.lines import replace_file
from worktrial.engine.manifest import MANIFEST
from worktrial.engine.records import SAMPLES
from worktrial.engine.segments import segments_in
from worktrial.engine.store import TRACEBACKS
from worktrial.errors import StopRun

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PIECE = 8_000_000
"""Bytes of a file that travel at a time, before they are compressed."""
_QUICK = 1

Ask = Callable[..., Awaitable[Any]]
"""Calls the method of that name, with these arguments, of an object in another process."""


class Keeper:
    """Folders of the shards, beside the folder of the run.

    Args:
        home: Folder in which each shard has one.
        of: Number of shards.
    """

    def __init__(self, home: Path, of: int) -> None:
        self._home = home
        self._of = of
        self._attempts: dict[int, int] = {}

    def begin(self, shard: int) -> int:
        """Number of this attempt at a shard; earlier ones may write no more."""
        self._attempts[shard] = self._attempts.get(shard, 0) + 1
        return self._attempts[shard]

    def sizes(self, shard: int) -> dict[str, int]:
        """Bytes of each file of a shard that are here."""
        folder = shard_home(self._home, shard, self._of)
        names = (*_appended(folder), MANIFEST)
        return {name: (folder / name).stat().st_size for name in names if (folder / name).exists()}

    def read(self, shard: int, name: str, place: int) -> bytes:
        """A piece of a file of a shard, compressed."""
        with (shard_home(self._home, shard, self._of) / name).open("rb") as file:
            file.seek(place)
            return zstd.compress(file.read(PIECE), _QUICK)

    def write(self, shard: int, attempt: int, name: str, place: int, piece: bytes) -> bool:
        """Put a piece of a file of a shard in its place; what stood there and behind goes.

        Returns:
            Whether it was taken; what an earlier attempt sends is not.
        """
        if self._attempts.get(shard) != attempt:
            return False
        folder = shard_home(self._home, shard, self._of)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        data = zstd.decompress(piece)
        if name == MANIFEST:
            replace_file(folder / name, data)
            return True
        with (folder / name).open("r+b" if (folder / name).exists() else "w+b") as file:
            file.truncate(place)
            file.seek(place)
            file.write(data)
        return True


def _appended(folder: Path) -> list[str]:
    """Files of a shard in the order in which they are carried: every sample that is kept has its work."""
    return [*(str(path.relative_to(folder)) for path in segments_in(folder).values()), TRACEBACKS, SAMPLES]


def shard_home(home: Path, number: int, of: int) -> Path:
    """Folder of a shard among those of its run."""
    return home / f"{number}-of-{of}"


class Courier:
    """Carries the files of one shard to the keeper, and an earlier attempt's back.

    Args:
        ask: Asks the run's `Keeper`.
        shard: The shard's number.
        folder: Of the shard, on this machine.
    """

    def __init__(self, ask: Ask, shard: int, folder: Path) -> None:
        self._ask = ask
        self._shard = shard
        self._folder = folder
        self._attempt = 0
        self._sent: dict[str, int] = {}
        self._manifest = b""

    async def fetch(self) -> None:
        """Bring what is kept of the shard, for this attempt to go on with."""
        self._attempt = await self._ask("begin", self._shard)
        sizes: dict[str, int] = await self._ask("sizes", self._shard)
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        for name, size in sizes.items():
            (self._folder / name).parent.mkdir(exist_ok=True)
            with (self._folder / name).open("wb") as file:
                while file.tell() < size:
                    file.write(zstd.decompress(await self._ask("read", self._shard, name, file.tell())))
            self._sent[name] = size

    async def send(self) -> None:
        """Send what has come since the last time.

        Raises:
            StopRun: another attempt at the shard has begun.
        """
        # The first: what it says of the run is so before there are samples.
        await self._send_manifest()
        # Looked at the other way round: records that are there now have their trajectories already.
        records = self._end(SAMPLES)
        ends = {name: self._end(name) for name in _appended(self._folder)} | {SAMPLES: records}
        for name, end in ends.items():
            place = self._sent.get(name, 0)
            if end < place:
                # Cut, as what a crash has torn is.
                place = 0
            while place < end:
                if not (self._folder / name).exists():
                    # Sealed meanwhile.
                    await self.send()
                    return
                with (self._folder / name).open("rb") as file:
                    file.seek(place)
                    data = file.read(min(PIECE, end - place))
                await self._write(name, place, data)
                place += len(data)
                self._sent[name] = place

    async def _send_manifest(self) -> None:
        path = self._folder / MANIFEST
        if path.exists() and (data := path.read_bytes()) != self._manifest:
            await self._write(MANIFEST, 0, data)
            self._manifest = data

    def _end(self, name: str) -> int:
        path = self._folder / name
        return path.stat().st_size if path.exists() else 0

    async def _write(self, name: str, place: int, data: bytes) -> None:
        taken = await self._ask("write", self._shard, self._attempt, name, place, zstd.compress(data, _QUICK))
        if not taken:
            raise StopRun(f"another worker has taken over shard {self._shard}; this one stops")
