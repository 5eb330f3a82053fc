"""One process of a session: started, spoken to, watched, ended."""

import asyncio
import contextlib
import json
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from worktrial.archive.sandbox.command import (
    ARCHIVE,
    WORK,
    environment,
    filter_pipe,
    in_the_open,
    locked_in,
    why_not_started,
)
from worktrial.archive.sandbox.limits import PythonLimits
from worktrial.archive.sandbox.syscalls import syscall_filter
from worktrial.archive.sandbox.unavailable import SandboxUnavailable
from worktrial.archive.sandbox.wire import BrokenWire, read_message, write_message
from worktrial.language import JsonObject, JsonValue

Offered = Callable[..., Awaitable[JsonValue]]
"""A function that code in the session can call and that is carried out here; its result must be JSON."""


class Refused(Exception):
    """An offered function cannot do what it was asked; the message reaches the code as a RuntimeError."""


class Ended(Exception):
    """The process is gone; the message says how it went."""


_START_SECONDS = 20
_REAP_SECONDS = 5


class Setup(NamedTuple):
    """What a process is started with."""

    limits: PythonLimits
    archive: Path | None
    offered: Mapping[str, Offered]
    unsafe: bool


class Process:
    """A Python that carries out calls."""

    def __init__(self, child: asyncio.subprocess.Process, setup: Setup, *, made: str | None = None) -> None:
        assert child.stdin is not None and child.stdout is not None
        self._child = child
        self._to, self._from = child.stdin, child.stdout
        self._setup = setup
        # A folder of ours that was made for it; without a sandbox only.
        self._made = made
        # The process in the sandbox, and its work folder, open; None without a sandbox.
        self._inside: int | None = None
        self._work: int | None = None
        # JSON writes a character in up to six bytes, and there are three texts.
        self._most = 20 * setup.limits.output + (1 << 20)

    @classmethod
    async def start(cls, setup: Setup) -> "Process":
        """Start one and wait until it is ready.

        Raises:
            SandboxUnavailable: it does not start.
        """
        return await (_start_open(setup) if setup.unsafe else _start_locked(setup))

    async def run(self, code: str) -> JsonObject:
        """Carry out one call; cancelling leaves it running.

        Raises:
            Ended: the process is gone.
            BrokenWire: something else than the process's own code has written to the connection.
        """
        # Nobody knows it before the call, so code of an earlier call cannot have answered already.
        number = secrets.token_hex(8)
        try:
            await write_message(self._to, {"id": number, "code": code, "offered": list(self._setup.offered)})
            while True:
                message = await read_message(self._from, self._most)
                if message.get("id") != number:
                    raise BrokenWire("a message that answers no call")
                if "ask" not in message:
                    return message
                await write_message(self._to, await self._serve(message))
        except (asyncio.IncompleteReadError, ConnectionError):
            raise Ended(await self._farewell()) from None

    def files(self) -> int:
        """Files and folders that the work folder holds now; 0 where they need not be counted."""
        if self._work is None:
            return 0
        told = os.fstatvfs(self._work)
        return told.f_files - told.f_ffree

    def kill(self) -> None:
        """End it and all it has started, at once."""
        with contextlib.suppress(ProcessLookupError):
            if self._inside is not None:
                # bubblewrap, which is left alone, clears it away and ends, too.
                signal.pidfd_send_signal(self._inside, signal.SIGKILL)
            else:
                self._kill_all()

    async def gone(self) -> None:
        """Kill it and wait until it is gone."""
        self.kill()
        # What it left in the pipes must be taken out before the event loop lets go of them.
        with contextlib.suppress(TimeoutError):
            # Without a sandbox, something that it started and that got away may hold them open.
            await asyncio.wait_for(self._from.read(), _REAP_SECONDS)
        if self._child.returncode is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._child.wait(), _REAP_SECONDS)
        self._kill_all()
        self._to.close()
        for kept in (self._inside, self._work):
            if kept is not None:
                os.close(kept)
        self._inside = self._work = None
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)

    async def greet(self) -> None:
        """Wait until it is ready.

        Raises:
            SandboxUnavailable: it ended, or says nothing.
        """
        try:
            async with asyncio.timeout(_START_SECONDS):
                await read_message(self._from, self._most)
        except (asyncio.IncompleteReadError, ConnectionError, BrokenWire):
            self.kill()
            assert self._child.stderr is not None
            said = (await self._child.stderr.read()).decode(errors="replace")
            await self.gone()
            raise why_not_started(said, self._child.returncode) from None
        except TimeoutError:
            await self.gone()
            raise SandboxUnavailable(f"Python did not start within {_START_SECONDS} seconds") from None

    def _kill_all(self) -> None:
        if self._child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)

    def watch(self, pid: int) -> None:
        """Keep an eye on it and on its work folder, of which the size is bounded and the number of files is not.

        Args:
            pid: of the process in the sandbox, as seen from here.

        Raises:
            SandboxUnavailable: this system does not let us.
        """
        try:
            self._inside = os.pidfd_open(pid)
            # Seen from here through its own root; the open folder stays the same whatever happens to the process.
            self._work = os.open(f"/proc/{pid}/root{WORK}", os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise SandboxUnavailable(f"the sandbox cannot be watched from outside ({error})") from None

    async def _serve(self, message: JsonObject) -> JsonObject:
        function = self._setup.offered.get(str(message["ask"]))
        arguments = message.get("arguments")
        if function is None or not isinstance(arguments, list):
            raise BrokenWire("a question that nobody answers")
        try:
            return {"answer": await function(*arguments)}
        except Refused as refused:
            return {"refused": str(refused)}

    async def _farewell(self) -> str:
        """How it went."""
        await self.gone()
        code = self._child.returncode or 0
        # bubblewrap reports a signal as a shell does.
        number = -code if code < 0 else code - 128
        with contextlib.suppress(ValueError):
            return signal.strsignal(signal.Signals(number)) or f"signal {number}"
        return f"exit code {code}"


async def _start_locked(setup: Setup) -> Process:
    if sys.platform != "linux":
        raise SandboxUnavailable("the sandbox needs Linux")
    program = syscall_filter()
    told, tell = os.pipe()
    filter_fd = filter_pipe(program)
    with os.fdopen(told, "rb") as info:
        try:
            words = locked_in(
                _told(setup, ARCHIVE if setup.archive is not None else None),
                work_bytes=setup.limits.work,
                archive=setup.archive,
                filter_fd=filter_fd,
                info_fd=tell,
            )
            child = await _spawn(words, environment(WORK), None, (filter_fd, tell))
        finally:
            os.close(filter_fd)
            os.close(tell)
        process = Process(child, setup)
        async with _gone_on_trouble(process):
            await process.greet()
            # It was written before Python ran, so this does not wait.
            process.watch(json.load(info)["child-pid"])
    return process


async def _start_open(setup: Setup) -> Process:
    work = tempfile.mkdtemp(prefix="worktrial-python-")
    words = in_the_open(_told(setup, str(setup.archive.resolve()) if setup.archive is not None else None))
    process = Process(await _spawn(words, environment(work), work, ()), setup, made=work)
    async with _gone_on_trouble(process):
        await process.greet()
    return process


def _told(setup: Setup, archive: str | None) -> JsonObject:
    """What the worker is told."""
    limits = setup.limits
    told = {"memory": limits.memory, "work": limits.work, "output": limits.output}
    return {**told, "archive": archive, "tied": setup.unsafe}


@contextlib.asynccontextmanager
async def _gone_on_trouble(process: Process) -> AsyncIterator[None]:
    fine = False
    try:
        yield
        fine = True
    finally:
        if not fine:
            await process.gone()


async def _spawn(
    words: list[str], env: Mapping[str, str], folder: str | None, kept: tuple[int, ...]
) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    # A session of its own, so that Ctrl-C in a terminal reaches only us, and that all it starts can be killed.
    return await asyncio.create_subprocess_exec(
        *words, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=folder, pass_fds=kept, start_new_session=True
    )
