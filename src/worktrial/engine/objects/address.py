"""Place of a run in an object store, and the folders on this machine that go with it."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from worktrial.engine.shard import Shard
from worktrial.errors import SettingError, option


@dataclass(frozen=True, slots=True)
class RemoteRun:
    """Place of a run in an object store."""

    address: str
    """Spelled as `places.address_of` does."""
    take_over: bool = False
    """Whether to go on with a shard that another writer has not let go."""


def spool_folder(address: str, shard: str) -> Path:
    """Folder on this machine from which a shard is written to the store: in the user's state, by its address."""
    from platformdirs import user_state_path

    home = user_state_path("worktrial", appauthor=False) / "spool"
    return home / sha256(address.encode()).hexdigest()[:16] / shard / (address.rpartition("/")[2] or "run")


def shard_folder(shard: Shard | None) -> str:
    """Name of a shard's folder; a run that is not cut is its only shard."""
    return "1-of-1" if shard is None else f"{shard.number}-of-{shard.of}"


def check_address(address: str) -> None:
    """Refuse an address that names no place of a run.

    Raises:
        SettingError: it does not, or there is more in it.
    """
    scheme, _, rest = address.partition("://")
    bucket, _, run = rest.partition("/")
    if scheme == "file":
        if not run:
            raise SettingError(f"{option('output')} {address}: names no folder; write file:///PATH/RUN")
    elif "@" in bucket or "?" in rest or "#" in rest:
        # Not repeated here: a password may be in it.
        raise SettingError(
            f"{option('output')} {scheme}://…: an address of a run has no user, query or fragment; keys come from "
            "the environment"
        )
    elif not bucket or not run:
        raise SettingError(f"{option('output')} {address}: is not {scheme}://BUCKET/RUN")
    if not {".", "..", ""}.isdisjoint(run.split("/")):
        raise SettingError(f"{option('output')} {address}: has a step that is empty, . or ..; leave it out")
