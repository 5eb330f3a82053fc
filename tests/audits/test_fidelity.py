"""Fields of an answer beside those of the truth."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.audits.fidelity import FieldStatus, StateFidelity, compare, state_fidelity, with_unknown_ids
from worktrial.language import JsonObject

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def counts(truth: Any, simulated: Any) -> dict[str, int]:
    return {status.value: n for status, n in Counter(f.status for f in compare(truth, simulated)).items()}


@given(VALUES)
def test_a_value_equals_itself(value: Any) -> None:
    assert {f.status for f in compare(value, value)} == {FieldStatus.EQUAL}


@given(VALUES, VALUES)
def test_every_comparison_has_an_end_and_a_pointer(one: Any, other: Any) -> None:
    assert all(f.at == "" or f.at.startswith("/") for f in compare(one, other))


@pytest.mark.parametrize(
    ("truth", "simulated", "expected"),
    [
        (5, 5.0, {"equal": 1}),
        (0.0425, 0.0426, {"wrong": 1}),
        (1, True, {"wrong": 1}),
        (5, "5", {"wrong": 1}),
        ("two  words", " two words ", {"equal": 1}),
        ("2026-01-15T09:00", "2026-01-15T09:00:00", {"equal": 1}),
        ("2026-01-15T09:00", "2026-01-15T09:01", {"wrong": 1}),
        ({"a": 1, "b": None}, {"a": 1}, {"equal": 1, "missing": 1}),
        ({"a": 1}, {"a": 1, "c": [1, 2]}, {"equal": 1, "extra": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": "b and c"}, {"missing": 2, "extra": 1}),
        ({"a": {"b": 1}}, {"a": None}, {"missing": 1}),
        ([], [], {"equal": 1}),
        ([1, 2, 3], [1, 3], {"equal": 2, "missing": 1}),
        ([1, 2, 3], [1, 9, 3], {"equal": 2, "wrong": 1}),
    ],
)
def test_the_rules(truth: Any, simulated: Any, expected: dict[str, int]) -> None:
    assert counts(truth, simulated) == expected


def test_items_are_matched_by_what_identifies_them() -> None:
    truth = [{"bed_id": f"A{n}", "status": "free"} for n in range(4)]
    assert counts(truth, list(reversed(truth))) == {"equal": 8}
    assert counts(truth, truth[1:]) == {"equal": 6, "missing": 2}
    assert counts(truth, [*truth, {"bed_id": "Z9", "status": "free"}]) == {"equal": 8, "extra": 2}
    # Named alike, told apart by their time.
    sets = [{"name": "vitals", "taken_at": f"2026-01-15T09:0{n}"} for n in range(3)]
    assert counts(sets, sets[1:]) == {"equal": 4, "missing": 2}


def test_an_omitted_record_is_told_from_an_omitted_field() -> None:
    truth = {"beds": [{"bed_id": "A1", "free": True}, {"bed_id": "A2", "free": False}], "time": "now"}
    fields = compare(truth, {"beds": [{"bed_id": "A2"}]})
    astray = {f.at: f.in_record for f in fields if f.status is FieldStatus.MISSING}
    assert astray == {"/beds/0/bed_id": True, "/beds/0/free": True, "/beds/1/free": False, "/time": False}


def test_drift() -> None:
    initial = {"bed": None, "log": [], "queue": [{"id": "a", "n": 1}, {"id": "b", "n": 2}], "x": 1}
    true = {"bed": {"id": "B", "of": "a"}, "log": ["done"], "queue": [{"id": "b", "n": 2}], "x": 1}
    assert state_fidelity(initial, initial, initial) == StateFidelity(0, 0, 0)
    changes = state_fidelity(initial, true, true)
    assert changes.differing == 0 and changes.kept == changes.changed == 5
    forgotten = state_fidelity(initial, true, initial)
    assert forgotten.kept == 0 and forgotten.changed == forgotten.differing == 5
    beside_the_point = state_fidelity(initial, true, {**true, "x": 2})
    assert (beside_the_point.differing, beside_the_point.kept) == (1, 5)


def test_ids_that_nobody_has() -> None:
    arguments: JsonObject = {"case_id": "C-1", "id": "", "status": "open", "to_id": "D-2"}
    made = list(with_unknown_ids(arguments))
    assert [(m["case_id"], m["to_id"]) for m in made] == [("C-19", "D-2"), ("C-1", "D-29")]
    assert list(with_unknown_ids(["C-1"])) == []
