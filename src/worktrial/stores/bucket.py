"""Objects below an address: read, written, listed, and swapped only where nobody else has been there."""

import os
import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from filelock import FileLock

from worktrial.errors import DataError, extra
from worktrial.places import check_address
from worktrial.secrets import Redactor
from worktrial.stores.waiting import interruptible

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_T = TypeVar("_T")
_LOCK = ".lock"
_SECRET_NAME = re.compile(r"(AWS|AZURE|GOOGLE)_.*(KEY|SECRET|TOKEN|PASSWORD|SAS)(?!.*_(FILE|URI|URL)$)")
_NO_BUCKET = re.compile(
    r"NoSuchBucket|ContainerNotFound|specified (bucket|container) does not exist", re.IGNORECASE
)
_SAID = re.compile(r"<Code>([^<]*)</Code>.*?<Message>([^<]*)</Message>", re.DOTALL)
_NO_KEYS = re.compile(r"169\.254\.169\.254|metadata|must be specified|credential|AccessDenied", re.IGNORECASE)
_KEYS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}
"""Variables to name to somebody who has set none."""
_LONGEST = 300


def _has_keys(address: str) -> bool:
    """Whether something in the environment may let this process in."""
    prefix = {"s3": "AWS_", "gs": "GOOGLE_", "az": "AZURE_"}.get(address.partition(":")[0])
    told = ("KEY", "CREDENTIAL", "TOKEN", "SIGNATURE", "ACCOUNT", "CLIENT")
    return prefix is None or any(name.startswith(prefix) and any(w in name for w in told) for name in os.environ)


class ObjectFound(NamedTuple):
    """An object as it was read."""

    data: bytes
    tag: str
    """Its ETag: another one after every change."""


class ObjectEntry(NamedTuple):
    """An object as it is listed."""

    size: int
    """Bytes of it."""
    tag: str
    """Its ETag."""


class StoreFailed(DataError):
    """An object store that cannot do what it was asked to; the request was tried again as often as makes sense."""


class Bucket:
    """Objects below one address of an object store.

    Keys and the like come from the environment, under the names that the provider's own programs know.

    Args:
        address: As `places.address_of` spells it.
        make: Whether a folder (`file://`) is made where there is none.

    Raises:
        MissingExtra: the library is not installed.
        DataError: there can be no store at the address, or the folder is not there.
    """

    def __init__(self, address: str, *, make: bool = False) -> None:
        self.address = address
        self._redactor = Redactor(value for name, value in os.environ.items() if _SECRET_NAME.match(name))
        with extra("store", "An object store"):
            import obstore
        self._obstore = obstore
        self._folder = Path(address.removeprefix("file://")) if address.startswith("file://") else None
        check_address(address)
        if self._folder is not None and not make and not self._folder.is_dir():
            raise DataError(address, "no such folder", "Name the address that it was written to")
        self._store: ObjectStore = self._guarded("", lambda: self._connected(make=make))

    def _connected(self, *, make: bool) -> "ObjectStore":
        from obstore.store import LocalStore, from_url

        if self._folder is None:
            if _has_keys(self.address):
                return from_url(self.address)
            # Roles of machines in a provider's cloud need none; elsewhere nobody answers, and that should not take
            # minutes.
            return from_url(self.address, retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=20)})
        return LocalStore(self._folder, mkdir=make)

    def where(self, name: str) -> str:
        """Address of the object `name`, for messages."""
        return f"{self.address}/{name}" if name else self.address

    def redacted(self, text: str) -> str:
        """`text` without what is secret in the environment of stores."""
        return self._redactor.text(text)

    def hide_from(self, redactor: Redactor) -> None:
        """Let `redactor` hide the keys of stores, too."""
        for name, value in os.environ.items():
            if _SECRET_NAME.match(name):
                redactor.add(value)

    def names(self, below: str = "") -> dict[str, ObjectEntry]:
        """All objects by name.

        Args:
            below: Folder in which they lie; their names begin with it.

        Raises:
            StoreFailed: they cannot be listed.
        """

        def listed() -> dict[str, ObjectEntry]:
            pages = self._obstore.list(self._store, prefix=below or None)
            return {
                found["path"]: ObjectEntry(found["size"], found["e_tag"] or "")
                for page in pages
                for found in page
                if not found["path"].endswith(_LOCK)
            }

        return self._guarded(below, listed)

    def get(self, name: str) -> ObjectFound | None:
        """The object `name`; None where there is none.

        Raises:
            StoreFailed: it cannot be read.
        """

        def read() -> ObjectFound | None:
            try:
                found = self._obstore.get(self._store, name)
                return ObjectFound(bytes(found.bytes()), found.meta["e_tag"] or "")
            except FileNotFoundError as e:
                if _NO_BUCKET.search(str(e)):
                    raise
                return None

        return self._guarded(name, read)

    def get_ranges(self, name: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        """Pieces of the object `name`, the close ones in one request; None where there is none.

        Args:
            name: Of the object.
            spans: First byte and size of each piece.

        Raises:
            StoreFailed: they cannot be read.
        """
        starts, lengths = [start for start, _ in spans], [length for _, length in spans]

        def read() -> list[bytes] | None:
            try:
                found = self._obstore.get_ranges(self._store, name, starts=starts, lengths=lengths)
                return [bytes(piece) for piece in found]
            except FileNotFoundError as e:
                if _NO_BUCKET.search(str(e)):
                    raise
                return None

        return self._guarded(name, read)

    def put(self, name: str, data: bytes) -> None:
        """Write the object `name` in one request, whatever was there.

        Raises:
            StoreFailed: it cannot be written.
        """
        self._guarded(name, lambda: self._obstore.put(self._store, name, data, use_multipart=False))

    def create(self, name: str, data: bytes) -> str | None:
        """Write the object `name` if it is not there; returns its ETag, and None where another one is there.

        Raises:
            StoreFailed: it cannot be written.
        """

        def write() -> str | None:
            try:
                return self._obstore.put(self._store, name, data, mode="create")["e_tag"] or ""
            except (FileExistsError, self._obstore.exceptions.AlreadyExistsError):
                return self._own(name, data)

        return self._guarded(name, write)

    def swap(self, name: str, data: bytes, tag: str) -> str | None:
        """Write the object `name` if its ETag still is `tag`; returns the new one, and None where it is not.

        Raises:
            StoreFailed: it cannot be written.
        """
        if self._folder is not None:
            # A folder cannot do this by itself.
            with FileLock(self._folder / _LOCK):
                there = self.get(name)
                if there is None or there.tag != tag:
                    return None
                return self._guarded(name, lambda: self._obstore.put(self._store, name, data)["e_tag"] or "")

        def write() -> str | None:
            try:
                return self._obstore.put(self._store, name, data, mode={"e_tag": tag})["e_tag"] or ""
            except self._obstore.exceptions.PreconditionError:
                return self._own(name, data)

        return self._guarded(name, write)

    def _own(self, name: str, data: bytes) -> str | None:
        """ETag of an object that was refused because it is there, where it is this very one.

        So it is when the answer to a first try was lost, and the library tried again.
        """
        there = self.get(name)
        return there.tag if there is not None and there.data == data else None

    def remove(self, *names: str) -> None:
        """Remove objects, many in one request where the store can.

        Raises:
            StoreFailed: they cannot be removed.
        """
        if names:
            self._guarded(names[0], lambda: self._obstore.delete(self._store, [*names]))

    def _guarded(self, name: str, work: Callable[[], _T]) -> _T:
        from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

        try:
            return interruptible(work)
        except (BaseError, OSError, ValueError, TypeError) as e:
            said = str(e)
            if _NO_BUCKET.search(said):
                what, fix = "there is no such bucket", "Make it, or check its name and the region"
            elif not _has_keys(self.address) and _NO_KEYS.search(said):
                what = "there are no keys in the environment"
                fix = f"Set {_KEYS[self.address.partition(':')[0]]}"
            elif isinstance(e, PermissionDeniedError | UnauthenticatedError | PermissionError):
                what = f"access is denied ({self._short(said)})"
                fix = "Check the keys in the environment, and that they may write there"
            else:
                what, fix = f"the store failed ({self._short(said)})", "The same command goes on when it is back"
        raise StoreFailed(self.where(name), what, fix)

    def _short(self, said: str) -> str:
        """The store's own words in one line, without anything secret."""
        if (told := _SAID.search(said)) is not None:
            said = f"{told[1]}: {told[2]}"
        said = " ".join(said.partition("Debug source:")[0].split())
        return self.redacted(said)[:_LONGEST]
