"""Archives in object stores: opened there, brought from there, and sent from a folder on this machine."""

import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from worktrial.archive.store.parts import PARTS
from worktrial.archive.store.record import INDEX, LOCK, MANIFEST, decode_manifest, read_manifest
from worktrial.errors import DataError, SettingError, StopRun, WorktrialError
from worktrial.places import address_of
from worktrial.stores.bucket import Bucket, StoreFailed
from worktrial.stores.folders import BlockPack, StoredFolder, read_folder
from worktrial.stores.sending import FolderShipment, TakenOver, claim_folder, let_go
from worktrial.stores.waiting import begun
from worktrial.stores.writers import spool_folder, writer_of

ARCHIVE = "archive"
"""Kind of an archive among what lies in stores."""
AGE_SECONDS = 60.0
"""Seconds after which what was read is sent, at the latest."""
SENT = "sent.jsonl"
"""File of the folder of a build with the packs that its workers have sent by themselves."""
_STAGED = "staging/*.pages"
_DERIVED = ("archive-*.duckdb", f"{INDEX}/*")
_OURS = (MANIFEST, _STAGED, f"{PARTS}/*/*", *_DERIVED)


def open_stored(address: str) -> StoredFolder:
    """The archive at an address.

    Raises:
        DataError: there is none, or something else.
        SettingError: there can be no such address, or the extra is not installed.
    """
    bucket = Bucket(address)
    found = read_folder(bucket, ARCHIVE)
    if found is None:
        raise DataError(address, "no archive is there", "Make one with: worktrial archive build -o")
    if MANIFEST not in found.state.files:
        raise DataError(address, "the archive is being built, and nothing of it is there yet", "Try again later")
    return StoredFolder(bucket, found.state)


def local_place(place: Path) -> Path:
    """Folder on this machine in which the archive of that place is built."""
    address = address_of(place)
    return place if address is None else spool_folder(address, ARCHIVE)


def pull(address: str, folder: Path) -> None:
    """Bring an archive into a folder, which may hold an earlier state of it.

    Raises:
        DataError: there is no archive, something in it is not as it was written, or the folder is another's.
    """
    stored = open_stored(address)
    if folder.exists() and not (folder / MANIFEST).exists() and any(folder.iterdir()):
        raise DataError(folder, "is not the folder of an archive", "Name a new or empty one")
    if (folder / MANIFEST).exists():
        read_manifest(folder)
    with _locked(folder):
        _bring(stored, folder)
        for name in {*_names(folder, *_OURS)} - stored.state.files.keys():
            (folder / name).unlink()
        for place in (*folder.glob(f"{PARTS}/*"), folder / INDEX, folder / "staging"):
            with contextlib.suppress(OSError):
                place.rmdir()  # where nothing is left in it


def _bring(stored: StoredFolder, folder: Path) -> None:
    stored.bring([name for name in stored.state.files if name != MANIFEST], folder)
    # The last: what it tells of is there.
    stored.bring([MANIFEST] if MANIFEST in stored.state.files else [], folder)


def push(folder: Path, address: str, *, take_over: bool = False) -> None:
    """Bring the archive in a folder to an address: all of it, or what is new.

    Raises:
        DataError: the folder holds no archive, or the address cannot be used.
        SettingError: documents are there that the folder lacks, or somebody works on either.
        StopRun: the store fails.
    """
    own = read_manifest(folder)
    home = spool_folder(address, ".pushed")
    home.mkdir(parents=True, exist_ok=True)
    bucket = Bucket(address, make=True)
    with _locked(folder), _locked(home):
        found, _ = claim_folder(bucket, ARCHIVE, writer_of(home), take_over=take_over)
        shipment = FolderShipment(bucket, found, folder)
        if MANIFEST in found.state.files:
            stored = StoredFolder(bucket, found.state)
            there = decode_manifest(stored.read(MANIFEST), f"{address}, {MANIFEST}")
            if absent := {d.name for d in there.documents if d.readable} - {d.name for d in own.documents}:
                let_go(shipment)
                raise SettingError(
                    f"{address}: holds {min(absent)}, which {folder} does not. Bring it here with `worktrial "
                    "pull`, or name another address"
                )
        with _as_stop(folder):
            shipment.ship(_groups(folder), done=True)


class ArchiveShipment:
    """An archive on its way into a store while it is built.

    Args:
        shipment: Of its folder.
        tell: Told in a line when the store fails.
    """

    def __init__(self, shipment: FolderShipment, tell: Callable[[str], None]) -> None:
        self.folder = shipment.folder
        self._shipment = shipment
        self._tell = tell
        self._last = time.monotonic()
        self._under_way: Future[None] | None = None

    def look(self) -> None:
        """Send what is new beside the build, where it is time to.

        Raises:
            StopRun: somebody else has taken over.
        """
        if self._under_way is not None and self._under_way.done():
            self.wait()
        if self._under_way is None and time.monotonic() - self._last >= AGE_SECONDS:
            self._last = time.monotonic()
            self._under_way = begun(lambda: self._shipment.ship(_groups(self.folder), _sent(self.folder)))

    def wait(self) -> None:
        """Wait for what is under way, after which files may go.

        Raises:
            StopRun: somebody else has taken over.
        """
        under_way, self._under_way = self._under_way, None
        try:
            if under_way is not None:
                under_way.result()
        except StoreFailed as e:
            self._tell(f"{e} (the build goes on; what it read is in {self.folder})")

    def finish(self) -> None:
        """Send the rest, and let the archive go.

        Raises:
            StopRun: the store fails, or somebody else has taken over.
        """
        self.wait()
        with _as_stop(self.folder):
            self._shipment.ship(_groups(self.folder), _sent(self.folder), done=True)


@contextlib.contextmanager
def shipped(address: str, tell: Callable[[str], None], *, take_over: bool = False) -> Iterator[ArchiveShipment]:
    """An archive claimed and brought into a folder on this machine; at the end of the block the rest is sent.

    Args:
        address: Of the archive.
        tell: Told in a line when the store fails, and when what is left could not be sent.
        take_over: Whether to go on with what another writer has not let go.

    Raises:
        DataError: the address cannot be used, or what is there is damaged.
        SettingError: another process builds it.
        StopRun: somebody else has taken over meanwhile, or the rest cannot be sent.
    """
    folder = spool_folder(address, ARCHIVE)
    bucket = Bucket(address, make=True)
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder.parent):
        found, was_ours = claim_folder(bucket, ARCHIVE, writer_of(folder.parent), take_over=take_over)
        shipment = FolderShipment(bucket, found, folder)
        shipping = ArchiveShipment(shipment, tell)
        # Of an earlier session, whose packs may be gone.
        (folder / SENT).unlink(missing_ok=True)
        try:
            if not (was_ours and (folder / MANIFEST).exists()):
                _renew(StoredFolder(bucket, found.state), folder)
            yield shipping
        except TakenOver:
            raise
        except BaseException:
            if any(_names(folder, _STAGED, f"{PARTS}/*/*")):
                try:
                    shipping.finish()
                except WorktrialError as unsent:
                    # What ended the build is the news, and this a note beside it.
                    tell(str(unsent))
            else:
                let_go(shipment, remove=not found.state.files)
            raise
        shipping.finish()


def _renew(stored: StoredFolder, folder: Path) -> None:
    """Bring what another machine wrote. Parts and pages that are here alone stay, known by their content."""
    for name in {*_names(folder, *_DERIVED)} - stored.state.files.keys():
        (folder / name).unlink()
    _bring(stored, folder)


def _groups(folder: Path) -> Iterator[list[str]]:
    """Names of an archive's files; its list of documents first, so that they are there that it tells of."""
    for patterns in ((MANIFEST,), (_STAGED,), (f"{PARTS}/*/*",), _DERIVED):
        yield [*_names(folder, *patterns)]


def _sent(folder: Path) -> list[BlockPack]:
    with contextlib.suppress(FileNotFoundError):
        whole = (folder / SENT).read_bytes().rpartition(b"\n")[0]
        return [msgspec.json.decode(line, type=BlockPack) for line in whole.splitlines()]
    return []


def _names(folder: Path, *patterns: str) -> Iterator[str]:
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            if path.is_file() and path.suffix != ".lock":
                yield path.relative_to(folder).as_posix()


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(folder / LOCK).acquire(blocking=False)
    except Timeout:
        raise SettingError(f"{folder}: another process is working on this archive") from None
    with lock:
        yield


@contextlib.contextmanager
def _as_stop(folder: Path) -> Iterator[None]:
    try:
        yield
    except StoreFailed as e:
        raise StopRun(f"{e}. What is not there yet is in {folder}") from None
