"""Days that are drawn until one clerk can do them: on the same ground, and each with records of its own."""

from dataclasses import dataclass, field
from random import Random

import pytest

from worktrial.suites.shifts import suite
from worktrial.suites.shifts.pace import Chore, first_possible
from worktrial.suites.shifts.suite import ShiftChoice
from worktrial.workplaces.desk import DeskState

DESKS = suite.desks(ShiftChoice())


@dataclass
class Draft:
    random: Random
    state: DeskState
    figures: dict
    used: list = field(default_factory=list)
    record: object = None


def _draft():
    state = DESKS["service_desk"].draw("short", 0)
    return Draft(Random(1), state, state.figures)


def test_each_attempt_has_the_same_ground_and_records_of_its_own():
    base = _draft()
    seen = []

    def attempt(day):
        assert day.figures is day.state.figures
        assert day.random is base.random
        assert not day.used and not day.state.documents[0].text.startswith("Spoilt")
        day.used.append("one")
        day.state.documents[0].text = "Spoilt"
        seen.append(day.random.random())
        return day

    def chores(day):
        return [Chore(0, 5, 9 if len(seen) < 3 else 5)]

    found = first_possible(base, attempt, chores)
    assert seen == [Random(1).random(), *seen[1:]] and len(set(seen)) == 3
    assert found.used == ["one"] and not base.used and base.state.documents[0].text != "Spoilt"


def test_time_to_spare_is_asked_for_and_an_impossible_day_is_given_up():
    tried = []

    def attempt(day):
        tried.append(day)
        return day

    assert first_possible(_draft(), attempt, lambda day: [Chore(0, 5, 3)], spare=2)
    with pytest.raises(RuntimeError, match="no day among 500 that one clerk can do"):
        first_possible(_draft(), attempt, lambda day: [Chore(0, 5, 4)], spare=2)
    assert len(tried) == 501


def test_a_record_beside_the_state_would_be_another_one_in_a_copy():
    base = _draft()
    base.record = base.state.documents[0]
    with pytest.raises(TypeError, match="a Document beside the state"):
        first_possible(base, lambda day: day, lambda day: [])


@pytest.mark.parametrize("name", DESKS)
def test_a_day_is_the_same_whenever_it_is_drawn(name):
    desk = DESKS[name]
    first = desk.draw("half", 3)
    desk.draw("half", 4)
    assert desk.draw("half", 3) == first
