"""A run's way into an object store: claimed, written part by part from a folder on this machine, let go."""

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from worktrial.engine.lines import replace_file
from worktrial.engine.manifest import MANIFEST, Manifest, manifest_text, read_manifest
from worktrial.engine.notices import tell_on_stderr
from worktrial.engine.objects.address import RemoteRun, shard_folder
from worktrial.engine.objects.claims import claim, join_run, let_go, remove_begun
from worktrial.engine.objects.parts import MadeFile, RunPart, ShardState, made_file, sidecar_name
from worktrial.engine.objects.shards import Diverged, StoredShard, fetch, fetch_rest, is_beginning
from worktrial.engine.objects.streams import RECORDS, lines_from, size_of, streams_in, whole_end
from worktrial.engine.store import LOCK, TRACEBACKS
from worktrial.errors import SettingError, StopRun, WorktrialError
from worktrial.secrets import Redactor
from worktrial.stores.bucket import Bucket, ObjectEntry, StoreFailed
from worktrial.stores.writers import spool_folder, writer_of

AGE_SECONDS = 60.0
"""Seconds after which what has finished is brought to the store, at the latest."""
WAITING_BYTES = 32 << 20
"""Bytes of lines after which it is brought there before that: compressed, some 4 to 8 MB."""
_AT_ONCE = 64 << 20  # bytes of lines, at most, that one object is made of


class Shipment:
    """A shard's folder on this machine, and how far it has come into the store.

    Args:
        folder: Of the shard.
        shard: As it lies in the store, with this process as its writer.
    """

    def __init__(self, folder: Path, shard: StoredShard) -> None:
        self.bucket = shard.bucket
        self.folder = folder
        self._shard = shard
        self._tag = shard.tag
        self._parts = len(shard.parts)
        self._places = Counter({stream: _shipped(shard, stream) for stream in shard.streams})
        self._tracebacks = -1
        self._last = time.monotonic()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """Bytes of lines that have not been sent."""
        return sum(size_of(self.folder, stream) - self._places[stream] for stream in streams_in(self.folder))

    @property
    def is_due(self) -> bool:
        """Whether enough has finished, or long enough ago, to be sent."""
        waiting = self.waiting
        return waiting >= WAITING_BYTES or (waiting > 0 and time.monotonic() - self._last >= AGE_SECONDS)

    def ship(self) -> None:
        """Send what has finished since the last time.

        Raises:
            StoreFailed: the store fails; what was not sent is sent the next time.
            StopRun: somebody else has taken over the shard.
        """
        with self._lock:
            self._last = time.monotonic()
            # The records first: those of a later moment could be without their trajectories.
            end = whole_end(self.folder, RECORDS)
            ends = {stream: whole_end(self.folder, stream) for stream in streams_in(self.folder)} | {RECORDS: end}
            while files := self._next(ends):
                self._commit(files)
            self._ship_tracebacks()

    def _next(self, ends: dict[str, int]) -> dict[str, MadeFile]:
        """Objects of the next part; {} where everything is sent."""
        files: dict[str, MadeFile] = {}
        for stream, end in ends.items():
            lines = lines_from(self.folder, stream, self._places[stream], end, _AT_ONCE)
            if lines:
                one = files[stream] = made_file(self._parts + 1, stream, lines)
                if self._places[stream] + one.about.lines < end:
                    # What comes after this stream waits for the rest of it.
                    break
        return files

    def _commit(self, files: dict[str, MadeFile]) -> None:
        place, number = self._shard.place, self._parts + 1
        for one in files.values():
            self.bucket.put(f"{place}/{one.about.name}", one.data)
        part = RunPart(shard=self._shard.name, number=number, files={s: one.about for s, one in files.items()})
        if self.bucket.create(f"{place}/{sidecar_name(number)}", msgspec.json.encode(part)) is None:
            raise self._taken_over()
        self._parts = number
        for stream, one in files.items():
            self._places[stream] += one.about.lines

    def _ship_tracebacks(self) -> None:
        path = self.folder / TRACEBACKS
        size = path.stat().st_size if path.exists() else 0
        if size and size != self._tracebacks:
            self.bucket.put(f"{self._shard.place}/{TRACEBACKS}", path.read_bytes())
            self._tracebacks = size

    def tell(self, *, done: bool = False) -> None:
        """Write the shard's manifest as it is in the folder.

        Args:
            done: Whether this process lets the shard go.

        Raises:
            StoreFailed: it cannot be written.
            StopRun: somebody else has taken over the shard.
        """
        state = self._shard.state
        manifest = read_manifest(self.folder / MANIFEST)
        now = ShardState(parts=self._parts, writer=None if done else state.writer, manifest=manifest)
        if not done and manifest_text(manifest) == manifest_text(state.manifest):
            return
        tag = self.bucket.swap(f"{self._shard.place}/{MANIFEST}", msgspec.json.encode(now), self._tag)
        if tag is None:
            raise self._taken_over()
        self._tag = tag

    def _taken_over(self) -> StopRun:
        return StopRun(
            f"{self.bucket.address}: another process has taken over shard {self._shard.name}; what this one did "
            f"since is in {self.folder}"
        )

    def finish(self) -> None:
        """Send the rest, and let the shard go.

        Raises:
            StopRun: somebody else has taken over the shard, or the store fails.
        """
        try:
            self.ship()
            self.tell(done=True)
        except StoreFailed as e:
            raise StopRun(f"{e}. What is not there yet is in {self.folder}") from None


def _shipped(shard: StoredShard, stream: str) -> int:
    return sum(part.files[stream].lines for part in shard.parts if stream in part.files)


@contextlib.contextmanager
def shipped(
    remote: RemoteRun, folder: Path, manifest: Manifest, whole: Manifest, redactor: Redactor
) -> Iterator[Shipment]:
    """A shard claimed and brought into `folder`; at the end of the block, the rest is sent and the shard let go.

    Args:
        remote: Where it is stored.
        folder: On this machine; made where it is not there.
        manifest: Of the shard, with the session that begins.
        whole: Of the run that it is a shard of, with the same session.
        redactor: Hides keys; those of stores, too, from now on.

    Raises:
        SettingError: another process writes the shard, or the run there has other settings.
        DataError: the address cannot be used, or what is there is damaged.
        StopRun: somebody else has taken over the shard meanwhile, or the rest cannot be sent.
    """
    bucket = Bucket(remote.address, make=True)
    bucket.hide_from(redactor)
    home = folder.parent
    home.mkdir(parents=True, exist_ok=True)
    with _locked(home, remote.address):
        of = 1 if manifest.shard is None else manifest.shard.of
        is_new = join_run(bucket, _redacted(whole, redactor), of)
        shard, objects = claim(
            bucket,
            shard_folder(manifest.shard),
            writer_of(home),
            _redacted(manifest, redactor),
            take_over=remote.take_over,
        )
        try:
            _bring_here(shard, folder, objects)
        except BaseException:
            let_go(shard)
            raise
        shipment = Shipment(folder, shard)
        try:
            yield shipment
        except BaseException as e:
            if (folder / MANIFEST).exists():
                try:
                    shipment.finish()
                except WorktrialError as unsent:
                    # What ended the run is the news, and this a note beside it.
                    if str(unsent) != str(e):
                        tell_on_stderr(str(unsent))
            elif objects:
                let_go(shard)
            else:
                # Refused before its first sample.
                remove_begun(shard, run=is_new and of == 1)
            raise
        shipment.finish()


@contextlib.contextmanager
def _locked(folder: Path, what: object) -> Iterator[None]:
    try:
        lock = FileLock(folder / LOCK).acquire(blocking=False)
    except Timeout:
        raise SettingError(f"{what}: another process is working on this run") from None
    with lock:
        yield


def _redacted(manifest: Manifest, redactor: Redactor) -> Manifest:
    return msgspec.json.decode(redactor.bytes(manifest_text(manifest)), type=Manifest)


def _bring_here(shard: StoredShard, folder: Path, objects: Mapping[str, ObjectEntry]) -> None:
    """Bring what the store has of a shard into its folder on this machine, which may be ahead of it."""
    if not objects:
        return
    try:
        _bring(shard, folder, objects)
    except Diverged:
        number = 1
        while (aside := folder.with_name(f"{folder.name}-aside-{number}")).exists():
            number += 1
        folder.rename(aside)
        said = "the run went on elsewhere; what this machine had done beyond it is kept in"
        tell_on_stderr(f"{shard.bucket.address}: {said} {aside}")
        _bring(shard, folder, objects)


def _bring(shard: StoredShard, folder: Path, objects: Mapping[str, ObjectEntry]) -> None:
    here = read_manifest(folder / MANIFEST) if (folder / MANIFEST).exists() else None
    fetch(shard, folder, shard.streams)
    fetch_rest(shard, folder, objects)
    there = shard.state.manifest
    told = {(session.started, *session.command) for session in there.sessions}
    if here is not None and (
        unsent := [session for session in here.sessions if (session.started, *session.command) not in told]
    ):
        # Sessions that could not tell of themselves before they were killed.
        here.sessions = sorted([*there.sessions, *unsent], key=lambda session: session.started)
        replace_file(folder / MANIFEST, manifest_text(here))


def push(folder: Path, address: str, *, take_over: bool = False) -> None:
    """Bring what a run folder holds, or what is new in it, to an address.

    Args:
        folder: Of a run, or a shard; nobody may be working on it.
        address: As `places.address_of` spells it.
        take_over: Whether to go on with what another writer has not let go.

    Raises:
        DataError: the folder holds no run, or the address cannot be used.
        SettingError: another run lies there, or somebody works on the folder or writes there.
        StopRun: the store fails.
    """
    manifest = read_manifest(folder / MANIFEST)
    bucket = Bucket(address, make=True)
    name = shard_folder(manifest.shard)
    home = spool_folder(address, name).with_name(".pushed")
    home.mkdir(parents=True, exist_ok=True)
    with _locked(folder, folder), _locked(home, address):
        join_run(bucket, manifest, 1 if manifest.shard is None else manifest.shard.of)
        shard, _ = claim(bucket, name, writer_of(home), manifest, take_over=take_over)
        if not is_beginning(shard, folder):
            let_go(shard)
            raise SettingError(
                f"{address}: holds samples that {folder} does not. Bring them here with `worktrial pull`, or name "
                "another address"
            )
        Shipment(folder, shard).finish()
