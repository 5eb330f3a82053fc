"""Mutants of rules."""

import ast
from collections import Counter

from tests.support.tool_hire.shop import FOLDER

from worktrial.synthesis.gates.mutation import Killed, mutants, survivors

SOURCE = (FOLDER / "tools.py").read_text("utf-8")


def test_mutants_are_drawn_by_the_seed() -> None:
    first, again, other = (mutants("tools.py", SOURCE, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert len(first) == len({one.source for one in first}) == 20


def test_each_differs_from_the_original_in_one_statement() -> None:
    plain = ast.unparse(ast.parse(SOURCE)).splitlines()
    for mutant in mutants("tools.py", SOURCE, most=60):
        lines = mutant.source.splitlines()
        gone, new = Counter(plain) - Counter(lines), Counter(lines) - Counter(plain)
        assert 1 <= max(gone.total(), new.total()) <= 3, mutant
        assert mutant.before != mutant.after
        assert SOURCE.splitlines()[mutant.line - 1].strip()


def test_kinds_take_turns() -> None:
    kinds = Counter(mutant.kind for mutant in mutants("tools.py", SOURCE))
    assert {"comparison", "and-or", "number", "dropped-guard", "ignored-argument", "dropped-effect"} <= kinds.keys()
    assert max(kinds.values()) <= 5


def test_what_is_no_rule_is_left_alone() -> None:
    quiet = '''
from typing import Annotated
def tool(state, page: Annotated[int, Meta(ge=1, le=9)] = 1):
    """Read page 1."""
    while page < 3:
        page += 1
    raise ToolError("no", f"{page + 7}")
'''
    assert mutants("tools.py", quiet) == []


def test_survivors_are_shown_where_fewer_than_nine_in_ten_are_noticed() -> None:
    drawn = mutants("tools.py", SOURCE)
    two = [Killed(mutant, "" if number < 2 else "E-1") for number, mutant in enumerate(drawn)]
    three = [Killed(mutant, "" if number < 3 else "E-1") for number, mutant in enumerate(drawn)]
    assert survivors("shop", two) == []
    shown = survivors("shop", three)
    assert [one.field for one in shown] == [f"tools.py:{mutant.line}" for mutant in drawn[:3]]
    assert drawn[0].before in shown[0].what and drawn[0].after in shown[0].what
    assert "17 of 20" in shown[0].what
