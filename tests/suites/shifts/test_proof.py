"""A plan without one of its writes: everything else stays at its minute."""

from datetime import datetime

from worktrial.suites.shifts.cases import Move
from worktrial.suites.shifts.proof import _replay
from worktrial.workplaces.time import Timeline


def test_the_minutes_of_a_write_that_is_left_out_are_waited_through():
    time = Timeline(begins=datetime(2026, 1, 5, 8), ends=100)
    made = [Move("look"), Move("write"), Move("look")]
    work = _replay(made, 1, 4, time)
    assert next(work) == made[0]
    wait = work.send({"time": "2026-01-05 08:03"})
    assert wait == Move("wait_until", {"time": "2026-01-05 08:07"})
    assert work.send({"time": "2026-01-05 08:07"}) == made[2]
