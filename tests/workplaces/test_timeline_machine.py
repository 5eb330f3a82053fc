"""The queue of a working day as a machine beside a plain list: put in, taken out and awaited in any order."""

from datetime import datetime

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from worktrial.workplaces.time import Timeline

ENDS = 120
KINDS = st.sampled_from(["call", "mail"])
WHO = st.sampled_from(["a", "b"])


class Days(RuleBasedStateMachine):
    """A day whose events are `(due, order, kind, who)`; a mail at whose time `b` is concerned calls somebody."""

    @initialize()
    def begin(self) -> None:
        self.time = Timeline(begins=datetime(2026, 3, 12, 9), ends=ENDS)
        self.waiting: list[tuple[int, int, str, str]] = []
        self.drawn = 0
        self.minute = 0

    def put(self, due: int, kind: str, who: str) -> None:
        self.time.add(due, kind, who=who)
        self.waiting.append((due, self.drawn, kind, who))
        self.drawn += 1

    @rule(due=st.integers(-5, ENDS + 30), kind=KINDS, who=WHO)
    def add(self, due: int, kind: str, who: str) -> None:
        self.put(due, kind, who)

    @rule(kind=KINDS, who=st.none() | WHO)
    def cancel(self, kind: str, who: str | None) -> None:
        gone = [one for one in self.waiting if one[2] == kind and who in (None, one[3])]
        self.waiting = [one for one in self.waiting if one not in gone]
        assert self.time.cancel(kind, **({} if who is None else {"who": who})) == len(gone)

    @rule(step=st.integers(0, 50), delay=st.integers(0, 20))
    def wait(self, step: int, delay: int) -> None:
        until = min(self.minute + step, ENDS)
        for event in self.time.pass_to(self.minute + step):
            # The first of those that were waiting at this moment, with what others put in meanwhile.
            due, order, kind, who = min(self.waiting)
            assert (event.due, event.order, event.kind, event.payload) == (due, order, kind, {"who": who})
            assert due <= until
            self.waiting.remove((due, order, kind, who))
            self.minute = max(self.minute, due)
            assert self.time.minute == self.minute
            if (kind, who) == ("mail", "b"):
                self.put(self.minute + delay, "call", "a")
        self.minute = max(self.minute, until)

    @rule()
    def be_stored_and_read(self) -> None:
        """A state holds its own future."""
        self.time = msgspec.json.decode(msgspec.json.encode(self.time), type=Timeline)

    @invariant()
    def it_is_what_the_list_says(self) -> None:
        if not hasattr(self, "time"):
            return
        assert (self.time.minute, self.time.drawn) == (self.minute, self.drawn)
        assert self.time.is_over == (self.minute >= ENDS)
        found = sorted((e.due, e.order, e.kind, e.payload["who"]) for e in self.time.waiting)
        assert found == sorted(self.waiting)


Days.TestCase.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
TestDays = Days.TestCase
