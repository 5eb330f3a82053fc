"""One agent's shift at a desk: every call takes its minutes, and what falls due meanwhile happens first."""

from typing import Any

import msgspec

from worktrial.errors import InvalidReason, InvalidSample
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.desk.state import MESSAGE, Act, DeskState
from worktrial.workplaces.desk.tools import WAITS
from worktrial.workplaces.desk.workplace import DeskWorkplace
from worktrial.workplaces.executable import ToolError
from worktrial.workplaces.executable.describe import encode, to_json
from worktrial.workplaces.people import answer_due
from worktrial.workplaces.people.answering import ANSWER, PROMISE, break_promise
from worktrial.workplaces.session import Observation, Origin, refusal
from worktrial.workplaces.time import Event, WallClock

_REFUSED_MINUTES = 1


class DeskSession:
    """Runs each call on the live state, after the events of the minutes that it takes.

    A tool checks first and acts then: a call that is refused leaves the records as they were. Copies that would
    ensure it are too slow for records by the thousand; a careful session checks it instead.
    """

    def __init__(
        self,
        desk: DeskWorkplace,
        state: DeskState,
        *,
        careful: bool = False,
        wall: WallClock | None = None,
    ) -> None:
        """Begin a shift.

        Args:
            desk: Where it is.
            state: State that it begins in, of the desk's own type; the session makes it its own.
            careful: Check at every call that reads change nothing and refused calls neither; for validation.
            wall: Clock by which the agent's own time counts; None lets it think for nothing.
        """
        self._desk = desk
        self._live = state
        self._careful = careful
        self._wall = wall
        self.never_waits = wall is None
        """Whether a call never gives the event loop to anybody else, nor hangs on the time of the host."""

    @property
    def live(self) -> DeskState:
        """The state itself."""
        return self._live

    @property
    def state(self) -> JsonObject:
        """The state as it is now, as a JSON copy of its own."""
        state: JsonObject = msgspec.json.decode(encode(self._live))
        return state

    def restore(self, state: JsonObject) -> None:
        """Go on in `state`; see `Restorable`."""
        try:
            self._live = msgspec.json.decode(encode(state), type=self._desk.home.state_type)
        except msgspec.ValidationError as e:
            raise ValueError(f"{self._desk.home.artifact.name} cannot be in this state: {e}") from None

    def pass_to(self, minute: int) -> int:
        """Let time pass up to `minute`; returns the number of messages that came."""
        before = len(self._live.mail.inbox)
        for event in self._live.time.pass_to(minute):
            self._happen(event)
        return len(self._live.mail.inbox) - before

    def finish(self) -> None:
        """Let the rest of the shift pass without the agent."""
        self.pass_to(self._live.time.ends)

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out a call; see `Session.call`. A call that is not over when the shift is does not happen.

        Raises:
            InvalidSample: a function of the desk failed in a way that its rules do not know.
        """
        try:
            if self._wall is not None:
                self.pass_to(self._live.time.minute + self._wall.passed())
            seen = self._call(tool, arguments)
            if self._wall is not None:
                self._wall.observed()
            return seen
        except InvalidSample:
            raise
        except Exception as e:
            where = f"{self._desk.home.artifact.name}.{tool}({arguments})"
            raise InvalidSample(InvalidReason.INTERNAL, f"{where} raised {type(e).__name__}: {e}") from e

    def _call(self, tool: str, arguments: JsonValue) -> Observation:
        time = self._live.time
        if time.is_over:
            return self._seen({"error": {"type": "shift_over", "message": _OVER}}, Origin.REFUSAL)
        misfit = refusal(self._desk.home.artifact, tool, arguments)
        if misfit is not None:
            self.pass_to(time.minute + _REFUSED_MINUTES)
            return self._seen(misfit.content, Origin.REFUSAL)
        function = self._desk.home.functions[tool]
        try:
            given = msgspec.convert(arguments, type=function.arguments)
        # What the schema lets through but the function's types do not: NaN, 5.0 for an integer.
        except (msgspec.ValidationError, UnicodeError) as e:
            self.pass_to(time.minute + _REFUSED_MINUTES)
            error = {"type": "invalid_arguments", "message": f"{tool}: {e}"}
            return self._seen({"error": error}, Origin.REFUSAL)
        if tool not in WAITS:
            self.pass_to(time.minute + self._desk.minutes[tool])
            if time.is_over:
                return self._seen({"error": {"type": "shift_over", "message": _OVER}}, Origin.EXECUTABLE)
        before = encode(self._live) if self._careful else b""
        refused: str | None = None
        try:
            values = msgspec.structs.asdict(given)
            result = self._wait(tool, **values) if tool in WAITS else function.run(self._live, **values)
            content: Any = to_json(result)
        except ToolError as e:
            refused, content = e.code, e.observation
        if (
            self._careful
            and tool not in WAITS
            and (refused or not function.writes)
            and encode(self._live) != before
        ):
            raise RuntimeError("a call that was refused, or only reads, has changed the state")
        if refused and tool in WAITS:
            self.pass_to(time.minute + _REFUSED_MINUTES)
        given_json: Any = arguments
        self._live.log.append(Act(time.minute, tool, given_json, function.writes, refused))
        return self._seen(content, Origin.EXECUTABLE)

    def _wait(self, tool: str, **given: str) -> JsonObject:
        time = self._live.time
        text = given["time" if tool == "wait_until" else "until"]
        try:
            target = time.minute_of(text)
        except ValueError as e:
            raise ToolError("no_time", f"{e}.") from None
        if target <= time.minute:
            raise ToolError("time_past", f"{text} is past; it is {time.now}.")
        began, came = time.minute, 0
        if tool == "wait_until":
            came = self.pass_to(target)
        else:
            while not came and time.minute < min(target, time.ends):
                upcoming = time.waiting[0].due if time.waiting else target
                came = self.pass_to(min(max(upcoming, time.minute), target))
                if upcoming >= target:
                    break
        waited: JsonObject = {"waited_minutes": time.minute - began, "new_messages": came}
        return {**waited, "note": _OVER} if time.is_over else waited

    def _happen(self, event: Event) -> None:
        state, payload = self._live, event.payload
        if event.kind == MESSAGE:
            state.mail.deliver(state.time.minute, **payload)
        elif event.kind == ANSWER:
            answer_due(state, payload, self._desk.decide)
        elif event.kind == PROMISE:
            break_promise(state, payload["promise"])
        else:
            self._desk.happenings[event.kind](state, payload)

    def _seen(self, content: JsonObject, origin: Origin) -> Observation:
        """The observation, with the time and how much mail waits."""
        time = self._live.time
        return Observation({"time": time.now, "unread": self._live.mail.unread, **content}, origin)


_OVER = "The shift is over; nothing more can be done."
