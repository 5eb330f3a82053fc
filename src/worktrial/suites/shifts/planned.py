"""Agents that follow from a desk's rules: *plan*, *greedy* and *stale*."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import (
    Move,
    Work,
    send,
)
from worktrial.suites.shifts.clerks import Inbox, Part, Until, in_order, interleave
from worktrial.suites.shifts.clerks import Matter as Job
from worktrial.workplaces.desk import Act, DeskState, DeskWorkplace
from worktrial.workplaces.desk.tools import WAITS
from worktrial.workplaces.executable import ToolError
from worktrial.workplaces.executable.describe import encode, to_json
from worktrial.workplaces.kit.desk import Desk, Look, Matter
from worktrial.workplaces.kit.right import AnswerNeeded, Tell

_SET_GOING = 10
"""Minutes within which the plan sets going what others have to do for it."""
_LAST_WORDS = 10
"""Minutes before the end by which the plan aims to have said what has no other time."""
_CLOSING = 10
"""Minutes before a tool closes at which the plan turns to what needs it."""
_SETTING_OUT = 15
"""Minutes that are left, beside the longest wait for an answer, where somebody has to be asked."""


@dataclass
class PlannedDay:
    """A day at a desk with its matters, and the agents that follow from its rules."""

    desk: Desk
    find_workplace: Callable[[], DeskWorkplace]
    """Finds its tools, which are not there yet while its first day is drawn."""
    start: DeskState
    """The day's first state, untouched."""

    @cached_property
    def workplace(self) -> DeskWorkplace:
        """Tools of the desk."""
        return self.find_workplace()

    @cached_property
    def first_word(self) -> int:
        """Minutes within which whoever asks has a first word; 0 where none is asked for."""
        within = self.desk.first_word
        return within(self.start) if callable(within) else within or 0

    @cached_property
    def matters(self) -> list[Matter]:
        """Matters of the day, with their right ends."""
        return self.desk.matters(self.start)

    def plan(self) -> Work:
        """Work of a clerk who knows the rules."""
        return self._worked(self.matters)

    def stale(self) -> Work:
        """Work by the rules without circulars, contracts and exceptions."""
        if self.desk.without_exceptions is None:
            return self.plan()
        other = self.copy()
        self.desk.without_exceptions(other)
        return self._worked(self.desk.matters(other))

    def greedy(self) -> Work:
        """Work of a clerk who does what is asked, in order of arrival, and looks nothing up."""
        asked = {(one.request.about, one.request.sender): one for one in self.matters if one.request.sender}

        def take(message: JsonObject) -> Work:
            matter = asked.pop((message["about"], message["from"]), None)
            if matter is None:
                return ""
            naive = matter.right.naive
            refused = False
            for step in (naive,) if naive else matter.right.steps:
                seen = yield Move(step.tool, step.arguments)
                refused = "error" in seen
            kind = "refuse" if refused else "approve"
            yield send(message["from"], kind, message["about"], "No." if refused else "Done.")
            return ""

        return in_order(self.start.time, take)

    def copy(self) -> DeskState:
        """A copy of the first state, to be worked on."""
        copy: DeskState = msgspec.json.decode(encode(self.start), type=self.workplace.home.state_type)
        return copy

    def answer_due(self, matter: Matter) -> Tell | None:
        """The answer to whoever asked; None where none is due."""
        tell = matter.right.tell
        return tell[0] if tell and tell[0].person == matter.request.sender else None

    def has_first_word(self, matter: Matter) -> bool:
        """Whether whoever asked is due a first word."""
        return bool(self.first_word and matter.request.sender and matter.right.first_word)

    def _worked(self, matters: Sequence[Matter]) -> Work:
        made: list[Act] = []
        work = interleave(self._jobs(matters, made), self.start.time)
        try:
            move = next(work)
            while True:
                seen = yield move
                if "error" not in seen:
                    minute = self.start.time.minute_of(str(seen["time"]))
                    made.append(Act(minute, move.tool, dict(move.arguments), writes=True))
                move = work.send(seen)
        except StopIteration as e:
            return str(e.value)

    def _jobs(self, matters: Sequence[Matter], made: Sequence[Act]) -> list[tuple[int, int, Job]]:
        inbox = Inbox(self.first_word)
        jobs = []
        for matter in matters:
            request, right = matter.request, matter.right
            by = right.by or 0
            first = self._longest(matter) + _SETTING_OUT if right.asks else 0
            others = any(step.wait for step in right.steps)
            calls = [*right.steps, *(asked.call for asked in right.asks if asked.call is not None)]
            closing = [step.latest - _CLOSING for step in calls if step.latest is not None]
            due = request.at + _SET_GOING if others else min([by - first, *closing])
            jobs.append((request.at, due, self._job(matter, inbox, made)))
            if not self.has_first_word(matter):
                continue
            called, asked = _by_call(right.asks)
            if not called and any(one.person == request.sender for one in asked):
                inbox.words.note(request.about)  # a question is a word, too
                continue
            word = send(request.sender, "tell", request.about, "It is in hand.")
            slow = others or bool(right.asks) or matter.earliest > request.at + self.first_word - 12
            jobs.append(inbox.words.say(request.about, request.at, word, at_once=slow))
        return jobs

    def _longest(self, matter: Matter) -> int:
        called, asked = _by_call(matter.right.asks)
        return max((one.minutes for one in called), default=0) + 2 * max(
            (self.start.people[one.person].delay[1] for one in asked), default=0
        )

    def _job(self, matter: Matter, inbox: Inbox, made: Sequence[Act]) -> Job:
        request, right = matter.request, matter.right
        if request.sender:
            yield from inbox.open(request.about, matter.slot)
        for look in matter.looks:
            if (found := self._read_of(look)) is not None:
                yield found
        # What is asked often hangs on what a call has brought.
        for asks in filter(None, _by_call(right.asks)):
            yield from self._ask(asks)
            yield Until(0, None if any(step.wait for step in right.steps) else right.by)
            for about in dict.fromkeys(asked.about for asked in asks):
                yield from inbox.read(about)
        if right.since:
            yield Until(right.since + 1)
            yield from inbox.read(request.about)
        now = 0
        for step in right.steps:
            if step.earliest:
                yield Until(step.earliest)
            if step.wait:
                # Nobody waits for us for long.
                yield Until(now + step.wait, now + step.wait if step.by is None else step.by)
                yield from inbox.read(request.about)
            seen = yield Move(step.tool, step.arguments)
            now = self.start.time.minute_of(str(seen["time"]))
        yield from self._told(matter, inbox, made)

    def _ask(self, asks: Sequence[AnswerNeeded]) -> Job:
        """Ask everybody at once, and again those who have forgotten; wait until all have answered."""
        minute, people = 0, self.start.people
        longest = max(asked.minutes if asked.call else people[asked.person].delay[1] for asked in asks)
        forgot = [asked for asked in asks if not asked.call and asked.about in people[asked.person].forgets]
        for again, some in ((False, asks), (True, forgot)):
            for asked in some:
                if asked.call is not None:
                    seen = yield Move(asked.call.tool, asked.call.arguments)
                else:
                    kind = "remind" if again else "ask" if "topic" in asked.fields else "request"
                    text = f"Your word on {asked.about}?"
                    seen = yield send(asked.person, kind, asked.about, text, **asked.fields)
                minute = self.start.time.minute_of(str(seen["time"]))
            if some:
                yield Until(minute + longest + 1)

    def _told(self, matter: Matter, inbox: Inbox, made: Sequence[Act]) -> Part:
        request, right = matter.request, matter.right
        seen: JsonObject = {}
        last = self.start.time.ends - _LAST_WORDS if right.ends else right.by or 0
        words = sorted(right.tell, key=lambda one: (not one.deed, one.since, one.by or last))
        for place, due in enumerate(words):
            by = min(one.by or last for one in words[place:])  # what is said after it has its time, too
            if due is self.answer_due(matter) and self.has_first_word(matter):
                yield from inbox.words.before_answer(request.about, request.at, by)
            else:
                yield Until(due.since, by)
            now = made[-1].minute if made else 0
            seen = yield send(due.person, due.kinds[0], request.about, right.because, **due.carried(made, now))
        return seen

    def _read_of(self, look: Look) -> Move | None:
        """The call that shows a record: of the tools that only look, that which answers for its id."""
        home = self.workplace.home
        for tool in home.artifact.tools:
            function = home.functions[tool.name]
            required = tool.parameters.get("required", [])
            if function.writes or tool.name in WAITS or len(required) != 1:
                continue
            if not required[0].startswith(look.collection.rstrip("s")[:4]):
                continue
            try:
                shown = to_json(function.run(self.start, **{required[0]: look.id}))
            except ToolError:
                continue
            if isinstance(shown, dict) and "error" not in shown:
                return Move(tool.name, {required[0]: look.id})
        return None


def _by_call(asks: Sequence[AnswerNeeded]) -> tuple[list[AnswerNeeded], list[AnswerNeeded]]:
    """Answers that a call brings, and those that somebody is asked for."""
    return [one for one in asks if one.call is not None], [one for one in asks if one.call is None]
