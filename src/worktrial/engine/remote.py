"""Runs in object stores: a kind of folder; one in shards is a folder of theirs."""

import asyncio
import contextlib
import re
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from worktrial.engine.growth import refuse_other
from worktrial.engine.manifest import MANIFEST, Manifest, decode_manifest, read_manifest
from worktrial.engine.notices import tell_on_stderr
from worktrial.engine.records import SAMPLES
from worktrial.engine.run_plan import RemoteRun
from worktrial.engine.segments import WORK
from worktrial.engine.shard import shard_folder
from worktrial.engine.store import TRACEBACKS
from worktrial.errors import DataError, SettingError, StopRun, WorktrialError, option
from worktrial.places import check_address
from worktrial.secrets import Redactor
from worktrial.stores import shipping
from worktrial.stores.bucket import Bucket
from worktrial.stores.folders import StoredFolder, kind_of, read_folder
from worktrial.stores.shipping import Shipping, listed

_LOOK_SECONDS = 1.0
_BLOCK = 1 << 20  # bytes
_SHARD = re.compile(r"(\d+-of-(\d+))/")


class _Runs:
    """Runs, and shards of runs, as a kind of folder."""

    name = "run"
    manifest = MANIFEST

    def groups(self, folder: Path) -> Iterator[list[str]]:
        # The records first: those of a later moment could be without their work.
        yield listed(folder, (SAMPLES,))
        yield listed(folder, (MANIFEST, TRACEBACKS, f"{WORK}/*.jsonl.zst", f"{WORK}/*.jsonl"))

    def has_work(self, folder: Path) -> bool:
        return (folder / MANIFEST).exists()

    def renew(self, stored: StoredFolder, folder: Path) -> None:
        there = folder.with_name(f"{folder.name}-there")
        shutil.rmtree(there, ignore_errors=True)
        shipping.bring(self, stored, there)
        if folder.exists() and not _begins(folder / SAMPLES, there / SAMPLES):
            number = 1
            while (aside := folder.with_name(f"{folder.name}-aside-{number}")).exists():
                number += 1
            folder.rename(aside)
            said = "the run went on elsewhere; what this machine had done beyond it is kept in"
            tell_on_stderr(f"{stored.bucket.address}: {said} {aside}")
        shutil.rmtree(folder, ignore_errors=True)
        there.rename(folder)

    def refuse_loss(self, stored: StoredFolder, folder: Path) -> None:
        address = stored.bucket.address
        _refuse_other(manifest_at(stored), read_manifest(folder / MANIFEST), address)
        if SAMPLES in stored.state.files and not stored.begins(SAMPLES, folder / SAMPLES):
            raise SettingError(
                f"{address}: holds samples that {folder} does not. Bring them here with `worktrial pull`, or name "
                "another address"
            )


RUNS = _Runs()
"""Runs among what lies in stores."""


def _begins(path: Path, whole: Path) -> bool:
    """Whether all that a file holds is the beginning of another; a file that is not there holds nothing."""
    if not path.exists():
        return True
    if not whole.exists() or path.stat().st_size > whole.stat().st_size:
        return path.stat().st_size == 0
    with path.open("rb") as one, whole.open("rb") as other:
        while data := one.read(_BLOCK):
            if other.read(len(data)) != data:
                return False
    return True


def refuse_other_work(stored: StoredFolder, folder: Path) -> None:
    """Refuse to bring a run into a folder that holds more, or something else.

    Raises:
        DataError: it does.
    """
    with TemporaryDirectory(dir=folder, prefix=".bringing-") as there:
        stored.bring([name for name in stored.state.files if name == SAMPLES], Path(there))
        if not _begins(folder / SAMPLES, Path(there) / SAMPLES):
            what = f"is not a beginning of {stored.bucket.address}"
            raise DataError(folder, what, "Name another folder")


def manifest_at(stored: StoredFolder) -> Manifest:
    """Manifest of a run as it lies in the store.

    Raises:
        DataError: it is damaged.
    """
    return decode_manifest(stored.read(MANIFEST), stored.bucket.where(MANIFEST))


def shards_at(bucket: Bucket) -> list[str]:
    """Names of the folders of a run's shards below its address, in their order.

    Raises:
        StoreFailed: they cannot be listed.
        DataError: something else lies there.
    """
    names = bucket.names()
    found = {m[1]: int(m[2]) for name in names if (m := _SHARD.match(name)) is not None}
    if strangers := sorted(name for name in names if _SHARD.match(name) is None):
        what = f"is not the address of a run (it holds {strangers[0]})"
        raise DataError(bucket.address, what, f"Name a new or empty one with {option('output')}")
    return sorted(found, key=lambda name: int(name.partition("-")[0]))


def _address_of(address: str, manifest: Manifest) -> str:
    """Address of a run, or of one of its shards, which lies below that of the run.

    Raises:
        SettingError: another run is there, or one in other shards, or the address lies within a run.
        DataError: something else is there.
    """
    bucket, shard = Bucket(address, make=True), manifest.shard
    is_whole = bool(kind_of(bucket))
    shards = [] if is_whole else shards_at(bucket)
    if not is_whole and not shards:
        _refuse_within(address)
    of, there = 1 if shard is None else shard.of, int(shards[0].rpartition("-")[2]) if shards else 1
    if of != there and (is_whole or shards):
        what = f"{there} shards" if there > 1 else "one shard, the whole"
        raise SettingError(f"{address}: holds a run of {what}; this is one of {of} (see {option('shard')})")
    if shard is None:
        return address
    for other in (Bucket(f"{address}/{name}") for name in shards[:1]):
        found = read_folder(other, RUNS.name)
        if found is not None and MANIFEST in found.state.files:
            _refuse_other(manifest_at(StoredFolder(other, found.state)), manifest, address)
    return f"{address}/{shard_folder(shard)}"


def _refuse_other(stored: Manifest, manifest: Manifest, where: str) -> None:
    """Refuse a run beside one with other settings, whatever their shards."""
    stored, manifest = (msgspec.structs.replace(one, shard=None) for one in (stored, manifest))
    refuse_other(stored, manifest, where)


def _refuse_within(address: str) -> None:
    """Refuse an address inside another run, as several agents' would be inside one agent's."""
    around = address.rpartition("/")[0]
    try:
        check_address(around)
        holds_run = bool(kind_of(Bucket(around)))
    except WorktrialError:
        # There is nothing around it, or nothing that may be read.
        return
    if holds_run:
        raise SettingError(f"{address}: lies within the run at {around}. Name another with {option('output')}")


def shipped(
    remote: RemoteRun, folder: Path, manifest: Manifest, redactor: Redactor
) -> AbstractContextManager[Shipping]:
    """A run, or a shard of one, on its way into a store; see `stores.shipping.shipped`.

    Args:
        remote: Where it is stored.
        folder: On this machine; made where it is not there.
        manifest: Of the run or shard.
        redactor: Hides keys; those of stores, too, from now on.

    Raises:
        SettingError: the run there has other settings, or another number of shards.
        DataError: the address cannot be used.
    """
    bucket = Bucket(_address_of(remote.address, manifest), make=True)
    bucket.hide_from(redactor)
    return shipping.shipped(RUNS, bucket, folder, tell_on_stderr, take_over=remote.take_over)


def push(folder: Path, address: str, *, take_over: bool = False) -> None:
    """Bring what a run folder holds, or what is new in it, to an address.

    Args:
        folder: Of a run, or a shard; nobody may be working on it.
        address: As `places.address_of` spells it; that of the whole run, of a shard, too.
        take_over: Whether to go on with what another writer has not let go.

    Raises:
        DataError: the folder holds no run, or the address cannot be used.
        SettingError: another run lies there, or somebody works on the folder or writes there.
        StopRun: the store fails.
    """
    manifest = read_manifest(folder / MANIFEST)
    shipping.push(RUNS, folder, _address_of(address, manifest), take_over=take_over)


@contextlib.asynccontextmanager
async def uploading(runs: Sequence[Shipping]) -> AsyncIterator[None]:
    """Send what is due, looked at once a second, for as long as the block lasts.

    Raises:
        StopRun: somebody else has taken over one of them.
    """
    work = asyncio.current_task()
    assert work is not None
    stopped: list[StopRun] = []

    async def upload() -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                for run in runs:
                    run.look()
            except StopRun as e:
                stopped.append(e)
                work.cancel()
                return

    uploader = asyncio.create_task(upload())
    try:
        yield
    except asyncio.CancelledError:
        if stopped and not work.uncancel():
            raise stopped[0] from None
        raise
    finally:
        uploader.cancel()
