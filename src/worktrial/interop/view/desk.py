"""A person at the desk: one run's samples, one after the other, with a timer, notes and pauses."""

import asyncio
import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from worktrial.agents.episode import EpisodeOver, Seen
from worktrial.agents.episodes import NoOpenJob
from worktrial.engine.lines import replace_file
from worktrial.engine.record import Key, SampleResult
from worktrial.errors import DataError, SettingError
from worktrial.interop.serve.bodies import as_json
from worktrial.interop.serve.reception import Guest, Reception
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.files import read_bytes
from worktrial.reports.links import slug_of
from worktrial.workplaces import ToolCall

JOURNAL = "desk.json"
"""File of a run that a person works on: the open sample, until it is judged."""


class DeskPaused(ValueError):
    """Something is asked for that the desk's pause, or its having none, does not allow."""


class JournalCall(msgspec.Struct):
    """One call as the person made it."""

    tool: str
    arguments: JsonValue
    seen: str
    """Digest of the answer, by which a repeated one is known."""


class DeskJournal(msgspec.Struct):
    """An open sample as it was left."""

    sample: str
    repeat: int
    condition: str
    seconds: float
    """Time worked so far."""
    notes: str
    calls: list[JournalCall]

    @property
    def key(self) -> Key:
        """Task, repeat and condition."""
        return self.sample, self.repeat, self.condition


class DeskCall(msgspec.Struct):
    """A call with what the person saw of it."""

    tool: str
    arguments: JsonValue
    observation: JsonValue
    is_error: bool


class DeskSample(msgspec.Struct, kw_only=True):
    """The sample on the desk."""

    sample: str
    repeat: int
    condition: str
    instruction: str
    clock: str
    tools: Sequence[JsonObject]
    calls: list[DeskCall]
    notes: str
    seconds: float
    """Time worked so far, without pauses."""
    may_pause: bool
    told: str
    """Sentence on how the sample was taken up again; "" where it was not."""


class DeskVerdict(msgspec.Struct, kw_only=True):
    """Outcome of the sample that was worked on last, with what was lost."""

    sample: str
    repeat: int
    condition: str
    seconds: float
    result: JsonObject | None
    """Outcome, reason, checks, votes and measures; null where they are kept from the person."""


class DeskPosition(msgspec.Struct, kw_only=True):
    """State of the desk."""

    state: str
    """`free`, `working`, `paused`, `judging`, or `done`: no sample is left."""
    suite: str
    run: str
    """Name of the run in addresses of the viewer."""
    finished: int
    samples: int
    sample: DeskSample | None = None
    last: DeskVerdict | None = None


class HumanDesk:
    """The desk of one run.

    Args:
        reception: Hands out the run's episodes.
        suite: Name of the suite.
        progress: Function that tells how many samples are stored with a verdict, and of how many.
        folder: The run's.
        shows_verdict: Whether the person is told what came of the work.
        leave: Ends the server.
    """

    def __init__(
        self,
        reception: Reception,
        suite: str,
        progress: Callable[[], tuple[int, int]],
        folder: Path,
        *,
        shows_verdict: bool,
        leave: Callable[[], None],
    ) -> None:
        self._reception = reception
        self._suite = suite
        self._progress = progress
        self._folder = folder
        self._shows_verdict = shows_verdict
        self.leave = leave
        """Ends the server; a sample that is open can be taken up again by the same command."""
        self._guest: Guest | None = None
        self._last: DeskVerdict | None = None
        self._told = ""
        self._before = 0.0  # seconds worked up to the last pause
        self._since: float | None = None  # moment since when work goes on; None in a pause
        self._paused_at = 0.0
        self._at_answer: float | None = None  # seconds worked when the answer was handed in
        self._notes = ""
        self._one_at_a_time = asyncio.Lock()

    def position(self) -> DeskPosition:
        """The state of the desk."""
        finished, samples = self._progress()
        self._take_note_of_verdict()
        found = DeskPosition(
            state="free",
            suite=self._suite,
            run=slug_of(self._folder.name, set()),
            finished=finished,
            samples=samples,
            last=self._last,
        )
        guest = self._guest
        if guest is None:
            if self._reception.episodes.are_over:
                found.state = "done"
            return found
        episode = guest.episode
        found.state = "judging" if episode.is_over else "paused" if self._since is None else "working"
        sample, repeat, condition = episode.key
        found.sample = DeskSample(
            sample=sample,
            repeat=repeat,
            condition=condition,
            instruction=episode.instruction,
            clock=episode.clock,
            tools=episode.tools,
            calls=[_shown(call) for call in episode.log],
            notes=self._notes,
            seconds=self._seconds,
            may_pause=episode.limits.seconds is None,
            told=self._told,
        )
        return found

    async def open(self) -> None:
        """Take up the next sample, or the one that an earlier session has left open; one that is open stays.

        Raises:
            NoOpenJob: every sample is done.
            DataError: the journal of the run is damaged.
            WorktrialError: the workplace could not be set up, or the run has ended.
        """
        async with self._one_at_a_time:
            self._take_note_of_verdict()
            if self._guest is not None:
                return
            journal = self._journal()
            try:
                self._guest = await self._reception.open(*(journal.key if journal else ()))
            except (NoOpenJob, SettingError):
                if journal is None:
                    raise
                # The run has gone on without it.
                journal, self._guest = None, await self._reception.open()
            self._told, self._notes, self._before, self._at_answer = "", "", 0.0, None
            self._since = time.monotonic()
            if journal is not None:
                await self._take_up(self._guest, journal)
            self.keep()

    async def _take_up(self, guest: Guest, journal: DeskJournal) -> None:
        """Repeat the calls of an earlier session."""
        self.note(journal.notes)
        self._before = journal.seconds
        guest.episode.leave_out(-journal.seconds)
        if not guest.episode.repeats_itself:
            self._told = (
                "This sample begins anew: its workplace does not give the same answers twice. Time goes on."
            )
            return
        for number, call in enumerate(journal.calls, 1):
            seen = await guest.call(call.tool, call.arguments)
            if _digest(seen.content) != call.seen:
                self._told = f"Call {number} is answered otherwise than before, so what came after is not repeated."
                return
        self._told = "You go on where you left."

    async def call(self, tool: str, arguments: JsonValue) -> None:
        """Make one call in the workplace.

        Raises:
            DeskPaused: the desk is paused.
            EpisodeOver: there is no open sample, or this call ended it.
            ValueError: the call cannot be made of this.
        """
        async with self._one_at_a_time:
            await self._working().call(tool, arguments)
            self.keep()

    async def finish(self, answer: str) -> None:
        """Hand in the answer, and wait for the verdict.

        Raises:
            DeskPaused: the desk is paused.
            EpisodeOver: there is no open sample.
            ValueError: the answer is no text that can be stored.
            WorktrialError: the run ended before there was a verdict.
        """
        async with self._one_at_a_time:
            guest = self._working()
            self._at_answer = self._seconds
            try:
                await self._reception.finish(guest.address, answer)
            except ValueError:
                self._at_answer = None
                raise
            self._take_note_of_verdict()

    async def give_up(self) -> None:
        """Give the sample up: it is `invalid`, and the same command brings it again.

        Raises:
            EpisodeOver: there is no open sample.
        """
        async with self._one_at_a_time:
            await self._reception.abandon(self._present(), "given up by the person at the desk")
            self._take_note_of_verdict()

    def pause(self) -> None:
        """Stop the time.

        Raises:
            DeskPaused: the work has a time limit, which nothing stops.
            EpisodeOver: there is no open sample.
        """
        guest = self._present()
        if guest.episode.limits.seconds is not None:
            raise DeskPaused("this work has a time limit, and no pause")
        if self._since is not None:
            self._before, self._since, self._paused_at = self._seconds, None, time.monotonic()
            self.keep()

    def resume(self) -> None:
        """Let the time go on.

        Raises:
            EpisodeOver: there is no open sample.
        """
        guest = self._present()
        if self._since is None:
            self._since = time.monotonic()
            guest.episode.leave_out(self._since - self._paused_at)

    def note(self, text: str) -> None:
        """Keep the person's notes, in place of earlier ones.

        Raises:
            EpisodeOver: there is no open sample.
            ValueError: it is no text that can be stored.
        """
        self._present().episode.keep_notes(text)
        self._notes = text
        self.keep()

    def keep(self) -> None:
        """Write down the open sample as it is now, so that it can be taken up again; without one, nothing.

        Raises:
            DataError: the run's folder cannot be written to.
        """
        guest = self._guest
        if guest is None or guest.episode.is_over:
            return
        calls = [
            JournalCall(call.tool, call.arguments, _digest(call.observation.content)) for call in guest.episode.log
        ]
        journal = DeskJournal(*guest.episode.key, self._seconds, self._notes, calls)
        path = self._folder / JOURNAL
        try:
            replace_file(path, msgspec.json.encode(journal))
        except OSError as e:
            raise DataError(
                path, f"cannot be written ({e.strerror})", "Make room, or let this user write"
            ) from None

    @property
    def _seconds(self) -> float:
        return self._before + (0.0 if self._since is None else time.monotonic() - self._since)

    def _present(self) -> Guest:
        if self._guest is None or self._guest.episode.is_over:
            raise EpisodeOver("there is no open sample on the desk")
        return self._guest

    def _working(self) -> Guest:
        guest = self._present()
        if self._since is None:
            raise DeskPaused("the desk is paused; go on first")
        return guest

    def _take_note_of_verdict(self) -> None:
        guest = self._guest
        if guest is None or guest.episode.result is None:
            return
        sample, repeat, condition = guest.episode.key
        shown = _told(guest.episode.result) if self._shows_verdict else None
        seconds = self._seconds if self._at_answer is None else self._at_answer
        self._last = DeskVerdict(sample=sample, repeat=repeat, condition=condition, seconds=seconds, result=shown)
        self._guest = None
        (self._folder / JOURNAL).unlink(missing_ok=True)

    def _journal(self) -> DeskJournal | None:
        path = self._folder / JOURNAL
        if not path.exists():
            return None
        try:
            return msgspec.json.decode(read_bytes(path), type=DeskJournal)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
            raise DataError(
                path, f"is no journal of a desk: {e}", "Remove it; the sample then begins anew"
            ) from None


def _digest(content: Any) -> str:
    return blake2b(msgspec.json.encode(content, order="deterministic"), digest_size=16).hexdigest()


def _shown(call: ToolCall) -> DeskCall:
    # What a fault has hidden stays hidden: the content alone is what an agent sees.
    content = call.observation.content
    return DeskCall(call.tool, call.arguments, content, Seen(content).is_error)


def _told(result: SampleResult) -> JsonObject:
    shown = {"outcome": result.outcome.value, "reason": result.reason, "measures": result.measures}
    return {**shown, "checks": as_json(result.checks), "votes": as_json(result.votes)}
