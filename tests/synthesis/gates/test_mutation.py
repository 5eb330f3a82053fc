"""Mutants of rules."""

import ast
import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from tests.support.tool_hire.shop import FOLDER, shop

from worktrial.source_trees import parsed
from worktrial.synthesis.gates.catalogue import known_calls
from worktrial.synthesis.gates.door import Door, Probe, Probed
from worktrial.synthesis.gates.mutation import Killed, Mutant, mutants, survivors, tried
from worktrial.synthesis.gates.work import carry_out

SOURCE = (FOLDER / "tools.py").read_text("utf-8")


def test_mutants_are_drawn_by_the_seed() -> None:
    first, again, other = (mutants("tools.py", SOURCE, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert len(first) == len({one.source for one in first}) == 20


def test_each_differs_from_the_original_in_one_statement() -> None:
    plain = ast.unparse(parsed(SOURCE)).splitlines()
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


def test_calls_that_never_come_to_a_changed_statement_are_not_made_again_and_nobody_notices_less(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Counter[bool]()
    subject, probe = shop(), Door.probe
    door = subject.door

    async def counted(self: Door, probes: Sequence[Probe]) -> list[Probed]:
        made[self is door] += len(probes)
        return await probe(self, probes)

    async def killers() -> list[str]:
        works = await carry_out(door, [(task.plan_alone, task.initial_state) for task in subject.tasks])
        known = known_calls(door, subject.expectations, subject.starts, subject.tasks, works)
        drawn = mutants("tools.py", SOURCE, most=10)
        # Three expectations alone, so that tasks and bad calls have their turn.
        few, sound = subject.expectations[:3], list(zip(subject.tasks, works, strict=True))
        return [one.by for one in await tried(door, drawn, few, subject.starts, sound, known)]

    monkeypatch.setattr(Door, "probe", counted)
    covered, asked = asyncio.run(killers()), made[False]
    monkeypatch.setattr(Mutant, "is_in", lambda self, lines: True)
    made.clear()
    assert asyncio.run(killers()) == covered
    assert any(by.startswith("hire") for by in covered), "tasks had their turn"
    assert asked < made[False] * 3 / 4


def test_statements_that_run_on_import_are_within_reach_of_every_call() -> None:
    source = (
        "LIMIT = min(3, 4)\n\n\ndef rule(value):\n    if value > 3:\n        raise ValueError\n    return value\n"
    )
    found = {mutant.kind: mutant for mutant in mutants("rules.py", source)}
    assert found["min-max"].is_in(frozenset())
    guard = found["dropped-guard"]
    assert not guard.is_in(frozenset({("rules.py", 7), ("tools.py", 5)}))
    assert guard.is_in(frozenset({("rules.py", 5)})) and guard.is_in(None)


def test_survivors_are_shown_where_fewer_than_nine_in_ten_are_noticed() -> None:
    drawn = mutants("tools.py", SOURCE)
    two = [Killed(mutant, "" if number < 2 else "E-1") for number, mutant in enumerate(drawn)]
    three = [Killed(mutant, "" if number < 3 else "E-1") for number, mutant in enumerate(drawn)]
    assert survivors("shop", two) == []
    shown = survivors("shop", three)
    assert [one.field for one in shown] == [f"tools.py:{mutant.line}" for mutant in drawn[:3]]
    assert drawn[0].before in shown[0].what and drawn[0].after in shown[0].what
    assert "17 of 20" in shown[0].what
