"""One shift at the example desk: time passes, people answer, nothing happens after the end."""

import asyncio
from pathlib import Path

import pytest

from worktrial.suites.shifts.desk import DeskFolder
from worktrial.workplaces.desk import DeskSession
from worktrial.workplaces.people import Fact, Person

EXAMPLE = Path(__file__).parents[3] / "examples" / "desks" / "parcel_counter"


@pytest.fixture
def state():
    drawn = DeskFolder(EXAMPLE).draw("short", 0)
    drawn.time.waiting.clear()
    drawn.people["clerk"] = Person(
        id="clerk",
        name="Ada Clerk",
        role="Records",
        delay=(5, 5),
        patience=2,
        superior="boss",
        facts={"P-1001": {"weight": Fact(value=3)}},
        forgets=["P-1002"],
        refers={"price": "boss"},
        grants={"amount": 50},
    )
    drawn.people["boss"] = Person(id="boss", name="Eve Boss", role="Head", delay=(2, 2))
    return drawn


@pytest.fixture
def session(state):
    return DeskSession(DeskFolder(EXAMPLE).workplace, state, careful=True)


def _call(session, tool, **arguments):
    return asyncio.run(session.call(tool, arguments)).content


def _send(session, kind, about="P-1001", to="clerk", **fields):
    return _call(session, "send_message", to=to, kind=kind, about=about, text="Please.", fields=fields)


def _answers(session):
    return [(m.sender, m.kind, m.fields) for m in session.live.mail.inbox]


def test_every_call_takes_its_minutes_and_shows_the_time(session):
    assert _call(session, "check_inbox")["time"] == "2026-03-12 09:01"
    assert _call(session, "search_parcels")["time"] == "2026-03-12 09:03"


def test_refused_calls_take_a_minute_so_that_every_shift_ends(session):
    for _ in range(130):
        seen = _call(session, "no_such_tool")
    assert seen["error"]["type"] == "shift_over"
    assert session.live.time.is_over


def test_what_falls_due_during_a_call_happens_before_it(session, state):
    state.expect(2, "boss", "P-1001", "News", "Look.")
    seen = _call(session, "search_parcels")
    assert (seen["unread"], session.live.mail.inbox[0].minute) == (1, 2)


def test_who_is_asked_answers_after_the_delay(session):
    _send(session, "ask", topic="weight")
    waited = _call(session, "wait_for_message", until="10:30")
    assert (waited["waited_minutes"], waited["new_messages"]) == (5, 1)
    assert _answers(session) == [("clerk", "tell", {"topic": "weight", "value": 3})]


def test_free_text_alone_is_asked_back(session):
    _send(session, "ask", about="")
    _call(session, "wait_for_message", until="10:30")
    assert _answers(session)[0][1] == "ask"


def test_a_topic_of_another_is_referred(session):
    _send(session, "ask", topic="price")
    _call(session, "wait_for_message", until="10:30")
    assert "boss" in session.live.mail.inbox[0].text


def test_who_forgets_answers_after_a_reminder(session):
    _send(session, "ask", about="P-1002", topic="weight")
    assert _call(session, "wait_until", time="09:30")["new_messages"] == 0
    _send(session, "remind", about="P-1002", topic="weight")
    assert _call(session, "wait_until", time="10:00")["new_messages"] == 1


def test_who_is_chased_too_often_complains_and_says_no_more(session):
    for _ in range(5):
        _send(session, "ask", topic="weight")
    _call(session, "wait_until", time="10:30")
    senders = [sender for sender, _, _ in _answers(session)]
    assert senders.count("clerk") == 2
    assert senders.count("boss") == 1


@pytest.mark.parametrize(("amount", "kind"), [(50, "approve"), (51, "refuse"), (True, "refuse")])
def test_a_request_is_granted_up_to_the_limit(session, amount, kind):
    _send(session, "request", amount=amount)
    _call(session, "wait_for_message", until="10:30")
    assert _answers(session)[0][1] == kind


def test_a_promise_that_nobody_keeps_is_broken(session):
    _send(session, "promise", by="09:30")
    _send(session, "promise", by="09:40", about="P-1002")
    _send(session, "tell", about="P-1002")
    _call(session, "wait_until", time="10:00")
    assert [promise.broken for promise in session.live.mail.promises] == [True, False]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("wait_until", {"time": "09:00"}, "time_past"),
        ("wait_until", {"time": "noon"}, "no_time"),
        ("send_message", {"to": "nobody", "kind": "tell", "text": "x"}, "unknown_person"),
        ("send_message", {"to": "boss", "kind": "promise", "text": "x"}, "no_time"),
        ("send_message", {"to": "boss", "kind": "promise", "text": "x", "fields": {"by": "09:00"}}, "time_past"),
        ("send_message", {"to": "boss", "kind": "tell", "text": "x" * 5000}, "too_long"),
        ("read_message", {"message_id": "M-999"}, "unknown_message"),
        ("read_section", {"section": "99"}, "unknown_section"),
        ("check_inbox", {"page": 2}, "no_such_page"),
        ("check_inbox", {"page": 0}, "no_such_page"),
        ("send_message", {"to": "boss", "kind": "sing", "text": "x"}, "invalid_arguments"),
    ],
)
def test_bad_calls_are_refused_with_a_reason(session, tool, arguments, code):
    assert _call(session, tool, **arguments)["error"]["type"] == code


def test_a_wait_beyond_the_end_ends_the_shift_and_says_so(session):
    assert "over" in _call(session, "wait_until", time="23:00")["note"]
    assert _call(session, "check_inbox")["error"]["type"] == "shift_over"


def test_ten_thousand_messages_end_with_the_shift(session):
    for _ in range(10_000):
        seen = _send(session, "tell")
    assert seen["error"]["type"] == "shift_over"
    assert len(session.live.mail.sent) < 120


def test_a_stored_state_can_be_gone_on_from(session):
    _send(session, "ask", topic="weight")
    stored = session.state
    _call(session, "wait_until", time="10:00")
    session.restore(stored)
    assert session.live.time.minute == 1
    assert _call(session, "wait_until", time="10:00")["new_messages"] == 1
    with pytest.raises(ValueError, match="cannot be in this state"):
        session.restore({"time": 1})
