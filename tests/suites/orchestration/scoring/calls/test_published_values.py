from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.suites.orchestration.scoring.calls.steps import SCHEMAS, answer, call, compared, gold_calls, score

from worktrial.suites.orchestration.planning.turns import ValueCase
from worktrial.suites.orchestration.scoring.calls.published import PublishedStepScore
from worktrial.suites.orchestration.scoring.calls.published_calls import Calls
from worktrial.suites.orchestration.scoring.calls.published_values import Counts, as_text, compare

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(st.text(max_size=6), json_values, max_size=4)


def reason(key: str, gold: Any, predicted: Any, tool: str = "book") -> str:
    values = compared({key: gold}, {key: predicted}, tool).values
    assert values is not None
    return values.settled[0].reason if values.settled else "judge"


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [(5, "5"), (True, "True"), (None, "None"), ([1, 2], [2, 1]), ({"a": 1, "b": [3, 2]}, {"b": [2, 3], "a": "1"})],
)
def test_equal_as_text(gold: Any, predicted: Any) -> None:
    assert reason("price", gold, predicted) == "exact_comparison"


@pytest.mark.parametrize(
    ("key", "gold", "predicted", "why"),
    [
        ("room", "12", "twelve", "judge"),
        ("room", "12", ["12"], "judge"),
        ("guests", 2, "two", "type_mismatch"),
        ("guests", 2, " 3 ", "judge"),
        ("guests", 2, 2.0, "type_mismatch"),
        ("price", 5, 5.0, "type_mismatch"),
        ("view", "sea", "Sea", "enum_exact_comparison"),
        ("extras", ["bed"], ["crib"], "enum_exact_comparison"),
        ("phone", "555-1234", "5551234", "pattern_mismatch"),
        ("phone", "555-1234", "555-1235", "judge"),
        ("note", "late", "early", "judge"),
        ("unknown", 1, 2, "judge"),
    ],
)
def test_stages(key: str, gold: Any, predicted: Any, why: str) -> None:
    assert reason(key, gold, predicted) == why


def test_types_are_those_of_the_predicted_tool() -> None:
    wrong_tool = score(answer(call("cancel", {"guests": "two"})), gold_calls(("book", {"guests": 2})))
    assert wrong_tool.values is not None
    assert len(wrong_tool.values.open) == 1


def test_a_case_has_the_values_that_differ_as_compact_json() -> None:
    gold = gold_calls(
        ("book", {"room": "12", "refinedQuery": "room 12"}),
        ("book", {"room": {"b": 1, "a": "é"}, "refinedQuery": "room é"}),
    )
    step = answer(call("book", {"room": "12"}), call("book", {"room": "thirteen"}), call("book", {"room": "B"}))
    values = score(step, gold).values
    assert values is not None
    (key,) = values.open
    assert key.case == ValueCase("book", "room", ('{"a":"é","b":1}',), ('"B"', '"thirteen"'), "room 12 room é")
    assert key.confirmed == 1
    # Two predicted values against one gold value: a judge that is for them pairs one. What both sides have in
    # common is forgotten.
    assert key.counts(1.0) == Counts(1, 1, 0)
    assert key.counts(0.25) == Counts(0.25, 1.75, 0.75)
    assert key.counts(None) == key.counts(0.0) == Counts(0, 2, 1)


@pytest.mark.parametrize("key", ["broken", "typed", "pattern"])
def test_a_schema_that_the_published_program_cannot_read(key: str) -> None:
    found: PublishedStepScore = compared({key: "a"}, {key: "b"}, "odd")
    assert found.error is None
    assert found.values is None
    assert found.undecidable
    assert found.key == 1.0


@given(arguments)
def test_equal_calls_are_right(given_arguments: dict[str, Any]) -> None:
    calls = Calls(("book",), {key: [value] for key, value in given_arguments.items()})
    values = compare(calls, calls, SCHEMAS, context="")
    assert not values.open
    assert (values.counts(None).fp, values.counts(None).fn) == (0, 0)


@given(arguments, arguments, st.floats(0, 1), st.floats(0, 1))
def test_more_judges_for_it_never_lower_the_score(
    gold: dict[str, Any], predicted: dict[str, Any], share: float, more: float
) -> None:
    values = compare(
        Calls(("book",), {key: [value] for key, value in gold.items()}),
        Calls(("book",), {key: [value] for key, value in predicted.items()}),
        SCHEMAS,
        context="",
    )
    cases = [key.case for key in values.open]
    low, high = sorted((share, more))
    lower, higher = (values.counts(dict.fromkeys(cases, s)).f1 for s in (low, high))
    assert 0 <= lower <= higher + 1e-12 <= 1 + 1e-9


@given(json_values)
def test_text_does_not_depend_on_the_order_of_keys(value: Any) -> None:
    def turned(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: turned(part[key]) for key in reversed(list(part))}
        return [turned(item) for item in part] if isinstance(part, list) else part

    assert as_text(turned(value)) == as_text(value)
