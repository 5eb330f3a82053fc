"""A clock on the wall, and free text that nobody reads for the people."""

import asyncio
from pathlib import Path

from worktrial.suites.shifts.desk import DeskFolder
from worktrial.workplaces.desk import DeskSession
from worktrial.workplaces.people import Fact, Person
from worktrial.workplaces.time import WallClock

EXAMPLE = Path(__file__).parents[3] / "examples" / "desks" / "parcel_counter"


def _session(wall=None):
    desk = DeskFolder(EXAMPLE)
    state = desk.draw("short", 0)
    state.time.waiting.clear()
    facts = {"P-1001": {"weight": Fact(value=3), "size": Fact(value="large")}}
    state.people["clerk"] = Person(
        id="clerk", name="Ada", role="Records", delay=(5, 5), facts=facts, grants={"sum": 9}
    )
    return DeskSession(desk.workplace, state, careful=True, wall=wall)


def _call(session, tool, **arguments):
    return asyncio.run(session.call(tool, arguments)).content


def test_free_text_alone_is_asked_back():
    session = _session()
    _call(session, "send_message", to="clerk", kind="ask", about="P-1001", text="How heavy is it?", fields={})
    _call(session, "wait_for_message", until="10:30")
    assert _call(session, "read_message", message_id="M-101")["kind"] == "ask"


def test_thinking_costs_minutes_of_the_shift_at_the_ratio():
    seconds = iter([0.0, 30.0, 30.0, 31.0, 91.0, 91.0, 100.0])
    session = _session(wall=WallClock(2.0, lambda: next(seconds)))
    assert (
        _call(session, "check_inbox")["time"][-5:] == "09:02"
    )  # half a minute of thought is one, the call another
    assert _call(session, "check_inbox")["time"][-5:] == "09:05"  # a minute is two, and the call
