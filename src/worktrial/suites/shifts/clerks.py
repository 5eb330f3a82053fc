"""Reference agents of shifts: clerks written in code, who show the floor and the ceiling."""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.agents.assignment import Assignment
from worktrial.agents.plan import call_through, end_with
from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Move, Work
from worktrial.workplaces.desk import DeskSession
from worktrial.workplaces.session import at_once
from worktrial.workplaces.time import Timeline


class Until(NamedTuple):
    """A clerk's wish to go on with a matter only from a time on."""

    minute: int
    due: int | None = None
    """Minute by which the rest of it has to be done; None leaves it due as before."""


Matter = Generator[Move | Until, JsonObject, None]
"""Work on one matter: yields moves and waits; is sent what a move shows, and nothing after a wait."""
Part = Generator[Move | Until, JsonObject, JsonObject]
"""Part of such work, which returns what its last move has shown."""


@dataclass
class _Open:
    due: int
    work: Matter
    ready: int
    move: Move | None = None


def interleave(matters: Iterable[tuple[int, int, Matter]], time: Timeline) -> Work:
    """Work on many matters at once: of those that are ready, always on the one that is due first.

    Args:
        matters: For each the minute from which on it can be worked on, the minute by which it has to be done, and
            the work.
        time: The clock at the beginning, to read times by.
    """
    opened = [_Open(due, work, ready) for ready, due, work in matters]
    now = time.minute
    while opened:
        ready = [matter for matter in opened if matter.ready <= now]
        if not ready:
            target = min(matter.ready for matter in opened)
            if target >= time.ends:
                return ""
            seen = yield Move("wait_until", {"time": time.clock(target)})
            now = time.minute_of(str(seen["time"]))
            continue
        matter = min(ready, key=lambda matter: matter.due)
        try:
            step = next(matter.work) if matter.move is None else matter.move
            while not isinstance(step, Until):
                seen = yield step
                now = time.minute_of(str(seen["time"]))
                step = matter.work.send(seen)
                more_pressing = any(m.due < matter.due for m in opened if m.ready <= now)
                if more_pressing and not isinstance(step, Until):
                    matter.move = step
                    break
            else:
                matter.move, matter.ready = None, max(step.minute, now)
                matter.due = matter.due if step.due is None else step.due
        except StopIteration:
            opened.remove(matter)
    return ""


class Inbox:
    """Messages that a look into the inbox has shown, and that are still to be opened; and first words."""

    def __init__(self, first_word: int) -> None:
        """Begin a day.

        Args:
            first_word: Minutes from a question on within which whoever asked has word.
        """
        self.words = FirstWords(first_word)
        self._waiting: dict[str, list[str]] = {}
        self._opened: set[str] = set()

    def open(self, about: str, matter: str = "") -> Matter:
        """Open the message that came with a matter, once.

        Args:
            about: Its reference.
            matter: Name of the matter, where several may have that reference.
        """
        if (matter or about) not in self._opened:
            self._opened.add(matter or about)
            yield from self.read(about)

    def read(self, about: str) -> Part:
        """Open the messages about a reference; the inbox is looked into only where none is known."""
        seen: JsonObject = {}
        if not self._waiting.get(about):
            seen = yield Move("check_inbox", {"unread_only": True})
            self._waiting = {}
            for row in reversed(seen["messages"]):
                self._waiting.setdefault(row["about"], []).append(row["id"])
        for id in self._waiting.pop(about, ()):
            seen = yield Move("read_message", {"message_id": id})
        return seen


class FirstWords:
    """First words to whoever asked: each is said where no answer is there by its time, and an answer keeps away."""

    def __init__(self, within: int) -> None:
        """Begin a day.

        Args:
            within: Minutes from a question on within which whoever asked has word.
        """
        self._within = within
        self._said: set[str] = set()
        self._answering: set[str] = set()

    def say(self, about: str, arrives: int, move: Move, *, at_once: bool) -> tuple[int, int, Matter]:
        """A first word as a matter for `interleave`.

        Args:
            about: What was asked about.
            arrives: Minute of the question.
            move: The word itself.
            at_once: Whether the answer is known to take longer; else it is waited for, for a while.
        """
        ready, due = (0, self._within - 10) if at_once else (self._within - 13, self._within - 7)
        return arrives + ready, arrives + due, self._word(about, move)

    def _word(self, about: str, move: Move) -> Matter:
        """The word itself, unless it has become needless."""
        if about not in self._said and about not in self._answering:
            self._said.add(about)
            yield move

    def note(self, about: str) -> None:
        """Take note that who asked has had a word in another way, such as a question."""
        self._said.add(about)

    def before_answer(self, about: str, arrives: int, due: int) -> Generator[Until, None, None]:
        """Waits before an answer, so that it makes no first word needless and misses no time for one.

        Args:
            about: What was asked about.
            arrives: Minute of the question.
            due: Minute by which the answer has to be there.
        """
        if about in self._said:
            yield Until(arrives + self._within + 1, due)
        else:
            self._answering.add(about)
            yield Until(0, min(due, arrives + self._within - 8))


def in_order(time: Timeline, take: Callable[[JsonObject], Work]) -> Work:
    """Take messages in order of arrival, one after the other, until the shift is over.

    Args:
        time: The clock at the beginning, to read times by.
        take: Function from an opened message to the work on it.
    """
    end = time.clock(time.ends)
    while True:
        seen = yield Move("check_inbox", {"unread_only": True})
        # A shift that ends with this call shows no messages.
        rows = seen.get("messages", ())
        for row in reversed(rows):
            message = yield Move("read_message", {"message_id": row["id"]})
            if "error" in message:
                return ""
            yield from take(message)
        if rows:  # others may have come meanwhile
            continue
        waited = yield Move("wait_for_message", {"until": end})
        if "note" in waited or "error" in waited:
            return ""


def play(work: Work, session: DeskSession) -> list[tuple[int, Move]]:
    """Carry out a clerk's work without anybody waiting for it, up to the end of the shift.

    Returns:
        Its moves, each with the minute at which it began.
    """
    made: list[tuple[int, Move]] = []
    try:
        move = next(work)
        while True:
            made.append((session.live.time.minute, move))
            move = work.send(call_at_once(session, move))
    except StopIteration:
        session.finish()
        return made


def call_at_once(session: DeskSession, move: Move) -> JsonObject:
    """Observation of a call, at a session that never waits."""
    shown: JsonObject = at_once(session.call(move.tool, dict(move.arguments))).content
    return shown


# What a clerk's own code may raise where an answer lacks what it counts on.
_LOST = (LookupError, TypeError, ValueError, AttributeError, RuntimeError)


class Clerk:
    """Agent that does a clerk's work, call by call. A call that fails as if the service were out is made again.

    A clerk trusts what it sees: one that cannot make sense of a degraded answer stops there and says so.
    """

    def __init__(self, work: Work) -> None:
        self._work = work

    async def __call__(self, assignment: Assignment) -> None:
        """Work on `assignment`."""
        trajectory = assignment.trajectory
        trajectory.messages.append({"role": "user", "content": assignment.instruction})
        seen: JsonObject | None = None
        while True:
            try:
                move = next(self._work) if seen is None else self._work.send(seen)
            except StopIteration as e:
                answer = e.value or "Done."
                break
            except _LOST as e:
                if not any(call.observation.fault for call in trajectory.calls):
                    raise
                answer = f"I cannot go on: {type(e).__name__}: {e}"
                break
            seen = await call_through(move.tool, dict(move.arguments), assignment)
        end_with(answer, trajectory)
