"""Batches of episodes in the carrier: what is made once, what is made anew, and what is told of a change."""

from typing import Any

import msgspec
import pytest

from worktrial.workplaces.executable.inside import Bounds, Carrier, difference, with_difference

COUNTED = '''
"""A workplace that counts, outside of its state, how often it is called."""

import msgspec

from worktrial.workplaces.executable import ToolError, reads, writes

MADE = 0


class State(msgspec.Struct):
    """Everything."""

    notes: list[str]


def made() -> int:
    global MADE
    MADE += 1
    return MADE


@reads()
def look(state: State) -> dict[str, object]:
    """Look at the notes."""
    return {"made": made(), "notes": state.notes}


@writes()
def note(state: State, text: str) -> dict[str, object]:
    """Write a note.

    Args:
        text: What to write.
    """
    state.notes.append(text)
    if text == "no":
        raise ToolError("refused", "Not that.")
    return {"made": made()}
'''
STATE = {"notes": []}


@pytest.fixture
def carrier() -> Carrier:
    made = Carrier(Bounds(0))
    made.load("counted", {"tools": COUNTED}, STATE)
    return made


def seen(carrier: Carrier, *episodes: list[list[Any]]) -> list[list[Any]]:
    """Contents of the calls of each episode, all in one batch."""
    asked = [{"do": "episode", "state": 0, "calls": calls} for calls in episodes]
    return [[row[0] for row in told["value"]["seen"]] for told in carrier.answers("counted", asked, [STATE])]


def test_the_same_call_in_the_same_state_is_made_once_a_batch(carrier: Carrier) -> None:
    look, a, b = ["look", {}], ["note", {"text": "a"}], ["note", {"text": "b"}]
    first, second = seen(carrier, [look, a, look], [look, a, b])
    assert [row["made"] for row in first] == [1, 2, 3]
    assert [row["made"] for row in second] == [1, 2, 4]
    (again,) = seen(carrier, [look])
    assert again[0]["made"] == 5, "another batch asks anew, or chance would never show"


def test_a_refused_call_leaves_nothing_to_the_next(carrier: Carrier) -> None:
    refused, note, look = ["note", {"text": "no"}], ["note", {"text": "b"}], ["look", {}]
    (rows,) = seen(carrier, [look, refused, look, note, look])
    assert rows[1]["error"]["type"] == "refused"
    assert [row["notes"] for row in (rows[0], rows[2], rows[4])] == [[], [], ["b"]]


def test_states_beyond_the_bound_are_let_go_of(carrier: Carrier) -> None:
    grow = [["note", {"text": text * 1_200_000}] for text in "abc"]
    first, second = seen(carrier, grow, grow)
    assert [row["made"] for row in first] == [1, 2, 3]
    assert second[0]["made"] == 4, "together they are more than is kept"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (b'{"a":1,"b":{"c":2,"d":3}}', b'{"a":1,"b":{"c":2,"d":4}}', {"b": {"d": 4}}),
        (b'{"a":1.1,"b":{"c":2.50}}', b'{"a":1.10,"b":{"c":2.5}}', {}),
        (b'{"a":1}', b'{"a":true}', {"a": True}),
        (b'{"a":{"x":1}}', b'{"a":[1]}', {"a": [1]}),
        (b"{}", b'{"a":null}', {"a": None}),
    ],
)
def test_a_change_names_what_differs_and_nothing_else(before: bytes, after: bytes, told: dict[str, Any]) -> None:
    change = difference(before, after)
    flat = {**change["set"], **{name: inner["set"] for name, inner in change["in"].items()}}
    assert flat == told
    assert with_difference(msgspec.json.decode(before), change) == msgspec.json.decode(after)


def test_what_is_gone_is_told() -> None:
    change = difference(b'{"a":{"x":1,"y":2},"b":1}', b'{"a":{"x":1}}')
    assert with_difference({"a": {"x": 1, "y": 2}, "b": 1}, change) == {"a": {"x": 1}}
