"""Batches of episodes in the carrier: what is made once, what is made anew, and what is told of a change."""

from typing import Any

import msgspec
import pytest

from worktrial.workplaces.executable.inside import Bounds, Carrier, difference, serve, with_difference

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
STATE: dict[str, Any] = {"notes": []}
EMPTY = msgspec.json.encode(STATE)


@pytest.fixture
def carrier() -> Carrier:
    made = Carrier(Bounds(0))
    made.load("counted", {"tools": COUNTED}, STATE)
    return made


def seen(carrier: Carrier, *episodes: list[list[Any]]) -> list[list[Any]]:
    """Contents of the calls of each episode, all in one batch."""
    asked = [{"do": "episode", "state": 0, "calls": calls} for calls in episodes]
    return [[row[0] for row in told["value"]["seen"]] for told in carrier.answers("counted", asked, [EMPTY])]


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


def test_lines_that_run_are_told_for_each_episode_by_itself_and_those_of_an_import_for_all() -> None:
    tools = COUNTED.replace("MADE = 0\n", "MADE = 0\n\n\ndef first() -> int:\n    return 1\n\n\nONE = first()\n")
    line = {text.strip(): number for number, text in enumerate(tools.splitlines(), 1)}
    made = Carrier(Bounds(0))
    made.load("lines", {"tools": tools}, STATE)
    look, note = ["look", {}], ["note", {"text": "a"}]
    asked = [{"do": "covered", "state": 0, "calls": calls} for calls in ([look], [look, note], [note], [])]
    told = [answer["value"]["tools"] for answer in made.answers("lines", asked, [EMPTY])]
    looked, noted = line['return {"made": made(), "notes": state.notes}'], line["state.notes.append(text)"]
    assert [(looked in one, noted in one) for one in told] == [
        *((True, False), (True, True)),
        *((False, True), (False, False)),
    ]
    assert all(line["return 1"] in one for one in told)
    assert line['raise ToolError("refused", "Not that.")'] not in told[1]
    broken = [{"do": "covered", "state": 0, "calls": [["note", {"text": 5}], ["look", {}]]}]
    assert next(made.answers("lines", broken, [b'{"notes":7}']))["failure"] == "misfit"


def test_states_are_sent_to_a_process_once_and_those_that_are_gone_are_asked_for_no_more(carrier: Carrier) -> None:
    def message(states: list[str], gone: list[str], **new: dict[str, Any]) -> str:
        look = [{"do": "episode", "state": place, "calls": [["look", {}]]} for place in range(len(states))]
        sent = {"load": {}, "key": "counted", "requests": look, "states": states, "gone": gone, "new": new}
        return msgspec.json.encode(sent).decode()

    def notes(text: str) -> list[list[str]]:
        answers = msgspec.json.decode(serve(carrier, text, lambda piece: None))
        return [answer["value"]["seen"][0][0]["notes"] for answer in answers]

    assert notes(message(["one", "two"], [], one={"notes": ["1"]}, two={"notes": ["2"]})) == [["1"], ["2"]]
    assert notes(message(["two", "one", "two"], [])) == [["2"], ["1"], ["2"]]
    assert notes(message(["three"], ["one"], three={"notes": []})) == [[]]
    assert carrier.kept.keys() == {"two", "three"}


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
