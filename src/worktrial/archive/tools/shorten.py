"""Keeping observations within bounds."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from worktrial.language import JsonValue

Item = TypeVar("Item")


class Fitting(NamedTuple):
    """The entries that fit."""

    entries: list[JsonValue]
    complete: bool


def fitting(entries: Iterable[JsonValue], characters: int) -> Fitting:
    """As many entries from the first as fit, and at least one."""
    kept: list[JsonValue] = []
    for entry in entries:
        characters -= len(msgspec.json.encode(entry)) + 2
        if characters < 0 and kept:
            return Fitting(kept, False)
        kept.append(entry)
    return Fitting(kept, True)


class Lines(NamedTuple):
    """A stretch of lines."""

    text: str
    last: int
    """1-based number of the last line in it."""


def fitting_lines(lines: Sequence[str], first: int, characters: int) -> Lines:
    """Lines from the 1-based `first` on, as many as fit; a line that is too long for itself is cut."""
    kept: list[str] = []
    for line in lines[first - 1 :]:
        if kept and characters < len(line) + 1:
            break
        kept.append(clipped(line, characters))
        characters -= len(line) + 1
    return Lines("\n".join(kept), first - 1 + len(kept))


def clipped(text: str, characters: int) -> str:
    """The text's beginning, with a mark when the end is missing."""
    if len(text) <= characters:
        return text
    return f"{text[: max(characters - 40, 0)]}… [{len(text):,} characters in all]"
