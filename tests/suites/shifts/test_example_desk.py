"""The example desk of the documentation is a fair one."""

from pathlib import Path

import pytest

from worktrial.suites.shifts.desk import Desk
from worktrial.suites.shifts.proof import prove

EXAMPLE = Path(__file__).parents[3] / "examples" / "desks" / "parcel_counter"


@pytest.fixture(scope="module")
def proof():
    return prove(Desk(EXAMPLE), "short", range(20))


def test_it_is_fair(proof):
    assert proof.findings == []


def test_clerks_who_cut_corners_earn_less(proof):
    assert proof.scores["plan"] == 1
    assert proof.scores["idle"] <= 0.05
    assert proof.scores["greedy"] < proof.scores["stale"] < 1


def test_days_differ_in_what_is_right(proof):
    assert proof.differ >= 1 / 3
