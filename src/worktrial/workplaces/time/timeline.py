"""A clock that only calls and waiting move, and the queue of what falls due meanwhile."""

import heapq
import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import msgspec

from worktrial.language import JsonObject, JsonValue

_CLOCK = re.compile(r"(\d{1,2}):(\d{2})")


class Event(msgspec.Struct, frozen=True, order=True):
    """Something that happens at a time, whoever works or waits. Earlier first, then in the order drawn."""

    due: int
    """Minutes since the shift began."""
    order: int
    """Number of the event in its timeline, which decides between events of one minute."""
    kind: str
    """Name of what carries it out."""
    payload: JsonObject = {}


class Timeline(msgspec.Struct, kw_only=True):
    """Clock of a working day and the events that wait. All of it is data, so that a state holds its own future."""

    begins: datetime
    """Date and time at which the shift begins, without a zone."""
    ends: int
    """Length of the shift in minutes."""
    minute: int = 0
    """Minutes since the shift began."""
    waiting: list[Event] = []
    """Events to come; a heap."""
    drawn: int = 0
    """Number of events that were ever put in."""

    @property
    def is_over(self) -> bool:
        """Whether the shift has ended."""
        return self.minute >= self.ends

    @property
    def now(self) -> str:
        """Date and time, such as `2026-02-11 07:30`."""
        return self.at(self.minute)

    def at(self, minute: int) -> str:
        """Date and time at `minute`, such as `2026-02-11 07:30`."""
        return f"{self.begins + timedelta(minutes=minute):%Y-%m-%d %H:%M}"

    def clock(self, minute: int) -> str:
        """Time of day at `minute`, such as `07:30`."""
        return self.at(minute)[-5:]

    def add(self, due: int, kind: str, /, **payload: JsonValue) -> Event:
        """Put an event in; one that is due already happens at the next step.

        Args:
            due: Minutes since the shift began.
            kind: Name of what carries it out.
            payload: What it needs to know, as JSON.
        """
        event = Event(due, self.drawn, kind, payload)
        self.drawn += 1
        heapq.heappush(self.waiting, event)
        return event

    def cancel(self, kind: str, /, **payload: JsonValue) -> int:
        """Take out events of `kind` whose payload holds all of `payload`; returns how many there were."""
        kept = [e for e in self.waiting if e.kind != kind or not payload.items() <= e.payload.items()]
        gone = len(self.waiting) - len(kept)
        if gone:
            heapq.heapify(kept)
            self.waiting[:] = kept
        return gone

    def pass_to(self, minute: int) -> Iterator[Event]:
        """Let time pass up to `minute`, but not beyond the end; yields each event at its own time.

        Events that an event puts in are met in the same pass, if they are due by then.
        """
        minute = min(minute, self.ends)
        while self.waiting and self.waiting[0].due <= minute:
            event = heapq.heappop(self.waiting)
            self.minute = max(self.minute, event.due)
            yield event
        self.minute = max(self.minute, minute)

    def minute_of(self, text: str) -> int:
        """Minute that a time of day (`14:30`) or a date and time (`2026-02-11 14:30`) names.

        A time of day is the next one from the beginning of the shift on.

        Raises:
            ValueError: it is neither.
        """
        text = text.strip()
        if found := _CLOCK.fullmatch(text):
            hours, minutes = int(found[1]), int(found[2])
            if hours > 23 or minutes > 59:
                raise ValueError(f"{text!r} is no time of day")
            there = self.begins.replace(hour=hours, minute=minutes)
            if there < self.begins:
                there += timedelta(days=1)
        else:
            try:
                there = datetime.fromisoformat(text.replace("/", "-"))
            except ValueError:
                raise ValueError(f"{text!r} is no time; write it as 14:30 or as {self.now}") from None
            if there.tzinfo is not None:
                raise ValueError(f"{text!r} has a time zone; write it as 14:30 or as {self.now}")
        return int((there - self.begins).total_seconds() // 60)
