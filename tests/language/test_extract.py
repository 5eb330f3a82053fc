"""The one JSON object in a reply."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worktrial.language import NotOneObject, one_object

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=12)
VALUES = st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=5), v, max_size=3)
)
OBJECTS = st.dictionaries(st.text(max_size=8), VALUES, max_size=4)
PROSE = st.text(st.characters(exclude_characters="{}[]"), max_size=30)


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here it is:\n```json\n{"a": 1}\n```', {"a": 1}),
        ('I will use <observation> as told. <observation>{"a": 1}</observation>', {"a": 1}),
        ('{"a": 1} and again {"a": 1}', {"a": 1}),
        ('{"a": {"b": 2}}', {"a": {"b": 2}}),
    ],
)
def test_it_is_found(reply: str, found: object) -> None:
    assert one_object(reply) == found


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ('[{"a": 1}]', "list"),
        ('See [{"a": 1}]', "no complete JSON object"),
        ('"{}"', "string"),
        ("null", "null"),
        ("no", "no complete JSON object"),
        ('{"a": 1', "no complete JSON object"),
        ('{"a": 1} or {"a": 2}', "2 different JSON objects"),
        ("[" * 100_000, "nested too deeply|no complete"),
        ('{"a": [' * 400 + "1, " * 100_000, "too many broken beginnings"),
        ('{"a": [' * 400 + '"' + "x" * 100_000, "too many broken beginnings"),
    ],
)
def test_there_is_none(reply: str, why: str) -> None:
    with pytest.raises(NotOneObject, match=why):
        one_object(reply)


@given(OBJECTS, PROSE, PROSE)
def test_prose_around_an_object_changes_nothing(value: dict[str, object], before: str, after: str) -> None:
    assert one_object(f"- {before}{json.dumps(value)}{after}") == value
