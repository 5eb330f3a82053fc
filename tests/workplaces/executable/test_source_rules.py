import asyncio
import gc
import sys
import threading

import pytest
from tests.workplaces.executable.ledger import DRAW, TOOLS

from worktrial.synthesis.prompting import PROMPTS
from worktrial.workplaces.executable.code import CodeWorkplace
from worktrial.workplaces.executable.runner import TrustedRunner
from worktrial.workplaces.executable.source_rules import (
    MOST_MODULES,
    MOST_NODES,
    MOST_SOURCE,
    module_faults,
    parsed,
    source_faults,
)


def test_a_workplace_may_be_written() -> None:
    assert source_faults({"tools": TOOLS, "draw": DRAW}) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import os", "line 1: imports os"),
        ("from os import path", "imports path from os"),
        ("from .nowhere import x", "imports x from .nowhere"),
        ("from ..tools import x", "imports x from ..tools"),
        ("import tools", "write `from .tools import …`"),
        ("from tools import x", "write `from .tools import …`"),
        ("import random", "imports random"),
        ("from random import choice", "imports choice from random"),
        ("from math import *", "imports *"),
        ("def f():\n    import math", "line 2: imports inside a function"),
        ("def f():\n    return open('x')", "uses open"),
        ("def f(x):\n    return [id for id in x] + [id(x)]", "line 2: uses id"),
        ("class A:\n    id: str\n    place: int = id(3)", "uses id"),
        ("def f(x):\n    return (lambda: hash(x))()", "uses hash"),
        ("def f(d):\n    return d.today()", "asks the machine for the time"),
        ("def f(Random):\n    return Random()", "give it a seed"),
        ("def f(x=[]):\n    return x", "a default that lasts"),
        ("def f():\n    global x", "Global"),
        ("async def f():\n    pass", "AsyncFunctionDef"),
        ("def f():\n    try:\n        pass\n    except:\n        pass", "catches everything"),
        ("def f():\n    try:\n        pass\n    except BaseException:\n        pass", "catches everything"),
        ("print('x')", "only imports, constants, classes and functions"),
        ("x = (", "is no Python"),
        ("nonlocal x", "only imports, constants, classes and functions"),
        ("x = '" + "a" * MOST_SOURCE + "'", "characters"),
        ("x = [" + "1," * MOST_NODES + "]", "parts"),
        ("x = " + "(" * 5_000 + ")" * 5_000, "is no Python"),
        ("x = '\0'", "is no Python"),
    ],
)
def test_what_no_workplace_needs_is_refused(source: str, said: str) -> None:
    assert any(said in fault for fault in module_faults(source, {"tools": ""})), module_faults(source)


@pytest.mark.parametrize(
    "source",
    [
        "from random import Random\n\ndef f(random: Random):\n    return random.random() + Random(3).gauss()",
        "class A:\n    today: str\n\ndef f(a: A) -> str:\n    return a.today",
        "from . import tools",
        "from .tools import State",
        "def f(x):\n    for id in x:\n        yield {id: lambda: id}\n    return [vars for vars in x]",
        "class A:\n    id: str\n\ndef f(id: str, *, hash: str) -> A:\n    return A(id + hash)",
        "LIMIT = 7\n'''Days.'''",
        "import msgspec\n\ndef f(x: msgspec.Struct) -> None:\n    x.status = 'OPEN'",
    ],
)
def test_what_workplaces_need_is_not(source: str) -> None:
    assert module_faults(source, {"tools": ""}) == []


def test_a_folder_has_so_many_modules() -> None:
    assert "modules" in source_faults({f"m{n}": "" for n in range(MOST_MODULES + 1)})[0]


def test_a_list_that_may_be_left_out_has_the_default_that_authors_are_told() -> None:
    prompt = (PROMPTS / "author_tools.j2").read_text("utf-8")
    told = "names: tuple[str, ...] = ()"
    assert told in prompt and "never `[]`" in prompt
    tool = '''
from msgspec import Struct
from worktrial.workplaces.executable import reads

class State(Struct):
    clock: str

@reads()
def count(state: State, names: tuple[str, ...] = ()) -> dict[str, object]:
    """Count names.

    Args:
        names: Any.
    """
    return {"count": len(names)}
'''
    assert told in tool and module_faults(tool) == []
    assert "a default that lasts" in module_faults(tool.replace("= ()", "= []"))[0]
    home = CodeWorkplace.build(
        "counter", {"tools": tool}, system_prompt="", initial_state={"clock": "2031-01-01"}, runner=TrustedRunner()
    )
    (known,) = home.artifact.tools
    assert known.parameters["properties"]["names"]["type"] == "array"
    assert "names" not in known.parameters.get("required", [])
    assert asyncio.run(home.open().call("count", {"names": ["a", "b"]})).content == {"count": 2}
    assert asyncio.run(home.open().call("count", {})).content == {"count": 0}


class _Cycle:
    """Rubbish whose end takes a while, so that the collector lets other threads on in the midst of a tree."""

    def __init__(self) -> None:
        self.self = self

    def __del__(self) -> None:
        sum(range(2_000))


def test_threads_may_read_code_at_the_same_time() -> None:
    nested = "(" * 60 + "x" + " + 1)" * 60
    source = f"def f(x):\n    return {nested}\n" * 20
    failed: list[SystemError] = []

    def work() -> None:
        for _ in range(15):
            _ = [_Cycle() for _ in range(50)]
            try:
                parsed(source)
            except SystemError as e:
                failed.append(e)

    interval, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    try:
        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*thresholds)
    assert not failed
