"""Folders of a kind, such as runs or archives, between this machine and object stores."""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Protocol

from filelock import FileLock, Timeout

from worktrial.errors import DataError, SettingError, StopRun, WorktrialError
from worktrial.stores.bucket import Bucket, StoreFailed
from worktrial.stores.folders import StoredFolder, read_folder
from worktrial.stores.sending import FolderShipment, TakenOver, claim_folder, let_go
from worktrial.stores.waiting import begun
from worktrial.stores.writers import spool_folder, writer_of

AGE_SECONDS = 60.0
"""Seconds after which what is new in a folder is sent, at the latest."""
_LOCK = ".lock"


class FolderKind(Protocol):
    """A kind of folder that lies in stores."""

    @property
    def name(self) -> str:
        """Word for it, such as `run`."""

    @property
    def manifest(self) -> str:
        """Name of the file without which a folder is none of this kind."""

    def groups(self, folder: Path) -> Iterator[list[str]]:
        """Names of the files in a folder, as `FolderShipment.ship` wants them."""

    def has_work(self, folder: Path) -> bool:
        """Whether a folder holds something worth sending."""

    def renew(self, stored: StoredFolder, folder: Path) -> None:
        """Bring what another machine wrote into a folder that this one has written before, or that is not there.

        Raises:
            DataError: something is not as it was written.
        """

    def refuse_loss(self, stored: StoredFolder, folder: Path) -> None:
        """Refuse to put a folder in the place of one that holds what it does not.

        Raises:
            SettingError: this would.
        """


def find_folder(kind: FolderKind, address: str) -> StoredFolder | None:
    """The folder of a kind at an address; None where there is nothing of it yet.

    Raises:
        DataError: something else is there.
        SettingError: there can be no such address, or the extra is not installed.
    """
    bucket = Bucket(address)
    found = read_folder(bucket, kind.name)
    if found is None or kind.manifest not in found.state.files:
        return None
    return StoredFolder(bucket, found.state)


def open_folder(kind: FolderKind, address: str) -> StoredFolder:
    """The folder of a kind at an address.

    Raises:
        DataError: there is none, or something else.
        SettingError: as `find_folder`.
    """
    found = find_folder(kind, address)
    if found is None:
        raise DataError(address, f"no {kind.name} is there yet", "Name the address that -o was given")
    return found


def fetch(kind: FolderKind, stored: StoredFolder, folder: Path, *, of: Callable[[str], bool] | None = None) -> None:
    """Bring files of a stored folder into one on this machine.

    Args:
        kind: Of the folder.
        stored: Folder in the store.
        folder: On this machine.
        of: Which files are wanted; None for all.

    Raises:
        DataError: something is not as it was written.
    """
    names = [name for name in stored.state.files if of is None or of(name)]
    stored.bring([name for name in names if name != kind.manifest], folder)
    # The last: what it tells of is there.
    stored.bring([name for name in names if name == kind.manifest], folder)


def bring(kind: FolderKind, stored: StoredFolder, folder: Path, *, of: Callable[[str], bool] | None = None) -> None:
    """Make a folder on this machine what it is in the store, as `fetch` does; files of others stay."""
    fetch(kind, stored, folder, of=of)
    for name in {name for group in kind.groups(folder) for name in group} - stored.state.files.keys():
        (folder / name).unlink()
        with contextlib.suppress(OSError):
            (folder / name).parent.rmdir()  # where nothing is left in it


def pull(kind: FolderKind, stored: StoredFolder, folder: Path, check: Callable[[], object]) -> None:
    """Bring a folder of a store into one of one's own, which may hold an earlier state of it.

    Args:
        kind: Of the folder.
        stored: Folder in the store.
        folder: One's own.
        check: Raises where `folder`, which is of that kind, is another.

    Raises:
        DataError: something is not as it was written, or the folder is something else.
        SettingError: another process works on the folder.
    """
    if folder.exists() and not (folder / kind.manifest).exists() and any(folder.iterdir()):
        raise DataError(folder, f"holds no {kind.name}", "Name a new or empty one")
    with held(folder, folder, kind.name):
        if (folder / kind.manifest).exists():
            check()
        bring(kind, stored, folder)


def push(kind: FolderKind, folder: Path, address: str, *, take_over: bool = False) -> None:
    """Bring a folder to an address: all of it, or what is new.

    Raises:
        DataError: the address cannot be used.
        SettingError: what lies there is not in the folder, or somebody works on either.
        StopRun: the store fails.
    """
    home = spool_folder(address, ".pushed")
    bucket = Bucket(address, make=True)
    with held(folder, folder, kind.name), held(home, address, kind.name):
        found, _ = claim_folder(bucket, kind.name, writer_of(home), take_over=take_over)
        shipment = FolderShipment(bucket, found, folder)
        if kind.manifest in found.state.files:
            try:
                kind.refuse_loss(StoredFolder(bucket, found.state), folder)
            except WorktrialError:
                let_go(shipment)
                raise
        with _as_stop(folder):
            shipment.ship(kind.groups, done=True)


class Shipping:
    """A folder on its way into a store while somebody works on it.

    Args:
        kind: Of the folder.
        shipment: Of the folder.
        tell: Told in a line when the store fails.
    """

    def __init__(self, kind: FolderKind, shipment: FolderShipment, tell: Callable[[str], None]) -> None:
        self.folder = shipment.folder
        self._kind = kind
        self._shipment = shipment
        self._tell = tell
        self._last = time.monotonic()
        self._under_way: Future[None] | None = None

    def look(self) -> None:
        """Send what is new beside the work, where it is time to.

        Raises:
            StopRun: somebody else has taken over.
        """
        if self._under_way is not None and self._under_way.done():
            self.wait()
        if self._under_way is None and time.monotonic() - self._last >= AGE_SECONDS:
            self._last = time.monotonic()
            self._under_way = begun(lambda: self._shipment.ship(self._kind.groups))

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
            self._tell(f"{e} (the work goes on; what it did is in {self.folder})")

    def finish(self) -> None:
        """Send the rest, and let the folder go.

        Raises:
            StopRun: the store fails, or somebody else has taken over.
        """
        self.wait()
        with _as_stop(self.folder):
            self._shipment.ship(self._kind.groups, done=True)


@contextlib.contextmanager
def shipped(
    kind: FolderKind, bucket: Bucket, folder: Path, tell: Callable[[str], None], *, take_over: bool = False
) -> Iterator[Shipping]:
    """A folder claimed and brought to this machine; at the end of the block the rest is sent, and it is let go.

    Args:
        kind: Of the folder.
        bucket: Of its address.
        folder: On this machine.
        tell: Told in a line when the store fails, and when what is left could not be sent.
        take_over: Whether to go on with what another writer has not let go.

    Raises:
        DataError: the address cannot be used, or what is there is damaged.
        SettingError: another process writes there.
        StopRun: somebody else has taken over meanwhile, or the rest cannot be sent.
    """
    home = folder.parent
    with held(home, bucket.address, kind.name):
        found, was_ours = claim_folder(bucket, kind.name, writer_of(home), take_over=take_over)
        shipment = FolderShipment(bucket, found, folder)
        shipping = Shipping(kind, shipment, tell)
        try:
            if found.state.files and not (was_ours and (folder / kind.manifest).exists()):
                kind.renew(StoredFolder(bucket, found.state), folder)
            yield shipping
        except TakenOver:
            raise
        except BaseException as e:
            if kind.has_work(folder):
                try:
                    shipping.finish()
                except WorktrialError as unsent:
                    # What ended the work is the news, and this a note beside it.
                    if str(unsent) != str(e):
                        tell(str(unsent))
            else:
                let_go(shipment, remove=not found.state.files)
            raise
        shipping.finish()


@contextlib.contextmanager
def held(folder: Path, what: object, kind: str) -> Iterator[None]:
    """A folder that nobody else of this machine works on; made where it is not there.

    Args:
        folder: To be locked.
        what: Place that the user knows it by.
        kind: Word for what is in it.

    Raises:
        SettingError: somebody does.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(folder / _LOCK).acquire(blocking=False)
    except Timeout:
        raise SettingError(f"{what}: another process is working on this {kind}") from None
    with lock:
        yield


def listed(folder: Path, patterns: Iterable[str]) -> list[str]:
    """Names of the files of a folder that patterns are of, in the order of the patterns."""
    return [
        path.relative_to(folder).as_posix()
        for pattern in patterns
        for path in sorted(folder.glob(pattern))
        if path.is_file() and path.suffix != ".lock"
    ]


@contextlib.contextmanager
def _as_stop(folder: Path) -> Iterator[None]:
    try:
        yield
    except StoreFailed as e:
        raise StopRun(f"{e}. What is not there yet is in {folder}") from None
