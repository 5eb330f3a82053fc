import json
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.workplaces.faults.content import digest

scalars = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
)
json_values = st.recursive(
    scalars | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_storing_changes_nothing(value: object) -> None:
    assert digest(msgspec.json.decode(msgspec.json.encode(value))) == digest(value)
    assert digest(json.loads(json.dumps(value))) == digest(value)


def _slowly(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@given(json_values)
def test_the_quick_way_is_that_of_canonical_json(value: object) -> None:
    assert digest(value) == _slowly(value)


@pytest.mark.parametrize(
    "value", [1e16, 1e-5, 1.234e-05, 0.0001, -0.0, 2**64, float("nan"), None, [None], "1e5", "\ud800"]
)
def test_numbers_that_are_written_otherwise(value: object) -> None:
    assert digest(value) == _slowly(value)


def test_is_the_agreed_one() -> None:
    assert digest({"b": [1, None], "a": "베드"}) == sha256('{"a":"베드","b":[1,null]}'.encode()).hexdigest()[:16]


def test_tells_contents_apart() -> None:
    contents = [{}, [], None, "", 0, False, {"a": 1}, {"a": True}, {"a": "1"}, {"a": [1, 2]}, {"a": [2, 1]}]
    assert len({digest(content) for content in contents}) == len(contents)
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})


def test_a_lone_surrogate_has_a_digest() -> None:
    assert digest({"a": json.loads('"\\ud800"')}) != digest({"a": "?"})
