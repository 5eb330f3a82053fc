"""A session of Python: state, results, limits, ends."""

import asyncio
from typing import Any

import psutil
import pytest
from tests.sandbox.sessions import in_session, needs_sandbox, result, results

from worktrial.language import JsonValue
from worktrial.sandbox import CallRefusal, PythonLimits, PythonResult, PythonSession

pytestmark = needs_sandbox


def test_state_lasts_and_the_last_expression_is_the_value() -> None:
    first, second, third = results(
        "x = [1, 2]\nprint('made')\nx", "x.append(3); sum(x)", "import math; pi = math.pi"
    )
    assert (first.stdout, first.value, first.error) == ("made\n", "[1, 2]", None)
    assert (second.stdout, second.value) == ("", "6")
    assert (third.value, third.error) == (None, None)


def test_errors_show_the_line_and_keep_what_was_made_before() -> None:
    failed, after, syntax, below = results("a = 5\nb = a / 0", "a", "def f(:", "import json\njson.loads('{')")
    assert failed.error is not None and "b = a / 0" in failed.error
    assert failed.error.endswith("ZeroDivisionError: division by zero")
    assert not failed.state_lost
    assert after.value == "5"
    assert syntax.error is not None and "SyntaxError" in syntax.error
    # Frames of libraries tell where this machine keeps them.
    assert below.error is not None and "json.loads('{')" in below.error and "JSONDecodeError" in below.error
    assert "json/decoder.py" not in below.error and below.error.count("File ") == 1


def test_both_streams_and_the_descriptors_are_shown() -> None:
    code = "import os, sys\nprint('out')\nprint('err', file=sys.stderr)\n_ = os.write(1, b'raw')"
    assert result(code).stdout == "out\nerr\nraw"


def test_a_logger_of_an_earlier_call_still_writes() -> None:
    setup = "import logging; logging.basicConfig(format='%(message)s')"
    assert results(setup, "logging.warning('seen')")[1].stdout == "seen\n"


def test_closing_the_streams_does_no_harm() -> None:
    closed, after, detached, again = results(
        "import sys; print('x'); sys.stdout.close()", "print(1)", "_ = sys.stdout.detach()", "print(2)"
    )
    assert closed.error is None and closed.stdout == "x\n"
    assert after.stdout == "1\n"
    assert detached.error is None
    assert again.stdout == "2\n"


def test_exit_keeps_the_session() -> None:
    left, after = results("y = 1\nimport sys\nsys.exit(3)", "y")
    assert left.error is not None and "SystemExit: 3" in left.error
    assert after.value == "1"


def test_output_keeps_its_beginning_and_end() -> None:
    limits = PythonLimits(output=1000)
    long = result("for n in range(100_000): print(n)", limits=limits)
    assert long.truncated
    assert long.stdout.startswith("0\n1\n") and long.stdout.endswith("99998\n99999\n")
    assert "left out" in long.stdout and len(long.stdout) < 1200
    value = result("'a' * 50_000 + 'b'", limits=limits)
    assert value.truncated and value.value is not None
    assert value.value.startswith("'aaa") and value.value.endswith("ab'") and len(value.value) < 1200


def test_numbers_libraries_are_there() -> None:
    value = result(
        "import numpy, scipy.optimize\nround(scipy.optimize.brentq(lambda x: x * x - 2, 0, 2), 6), "
        "numpy.linalg.solve(numpy.eye(2) * 2, numpy.ones(2)).tolist()"
    )
    assert value.error is None
    assert value.value == "(1.414214, [0.5, 0.5])"


def test_rounding_is_offered() -> None:
    assert result("from rounding import both\nboth('2.665', 2)").value == (
        "Rounded(half_up=Decimal('2.67'), half_even=Decimal('2.66'))"
    )


def test_a_call_that_loops_is_stopped_and_says_what_is_gone() -> None:
    _, looped, after = results("x = 1", "while True: pass", "'x' in dir()", limits=PythonLimits(seconds=0.5))
    assert looped.state_lost and looped.error is not None
    assert "TimeLimit" in looped.error and "0.5 seconds" in looped.error and "variables" in looped.error
    assert looped.seconds < 3
    assert after.value == "False"


def test_a_loop_that_swallows_everything_is_stopped() -> None:
    code = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    looped, after = results(code, "1", limits=PythonLimits(seconds=0.5))
    assert looped.state_lost
    assert after.value == "1"


def test_a_cancelled_call_ends_the_process_and_the_next_one_says_so() -> None:
    async def cancel(session: PythonSession) -> list[PythonResult]:
        await session.call("kept = 1")
        looping = asyncio.ensure_future(session.call("while True: pass"))
        await asyncio.sleep(0.3)
        looping.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looping
        return [await session.call("'kept' in dir()"), await session.call("1")]

    next_, later = in_session(cancel)
    assert next_.value == "False" and "cancelled" in next_.note and "variables" in next_.note
    assert later.note == ""


def test_sessions_run_side_by_side_and_know_nothing_of_each_other() -> None:
    async def four() -> list[PythonResult]:
        sessions = [PythonSession() for _ in range(4)]
        await asyncio.gather(
            *(s.call(f"mine = {n}; open('f', 'w').write('{n}' * {n})") for n, s in enumerate(sessions))
        )
        seen = await asyncio.gather(*(s.call("mine, open('f').read()") for s in sessions))
        await asyncio.gather(*(s.aclose() for s in sessions))
        return seen

    assert [r.value for r in asyncio.run(four())] == [f"({n}, {str(n) * n!r})" for n in range(4)]


def test_calls_of_one_session_wait_for_each_other() -> None:
    async def both(session: PythonSession) -> list[PythonResult]:
        first = session.call("import time; time.sleep(0.3); order = ['first']")
        return list(await asyncio.gather(first, session.call("order + ['second']")))

    assert in_session(both)[1].value == "['first', 'second']"


def test_offered_functions_are_carried_out_here() -> None:
    async def rows(sql: str) -> JsonValue:
        if "drop" in sql:
            raise CallRefusal("only reading")
        return [{"sql": sql}]

    async def ask(session: PythonSession) -> list[PythonResult]:
        return [await session.call("rows('select 1')[0]['sql']"), await session.call("rows('drop x')")]

    async def run() -> list[PythonResult]:
        session = PythonSession()
        session.offer("rows", rows)
        async with session:
            return await ask(session)

    answered, refused = asyncio.run(run())
    assert answered.value == "'select 1'"
    assert refused.error is not None and refused.error.endswith("RuntimeError: only reading")


def test_nothing_is_left_when_a_session_ends() -> None:
    async def end() -> list[psutil.Process]:
        me = psutil.Process()
        before = {p.pid for p in me.children(recursive=True)}
        async with PythonSession() as session:
            await session.call("1")
            inside = [p for p in me.children(recursive=True) if p.pid not in before]
            assert len(inside) == 2  # bubblewrap and the Python in it
            busy = asyncio.ensure_future(session.call("while True: pass"))
            await asyncio.sleep(0.2)
            busy.cancel()
        return inside

    _, alive = psutil.wait_procs(asyncio.run(end()), timeout=5)
    assert alive == []


def test_a_closed_session_refuses_calls() -> None:
    async def closed() -> None:
        session = PythonSession()
        await session.call("1")
        await session.aclose()
        await session.aclose()
        with pytest.raises(RuntimeError, match="closed"):
            await session.call("1")

    asyncio.run(closed())


def test_warm_calls_start_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    start = asyncio.create_subprocess_exec

    async def counted(*words: Any, **settings: Any) -> asyncio.subprocess.Process:
        started.append(words)
        return await start(*words, **settings)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", counted)
    assert [told.value for told in results("1", *["_ + 1"] * 50)][-1] == "51"
    assert len(started) == 1


def test_very_long_code_is_not_run() -> None:
    refused, after = results("x = '" + "a" * 1_000_001 + "'", "1")
    assert refused.error is not None and "CodeTooLong" in refused.error
    assert after.value == "1"
