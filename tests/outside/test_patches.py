"""JSON Patch of somebody else: what it does is what the library does, and it makes no gigabytes."""

from copy import deepcopy
from typing import Any

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonpointer import JsonPointerException

from worktrial.outside.patches import MOST_OPERATIONS, BadPatch, patched

PLACES = st.sampled_from(["/a", "/b", "/a/b", "/b/0", "/b/-", "/a/b/c", "", "/nowhere/x"])
VALUES = st.sampled_from([1, "x", None, {}, {"b": {"c": 1}}, [], [1, 2]])
OPERATIONS = st.one_of(
    st.builds(lambda op, path, value: {"op": op, "path": path, "value": value}, st.sampled_from(["add", "replace"]),
              PLACES, VALUES),
    st.builds(lambda path: {"op": "remove", "path": path}, PLACES),
    st.builds(lambda op, start, path: {"op": op, "from": start, "path": path}, st.sampled_from(["copy", "move"]),
              PLACES, PLACES),
)  # fmt: skip


@given(st.lists(OPERATIONS, max_size=5))
def test_it_does_what_the_library_does_and_leaves_value_and_patch_alone(patch: list[Any]) -> None:
    value = {"a": {"b": {"c": 1}}, "b": [1, {"x": 2}]}
    kept = deepcopy([value, patch])
    try:
        theirs = jsonpatch.apply_patch(deepcopy(value), deepcopy(patch))
    except (jsonpatch.JsonPatchException, JsonPointerException, TypeError, KeyError, IndexError, AttributeError):
        with pytest.raises(BadPatch):
            patched(value, patch)
    else:
        assert patched(value, patch) == theirs
    assert [value, patch] == kept


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ([{"op": "copy", "from": "/a", "path": f"/a/{n}"} for n in range(30)], "copies more than 4,194,304 bytes"),
        ([{"op": "copy", "from": "/b", "path": "/b" * (2**n + 1)} for n in range(7)], "nests more than 100 levels"),
        ([{"op": "test", "path": "/a", "value": 1}] * (MOST_OPERATIONS + 1), "1,001 operations"),
        ([{"op": "copy", "path": "/c"}], "from"),
        ([{"op": "remove", "path": "/nowhere"}], "nowhere"),
    ],
)
def test_what_would_hurt_is_refused(patch: list[Any], why: str) -> None:
    with pytest.raises(BadPatch, match=why):
        patched({"a": {"x": "y" * 100}, "b": {"b": {}}}, patch)
