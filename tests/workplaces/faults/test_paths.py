from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.workplaces.faults.content import copied, differ, touched

SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.text(max_size=2)
VALUES = st.recursive(SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text("ab/~", max_size=2), v))


@given(VALUES, VALUES)
def test_what_differs_has_a_place_and_a_copy_has_none(one: Any, other: Any) -> None:
    assert differ(one, other) is (list(touched(one, other)) != [])
    assert copied(one) == one and not differ(one, copied(one))


def test_a_copy_shares_nothing_that_can_change() -> None:
    rows: Any = {"rows": [{"id": "A"}]}
    other = copied(rows)
    other["rows"][0]["id"] = "B"
    other["rows"].append(1)
    assert rows == {"rows": [{"id": "A"}]}


@pytest.mark.parametrize(
    ("clean", "degraded", "where"),
    [
        ({"a": None}, {}, ["/a"]),
        ({}, {"a": None}, ["/a"]),
        ({"a": 1}, {"a": True}, ["/a"]),
        ({"a": [True]}, {"a": [1]}, ["/a/0"]),
        ({"a": 5}, {"a": 5.0}, []),
        ({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, ["/a~1b/~0"]),
        ([1, 2], [1], [""]),
    ],
)
def test_places(clean: Any, degraded: Any, where: list[str]) -> None:
    assert list(touched(clean, degraded)) == where
    assert differ(clean, degraded) is bool(where)
