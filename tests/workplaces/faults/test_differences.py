"""Differences of two JSON values."""

from typing import Any

import pytest
from hypothesis import given
from tests.workplaces.faults.test_digest import json_values

from worktrial.workplaces.faults.content import ABSENT, differ, differences

A, B, C = {"id": "a", "n": 1}, {"id": "b", "n": 1}, {"id": "c", "n": 1}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ([A, B], [A, B, C], [("/2", ABSENT, C)]),
        ([A, B, C], [B, C], [("/0", A, ABSENT)]),
        ([A, B, C], [A, C], [("/1", B, ABSENT)]),
        ([A, C], [A, B, C], [("/1", ABSENT, B)]),
        ([], [A], [("/0", ABSENT, A)]),
        ([A, A], [A], [("/1", A, ABSENT)]),
        # What is between the equal ends is laid beside each other in order.
        ([A, B], [A, {"id": "b", "n": 2}, C], [("/1/n", 1, 2), ("/2", ABSENT, C)]),
        ([A, B], [A, {"id": "b", "n": 2}], [("/1/n", 1, 2)]),
        # Equal in Python, and not the same JSON.
        ([1, 2], [True, 2, 3], [("/0", 1, True), ("/2", ABSENT, 3)]),
        ([3, 1], [1, 3, True], [("/0", ABSENT, 1), ("/2", 1, True)]),
        ({"rows": [{"at": [A]}]}, {"rows": [{"at": []}]}, [("/rows/0/at/0", A, ABSENT)]),
    ],
)
def test_items_that_came_and_went_are_told_alone(before: Any, after: Any, found: Any) -> None:
    told = differences(before, after, aligned=True)
    assert [(one.pointer, one.before, one.after) for one in told] == found


@given(json_values, json_values)
def test_there_are_some_where_the_values_differ(one: Any, other: Any) -> None:
    assert bool(differences(one, other, aligned=True)) == differ(one, other)
    assert differences(one, one, aligned=True) == []
