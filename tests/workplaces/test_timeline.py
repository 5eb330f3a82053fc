"""The clock and the queue of a working day."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.workplaces.time import Timeline


def _day(**more):
    return Timeline(begins=datetime(2026, 3, 12, 9), ends=120, **more)


@given(st.lists(st.integers(0, 150), max_size=30), st.lists(st.integers(0, 60), max_size=10))
def test_events_fall_due_in_order_and_none_beyond_the_end(dues, steps):
    time = _day()
    for due in dues:
        time.add(due, "thing")
    met = []
    for step in steps:
        for event in time.pass_to(time.minute + step):
            assert time.minute == max(event.due, 0)
            met.append((event.due, event.order))
    assert met == sorted(met)
    assert time.minute <= 120
    assert all(due <= 120 for due, _ in met)
    assert len(met) + len(time.waiting) == len(dues)


def test_an_event_that_an_event_puts_in_is_met_in_the_same_pass():
    time = _day()
    time.add(10, "first")
    met = []
    for event in time.pass_to(30):
        met.append(event.kind)
        if event.kind == "first":
            time.add(20, "second")
    assert met == ["first", "second"]


def test_cancelled_events_do_not_happen():
    time = _day()
    time.add(10, "call", who="a")
    time.add(11, "call", who="b")
    assert time.cancel("call", who="a") == 1
    assert [event.payload["who"] for event in time.pass_to(60)] == ["b"]


@pytest.mark.parametrize(
    ("text", "minute"),
    [("09:30", 30), (" 9:30 ", 30), ("2026-03-12 10:00", 60), ("2026-03-12T10:00", 60), ("08:00", 1380)],
)
def test_times_are_read(text, minute):
    assert _day().minute_of(text) == minute


@pytest.mark.parametrize("text", ["", "soon", "25:00", "10:77", "2026-03-12T10:00Z", "2026-13-01 10:00"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match=r"no time|time zone"):
        _day().minute_of(text)
