"""Bounded YAML: what is read, what is refused, and that nothing else ever happens."""

import json
from contextlib import suppress
from itertools import pairwise
from string import printable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import calls, growth

from worktrial.outside.yaml_nodes import BadYaml
from worktrial.outside.yaml_text import MAX_VALUES, load_yaml


def _value(text: str) -> object:
    return load_yaml(text, where="here").value


def test_plain_values_are_those_of_yaml_1_1() -> None:
    assert _value("a: 1\nb: [1.5, yes, ~, 'x', 010]\nc: |\n  two\n  lines\n") == {
        "a": 1,
        "b": [1.5, True, None, "x", 8],
        "c": "two\nlines\n",
    }
    assert _value("") is None


def test_what_json_cannot_hold_is_the_text_as_written() -> None:
    text = "day: 2025-08-01\ntime: 2025-08-01T10:00:00Z\nbytes: !!binary aGk=\nmost: .inf\n"
    assert _value(text) == {"day": "2025-08-01", "time": "2025-08-01T10:00:00Z", "bytes": "aGk=", "most": ".inf"}
    assert _value("5: a\nyes: b\n2025-08-01: c") == {"5": "a", "yes": "b", "2025-08-01": "c"}
    assert _value(f"[{2**64}, {2**64 - 1}, {-(2**63)}]") == [str(2**64), 2**64 - 1, -(2**63)]


def test_duplicate_keys_are_reported_and_the_last_one_wins() -> None:
    found = load_yaml("a: 1\nsteps:\n- x: 1\n- {x: 1, x: 2, 'x': 3}\na: 2\n", where="here")
    assert found.value == {"a": 2, "steps": [{"x": 1}, {"x": 3}]}
    assert found.duplicates == ("a", "steps[1].x", "steps[1].x")


def test_honest_aliases_and_merges_are_fine() -> None:
    found = load_yaml("base: &b {x: 1, y: 2}\none: *b\ntwo: {<<: *b, y: 3}\n", where="here")
    assert found.value == {"base": {"x": 1, "y": 2}, "one": {"x": 1, "y": 2}, "two": {"x": 1, "y": 3}}
    assert found.duplicates == ()
    assert found.value["base"] is not found.value["one"]


def _bomb() -> str:
    letters = "abcdefghij"
    lines = [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in pairwise(letters)]
    return "\n".join(["a: &a [x, x, x, x, x, x, x, x, x, x]", *lines])


def _merge_bomb() -> str:
    lines = [f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 10)}]}}" for n in range(1, 10)]
    return "\n".join(["m0: &m0 {x: 1, y: 2}", *lines])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (_bomb(), "100000 values"),
        (_merge_bomb(), "100000 values"),
        ("&a [*a]", "part of"),
        ("&a {b: [*a]}", "part of"),
        ("- &a0 [x]\n" + "".join(f"- &a{n} [*a{n - 1}]\n" for n in range(1, 100)), "64 levels"),
        ("[" * 200_000, "64 levels"),
        ("{" * 200_000, "64 levels"),
        ("- " * 100_000, "64 levels"),
        ("- a\n" * 150_000, "100000 values"),
        ("x" * 1_000_001, "characters"),
        ("1" + ":59" * 100_000, "number without end"),
        ("9" * 5000, "digits"),
        ("a: b: c", "line 1, column 5"),
        ("a: b\n---\nc", "another document"),
        ("*missing", "undefined alias"),
        ("? [a]\n: b", "collection as a key"),
        ("!!set {a}", "no plain value"),
        ("!!python/object/apply:os.getcwd []", "no plain value"),
        ('!!python/name:os.getcwd ""', "constructor"),
        ("day: 2025-02-30", "day"),
        ('n: !!int ""', "not YAML"),
        ("b: !!bool maybe", "not YAML"),
        ("t: !!timestamp soon", "not YAML"),
        ("<<: 3", "merging"),
        ("a: \x00", "not YAML"),
        ("\ud800", "not YAML"),
    ],
)
def test_refused_at_once_and_with_a_reason(text: str, why: str) -> None:
    def read() -> None:
        with pytest.raises(BadYaml, match=why) as caught:
            load_yaml(text, where="EN/1.yaml, step 3")
        assert str(caught.value).startswith("EN/1.yaml, step 3: ")
        assert "\n" not in caught.value.why

    # As many as a list of too many values takes, a node for each.
    assert calls(read) < 7 * MAX_VALUES


@pytest.mark.parametrize("piece", ["[", "{", "- ", "- a\n", "a: &b [*b]\n", "1:59", ":59", "9"])
def test_what_is_refused_takes_time_in_proportion_at_most(piece: str) -> None:
    texts = {n: "1" * (piece == ":59") + piece * n for n in (25_000, 100_000)}

    def read(n: int) -> None:
        with suppress(BadYaml):
            load_yaml(texts[n], where="here")

    assert growth(read, 25_000) < 8


def test_a_bound_of_the_caller_is_kept() -> None:
    with pytest.raises(BadYaml, match="2 levels"):
        load_yaml("[[[1]]]", where="here", max_depth=2)
    assert load_yaml("[[1]]", where="here", max_depth=2).value == [[1]]
    with pytest.raises(BadYaml, match="3 values"):
        load_yaml("[1, 2, 3]", where="here", max_values=3)
    with pytest.raises(BadYaml, match="more than the 4"):
        load_yaml("[1,2]", where="here", max_chars=4)


def test_the_reference_parser_refuses_the_tabs_that_libyaml_takes() -> None:
    text = "{a:\t1}"
    assert _value(text) == {"a": 1}
    with pytest.raises(BadYaml):
        load_yaml('"a"\t: 1', where="here", reference=True)


_PIECES = st.sampled_from(
    [*"abc019:-[]{}#&*!|>'\"%@`,?~=<. \n\t", ": ", "- ", "<<: ", "&a ", "*a", "!!int ", "!!set ", "!!timestamp ",
     "2025-13-45", "---\n", "...\n", ".nan", "0x", "1:59", "\ufeff", "\x85", "\ud800", "\x00"]
)  # fmt: skip


@given(
    st.one_of(st.lists(_PIECES, max_size=40).map("".join), st.text(max_size=60), st.text(printable, max_size=60))
)
def test_any_text_is_json_able_or_bad_yaml(text: str) -> None:
    for reference in (False, True):
        try:
            value = load_yaml(text, where="here", reference=reference).value
        except BadYaml:
            continue
        json.dumps(value, allow_nan=False)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(_JSON)
def test_what_pyyaml_writes_is_read_back(value: object) -> None:
    import yaml

    assert _value(yaml.safe_dump(value)) == value
