"""The life of the process that serves the embedded model."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from tests.support.local_model import chat, small_file

from worktrial.engine.local.catalogue import LocalFile
from worktrial.engine.local.serve import LocalModel, physical_cores
from worktrial.errors import SettingError

pytestmark = [pytest.mark.local_model, pytest.mark.timeout(600)]

HELLO = [{"role": "user", "content": "Say hello."}]


@contextmanager
def _holder() -> Iterator["subprocess.Popen[str]"]:
    """A process that serves the small model, in a process group of its own."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.support.local_model_holder"],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=Path(__file__).parents[3],
    ) as holder:
        try:
            yield holder
        finally:
            holder.kill()


def _line(holder: "subprocess.Popen[str]") -> str:
    assert holder.stdout is not None
    return holder.stdout.readline().strip()


def _gone(pid: int, within: float) -> bool:
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


def test_the_server_dies_with_a_killed_parent() -> None:
    with _holder() as holder:
        server = int(_line(holder))
        assert psutil.pid_exists(server)
        holder.kill()
        assert _gone(server, within=5)


def test_ctrl_c_reaches_the_run_but_not_the_server() -> None:
    with _holder() as holder:
        server = int(_line(holder))
        os.killpg(holder.pid, signal.SIGINT)
        assert _line(holder) == "200"
        assert _line(holder) == "stopped"
        assert _gone(server, within=1)


def test_a_crashed_server_comes_back_at_the_same_address_with_the_same_key(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def crash_and_ask() -> tuple[int, int, int | None]:
        async with LocalModel(small_file()) as model:
            first, address = model.pid, model.base_url
            assert first is not None
            os.kill(first, signal.SIGSEGV)
            status = await asyncio.to_thread(_ask_until_answered, address, model.api_key)
            assert model.pid != first
            assert model.base_url == address
            second, restarts = model.pid, model.restarts
        return status, restarts, second

    with caplog.at_level(logging.WARNING):
        status, restarts, second = asyncio.run(crash_and_ask())
    assert (status, restarts) == (200, 1)
    assert second is not None
    with pytest.raises(ProcessLookupError):
        os.kill(second, 0)
    assert "restarted, 1 of 3" in caplog.text


def _ask_until_answered(base_url: str, api_key: str) -> int:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            reply = chat(base_url, api_key, messages=HELLO, max_tokens=2)
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
            continue
        # While the model loads again, the server answers 503, which a client retries.
        if reply.status != 503:
            return reply.status
        time.sleep(0.1)
    raise AssertionError("the server did not come back")


def test_the_key_is_in_no_process_list_and_threads_do_not_spin() -> None:
    async def look() -> None:
        async with LocalModel(small_file()) as model:
            server = psutil.Process(model.pid)
            assert model.api_key not in " ".join(server.cmdline())
            assert model.api_key not in str(server.environ())
            assert server.environ()["GOMP_SPINCOUNT"] == "0"
            listening = {c.laddr.ip for c in server.net_connections(kind="tcp") if c.status == psutil.CONN_LISTEN}
            assert listening == {"127.0.0.1"}

    asyncio.run(look())


def test_a_file_that_is_no_model_is_an_error_with_the_servers_last_words(tmp_path: Path) -> None:
    async def serve(file: Path) -> None:
        async with LocalModel(LocalFile("broken", file)):
            raise AssertionError("it must not start")

    file = tmp_path / "broken.gguf"
    file.write_bytes(b"this is not a model" * 100)
    with pytest.raises(SettingError, match=r"broken did not start .*last words: .+base_url"):
        asyncio.run(serve(file))


def test_a_start_that_takes_too_long_ends_the_server() -> None:
    async def serve() -> None:
        async with LocalModel(small_file(), start_seconds=0.05):
            raise AssertionError("it must not start")

    before = set(psutil.Process().children())
    with pytest.raises(SettingError, match="not ready within"):
        asyncio.run(serve())
    assert set(psutil.Process().children()) <= before


def test_the_cores_that_count_are_within_this_machine() -> None:
    assert 1 <= physical_cores() <= (os.cpu_count() or 1)
