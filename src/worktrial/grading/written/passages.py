"""Passages of a report that is about several things: which of them each passage tells of."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

Span = tuple[int, int]
_PIECES = re.compile(r"\n+|(?<=[.!?])\s+(?=[A-Z가-힣*(\"'])")
_NUMBERED = re.compile(r"\s*(?:[-*#>]+\s*)?\(?(\d{1,2})(?:[.):](?!\d)|\.\s)")
_JOINED = re.compile(r"[\s,&/;*_`'\"()]*(?:and|as well as|both|및|와|과|그리고)?[\s,&/;*_`'\"()]*", re.IGNORECASE)
_VALUE = re.compile(r"\d|\b[A-Z]{3,}\b")


class _Owned(NamedTuple):
    """A passage, and whose it is."""

    text: str
    owners: frozenset[int]


def passage_about(
    text: str, own: int, named: Callable[[int, str], Sequence[Span]], things: int, *, numbered: bool = True
) -> str:
    """Passages of a text about one of several things; "" where it says nothing of it.

    A sentence or line tells of what it names, or else of the item of the list that it begins with, or else of what
    the one before told of. Where one names several, each has what follows its name, or what precedes it if values
    come first: `130.61 for C-1, 101.67 for C-2`. Things that are named together share what follows.

    Args:
        text: The report.
        own: Number of the thing in the assignment's list, from 1.
        named: Gives the places at which a thing is named in a text.
        things: How many things the assignment lists.
        numbered: Whether items of the report's own list, from 1, stand for the things.
    """
    found: list[str] = []
    last: frozenset[int] = frozenset()
    for piece in filter(str.strip, _PIECES.split(text)):
        item = _NUMBERED.match(piece)
        for passage in _passages(piece, named, things):
            owners = passage.owners
            if not owners and numbered and item and 1 <= int(item[1]) <= things:
                owners = frozenset({int(item[1])})
            last = owners or last
            if own in last:
                found.append(passage.text)
    return "\n".join(found)


def _passages(piece: str, named: Callable[[int, str], Sequence[Span]], things: int) -> Iterator[_Owned]:
    """The passages of a sentence, by what they name."""
    places = sorted((span, thing) for thing in range(1, things + 1) for span in named(thing, piece))
    groups: list[tuple[int, int, frozenset[int]]] = []
    for (start, end), thing in places:
        if groups and (_JOINED.fullmatch(piece, groups[-1][1], start) or groups[-1][2] == {thing}):
            groups[-1] = (groups[-1][0], end, groups[-1][2] | {thing})
        else:
            groups.append((start, end, frozenset({thing})))
    if len(groups) < 2:
        yield _Owned(piece, groups[0][2] if groups else frozenset())
        return
    begins = [0, *(end for _, end, _ in groups[:-1])]
    if _VALUE.search(piece[: groups[0][0]].partition(".")[2] if _NUMBERED.match(piece) else piece[: groups[0][0]]):
        ends = [*(end for _, end, _ in groups[:-1]), len(piece)]
    else:
        begins = [0, *(start for start, _, _ in groups[1:])]
        ends = [*(start for start, _, _ in groups[1:]), len(piece)]
    for begin, end, (_, _, owners) in zip(begins, ends, groups, strict=True):
        yield _Owned(piece[begin:end], owners)
