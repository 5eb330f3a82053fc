from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.suites.orchestration.scoring.calls.team import SEARCH

from worktrial.suites.orchestration.scoring.calls.schema import argument_schema
from worktrial.suites.orchestration.scoring.calls.values import ValueOutcome, canonical, compare

TOOL = argument_schema(SEARCH)
EQUAL, WRONG, OPEN = ValueOutcome.EQUAL, ValueOutcome.WRONG, ValueOutcome.OPEN

values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


def outcome(key: str, gold: Any, predicted: Any) -> ValueOutcome:
    return compare(gold, predicted, TOOL, TOOL.of(key)).outcome


@pytest.mark.parametrize(
    ("key", "gold", "predicted", "found"),
    [
        # exactly equal, typed
        ("limit", 5, 5.0, EQUAL),
        ("query", "cafe\u0301 ", " caf\u00e9", EQUAL),
        ("query", "Cafe", "cafe", OPEN),
        ("place", {"name": "A", "floor": 1}, {"floor": 1.0, "name": "A"}, EQUAL),
        ("ids", ["b", "a"], ["a", "b"], EQUAL),
        ("unknown", {"a": 1}, {"a": 1}, EQUAL),
        ("unknown", 5, "5", WRONG),
        ("unknown", True, "true", WRONG),
        ("unknown", True, 1, WRONG),
        ("unknown", 0, False, WRONG),
        ("unknown", None, "null", WRONG),
        # against the schema
        ("limit", 5, "5", WRONG),
        ("open_now", True, "true", WRONG),
        ("sort", "near", "nearest", WRONG),
        ("sort", "near", " near", WRONG),
        ("start", "09:00", "9 am", WRONG),
        ("tags", ["a"], "a", WRONG),
        ("modes", ["bus"], ["bus", "plane"], WRONG),
        ("place", {"name": "A"}, {"name": 5}, WRONG),
        # plainly something else
        ("limit", 5, 6, WRONG),
        ("open_now", True, False, WRONG),
        ("sort", "near", "cheap", WRONG),
        ("start", "09:00", "10:00", WRONG),
        ("date", "2025-07-21", "2025-07-22", WRONG),
        ("query", "2025-07-21T10:00", "2025-07-21T11:00:00", WRONG),
        ("modes", ["bus"], ["walk"], WRONG),
        ("counts", [1, 2], [1, 3], WRONG),
        ("place", {"name": "A", "floor": 1}, {"name": "a", "floor": 2}, WRONG),
        ("place", {"kind": "a"}, {"kind": "b"}, WRONG),
        # a matter of meaning
        ("query", "sushi near me", "sushi nearby", OPEN),
        ("start", "09:00", "9:00", OPEN),
        ("date", "2025-07-21", "July 21", OPEN),
        ("query", "2025-07-21T10:00", "2025-07-21T10:00Z", OPEN),
        ("query", "2025-06-31", "2025-07-01", OPEN),
        ("tags", ["a", "b"], ["b", "a"], OPEN),
        ("modes", ["bus", "walk"], ["walk", "bus"], OPEN),
        ("tags", ["pool", "gym"], ["pool and gym"], OPEN),
        ("place", {"name": "A", "floor": 1}, {"name": "a", "floor": 1}, OPEN),
        ("place", {"name": "A"}, {"name": "A", "floor": 1}, OPEN),
        ("where", "Seoul Station", {"lat": 37.5}, OPEN),
        # gold that violates its schema
        ("open_now", "false", False, EQUAL),
        ("open_now", "false", "false", EQUAL),
        ("open_now", "false", True, WRONG),
        ("tags", "a", ["a"], EQUAL),
        ("tags", "Pasta", ["noodles"], OPEN),
        ("modes", "bus", ["walk"], WRONG),
        ("place", [{"name": "A"}], {"name": "A"}, EQUAL),
        ("max_price", "100000", 100000, EQUAL),
        ("max_price", "100000", 5, WRONG),
        ("max_price", "about five", 5, OPEN),
        ("code", 12, "12", EQUAL),
        ("sort", "closest", "near", OPEN),
        ("start", "9 am", "09:00", OPEN),
    ],
)
def test_outcomes(key: str, gold: Any, predicted: Any, found: ValueOutcome) -> None:
    assert outcome(key, gold, predicted) is found


def test_a_value_that_holds_everything_is_wrong() -> None:
    assert outcome("query", "sushi", "sushi or " * 1000) is WRONG


def test_a_schema_that_is_none_allows_everything() -> None:
    parts = {"type": "strin"}, {"$ref": "#/nowhere"}, {"$ref": "#/properties/a"}, {"format": "x", "pattern": "("}
    for broken in (*({"properties": {"a": part}} for part in parts), {"properties": 3}, None):
        tool = argument_schema(broken)
        assert compare("x", ["y"], tool, tool.of("a")).outcome is OPEN
        assert compare("x", "x", tool, tool.of("a")).outcome is EQUAL


@given(values, st.sampled_from([*SEARCH["properties"], "unknown"]))
def test_a_value_is_equal_to_itself(value: Any, key: str) -> None:
    assert outcome(key, value, value) is EQUAL


@given(values, values)
def test_equal_texts_are_equal_values_whichever_side(a: Any, b: Any) -> None:
    assert (canonical(a) == canonical(b)) == (outcome("unknown", a, b) is EQUAL)
    assert outcome("unknown", a, b) is outcome("unknown", b, a)
