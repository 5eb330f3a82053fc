"""Place of a run in an object store."""

from dataclasses import dataclass

from worktrial.engine.shard import Shard


@dataclass(frozen=True, slots=True)
class RemoteRun:
    """Place of a run in an object store."""

    address: str
    """Spelled as `places.address_of` does."""
    take_over: bool = False
    """Whether to go on with a shard that another writer has not let go."""


def shard_folder(shard: Shard | None) -> str:
    """Name of a shard's folder; a run that is not cut is its only shard."""
    return "1-of-1" if shard is None else f"{shard.number}-of-{shard.of}"
