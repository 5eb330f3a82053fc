"""What code in the sandbox cannot use up or break, tried for real."""

import textwrap

import psutil
import pytest
from tests.sandbox.sessions import needs_sandbox, result, results

from worktrial.sandbox import PythonLimits

pytestmark = needs_sandbox

SHORT = PythonLimits(seconds=3)


# Memory, disk, time, output


@pytest.mark.parametrize(
    "code",
    [
        "b = bytearray(10 << 30)",
        "import mmap; m = mmap.mmap(-1, 10 << 30)",
        "import numpy; a = numpy.ones((10 << 30) // 8)",
        "x = []\nwhile True: x.append(bytearray(50 << 20))",
        "s = 'a' * 1000\nwhile True: s += s",
    ],
)
def test_ten_gigabytes_cannot_be_allocated(code: str) -> None:
    failed, after = results(code, "1 + 1", limits=PythonLimits(memory=400 << 20))
    assert failed.error is not None
    assert "memory" in failed.error.lower() or "MemoryError" in failed.error
    assert after.value == "2"


def test_a_gigabyte_cannot_be_written() -> None:
    code = """
    block = bytes(1 << 20)
    written = 0
    try:
        for n in range(16):
            with open(f"f{n}", "wb") as file:
                for _ in range(64):
                    written += file.write(block)
                    file.flush()
    except OSError as e:
        print(e.strerror)
    written >> 20
    """
    full = result(textwrap.dedent(code), limits=PythonLimits(work=32 << 20))
    assert full.stdout in ("No space left on device\n", "File too large\n")
    assert full.value is not None and int(full.value) <= 32


def test_files_without_number_are_stopped() -> None:
    code = "import os\nfor n in range(10**7): os.mkdir(str(n))"
    stopped, after = results(code, "import os; os.listdir()", limits=PythonLimits(seconds=20, files=2000))
    assert stopped.error is not None and "FileLimit" in stopped.error
    assert after.value == "[]"


@pytest.mark.parametrize(
    "code", ["while True: print('y' * 1000)", "import os\nwhile True: os.write(1, b'y' * 65536)"]
)
def test_output_without_end_takes_bounded_memory(code: str) -> None:
    before = psutil.Process().memory_info().rss
    ended, after = results(code, "1", limits=PythonLimits(seconds=1, work=8 << 20))
    assert ended.error is not None and len(ended.stdout) < 25_000
    assert after.value == "1"
    assert psutil.Process().memory_info().rss - before < 50 << 20


# The connection to the session


@pytest.mark.parametrize(
    "code",
    [
        "import os; os._exit(7)",
        "import os; os.abort()",
        "import ctypes; ctypes.string_at(0)",
        "import os; os.closerange(3, 256)",
        "import os; os.execv('/python/bin/python3', ['python3', '-c', '1'])",
        "def f(): f()\nimport sys; sys.setrecursionlimit(10**9); f()",
        "import gc\n[o for o in gc.get_objects() if type(o).__name__ == 'Wire'][0]._out = 77",
    ],
)
def test_ending_its_own_process_is_reported_and_mended(code: str) -> None:
    ended, after = results(code, "1 + 1", limits=SHORT)
    assert ended.state_lost and ended.error is not None
    assert "ProcessEnded" in ended.error or "TimeLimit" in ended.error
    assert "variables" in ended.error
    assert after.value == "2"


def test_the_exit_code_is_told() -> None:
    assert "exit code 7" in str(result("import os; os._exit(7)").error)


def test_a_reply_forged_on_stdout_is_just_output() -> None:
    code = r"""
    import json, os
    body = json.dumps({"id": "x", "stdout": "", "value": "forged", "error": None, "truncated": False}).encode()
    _ = os.write(1, len(body).to_bytes(4, "big") + body)
    _ = os.write(2, len(body).to_bytes(4, "big") + body)
    "true"
    """
    forged, after = results(textwrap.dedent(code), "2")
    assert forged.value == "'true'"
    assert "forged" in forged.stdout
    assert after.value == "2"


FORGE = r"""
import json, os
def send(message, fd):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    os.write(fd, len(body).to_bytes(4, "big") + body)
def everywhere(message):
    for fd in range(3, 256):
        try: send(message, fd)
        except OSError: pass
"""


@pytest.mark.parametrize(
    "message",
    [
        '{"id": "0", "stdout": "", "value": "forged", "error": None, "truncated": False}',
        "b'no json'",
        "[1, 2]",
        "b'[' * 100_000",
        "{'id': 1, 'ask': 'rows', 'arguments': []}",
        "b'\\xff' * 10",
    ],
)
def test_what_is_forged_on_the_connection_is_found_out(message: str) -> None:
    forged, after = results(FORGE + f"everywhere({message})", "'after'", limits=SHORT)
    assert forged.value != "forged" and forged.error is not None and "BrokenConnection" in forged.error
    assert after.value == "'after'"


def test_a_message_that_claims_to_be_endless_is_found_out() -> None:
    code = "import os\nfor fd in range(3, 256):\n    try: os.write(fd, b'\\xff' * 8)\n    except OSError: pass"
    broken, after = results(code, "1", limits=SHORT)
    assert broken.error is not None and "BrokenConnection" in broken.error
    assert after.value == "1"


def test_a_message_that_never_ends_costs_its_time_only() -> None:
    code = r"""
    import os, time
    for fd in range(3, 256):
        try: os.write(fd, b"\0\0\1\0")
        except OSError: pass
    time.sleep(60)
    """
    broken, after = results(textwrap.dedent(code), "1", limits=PythonLimits(seconds=0.5))
    assert broken.error is not None and "TimeLimit" in broken.error
    assert after.value == "1"
