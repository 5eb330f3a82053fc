"""The rules of a desk: matters with their right ends, and the law of its tools; all else follows."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from worktrial.errors import DataError
from worktrial.language import JsonValue
from worktrial.workplaces.desk import Act, DeskState
from worktrial.workplaces.desk.state import MESSAGE
from worktrial.workplaces.kit.recording import where_is
from worktrial.workplaces.kit.right import DueStep, Right
from worktrial.workplaces.people import Kind
from worktrial.workplaces.time import Event

_NOBODY = ""


@dataclass(frozen=True)
class MatterRequest:
    """Origin of a matter: a message, an event of the day, or a record that is due."""

    about: str
    """Reference under which it is worked on."""
    at: int = 0
    """Minute at which it can be noticed first."""
    sender: str = _NOBODY
    """Id of whoever asks; "" where nobody does."""
    fields: Mapping[str, JsonValue] = field(default_factory=dict)
    """The rest of what it says."""

    @classmethod
    def of(cls, event: Event, key: str = "", sender: str = "sender") -> "MatterRequest":
        """Request that an event of the day brings.

        Args:
            event: The event.
            key: Field of its payload that is the reference; "" for `about`, or else `id`.
            sender: Field of its payload that is the id of whoever asks.
        """
        payload = event.payload
        about = payload[key] if key else payload.get("about") or payload.get("id") or ""
        return cls(str(about), event.due, str(payload.get(sender, _NOBODY)), payload)

    def __getattr__(self, name: str) -> JsonValue:
        """Field of what it says."""
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(f"the request {self.about} has no {name}") from None


Rule = Callable[[Any, MatterRequest], "Right | None"]
"""Function of the day and the request: the right end; None where the request is no matter."""
Law = Callable[[Any, Act, Any], "str | None"]
"""Function of the day, a call that was carried out, and the last state: what was wrong with it, or None."""
Neglect = Callable[[Any, Any], Iterable[str]]
"""Function of the day and the last state: all that was left as it must not be."""


@dataclass(frozen=True)
class Look:
    """A record that a rule has read."""

    collection: str
    id: str


@dataclass(frozen=True)
class Matter:
    """One matter of a day, with its right end."""

    slot: str
    """Name of its place in the day, such as `redelivery-2`."""
    name: str
    request: MatterRequest
    right: Right
    looks: tuple[Look, ...]
    """Records that its rule has read, in order."""
    due: int
    """Minute by which its rule wants it dealt with, which may lie after the day."""

    @property
    def references(self) -> tuple[str, ...]:
        """References under which messages and calls are about it."""
        return (self.request.about, *self.right.about)

    @property
    def earliest(self) -> int:
        """Minute before which it cannot be dealt with for good."""
        return max([self.right.since, *(step.earliest for step in self.right.steps)])


@dataclass(frozen=True)
class HarmLaw:
    """Law of some tools: a call that must not be made."""

    tools: tuple[str, ...]
    kind: str
    because: str
    law: Law


@dataclass(frozen=True)
class NeglectLaw:
    """Law of what must not be left at the end of a day."""

    kind: str
    because: str
    law: Neglect


class Day:
    """The first state of a day, as a rule reads it. Every record that is read by its id is taken note of."""

    def __init__(self, state: DeskState, matters: "Sequence[Matter]" = ()) -> None:
        self._state = state
        self._rights = {matter.request.about: matter.right for matter in matters}
        self._looks: list[Look] = []
        self._shared: dict[Callable[..., Any], Any] = {}

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._state, name)
        return _Watched(name, value, self._looks) if isinstance(value, dict) and name != "figures" else value

    @property
    def at_end(self) -> int:
        """Minute at which the day ends."""
        return self._state.time.ends

    def coming(self, event: str = MESSAGE, /, **payload: JsonValue) -> list[Event]:
        """Events that are still to come, in order.

        Args:
            event: Their kind; messages by default.
            **payload: What their payload has to hold.
        """
        found = self._events.get(event, ())
        return [one for one in found if all(one.payload.get(key) == value for key, value in payload.items())]

    @cached_property
    def _events(self) -> dict[str, list[Event]]:
        """Events that are still to come, by kind, in order."""
        kinds: dict[str, list[Event]] = {}
        for event in sorted(self._state.time.waiting):
            kinds.setdefault(event.kind, []).append(event)
        return kinds

    def once(self, function: "Callable[[Day], Any]") -> Any:
        """Result of a function of the day, made once: scarce goods are shared out once for all matters."""
        if function not in self._shared:
            looked = len(self._looks)
            self._shared[function] = function(self)
            del self._looks[looked:]  # no matter's own
        return self._shared[function]

    def right_of(self, about: str) -> Right | None:
        """Right end of a matter, by its reference; None where there is none. For laws of tools."""
        return self._rights.get(about)

    def steps(self, tool: str) -> list[DueStep]:
        """Calls of a tool that are due on the day. For laws of tools."""
        return [step for right in self._rights.values() for step in right.steps if step.tool == tool]

    def looks(self) -> tuple[Look, ...]:
        """Records that were read since this was asked last, each once, in order."""
        found = tuple(dict.fromkeys(self._looks))
        self._looks.clear()
        return found


class _Watched(Mapping[str, Any]):
    """Records by id, which take note of who is read."""

    def __init__(self, name: str, records: Mapping[str, Any], looks: list[Look]) -> None:
        self._name, self._records, self._looks = name, records, looks

    def __getitem__(self, id: str) -> Any:
        found = self._records[id]
        self._looks.append(Look(self._name, id))
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def values(self) -> Any:
        """All records: who goes through all has read none by its id."""
        return self._records.values()

    def items(self) -> Any:
        """All records by id."""
        return self._records.items()


class Desk:
    """Rules of a desk, gathered by decorators in its `rules.py`.

    Example:
        >>> desk = Desk()
        >>> @desk.matter("Old parcel")
        ... def old_parcel(day, asked): ...
    """

    def __init__(
        self,
        *,
        first_word: int | Callable[[Any], int] | None = None,
        because: Mapping[str, str] | None = None,
        references: Sequence[str] = (),
        takes_back: Sequence[str] = (),
        recorded: Callable[[Any, str], Kind | None] | None = None,
        without_exceptions: Callable[[Any], None] | None = None,
    ) -> None:
        """Say what holds for every matter.

        Args:
            first_word: Minutes within which whoever asks has a first word, or a function from a first state to it;
                None where the handbook asks for none.
            because: Part of every matter (`in_time`, `told`, `first_word`, `false_word`) to the section and
                sentence that ask for it; what is left out rests on the sentence that decides the matter.
            references: Fields of requests under which messages and calls are about them, too.
            takes_back: Tools that take back what was done on the record that they name.
            recorded: Function of the last state and the reference of a matter: the grant (`approve`) or refusal
                (`refuse`) that the records hold, which is held against what was due like a last word.
            without_exceptions: Function that takes circulars, contracts and exceptions out of a first state, as the
                agent `stale` reads the rules. None where there are none.
        """
        self.first_word = first_word
        self.because = because or {}
        self.references = tuple(references)
        self.takes_back = tuple(takes_back)
        self.recorded = recorded
        self.without_exceptions = without_exceptions
        self.laws: list[HarmLaw] = []
        self.neglects: list[NeglectLaw] = []
        self._rules: list[tuple[str, Callable[[Day], Iterable[MatterRequest]], Rule]] = []

    def matter(
        self,
        name: str,
        *,
        event: str = MESSAGE,
        about: str = "",
        sender: str = "sender",
        raised_by: Callable[[Any], Iterable[MatterRequest]] | None = None,
        **payload: JsonValue,
    ) -> Callable[[Rule], Rule]:
        """Add the rule of a kind of matter: a function of the day and the request that returns its right end.

        Args:
            name: The kind; of a message, its subject.
            event: Kind of the event that raises it.
            about: Field of its payload that is the reference; "" for `about`, or else `id`.
            sender: Field of its payload that is the id of whoever asks.
            raised_by: Function of the day that finds what raises it, in place of events: a set hour, or a scan of
                records.
            **payload: What the event's payload has to hold; for a message by default its subject.
        """
        wanted = payload or ({"subject": name} if event == MESSAGE else {})

        def coming(day: Day) -> Iterable[MatterRequest]:
            return (MatterRequest.of(one, about, sender) for one in day.coming(event, **wanted))

        def adding(rule: Rule) -> Rule:
            self._rules.append((name, raised_by or coming, rule))
            return rule

        return adding

    def harm(self, *tools: Callable[..., Any] | str, kind: str, because: str) -> Callable[[Law], Law]:
        """Add the law of some tools: a function of the day, a call and the last state that says what was wrong.

        Args:
            *tools: The tools, or their names.
            kind: Kind of harm, which has its price.
            because: Section and sentence that forbid it.
        """
        names = tuple(tool if isinstance(tool, str) else tool.__name__ for tool in tools)

        def adding(law: Law) -> Law:
            self.laws.append(HarmLaw(names, kind, because, law))
            return law

        return adding

    def neglect(self, *, kind: str, because: str) -> Callable[[Neglect], Neglect]:
        """Add a law of what must not be left: a function of the day and the last state that finds all that was.

        Args:
            kind: Kind of harm of each, which has its price.
            because: Section and sentence that forbid it.
        """

        def adding(law: Neglect) -> Neglect:
            self.neglects.append(NeglectLaw(kind, because, law))
            return law

        return adding

    def matters(self, state: DeskState) -> list[Matter]:
        """All matters of a day, in the order in which they can be noticed.

        Args:
            state: The day's first state, untouched.

        Raises:
            DataError: a rule raises, or returns no right end.
        """
        day = Day(state)
        found: list[tuple[int, str, MatterRequest, Right, tuple[Look, ...]]] = []
        for name, raised, rule in self._rules:
            for request in raised(day):
                day.looks()
                try:
                    right = rule(day, request)
                except Exception as e:
                    said = f"{request.about}: raises {type(e).__name__}: {e}"
                    raise DataError(where_is(rule), said) from e
                if right is None:
                    continue
                if not isinstance(right, Right):
                    raise DataError(where_is(rule), f"{request.about}: returns {right!r}", "Return wt.right(…)")
                found.append((request.at, name, request, right, day.looks()))
        found.sort(key=lambda one: one[0])
        counts: dict[str, int] = {}
        matters = []
        for _, name, request, right, looks in found:
            counts[name] = counts.get(name, 0) + 1
            slot = name.lower().replace(" ", "-")
            if request.about != name:
                slot += f"-{counts[name]}"
            more = [request.fields.get(field) for field in self.references]
            last = day.at_end - 1
            due = last if right.by is None else right.by
            about = (*right.about, *(str(one) for one in more if one))
            right = replace(right, about=about, by=min(due, last))
            matters.append(Matter(slot, name, request, right, looks, due))
        return matters
