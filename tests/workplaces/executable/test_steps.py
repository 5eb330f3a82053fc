"""Steps that code takes are counted alike on every machine, and counting changes nothing else."""

import asyncio
import traceback
from typing import Any

import pytest
from tests.sandbox.sessions import needs_sandbox

from worktrial.workplaces.executable.code import CodeWorkplace
from worktrial.workplaces.executable.runner import SandboxedRunner, TrustedRunner
from worktrial.workplaces.executable.steps import TICK, OutOfSteps, counted, steps


def taken(source: str, most: int = 10_000) -> int:
    """Steps that a module takes, up to a bound."""
    count = steps()
    count.leave(most)
    exec(counted(source, "module.py"), {TICK: count.tick})
    return most - count.leave(0)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1", 0),
        ("for x in range(7): pass", 7),
        ("for x in range(7):\n    continue\nelse:\n    x = 1", 7),
        ("x = 5\nwhile x:\n    x -= 1", 5),
        ("x = [y for y in range(6)]", 6),
        ("x = {y for y in range(6)}", 6),
        ("x = {y: 1 for y in range(6) if y % 2}", 6),
        ("x = [y for x in range(3) for y in range(4)]", 15),
        ("x = sum(y for y in range(6))", 6),
        ("def f():\n    'Doc.'\nf()\nf()", 2),
        ("def f(n):\n    return n and f(n - 1)\nf(4)", 5),
        ("f = lambda: None\nf()", 1),
        ("x = sorted(range(5), key=lambda y: -y)", 5),
        ("x = list(map(lambda y: y, range(5)))", 5),
        ("class A:\n    def __init__(self):\n        pass\nA()\nA()", 2),
        ("def f():\n    yield from (1, 2)\n    yield 3\nx = list(f())", 1),
        ("def f():\n    for x in range(3):\n        yield x\nlist(f())", 4),
    ],
)
def test_each_call_and_each_turn_is_one_step(source: str, expected: int) -> None:
    assert taken(source) == expected
    if expected:
        assert taken(source, expected) == expected
        with pytest.raises(OutOfSteps):
            taken(source, expected - 1)


def test_what_is_out_of_steps_stays_so() -> None:
    stubborn = "while True:\n    try:\n        while True:\n            pass\n    except Exception:\n        pass"
    with pytest.raises(OutOfSteps):
        taken(stubborn)
    late = "try:\n    while True:\n        pass\nfinally:\n    for x in range(9):\n        pass"
    with pytest.raises(OutOfSteps):
        taken(late)


def test_counted_code_is_the_same_code() -> None:
    source = (
        "def area(width, *, height=2):\n"
        '    """Square metres."""\n'
        "    total = 0\n"
        "    def add():\n"
        "        nonlocal total\n"
        "        total += width * height\n"
        "    add()\n"
        "    pick = (lambda a, *b, c=3: (a, b, c))(1, 2)\n"
        "    return total, pick, {k: v for k, v in zip('ab', (1, 2)) if v > 1}\n"
        "def fails(rows):\n"
        "    for row in rows:\n"
        "        row / 0\n"
    )
    plain: dict[str, Any] = {}
    exec(source, plain)
    under: dict[str, Any] = {TICK: steps().tick}
    exec(counted(source, "module.py"), under)
    assert under["area"](3) == plain["area"](3) == (6, (1, (2,), 3), {"b": 2})
    assert under["area"].__doc__ == "Square metres." and under["area"].__kwdefaults__ == {"height": 2}
    with pytest.raises(ZeroDivisionError) as raised:
        under["fails"]([1])
    (at,) = [frame.lineno for frame in traceback.extract_tb(raised.tb) if frame.filename == "module.py"]
    assert at == 12


def test_nesting_that_python_reads_is_counted() -> None:
    assert taken("x = " + "+".join("1" * 600)) == 0
    assert taken("x = " + "[" * 60 + "]" * 60) == 0


TOOLS = '''
import msgspec
from worktrial.workplaces.executable import reads

class State(msgspec.Struct, kw_only=True):
    clock: str = ""
    claims: dict[str, dict[str, str]] = {}

TABLE = [n for n in range(1_900_000)]

@reads(turns=1)
def turn(state: State, turns: int) -> dict[str, object]:
    """Turn so often.

    Args:
        turns: How often.
    """
    for n in range(turns):
        pass
    return {"turned": turns}
'''


def made(runner: SandboxedRunner | TrustedRunner) -> CodeWorkplace:
    return CodeWorkplace.build(
        "mill",
        {"tools": TOOLS},
        system_prompt="Turn.",
        initial_state={"clock": "2031-05-20", "claims": {}},
        state_description={"clock": "The date.", "claims": "None."},
        runner=runner,
    )


@needs_sandbox
def test_a_call_has_so_many_steps_whatever_came_before_it() -> None:
    from worktrial.workplaces.executable.code import ScriptedEpisode

    home = made(SandboxedRunner())
    # The function's own call is one step; what the import of the module took is not counted to the first call.
    most = 2_000_000 - 1
    batch = [ScriptedEpisode(home.artifact.initial_state, [("turn", {"turns": n})]) for n in (most, most + 1) * 2]
    done = asyncio.run(home.episodes(batch))
    assert [one.failure is None for one in done] == [True, False, True, False]
    failures = {str(one.failure) for one in done if one.failure is not None}
    assert len(failures) == 1
    assert "mill.turn: tools.py, line 18: took more than 2,000,000 steps" in failures.pop()


def test_trusted_code_is_not_counted() -> None:
    from worktrial.workplaces.executable.code import ScriptedEpisode

    home = made(TrustedRunner())
    (done,) = asyncio.run(
        home.episodes([ScriptedEpisode(home.artifact.initial_state, [("turn", {"turns": 2_000_001})])])
    )
    assert done.failure is None and done.calls[0].content == {"turned": 2_000_001}
