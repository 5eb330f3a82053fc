"""Shards of a run: which of its samples one of several processes takes, wherever these are."""

import re
from hashlib import sha256

import msgspec

from worktrial.engine.record import Key
from worktrial.errors import SettingError, option

MOST_SHARDS = 10_000
_WORDS = re.compile(r"(\d{1,9})/(\d{1,9})")


class Shard(msgspec.Struct, frozen=True):
    """One of the equal parts that a run is cut into."""

    number: int
    """Number of the part, from 1."""
    of: int
    """Number of parts that there are."""

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of <= MOST_SHARDS:
            raise ValueError(f"there is no shard {self}; K/N is 1/N to N/N, with at most {MOST_SHARDS:,}")

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def holds(self, key: Key) -> bool:
        """Whether the sample is one of this shard."""
        return shard_number(key, self.of) == self.number


def read_shard(words: str) -> Shard:
    """The shard that `K/N` names.

    Raises:
        SettingError: it names none.
    """
    found = _WORDS.fullmatch(words.strip())
    if found is None:
        raise SettingError(f"{option('shard')} {words}: is not K/N, such as 2/16")
    try:
        return Shard(int(found[1]), int(found[2]))
    except ValueError as e:
        raise SettingError(f"{option('shard')} {words}: {e}") from None


def shard_folder(shard: Shard | None) -> str:
    """Name of a shard's folder; a run that is not cut is its only shard."""
    return "1-of-1" if shard is None else f"{shard.number}-of-{shard.of}"


def shard_number(key: Key, of: int) -> int:
    """Number of the shard that a sample falls to, from 1.

    It follows from the key alone, so that it stays the same when tasks are added or put in another order: the first
    eight bytes of the SHA-256 of the key as JSON, a big-endian number, modulo the number of shards.

    Args:
        key: The sample's.
        of: Number of shards.
    """
    return int.from_bytes(sha256(msgspec.json.encode(key)).digest()[:8]) % of + 1
