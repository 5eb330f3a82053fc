"""Writers of what lies in an object store: who they are, and the folders on this machine that they write from."""

import contextlib
import datetime as dt
import socket
import uuid
from hashlib import sha256
from pathlib import Path

import msgspec

_WRITER = "writer.json"


class StoreWriter(msgspec.Struct, frozen=True, kw_only=True):
    """A process that writes something in an object store."""

    token: str
    """Word that only it, and who goes on with its folder, knows."""
    host: str
    since: str


def writer_of(home: Path) -> StoreWriter:
    """This machine as a writer: with the token of the session before, whose work lies in `home`, too."""
    path = home / _WRITER
    now = StoreWriter(
        token=uuid.uuid4().hex,
        host=socket.gethostname(),
        since=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    )
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        stored = msgspec.json.decode(path.read_bytes(), type=StoreWriter)
        now = msgspec.structs.replace(now, token=stored.token)
    path.write_bytes(msgspec.json.encode(now))
    return now


def spool_folder(address: str, part: str) -> Path:
    """Folder on this machine from which something is written to a store: in the user's state, by its address.

    Args:
        address: As `places.address_of` spells it.
        part: Part of what lies there, such as a shard of a run.
    """
    from platformdirs import user_state_path

    home = user_state_path("worktrial", appauthor=False) / "spool"
    return home / sha256(address.encode()).hexdigest()[:16] / part / (address.rpartition("/")[2] or "run")
