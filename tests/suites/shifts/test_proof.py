"""What the proof of shifts notices, and a plan without one of its writes: everything else stays at its minute."""

from dataclasses import replace
from datetime import datetime

import pytest

from worktrial.suites.shifts import suite
from worktrial.suites.shifts.cases import Move
from worktrial.suites.shifts.proof import _replay, prove
from worktrial.suites.shifts.suite import ShiftChoice
from worktrial.workplaces.time import Timeline

DESKS = suite.desks(ShiftChoice())


def test_the_minutes_of_a_write_that_is_left_out_are_waited_through():
    time = Timeline(begins=datetime(2026, 1, 5, 8), ends=100)
    time.minute = 3
    made = [Move("write"), Move("look"), Move("read")]
    work = _replay(made, 4, time)
    assert next(work) == Move("wait_until", {"time": "2026-01-05 08:07"})
    assert [work.send({"time": "2026-01-05 08:07"}), work.send({"time": "2026-01-05 08:09"})] == made[1:]


def test_a_day_that_is_passed_by_doing_nothing_is_found(monkeypatch):
    desk = DESKS["customs_desk"]
    cases = desk.cases
    assert not [f for f in prove(desk, "short", [1, 2]).findings if f.check == "pass"]
    monkeypatch.setattr("worktrial.suites.shifts.cases.PASSED_FROM", 0)
    monkeypatch.setattr(desk, "cases", lambda start: [replace(case, critical=False) for case in cases(start)])
    found = [f for f in prove(desk, "short", [1, 2]).findings if f.check == "pass"]
    assert {f.what for f in found} >= {"idle passes with 0.00 of the points"}
    assert {f.subject for f in found} == {"customs_desk/short/1", "customs_desk/short/2"}


@pytest.mark.parametrize("name", DESKS)
@pytest.mark.parametrize("variant", range(5))
def test_every_day_has_a_critical_duty(name, variant):
    desk = DESKS[name]
    for length in desk.lengths:
        assert any(case.critical for case in desk.cases(desk.draw(length, variant)))
