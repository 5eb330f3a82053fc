"""Archives in object stores: a kind of folder, opened there, brought from there, and sent from here."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from worktrial.archive import Archive, BuildEvent, BuildReport, Producer
from worktrial.archive import build as build_here
from worktrial.errors import SettingError
from worktrial.places import address_of
from worktrial.stores import shipping
from worktrial.stores.bucket import Bucket
from worktrial.stores.folders import StoredFolder
from worktrial.stores.shipping import listed
from worktrial.stores.writers import spool_folder

_PARTS, _STAGED = "parts/*/*", "staging/*.pages"
_DERIVED = ("archive-*.duckdb", "index/*")


class _Archives:
    """Archives as a kind of folder."""

    name = "archive"
    manifest = "manifest.json"

    def groups(self, folder: Path) -> Iterator[list[str]]:
        # The list of documents first, so that they are there that it tells of.
        for patterns in ((self.manifest,), (_STAGED,), (_PARTS,), _DERIVED):
            yield listed(folder, patterns)

    def has_work(self, folder: Path) -> bool:
        return bool(listed(folder, (_STAGED, _PARTS)))

    def renew(self, stored: StoredFolder, folder: Path) -> None:
        # Parts and pages that are here alone stay, known by their content.
        for name in {*listed(folder, _DERIVED)} - stored.state.files.keys():
            (folder / name).unlink()
        shipping.fetch(self, stored, folder)

    def refuse_loss(self, stored: StoredFolder, folder: Path) -> None:
        address = stored.bucket.address
        own = {document.name for document in Archive.open(folder).documents}
        there = Archive.of_stored(address, stored).documents
        if absent := {document.name for document in there if document.readable} - own:
            raise SettingError(
                f"{address}: holds {min(absent)}, which {folder} does not. Bring it here with `worktrial pull`, or "
                "name another address"
            )


ARCHIVES = _Archives()
"""Archives among what lies in stores."""


def open_archive(place: Path | str) -> Archive:
    """Open an archive in a folder, or at an address such as `s3://bucket/archive`; only what is asked for is read.

    Raises:
        DataError: there is no archive, or one that this version cannot read.
        SettingError: there can be no such address, or the extra `store` is not installed.
    """
    address = address_of(place)
    return Archive.open(place) if address is None else Archive.of_stored(address, open_stored(address))


def build(
    paths: Iterable[Path | str] | Producer, place: Path | str, *, take_over: bool = False, **settings: Any
) -> BuildReport:
    """Build an archive in a folder, or at an address; then it is written in the user's state, and sent as it grows.

    Args:
        paths: files and folders, or a producer of documents.
        place: of the archive.
        take_over: go on with an archive in a store that another machine has not let go, because it died.
        settings: those of `worktrial.archive.build`.

    Raises:
        DataError: as `worktrial.archive.build` does, or the address cannot be used.
        SettingError: as there, or somebody works on the archive.
    """
    address = address_of(place)
    if address is None:
        return build_here(paths, place, **settings)
    tell = settings.pop("progress", None) or (lambda event: None)
    bucket, folder = Bucket(address, make=True), spool_folder(address, ARCHIVES.name)

    def trouble(what: str) -> None:
        tell(BuildEvent("notice", what))

    with shipping.shipped(ARCHIVES, bucket, folder, trouble, take_over=take_over) as shipment:

        def watch(event: BuildEvent) -> None:
            tell(event)
            if event.kind == "step":
                # From now on files are replaced.
                shipment.wait()
            else:
                shipment.look()

        return replace(build_here(paths, shipment.folder, progress=watch, **settings), folder=Path(place))


def open_stored(address: str) -> StoredFolder:
    """The files of the archive at an address.

    Raises:
        DataError: there is none, or something else.
        SettingError: there can be no such address, or the extra is not installed.
    """
    return shipping.open_folder(ARCHIVES, address)


def pull(address: str, folder: Path) -> None:
    """Bring an archive into a folder, which may hold an earlier state of it.

    Raises:
        DataError: there is no archive, something in it is not as it was written, or the folder is another's.
    """
    shipping.pull(ARCHIVES, open_stored(address), folder, lambda: Archive.open(folder))


def push(folder: Path, address: str, *, take_over: bool = False) -> None:
    """Bring the archive in a folder to an address: all of it, or what is new.

    Raises:
        DataError: the folder holds no archive, or the address cannot be used.
        SettingError: documents are there that the folder lacks, or somebody works on either.
        StopRun: the store fails.
    """
    Archive.open(folder)
    shipping.push(ARCHIVES, folder, address, take_over=take_over)
