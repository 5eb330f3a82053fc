"""Archives in object stores: a kind of folder, opened there, brought from there, and sent from here."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from worktrial.archive.store.parts import PARTS
from worktrial.archive.store.record import INDEX, MANIFEST, decode_manifest, read_manifest
from worktrial.errors import SettingError
from worktrial.places import address_of
from worktrial.stores import shipping
from worktrial.stores.bucket import Bucket
from worktrial.stores.folders import StoredFolder
from worktrial.stores.shipping import Shipping, listed
from worktrial.stores.writers import spool_folder

_STAGED = "staging/*.pages"
_DERIVED = ("archive-*.duckdb", f"{INDEX}/*")


class _Archives:
    """Archives as a kind of folder."""

    name = "archive"
    manifest = MANIFEST

    def groups(self, folder: Path) -> Iterator[list[str]]:
        # The list of documents first, so that they are there that it tells of.
        for patterns in ((MANIFEST,), (_STAGED,), (f"{PARTS}/*/*",), _DERIVED):
            yield listed(folder, patterns)

    def has_work(self, folder: Path) -> bool:
        return bool(listed(folder, (_STAGED, f"{PARTS}/*/*")))

    def renew(self, stored: StoredFolder, folder: Path) -> None:
        # Parts and pages that are here alone stay, known by their content.
        for name in {*listed(folder, _DERIVED)} - stored.state.files.keys():
            (folder / name).unlink()
        shipping.fetch(self, stored, folder)

    def refuse_loss(self, stored: StoredFolder, folder: Path) -> None:
        address = stored.bucket.address
        there = decode_manifest(stored.read(MANIFEST), f"{address}, {MANIFEST}")
        own = {document.name for document in read_manifest(folder).documents}
        if absent := {document.name for document in there.documents if document.readable} - own:
            raise SettingError(
                f"{address}: holds {min(absent)}, which {folder} does not. Bring it here with `worktrial pull`, or "
                "name another address"
            )


ARCHIVES = _Archives()
"""Archives among what lies in stores."""


def open_stored(address: str) -> StoredFolder:
    """The archive at an address.

    Raises:
        DataError: there is none, or something else.
        SettingError: there can be no such address, or the extra is not installed.
    """
    return shipping.open_folder(ARCHIVES, address)


def local_place(place: Path) -> Path:
    """Folder on this machine in which the archive of that place is built."""
    address = address_of(place)
    return place if address is None else spool_folder(address, ARCHIVES.name)


def pull(address: str, folder: Path) -> None:
    """Bring an archive into a folder, which may hold an earlier state of it.

    Raises:
        DataError: there is no archive, something in it is not as it was written, or the folder is another's.
    """
    shipping.pull(ARCHIVES, open_stored(address), folder, lambda: read_manifest(folder))


def push(folder: Path, address: str, *, take_over: bool = False) -> None:
    """Bring the archive in a folder to an address: all of it, or what is new.

    Raises:
        DataError: the folder holds no archive, or the address cannot be used.
        SettingError: documents are there that the folder lacks, or somebody works on either.
        StopRun: the store fails.
    """
    read_manifest(folder)
    shipping.push(ARCHIVES, folder, address, take_over=take_over)


def shipped(
    address: str, tell: Callable[[str], None], *, take_over: bool = False
) -> AbstractContextManager[Shipping]:
    """An archive on its way to an address while it is built; see `stores.shipping.shipped`."""
    bucket = Bucket(address, make=True)
    return shipping.shipped(ARCHIVES, bucket, local_place(Path(address)), tell, take_over=take_over)
