"""Code that is refused before it is run."""

import msgspec
import pytest
from tests.synthesis.drafts import workplace
from tests.synthesis.twin.twins import GOOD, twin

from worktrial.synthesis.artifacts import ToolDraft
from worktrial.synthesis.twin.source import MOST_SOURCE, faults, tidy

TOOLS = workplace().tools


def test_plain_functions_are_let_through() -> None:
    assert faults(GOOD, TOOLS) == []
    more = twin(
        "from datetime import date\nday = date.fromisoformat('2026-03-02')\n"
        "return {'due': str(day), 'all': sorted(x for x in state['parcels'])}",
        top="from __future__ import annotations\nimport json, re\nfrom decimal import Decimal\n"
        "RATE: Decimal = Decimal('0.19')",
    )
    assert faults(more, TOOLS) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (twin("import os\nreturn {}"), "imports os"),
        (twin("from os import path\nreturn {}"), "imports from os"),
        (twin("from statistics import random\nreturn {}"), "imports random"),
        (twin("from json import *\nreturn {}"), "imports *"),
        (twin("import statistics\nreturn statistics.sys.modules"), "uses .modules"),
        (twin("return eval('1')"), "uses eval"),
        (twin("return open('x')"), "uses open"),
        (twin("return __import__('os')"), "uses __import__"),
        (twin("return ().__class__"), "uses .__class__"),
        (twin("import math\nmath.pi = 3\nreturn {}"), "changes an attribute"),
        (
            twin("from datetime import datetime\nreturn {'at': str(datetime.now())}"),
            "asks the machine for the time",
        ),
        (twin("global X\nreturn {}"), "Global"),
        (twin("class A: pass\nreturn {}"), "ClassDef"),
        (twin("return {}", top="while True: pass"), "outside of functions"),
        (twin("return {}", top="print(1)"), "outside of functions"),
        ("def (", "no Python"),
        ("x = '\0'", "no Python"),
        ("x = " + "-" * 20000 + "1", "no Python"),
        ("x = a" + ".b" * 10000, "no Python"),
        ("x = 1\n" * MOST_SOURCE, "characters"),
        ("x = [" + "1," * 14000 + "]", "parts"),
        (GOOD.replace("def hand_out", "def give"), "there is no function hand_out"),
        (GOOD.replace("hand_out(state, /, parcel_id)", "hand_out()"), "its first parameter"),
        (GOOD.replace("hand_out(state, /, parcel_id)", "hand_out(state)"), "does not take the argument parcel_id"),
        (GOOD.replace("hand_out(state, /, parcel_id)", "hand_out(state, /, parcel_id, by)"), "by needs a default"),
        (GOOD.replace("def hand_out", "@staticmethod\ndef hand_out"), "has a decorator"),
    ],
)
def test_the_rest_is_refused_with_a_reason(source: str, said: str) -> None:
    assert any(said in fault for fault in faults(source, TOOLS)), faults(source, TOOLS)


def test_arguments_may_be_named_as_the_state_or_left_out() -> None:
    properties = {"state": {"type": "string"}, "note": {"type": "string"}}
    tool = ToolDraft(
        name="set_state",
        description="Set it.",
        parameters={"type": "object", "properties": properties, "required": ["state"]},
        example_output={},
        writes=True,
    )
    assert faults("def set_state(state, /, *, state_=1, **more): return {}", [tool]) == []
    assert faults("def set_state(world, state, note=None): return {}", [tool]) == []
    [said] = faults("def set_state(world, state, note): return {}", [tool])
    assert "note needs a default" in said
    named = msgspec.structs.replace(tool, parameters={"type": "object", "properties": {"state": {}}})
    [said] = faults("def set_state(state, **more): return {}", [named])
    assert "write `/` after it" in said


def test_code_is_tidied_only_where_that_changes_nothing() -> None:
    assert tidy("\n\ndef f():   \n    return 1\n\n\n") == "def f():\n    return 1\n"
    kept = 'X = """a   \nb"""\n'
    assert tidy(kept) == kept
    assert (tidy(""), tidy("def ("), tidy("X = '\\d'  ")) == ("", "def (", "X = '\\d'\n")
