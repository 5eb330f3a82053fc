import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.suites.orchestration.scoring.calls.team import call

from worktrial.suites.orchestration.scoring.calls.calls import MOST_NESTED, Call, read_calls

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def read(made: Any) -> Call:
    (found,) = read_calls([made])
    return found


def test_arguments() -> None:
    assert read(call("search", {"query": "a", "n": 1.5})) == Call("search", {"query": "a", "n": 1.5})
    assert read({"function": {"name": "search", "arguments": {"query": "a"}}}).arguments == {"query": "a"}
    for nothing in ("", " ", None):
        assert read({"function": {"name": "ping", "arguments": nothing}}) == Call("ping", {})


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("{query: a}", "not JSON"),
        ('{"query": NaN}', "not JSON"),
        ('{"query": ' + "9" * 5000 + "}", "not JSON"),
        ('{"query": ' + "[" * 100_000, "not JSON"),
        ('{"query": ' + "[" * 100 + "]" * 100 + "}", "nested deeper"),
        ("[1]", "not a JSON object"),
        ('"text"', "not a JSON object"),
    ],
)
def test_arguments_that_are_none(arguments: str, problem: str) -> None:
    found = read(call("search", arguments))
    assert (found.tool, found.arguments) == ("search", None)
    assert problem in found.problem


def test_depth_is_bounded_exactly() -> None:
    def nested(levels: int) -> Any:
        return {"a": nested(levels - 1)} if levels else 1

    assert read(call("search", json.dumps(nested(MOST_NESTED)))).arguments is not None
    assert read(call("search", json.dumps(nested(MOST_NESTED + 1)))).arguments is None


@given(st.lists(anything))
def test_nothing_raises_and_every_call_counts(calls: list[Any]) -> None:
    assert len(read_calls(calls)) == len(calls)
