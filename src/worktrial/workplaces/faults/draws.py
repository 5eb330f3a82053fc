"""Draws that are the same everywhere: random numbers of a key, and choices by them."""

from collections.abc import Sequence
from hashlib import sha256
from struct import Struct
from typing import Protocol, TypeVar

T = TypeVar("T")

_WORDS = Struct(">4Q").unpack


class Chance(Protocol):
    """A source of random numbers."""

    def random(self) -> float:
        """The next number, from 0 to below 1."""


class KeyedChance:
    """A source of random numbers that is the same everywhere for the same key.

    The digits are those of SHA-256 of the key and a count. A few numbers are all that a degraded call needs, and
    to seed Python's generator for these takes three times as long.
    """

    __slots__ = ("_blocks", "_key", "_left")

    def __init__(self, key: str) -> None:
        self._key = sha256(key.encode(errors="surrogatepass"))
        self._blocks = 0
        self._left: list[int] = []

    def random(self) -> float:
        """The next number, from 0 to below 1."""
        if not self._left:
            block = self._key.copy()
            block.update(b"\0%d" % self._blocks)
            self._blocks += 1
            self._left.extend(_WORDS(block.digest()))
        return (self._left.pop() >> 11) * 2**-53


def below(rng: Chance, n: int) -> int:
    """One of 0 … n-1."""
    return int(rng.random() * n)


def shuffled(items: Sequence[T], rng: Chance) -> list[T]:
    """`items` in random order."""
    number = rng.random
    return sorted(items, key=lambda _: number())
