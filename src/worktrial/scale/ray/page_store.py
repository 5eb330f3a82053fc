"""Pages, slices and parts that workers of a cluster lay down in the store instead of sending them along.

    ARCHIVE/staged/SHA         pieces one after the other, compressed: pages that were read, files of slices

Whoever needs a piece is told where it lies; the object goes when the build is over.
"""

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from worktrial.archive.build.reading import PAGES_SUFFIX, STAGING
from worktrial.archive.store.remote import SENT
from worktrial.errors import DataError
from worktrial.stores.bucket import Bucket
from worktrial.stores.folders import BlockPack, FolderState, StoredFolder
from worktrial.stores.sending import Packer
from worktrial.stores.writers import StoreWriter

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_STAGED = "staged"
_TOLD = b'{"laid":'


class LaidPiece(msgspec.Struct, frozen=True):
    """Place of a piece."""

    laid: str
    """SHA-256 of its object."""
    place: int
    """Bytes before it, as they are unpacked."""
    size: int


class SentPart(msgspec.Struct, frozen=True):
    """A document's part that a worker has sent to the store."""

    files: dict[str, list[str]]
    """SHA-256 of the blocks of each file."""
    packs: list[BlockPack]
    """Packs in which they lie."""


class PageStore:
    """The archive's store as workers and the driver use it.

    Args:
        address: Of the archive.
    """

    def __init__(self, address: str) -> None:
        self._bucket = Bucket(address)
        self._at_hand = ("", b"")

    @property
    def laid_in(self) -> str:
        """Word of a staging file's head that says that it tells of pages."""
        return f"laid in {self._bucket.address}"

    def is_told_of(self, head: bytes) -> bool:
        """Whether a staging file with this head tells of pages that lie here."""
        return head.decode(errors="replace").endswith(f"{self.laid_in}\n")

    def lay(self, pieces: Sequence[bytes]) -> list[bytes]:
        """Lay pieces down as one object; returns for each what is told in its place."""
        data = zstd.compress(b"".join(pieces))
        digest = hashlib.sha256(data).hexdigest()
        self._bucket.put(f"{_STAGED}/{digest}", data)
        told, place = [], 0
        for piece in pieces:
            told.append(msgspec.json.encode(LaidPiece(digest, place, len(piece))))
            place += len(piece)
        return told

    def take(self, told: bytes) -> bytes:
        """The piece that is told of.

        Raises:
            DataError: it is not there, or not as it was laid down.
        """
        piece = msgspec.json.decode(told, type=LaidPiece)
        if self._at_hand[0] != piece.laid:
            name = f"{_STAGED}/{piece.laid}"
            found = self._bucket.get(name)
            if found is None or hashlib.sha256(found.data).hexdigest() != piece.laid:
                what = "is missing" if found is None else "was altered"
                fix = "Remove `staging` from the folder that the archive is built in, and build again"
                raise DataError(self._bucket.where(name), what, fix)
            # Those of an object follow each other.
            self._at_hand = piece.laid, zstd.decompress(found.data)
        return self._at_hand[1][piece.place : piece.place + piece.size]

    def staging(self, told: bytes) -> bytes:
        """A staging file that tells of pages, with the pages."""
        lines = told.split(b"\n")
        for n, line in enumerate(lines[1:], 1):
            number, seconds, page = line.split(b" ", 2) if line else (b"", b"", b"")
            if page.startswith(_TOLD):  # others were given up
                lines[n] = b"%s %s %s" % (number, seconds, self.take(page))
        return b"\n".join(lines)

    def send(self, folder: Path) -> SentPart:
        """Send a part to where the archive's lie."""
        packer = Packer(self._bucket)
        files = {path.name: packer.add(path) for path in sorted(folder.iterdir())}
        packer.close()
        return SentPart(files, packer.packs)

    def bring(self, part: SentPart, into: Path, archive: Path) -> None:
        """Bring a part that was sent into a folder here, and take down that it need not be sent.

        Raises:
            DataError: it is not as it was sent.
        """
        numbers = {digest: n for n, (digest, _) in enumerate(block for pack in part.packs for block in pack.blocks)}
        files = {name: [numbers[digest] for digest in digests] for name, digests in part.files.items()}
        writer = StoreWriter(token="", host="", since="")
        state = FolderState(holds="", writer=writer, busy=True, files=files, packs=part.packs)
        StoredFolder(self._bucket, state).bring(files, into)
        with (archive / SENT).open("ab") as file:
            file.write(b"".join(msgspec.json.encode(pack) + b"\n" for pack in part.packs))

    def sweep(self, archive: Path) -> None:
        """Remove what no document under way needs any more."""
        kept = set()
        for path in (archive / STAGING).glob(f"*{PAGES_SUFFIX}"):
            with path.open("rb") as file:
                if self.is_told_of(file.readline()):
                    told = (page for line in file if (page := line.split(b" ", 2)[2]).startswith(_TOLD))
                    kept |= {f"{_STAGED}/{msgspec.json.decode(page, type=LaidPiece).laid}" for page in told}
        self._bucket.remove(*(self._bucket.names(_STAGED).keys() - kept))
