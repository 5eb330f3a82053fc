"""A twin at work in the real sandbox, and what it cannot do there even when nobody has read its code."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.synthesis.drafts import workplace
from tests.synthesis.twin.twins import GOOD, calls, needs_sandbox, twin

from worktrial.synthesis.checks.case import playable
from worktrial.synthesis.twin.session import LIMITS, BrokenTwin, SandboxedTwin
from worktrial.workplaces import Origin

pytestmark = needs_sandbox

P1 = {"parcel_id": "P-1"}
_NOISE = """
import os
for fd in range(3, 200):
    try:
        os.write(fd, b"x" * 50)
    except OSError:
        pass
return {}
"""


def test_reads_and_writes_on_a_state_that_lasts() -> None:
    read, written, again = calls(GOOD, ("get_parcel", P1), ("hand_out", P1), ("get_parcel", P1))
    assert read[0] == {"parcel_id": "P-1", "status": "shelved", "holder": "Ana Ruiz"}
    assert written[0] == {"parcel_id": "P-1", "status": "handed_out"}
    assert again[0]["status"] == "handed_out"
    assert read[1] == workplace().initial_state
    assert again[1] == written[1] == {"parcels": {"P-1": {"status": "handed_out", "holder": "Ana Ruiz"}}}


def test_what_cannot_be_called_never_reaches_it() -> None:
    async def run() -> list[Origin]:
        async with SandboxedTwin(playable(workplace()), GOOD) as session:
            made = [("drop", {}), ("get_parcel", {}), ("get_parcel", {"parcel_id": "P-1", "why": 1})]
            return [(await session.call(tool, given)).origin for tool, given in made]

    assert asyncio.run(run()) == [Origin.REFUSAL] * 3


def test_a_read_and_a_refused_write_leave_the_state_as_it_was() -> None:
    [(_, state)] = calls(twin("state['parcels'].clear()\nreturn {'ok': True}"), ("get_parcel", P1))
    assert state == workplace().initial_state
    fails = GOOD.replace('parcel["status"] = "handed_out"', 'parcel["status"] = "x"\n    return {"error": "no"}')
    [(said, state)] = calls(fails, ("hand_out", P1))
    assert (said, state) == ({"error": "no"}, workplace().initial_state)


def test_nothing_is_kept_between_calls_but_the_state() -> None:
    counts = twin("SEEN.append(1)\nreturn {'seen': len(SEEN)}", top="SEEN = []")
    assert [said for said, _ in calls(counts, ("get_parcel", P1), ("get_parcel", P1))] == [{"seen": 1}] * 2


def test_a_list_stands_under_result_and_odd_texts_survive() -> None:
    [(said, _)] = calls(twin("return ['Å', '\\u2028', \"it's\", '\\U0001f4e6']"), ("get_parcel", P1))
    assert said == {"result": ["Å", "\u2028", "it's", "\U0001f4e6"]}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return state['letters']", "KeyError: 'letters'"),
        ("return 5", "neither an object nor a list"),
        ("return {'share': float('nan')}", "Out of range float"),
        ("return {'when': {1, 2}}", "not JSON serializable"),
        ("return {'half': '\\ud800'}", "no JSON"),
        ("state['me'] = state\nreturn {}", "Circular reference"),
        ("x = []\nfor _ in range(10**5): x = [x]\nreturn x", "RecursionError"),
        ("import json\njson.dumps = lambda *a, **k: '[1]'\nreturn {}", "something else than an answer"),
    ],
)
def test_what_is_no_answer(body: str, said: str) -> None:
    with pytest.raises(BrokenTwin, match=said):
        calls(twin(body), ("get_parcel", P1))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return {'it': open('/etc/passwd').read()}", "FileNotFoundError"),
        ("import os\nreturn {'it': os.listdir('/proc')}", "FileNotFoundError"),
        ("import os\nreturn {'it': os.listdir(os.environ['REAL_HOME'])}", "KeyError"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 80))\nreturn {}", "Operation not permitted"),
        ("import os\nreturn {'pid': os.fork()}", "Operation not permitted"),
        ("import subprocess\nsubprocess.run(['/bin/true'])\nreturn {}", "PermissionError|FileNotFoundError"),
        ("import threading\nthreading.Thread(target=print).start()\nreturn {}", "can't start new thread"),
        ("x = bytearray(10**9)\nreturn {}", "MemoryError"),
        ("x = []\nwhile True: x.append('y' * 10**6)", "MemoryError"),
        ("open('a', 'w').write('x' * 10**7)\nreturn {}", "OSError|SIGXFSZ|File size"),
        ("import os\nos._exit(0)", "ProcessEnded"),
        ("import ctypes\nreturn {'x': ctypes.string_at(0).decode()}", "ProcessEnded"),
        ("import sys\nsys.exit(1)", "SystemExit"),
        (_NOISE, "BrokenConnection"),
    ],
)
def test_escapes_end_in_a_refusal_with_a_reason(body: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REAL_HOME", str(Path.home()))
    with pytest.raises(BrokenTwin, match=said) as refused:
        calls(twin(body), ("get_parcel", P1))
    assert "get_parcel: " in refused.value.detail
    assert "\n" not in refused.value.detail


@pytest.mark.parametrize(
    "body",
    [
        "while True: pass",
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
        "import re\nre.match(r'(a+)+$', 'a' * 60 + 'b')",
        "return {'x': 9 ** 9 ** 9}",
    ],
)
def test_an_endless_loop_is_stopped(body: str) -> None:
    with pytest.raises(BrokenTwin, match="TimeLimit"):
        calls(twin(body), ("get_parcel", P1), limits=replace(LIMITS, seconds=0.7))


def test_the_episode_goes_on_after_a_call_that_brought_its_process_down() -> None:
    source = twin("import os\nif parcel_id == 'P-9': os._exit(1)\nreturn {'fine': True}")

    async def run() -> tuple[str, object, object]:
        async with SandboxedTwin(playable(workplace()), source) as session:
            await session.call("hand_out", P1)
            with pytest.raises(BrokenTwin) as broken:
                await session.call("get_parcel", {"parcel_id": "P-9"})
            return broken.value.detail, (await session.call("get_parcel", P1)).content, session.state

    said, content, state = asyncio.run(run())
    assert "ProcessEnded" in said
    assert content == {"fine": True}
    assert state == {"parcels": {"P-1": {"status": "handed_out", "holder": "Ana Ruiz"}}}


def test_nothing_of_it_runs_here() -> None:
    [(said, _)] = calls(
        twin("import os\nreturn {'pid': os.getpid(), 'home': os.environ['HOME']}"), ("get_parcel", P1)
    )
    assert said["pid"] != os.getpid()
    assert said["home"] == "/work"
