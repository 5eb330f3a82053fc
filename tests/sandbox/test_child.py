"""Processes of our own: spoken to, and ended with all that they have started."""

import asyncio
import os
import sys
from multiprocessing.connection import wait

import psutil
import pytest

from worktrial.sandbox.child import BrokenWire, Child, ChildGone, StartFailure, WaitingChild

FRAME = """
import sys, struct, time, json
def say(b):
    sys.stdout.buffer.write(struct.pack('>I', len(b)) + b)
    sys.stdout.flush()
"""
READY = f"{FRAME}say(b'{{}}')\n"
STARTS_ANOTHER = "import subprocess\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
ECHO = "while True:\n n = struct.unpack('>I', sys.stdin.buffer.read(4))[0]\n say(sys.stdin.buffer.read(n))\n"


async def started(code: str, most: int = 1000) -> Child:
    return await Child.start([sys.executable, "-c", code], env=dict(os.environ), most=most)


def test_messages_go_both_ways_until_it_is_killed() -> None:
    async def talk() -> None:
        child = await started(READY + ECHO)
        await child.ready(60)
        await child.send({"a": ["ü", 1]})
        assert await child.receive() == {"a": ["ü", 1]}
        child.kill()
        with pytest.raises(ChildGone):
            await child.receive()
        await child.gone()
        assert child.code == -9

    asyncio.run(talk())


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("say(b'x' * 2000)", "2,000 bytes"),
        ("say(b'nonsense')", "no JSON"),
        ("say(b'[' * 900)", "no JSON"),
        ("say(b'[1]')", "no JSON object"),
    ],
)
def test_what_is_no_message_is_refused(code: str, message: str) -> None:
    async def listen() -> None:
        child = await started(f"{READY}{code}\ntime.sleep(600)")
        await child.ready(60)
        try:
            with pytest.raises(BrokenWire, match=message):
                await child.receive()
        finally:
            child.kill()
            await child.gone()

    asyncio.run(listen())


def test_a_start_that_fails_is_told_apart_from_silence() -> None:
    async def fail(code: str, seconds: float) -> StartFailure:
        child = await started(code)
        with pytest.raises(StartFailure) as failure:
            await child.ready(seconds)
        assert child.code is not None
        return failure.value

    ended = asyncio.run(fail("import sys; sys.exit('no database')", 60))
    assert ended.said is not None and "no database" in ended.said
    assert asyncio.run(fail("import time; time.sleep(600)", 0.2)).said is None


def test_a_child_takes_along_what_it_has_started() -> None:
    async def kill() -> psutil.Process:
        child = await started(f"{FRAME}{STARTS_ANOTHER}say(json.dumps({{'pid': p.pid}}).encode())\ntime.sleep(600)")
        grandchild = psutil.Process((await child.receive())["pid"])
        child.kill()
        await child.gone()
        return grandchild

    assert _is_over(asyncio.run(kill()))


def test_a_waiting_child_takes_along_what_it_has_started() -> None:
    child = WaitingChild(
        [sys.executable, "-c", f"{FRAME}{STARTS_ANOTHER}say(str(p.pid).encode())\ntime.sleep(600)"],
        env=dict(os.environ),
    )
    grandchild = psutil.Process(int(child.receive(100)))
    child.end()
    assert _is_over(grandchild)


def test_a_waiting_child_says_how_it_ended() -> None:
    child = WaitingChild(
        [sys.executable, "-c", f"{FRAME}say(b'first')\nsys.exit('the last words')"], env=dict(os.environ)
    )
    assert wait([child.fileno()], 60) == [child.fileno()]
    assert child.receive(100) == b"first"
    with pytest.raises(ChildGone):
        child.receive(100)
    # Nobody reads it any more: that shows when the answer is waited for.
    child.send(b"x" * 1_000_000)
    assert child.farewell(60) == (1, "the last words")


def _is_over(process: psutil.Process) -> bool:
    _, alive = psutil.wait_procs([process], timeout=30)
    # Whoever takes over orphans here may leave them unburied.
    return all(one.status() == psutil.STATUS_ZOMBIE for one in alive)
