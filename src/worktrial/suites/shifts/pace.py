"""Days that one clerk can get through: the work on a day as chores with their times, and draws until it fits."""

import heapq
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO
from random import Random
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec

from worktrial.workplaces.desk import DeskState


class _HoldsState(Protocol):
    state: Any


Base = TypeVar("Base", bound=DeskState | _HoldsState)
Day = TypeVar("Day")
_DRAWS = 500


class Chore(NamedTuple):
    """A piece of work as a plan of the day sees it."""

    ready: int
    """Minute from which on it can be done."""
    due: int
    """Minute by which it has to be done."""
    minutes: int
    """Length of the work."""


def lateness(chores: Iterable[Chore]) -> int:
    """Minutes by which the worst piece of work is late if one clerk always goes on with what is due first.

    Preemptive earliest deadline first, which is late only where every order is (J. R. Jackson, "Scheduling a
    production line to minimize maximum tardiness", 1955; W. A. Horn, "Some simple scheduling algorithms", 1974).
    Negative where all is done in time.
    """
    coming = sorted(chores, reverse=True)
    waiting: list[tuple[int, int]] = []
    now, worst = 0, -(10**6)
    while coming or waiting:
        if not waiting:
            now = max(now, coming[-1].ready)
        while coming and coming[-1].ready <= now:
            chore = coming.pop()
            heapq.heappush(waiting, (chore.due, chore.minutes))
        due, minutes = heapq.heappop(waiting)
        until = coming[-1].ready if coming else now + minutes
        if now + minutes > until:
            heapq.heappush(waiting, (due, now + minutes - until))
            now = until
        else:
            now += minutes
            worst = max(worst, now - due)
    return worst


def first_possible(
    base: Base, attempt: Callable[[Base], Day], chores: Callable[[Day], Iterable[Chore]], *, spare: int = 0
) -> Day:
    """The first of many days on the same ground that one clerk can do.

    Args:
        base: What is there whatever the day brings, drawn once: a state, or an object that holds one. Each attempt
            has a copy of its own, but for a generator of random numbers, which goes on.
        attempt: Function from a copy of `base` to a day with all that falls due on it.
        chores: Function from such a day to its work.
        spare: Minutes that have to be left before every time if nothing is put off.

    Raises:
        RuntimeError: no such day was found, so that the desk is drawn with too much work for its minutes.
    """
    copies = _Copies(base)
    for _ in range(_DRAWS):
        day = attempt(copies.one())
        if lateness(chores(day)) <= -spare:
            return day
    raise RuntimeError(f"no day among {_DRAWS} that one clerk can do")


def dealt(random: Random, patterns: Sequence[str], count: int) -> list[str]:
    """Patterns for the slots of a kind, shuffled; none comes a second time before all have had their turn."""
    found: list[str] = []
    while len(found) < count:
        found += random.sample(patterns, len(patterns))
    found = found[:count]
    random.shuffle(found)
    return found


class _Copies(Generic[Base]):
    """Copies of a day that is begun, in a tenth of the time of drawing it anew: its state by msgspec."""

    def __init__(self, base: Base) -> None:
        state = base if isinstance(base, DeskState) else base.state
        frozen = BytesIO()
        freezer = _Freezer(frozen, state)
        freezer.dump(base)
        self._frozen, self._random = frozen.getvalue(), freezer.random
        self._state = msgspec.msgpack.encode(state)
        self._decoder = msgspec.msgpack.Decoder(type(state))

    def one(self) -> Base:
        """A copy; a generator of random numbers in it is the very same."""
        state = self._decoder.decode(self._state)
        shared = {"state": state, "figures": state.figures, "random": self._random}
        thawer = _Thawer(BytesIO(self._frozen), shared)
        copy: Base = thawer.load()
        return copy


class _Freezer(pickle.Pickler):
    """Writes an object without the state that it holds, the state's figures, and random numbers."""

    def __init__(self, file: BytesIO, state: DeskState) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.random: Random | None = None
        self._state = state

    def persistent_id(self, obj: object) -> str | None:
        """Name under which an object is not written; None for what is."""
        if obj is self._state:
            return "state"
        if obj is self._state.figures:
            return "figures"
        if isinstance(obj, Random):
            self.random = obj
            return "random"
        if isinstance(obj, msgspec.Struct):
            raise TypeError(
                f"a {type(obj).__name__} beside the state: keep its id, for a copy would be another one"
            )
        return None


class _Thawer(pickle.Unpickler):
    """Reads what a `_Freezer` has written, with other objects in the places of those that it left out."""

    def __init__(self, file: BytesIO, shared: Mapping[str, Any]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, pid: str) -> Any:
        """Object of a name."""
        return self._shared[pid]
