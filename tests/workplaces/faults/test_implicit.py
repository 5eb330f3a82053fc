import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.workplaces.faults.content import touched
from worktrial.workplaces.faults.plan import FaultKind
from worktrial.workplaces.faults.transforms import (
    TRANSFORMS,
    Context,
    cut_lists,
    drop_fields,
    empty_values,
    mistake_value,
    serve_stale,
)
from worktrial.workplaces.signals import error_signals, is_error
from worktrial.workplaces.tools import Tool

NAMES = st.sampled_from(
    ["id", "order_id", "status", "error", "success", "total", "a/b", "name", "items", "", "P-1"]
)
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4) | st.floats(-9, 9)
VALUES = st.recursive(SCALARS, lambda v: st.lists(v, max_size=4) | st.dictionaries(NAMES, v, max_size=4))
OBSERVATIONS = st.dictionaries(NAMES, VALUES, max_size=6)
CONTEXTS = st.builds(
    lambda earlier, before, now: Context(earlier, (before, now)),
    st.lists(OBSERVATIONS, max_size=2),
    OBSERVATIONS,
    OBSERVATIONS,
)


def text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@given(OBSERVATIONS, st.integers(0, 10**6), CONTEXTS, st.sampled_from(list(TRANSFORMS)))
def test_whatever_a_transform_does(clean: dict[str, Any], seed: int, context: Context, kind: FaultKind) -> None:
    before = text([clean, list(context.earlier)])
    degraded = TRANSFORMS[kind](clean, Random(seed), context)
    assert text([clean, list(context.earlier)]) == before, "pure"
    assert degraded == TRANSFORMS[kind](clean, Random(seed), context), "deterministic"
    if degraded is None:
        return
    assert isinstance(degraded, dict)
    assert json.loads(json.dumps(degraded)) == degraded
    assert text(degraded) != text(clean), "really different"
    assert list(touched(clean, degraded))
    assert set(error_signals(degraded)) <= set(error_signals(clean)), "no sign of failure is added"


def shape(clean: Any, degraded: Any) -> None:
    """Every field of `clean` is still there, until a value is empty."""
    if degraded in (None, "", [], {}):
        return
    assert type(clean) is type(degraded)
    if isinstance(clean, dict):
        assert clean.keys() == degraded.keys()
        for key in clean:
            shape(clean[key], degraded[key])
    elif isinstance(clean, list):
        assert len(clean) == len(degraded)
        for one, other in zip(clean, degraded, strict=True):
            shape(one, other)
    else:
        assert clean == degraded


@given(OBSERVATIONS, st.integers(0, 10**6))
def test_emptied_values_keep_their_fields_and_whatever_identifies(clean: dict[str, Any], seed: int) -> None:
    degraded = empty_values(clean, Random(seed), Context())
    if degraded is not None:
        assert clean.keys() == degraded.keys()
        shape(clean, degraded)
        assert all(degraded[k] == clean[k] for k in ("id", "order_id", "error", "success", "status") if k in clean)


@given(OBSERVATIONS, st.integers(0, 10**6))
def test_dropped_fields_leave_the_rest_alone(clean: dict[str, Any], seed: int) -> None:
    degraded = drop_fields(clean, Random(seed), Context())
    if degraded is not None:
        assert degraded
        assert {"id", "order_id", "error", "success", "status"} & clean.keys() <= degraded.keys()
        assert [k for k in clean if k in degraded] == [*degraded]


ROWS = {
    "time": "10:00",
    "beds": [{"bed_id": f"B{n}", "area": "a", "free": n > 1, "tags": [1, 2, 3]} for n in range(4)],
}


def test_a_field_goes_from_all_rows_alike() -> None:
    for seed in range(40):
        degraded = drop_fields(ROWS, Random(seed), Context())
        assert degraded is not None
        assert len({tuple(bed) for bed in degraded.get("beds", [])}) <= 1
        assert all("bed_id" in bed for bed in degraded.get("beds", []))


def test_lists_are_cut_to_their_first_items_and_rows_stay_whole() -> None:
    lengths = set()
    for seed in range(40):
        degraded = cut_lists(ROWS, Random(seed), Context())
        assert degraded is not None
        lengths.add(len(degraded["beds"]))
        assert degraded == {**ROWS, "beds": ROWS["beds"][: len(degraded["beds"])]}
    assert lengths == {1, 2}
    assert cut_lists({"beds": [1], "more": {"x": []}}, Random(0), Context()) is None
    assert cut_lists({"beds": [1, 2]}, Random(0), Context()) == {"beds": [1]}


@pytest.mark.parametrize(
    "clean", [{}, {"order_id": "A-1"}, {"success": True, "status": "done"}, {"id": 1, "x": None}]
)
def test_what_must_not_be_lost_is_not_emptied(clean: dict[str, Any]) -> None:
    assert empty_values(clean, Random(0), Context()) is None


def test_an_echoed_argument_is_not_worth_losing() -> None:
    for seed in range(20):
        degraded = empty_values(
            {"topic": "holds", "text": "No."}, Random(seed), Context(arguments={"topic": "holds"})
        )
        assert degraded in ({"topic": "holds", "text": None}, {"topic": "holds", "text": ""})


def test_stale_is_the_newest_earlier_answer_that_differs() -> None:
    now = {"total": 3}
    assert serve_stale(now, Random(0), Context([{"total": 1}, {"total": 2}, {"total": 3}])) == {"total": 2}
    assert serve_stale(now, Random(0), Context([{"total": 3}])) is None
    assert serve_stale(now, Random(0), Context([{"error": "gone"}])) is None


def test_stale_shows_the_same_thing_as_before_the_last_write() -> None:
    before = {
        "beds": {"F3": {"status": "cleaning"}, "F1": {"status": "free"}},
        "orders": [{"order_id": "O-1", "n": 1}],
    }
    after = {"beds": {"F3": {"status": "free"}, "F1": {"status": "free"}}, "orders": [{"order_id": "O-1", "n": 2}]}
    context = Context(states=(before, after))
    rows = {"beds": [{"bed_id": "F1", "status": "free"}, {"bed_id": "F3", "status": "free"}]}
    assert serve_stale(rows, Random(0), context) == {
        "beds": [{"bed_id": "F1", "status": "free"}, {"bed_id": "F3", "status": "cleaning"}]
    }
    assert serve_stale({"order": {"order_id": "O-1", "n": 2}}, Random(0), context) == {
        "order": {"order_id": "O-1", "n": 1}
    }
    assert serve_stale({"order_id": "O-2", "n": 2}, Random(0), context) is None
    about = Context(states=context.states, arguments={"bed": "F3"})
    assert serve_stale({"status": "free"}, Random(0), about) == {"status": "cleaning"}


def test_a_list_that_grew_is_stale_without_its_new_item() -> None:
    context = Context(states=({"log": []}, {"log": ["x"]}))
    assert serve_stale({"log": ["x"]}, Random(0), context) == {"log": []}


@pytest.mark.parametrize(
    ("observation", "says"),
    [
        ({"error": "no"}, True),
        ({"errors": []}, False),
        ({"success": False}, True),
        ({"status": "error"}, True),
        ({"status": "failed", "machine": 3}, False),
        ({"rows": [{"error": "x"}]}, False),
        ([], False),
    ],
)
def test_what_counts_as_an_error(observation: Any, says: bool) -> None:
    assert is_error(observation) is says


ORDERS = {"orders": [{"order_id": "A-1", "status": "new", "total": 210, "placed_on": "2026-01-03", "gift": True}]}
OTHERS = {
    "orders": [{"order_id": "A-7", "status": "paid", "total": 95, "placed_on": "2026-02-09", "gift": False}],
    "customers": [{"customer_id": "C-4", "since": "2019-05-01"}],
}


def _mistaken(observation: dict[str, Any], *documents: dict[str, Any], **more: Any) -> set[tuple[str, Any]]:
    found = set()
    for seed in range(60):
        degraded = mistake_value(observation, Random(seed), Context(documents=lambda: documents, **more))
        assert degraded is not None
        (pointer,) = touched(observation, degraded)
        row = degraded["orders"][0]
        found.add((pointer.rpartition("/")[2], row[pointer.rpartition("/")[2]]))
    return found


def test_a_wrong_value_is_a_neighbour_from_the_same_workplace() -> None:
    assert _mistaken(ORDERS, OTHERS) == {
        ("order_id", "A-7"),
        ("status", "paid"),
        ("total", 95),
        ("placed_on", "2026-02-09"),
        ("gift", False),
    }


def test_without_a_neighbour_a_date_is_another_date_and_digits_change_places() -> None:
    found = _mistaken(ORDERS, {"customers": OTHERS["customers"]})
    assert found == {("placed_on", "2019-05-01"), ("total", 120), ("total", 201), ("gift", False)}


def test_choices_of_a_schema_are_neighbours() -> None:
    schema = {"type": "object", "properties": {"status": {"type": "string", "enum": ["new", "void"]}}}
    seen = {"orders": [{"status": "new"}]}
    assert _mistaken(seen, tools=[Tool("list_orders", "Lists.", schema)]) == {("status", "void")}


def test_an_identifier_is_wrong_everywhere_and_never_one_that_was_asked_for() -> None:
    seen = {"bed_id": "F3", "next": {"bed_id": "F3", "ward_id": "W-1"}}
    elsewhere = {"beds": [{"bed_id": "F9", "ward_id": "W-1"}]}
    context = Context(documents=lambda: [elsewhere])
    assert mistake_value(seen, Random(0), context) == {"bed_id": "F9", "next": {"bed_id": "F9", "ward_id": "W-1"}}
    asked = Context(arguments={"bed_id": "F3"}, documents=lambda: [elsewhere])
    assert mistake_value(seen, Random(0), asked) is None


def test_a_wrong_value_never_says_that_the_call_failed() -> None:
    for seed in range(20):
        context = Context(documents=lambda: [{"status": "error", "success": False}])
        assert mistake_value({"status": "shipped", "success": True}, Random(seed), context) is None


def test_in_a_long_text_one_number_is_wrong() -> None:
    text = "Stock of 20.5 litres is kept; a run takes 12 litres, and at most 45 wells are filled in one go."
    for seed in range(10):
        degraded = mistake_value({"text": text}, Random(seed), Context())
        assert degraded is not None and sorted(degraded["text"].split()) != sorted(text.split())
        assert len(set(degraded["text"].split()) ^ set(text.split())) <= 2
    assert (
        mistake_value(
            {"text": "Nobody is to be moved without the consent of the doctor in charge."}, Random(0), Context()
        )
        is None
    )


def test_what_a_thing_was_like_before_comes_from_the_same_thing() -> None:
    initial = {
        "lots": [
            {"lot_id": "L-1", "reagent_id": "R", "volume": 5},
            {"lot_id": "L-2", "reagent_id": "R", "volume": 9},
        ]
    }

    def stale(seen: dict[str, Any], **more: Any) -> Any:
        return serve_stale(seen, Random(0), Context(documents=lambda: [initial], **more))

    assert stale({"lot_id": "L-2", "reagent_id": "R", "volume": 4}) == {
        "lot_id": "L-2",
        "reagent_id": "R",
        "volume": 9,
    }
    assert stale({"lot_id": "L-3", "reagent_id": "R", "volume": 4}) is None
    assert stale({"volume": 4}, arguments={"lot_id": "L-1"}) == {"volume": 5}
    assert stale({"volume": 4}, arguments={}) is None
    assert stale({"lot_id": "L-2", "volume": 4}, writes=True) is None


def test_a_copy_that_lags_lacks_the_newest_entries() -> None:
    readings = [{"at": "2026-01-03T10:00", "mm": 1}, {"at": "2026-01-03T12:00", "mm": 2}]
    assert serve_stale({"readings": readings}, Random(0), Context()) == {"readings": readings[:1]}
    log = {"log": ["Note [2024-01-20]: sole source.", "Note [2024-02-05]: 15 days."]}
    assert serve_stale(log, Random(0), Context()) == {"log": log["log"][:1]}
    ahead = [{"due_date": "2026-01-03"}, {"due_date": "2026-02-03"}]
    assert serve_stale({"payments": ahead}, Random(0), Context()) is None
