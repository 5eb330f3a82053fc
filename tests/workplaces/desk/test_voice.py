"""A model as the voice of people: it words and reads, and never decides. And a clock on the wall."""

import asyncio
from pathlib import Path

import pytest
from tests.workplaces.scripted import Scripted

from worktrial.suites.shifts.desk import Desk
from worktrial.workplaces.desk import DeskSession
from worktrial.workplaces.people import Fact, Person, Voice
from worktrial.workplaces.time import WallClock

EXAMPLE = Path(__file__).parents[3] / "examples" / "desks" / "parcel_counter"


def _session(*replies, wall=None):
    desk = Desk(EXAMPLE)
    state = desk.draw("short", 0)
    state.time.waiting.clear()
    facts = {"P-1001": {"weight": Fact(value=3), "size": Fact(value="large")}}
    state.people["clerk"] = Person(
        id="clerk", name="Ada", role="Records", delay=(5, 5), facts=facts, grants={"sum": 9}
    )
    voice = Voice(Scripted(replies), "en") if replies else None
    return DeskSession(desk.workplace, state, careful=True, voice=voice, wall=wall), voice


def _call(session, tool, **arguments):
    return asyncio.run(session.call(tool, arguments)).content


def _ask(session, kind="ask", **fields):
    _call(session, "send_message", to="clerk", kind=kind, about="P-1001", text="How heavy is it?", fields=fields)
    _call(session, "wait_for_message", until="10:30")
    return _call(session, "read_message", message_id="M-101")


def test_free_text_is_read_and_the_answer_worded():
    session, voice = _session({"topic": "weight"}, {"text": "It came in at 3 kilos, topic weight."})
    seen = _ask(session)
    assert seen["fields"] == {"topic": "weight", "value": 3}
    assert seen["text"] == "It came in at 3 kilos, topic weight."
    assert (voice.health.read, voice.health.worded) == (1, 1)


@pytest.mark.parametrize("reply", ["nonsense", {"text": "It weighs something."}, {"text": ""}, {"text": 7}])
def test_a_wording_that_loses_a_fact_is_not_used(reply):
    session, voice = _session(reply)
    seen = _ask(session, topic="weight")
    assert "3" in seen["text"]
    assert (voice.health.worded, voice.health.unworded) == (0, 1)


@pytest.mark.parametrize("reply", ["nonsense", {"topic": "price"}, {"topic": None}, {}])
def test_what_cannot_be_read_is_asked_back(reply):
    session, voice = _session(reply)
    assert _ask(session)["kind"] == "ask"
    assert voice.health.unread == 1


def test_who_decides_is_code_whatever_the_model_says():
    session, _ = _session({"topic": None, "sum": 10}, {"text": "Granted, 10 it is!"})
    assert _ask(session, kind="request")["kind"] == "refuse"


def test_thinking_costs_minutes_of_the_shift_at_the_ratio():
    seconds = iter([0.0, 30.0, 30.0, 31.0, 91.0, 91.0, 100.0])
    session, _ = _session(wall=WallClock(2.0, lambda: next(seconds)))
    assert (
        _call(session, "check_inbox")["time"][-5:] == "09:02"
    )  # half a minute of thought is one, the call another
    assert _call(session, "check_inbox")["time"][-5:] == "09:05"  # a minute is two, and the call
