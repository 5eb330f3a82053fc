"""Days that are worth a trial: a good clerk earns everything on them, and no answer is right on most of them."""

from collections import Counter

import pytest

from worktrial.suites.shifts import suite
from worktrial.suites.shifts.suite import ShiftChoice

DESKS = suite.desks(ShiftChoice())


def _played(desk, length, variant, clerk):
    day = DESKS[desk].draw(length, variant)
    return DESKS[desk].played(DESKS[desk].clerk(clerk, day), day)


@pytest.mark.parametrize(
    ("desk", "length", "variant"),
    [
        ("charge_nurse", "short", 320),
        ("charge_nurse", "short", 141),
        ("charge_nurse", "full", 181),
        ("charge_nurse", "full", 61),
        ("credit_desk", "full", 192),
        ("fleet_dispatch", "full", 57),
    ],
)
def test_the_plan_earns_everything_on_days_with_little_time_to_spare(desk, length, variant):
    score = _played(desk, length, variant, "plan")
    assert score.grade == "clean"
    assert (score.earned, score.harms) == (score.reachable, [])


@pytest.mark.parametrize(
    ("desk", "length", "variants"),
    [
        ("fleet_dispatch", "short", [3]),
        ("customs_desk", "short", [17, 21, 56, 78]),
        ("customs_desk", "half", [33, 51]),
    ],
)
@pytest.mark.parametrize("clerk", ["refuse-all", "refuse-and-guess"])
def test_no_day_is_for_who_refuses_everything(desk, length, variants, clerk):
    for variant in variants:
        score = _played(desk, length, variant, clerk)
        assert score.grade == "failed"
        assert score.share <= 0.1


def test_no_number_of_patients_is_right_on_most_days_with_an_incident():
    desk = DESKS["charge_nurse"]
    for length in desk.lengths:
        sizes = Counter(
            event.payload["data"]["patient"].split()[-1]
            for variant in range(40)
            for event in desk.draw(length, variant).time.waiting
            if event.kind == "entry"
            and event.payload["kind"] == "ambulance"
            and event.payload["data"]["patient"].startswith("2 of")
        )
        assert sizes.keys() == {"2", "3", "4", "5", "6"}
        assert max(sizes.values()) < 0.4 * sizes.total()
