"""Long work in slices: a page begins with what it shows first, and asks for the rest when somebody looks at it."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Raw, UnsetType

LONG = 1_000_000
"""Bytes of a stored trajectory from which on it comes in slices."""

SLICE = 256 * 1024
"""Bytes after which a slice is full. A longer value has a slice of its own."""

_SMALL = 300  # bytes of what is never left out
_BRIEF = 160  # characters of what is, which a folded call shows

Place = tuple[str, int]
"""List of the trajectory, `calls` or `messages`, and the place in it."""


class SlicedWork(NamedTuple):
    """A stored trajectory, and what was left out of it."""

    head: bytes
    """JSON of the trajectory. An observation that was left out has `brief`, `failed`, `time`, `origin` and `fault`;
    the result of a tool among the messages its role."""
    places: list[list[Place]]
    """Places of the values of each slice."""
    slices: list[bytes]
    """JSON lists: the observations and messages themselves."""


def sliced(line: bytes) -> SlicedWork | None:
    """A trajectory in slices; None for one that is short, has another shape, or cannot be read.

    Args:
        line: JSON, as it is stored.
    """
    if len(line) < LONG:
        return None
    try:
        fields = _FIELDS.decode(line)
        if "turns" in fields:
            # A team's work is told turn by turn, from all of it.
            return None
        calls = _LIST.decode(fields["calls"])
        messages = _LIST.decode(fields["messages"]) if "messages" in fields else []
        left_out = _LeftOut()
        fields["calls"] = _joined(left_out.call(number, one) for number, one in enumerate(calls))
        if "messages" in fields:
            fields["messages"] = _joined(left_out.message(number, one) for number, one in enumerate(messages))
    except (msgspec.MsgspecError, KeyError, UnicodeDecodeError, RecursionError):
        return None
    slices = left_out.slices
    return SlicedWork(msgspec.json.encode(fields), left_out.places, slices) if slices else None


class _Seen(msgspec.Struct):
    content: Raw = Raw(b"null")
    origin: Raw = Raw(b"null")
    fault: Raw = Raw(b"null")


class _Content(msgspec.Struct):
    error: Raw | UnsetType = UNSET
    time: Raw = Raw(b"null")


class _Whose(msgspec.Struct):
    role: str = ""


_FIELDS = msgspec.json.Decoder(dict[str, Raw])
_LIST = msgspec.json.Decoder(list[Raw])
_SEEN = msgspec.json.Decoder(_Seen)
_CONTENT = msgspec.json.Decoder(_Content)
_WHOSE = msgspec.json.Decoder(_Whose)


class _LeftOut:
    """Values that were left out, slice by slice."""

    def __init__(self) -> None:
        self.places: list[list[Place]] = []
        self._values: list[list[Raw]] = []
        self._size = SLICE

    @property
    def slices(self) -> list[bytes]:
        return [bytes(_joined(values)) for values in self._values]

    def call(self, number: int, call: Raw) -> Raw:
        if len(bytes(call)) <= _SMALL or bytes(call)[:1] != b"{":
            return call
        fields = _FIELDS.decode(call)
        observation = fields.get("observation", Raw(b"null"))
        if len(bytes(observation)) <= _SMALL or bytes(observation)[:1] != b"{":
            return call
        seen = _SEEN.decode(observation)
        content = bytes(seen.content)
        told = _CONTENT.decode(content) if content[:1] == b"{" else _Content()
        failed = told.error is not UNSET and bytes(told.error) != b"null"
        brief = content[:_BRIEF].decode(errors="ignore")
        stub = {"brief": brief, "failed": failed, "time": told.time, "origin": seen.origin, "fault": seen.fault}
        self._put(("calls", number), observation)
        return Raw(msgspec.json.encode({**fields, "observation": stub}))

    def message(self, number: int, message: Raw) -> Raw:
        if len(bytes(message)) <= _SMALL or bytes(message)[:1] != b"{" or _WHOSE.decode(message).role != "tool":
            return message
        self._put(("messages", number), message)
        return Raw(b'{"role":"tool"}')

    def _put(self, place: Place, value: Raw) -> None:
        if self._size + len(bytes(value)) > SLICE:
            self.places.append([])
            self._values.append([])
            self._size = 0
        self.places[-1].append(place)
        self._values[-1].append(value)
        self._size += len(bytes(value))


def _joined(values: Iterable[Raw]) -> Raw:
    return Raw(b"[" + b",".join(bytes(value) for value in values) + b"]")
