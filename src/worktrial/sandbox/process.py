"""One process of a session: started, spoken to, watched, ended."""

import contextlib
import json
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.language import JsonObject, JsonValue
from worktrial.sandbox.bubblewrap import (
    WORK,
    SandboxUnavailable,
    environment,
    filter_pipe,
    in_the_open,
    locked_in,
    why_not_started,
)
from worktrial.sandbox.child import BrokenWire, Child, ChildGone, StartFailure
from worktrial.sandbox.proc import number_in_proc
from worktrial.sandbox.syscalls import syscall_filter

_START_SECONDS = 20

Offered = Callable[..., Awaitable[JsonValue]]
"""A function that code in the session can call and that is carried out here; its result must be JSON."""


@dataclass(frozen=True, slots=True)
class PythonLimits:
    """Limits of a session; a call that passes one of them fails or is stopped."""

    seconds: float = 30.0
    """Seconds for one call."""
    memory: int = 2 << 30
    """Bytes of address space; numpy, scipy and pandas take 0.7 GiB of it when they are loaded."""
    work: int = 256 << 20
    """Bytes that files in the work folder may take together; they are held in memory."""
    files: int = 20_000
    """Number of files and folders in the work folder."""
    output: int = 20_000
    """Characters kept of what a call prints, and as many of its value and its error."""

    @property
    def all_bytes(self) -> int:
        """Bytes that a session may take in all, its files among them."""
        return self.memory + self.work


class CallRefusal(Exception):
    """An offered function cannot do what it was asked; the message reaches the code as a RuntimeError."""


class ProcessGone(Exception):
    """The process of a session is gone; the message says how it went."""


class ProcessSetup(NamedTuple):
    """Everything that a process is started with."""

    limits: PythonLimits
    offered: Mapping[str, Offered]
    unsafe: bool


class Process:
    """A Python that carries out calls."""

    def __init__(self, child: Child, setup: ProcessSetup, *, made: str | None = None) -> None:
        self._child = child
        self._setup = setup
        # A folder of ours that was made for it; without a sandbox only.
        self._made = made
        # The process in the sandbox, and its work folder, open; None without a sandbox.
        self._inside: int | None = None
        self._work: int | None = None

    @classmethod
    async def start(cls, setup: ProcessSetup) -> "Process":
        """Start one and wait until it is ready.

        Raises:
            SandboxUnavailable: It does not start.
        """
        return await (_start_open(setup) if setup.unsafe else _start_locked(setup))

    async def run(self, code: str) -> JsonObject:
        """Carry out one call; cancelling leaves it running.

        Raises:
            ProcessGone: The process is gone.
            BrokenWire: Something else than the process's own code has written to the connection.
        """
        # Nobody knows it before the call, so code of an earlier call cannot have answered already.
        number = secrets.token_hex(8)
        try:
            await self._child.send({"id": number, "code": code, "offered": list(self._setup.offered)})
            while True:
                message = await self._child.receive()
                if message.get("id") != number:
                    raise BrokenWire("a message that answers no call")
                if "ask" not in message:
                    return message
                await self._child.send(await self._serve(message))
        except ChildGone:
            raise ProcessGone(await self._farewell()) from None

    def files(self) -> int:
        """Count the files and folders in the work folder; 0 where they need not be counted."""
        if self._work is None:
            return 0
        told = os.fstatvfs(self._work)
        return told.f_files - told.f_ffree

    def kill(self) -> None:
        """End it and all it has started, at once."""
        if self._inside is None:
            self._child.kill()
            return
        with contextlib.suppress(ProcessLookupError):
            # bubblewrap, which is left alone, clears it away and ends, too.
            signal.pidfd_send_signal(self._inside, signal.SIGKILL)

    async def gone(self) -> None:
        """Kill it and wait until it is gone."""
        self.kill()
        await self._child.gone()
        for kept in (self._inside, self._work):
            if kept is not None:
                os.close(kept)
        self._inside = self._work = None
        if self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)

    async def greet(self) -> None:
        """Wait until it is ready.

        Raises:
            SandboxUnavailable: It ended, or says nothing.
        """
        try:
            await self._child.ready(_START_SECONDS)
        except StartFailure as failure:
            if failure.said is None:
                raise SandboxUnavailable(f"Python did not start within {_START_SECONDS} seconds") from None
            raise why_not_started(failure.said, failure.code) from None

    def watch(self, pid: int) -> None:
        """Keep an eye on it and on its work folder, of which the size is bounded and the number of files is not.

        Args:
            pid: The process in the sandbox, as seen from here.

        Raises:
            SandboxUnavailable: This system does not let us.
        """
        try:
            self._inside = os.pidfd_open(pid)
            # Seen from here through its own root; the open folder stays the same whatever happens to the process.
            self._work = os.open(f"/proc/{number_in_proc(pid)}/root{WORK}", os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise SandboxUnavailable(
                f"the sandbox cannot be watched from outside ({error})",
                "In a container, mount the /proc of its own process namespace: unshare --mount-proc, or "
                "mount -t proc proc /proc.",
            ) from None

    async def _serve(self, message: JsonObject) -> JsonObject:
        function = self._setup.offered.get(str(message["ask"]))
        arguments = message.get("arguments")
        if function is None or not isinstance(arguments, list):
            raise BrokenWire("a question that nobody answers")
        try:
            return {"answer": await function(*arguments)}
        except CallRefusal as refusal:
            return {"refused": str(refusal)}

    async def _farewell(self) -> str:
        """Say how it went."""
        await self.gone()
        code = self._child.code or 0
        # bubblewrap reports a signal as a shell does.
        number = -code if code < 0 else code - 128
        with contextlib.suppress(ValueError):
            return signal.strsignal(signal.Signals(number)) or f"signal {number}"
        return f"exit code {code}"


async def _start_locked(setup: ProcessSetup) -> Process:
    if sys.platform != "linux":
        raise SandboxUnavailable("the sandbox needs Linux")
    program = syscall_filter()
    told, tell = os.pipe()
    filter_fd = filter_pipe(program)
    with os.fdopen(told, "rb") as info:
        try:
            words = locked_in(_told(setup), work_bytes=setup.limits.work, filter_fd=filter_fd, info_fd=tell)
            child = await _child(setup, words, environment(WORK), kept=(filter_fd, tell))
        finally:
            os.close(filter_fd)
            os.close(tell)
        process = Process(child, setup)
        async with _gone_on_trouble(process):
            await process.greet()
            # It was written before Python ran, so this does not wait.
            process.watch(json.load(info)["child-pid"])
    return process


async def _start_open(setup: ProcessSetup) -> Process:
    work = tempfile.mkdtemp(prefix="worktrial-python-")
    process = Process(
        await _child(setup, in_the_open(_told(setup)), environment(work), folder=work), setup, made=work
    )
    async with _gone_on_trouble(process):
        await process.greet()
    return process


async def _child(
    setup: ProcessSetup,
    words: list[str],
    env: Mapping[str, str],
    *,
    folder: str | None = None,
    kept: tuple[int, ...] = (),
) -> Child:
    # JSON writes a character in up to six bytes, and there are three texts.
    most = 20 * setup.limits.output + (1 << 20)
    return await Child.start(words, env=env, most=most, folder=folder, kept=kept)


def _told(setup: ProcessSetup) -> JsonObject:
    """Everything that the worker is told."""
    limits = setup.limits
    return {"memory": limits.memory, "work": limits.work, "output": limits.output, "tied": setup.unsafe}


@contextlib.asynccontextmanager
async def _gone_on_trouble(process: Process) -> AsyncIterator[None]:
    fine = False
    try:
        yield
        fine = True
    finally:
        if not fine:
            await process.gone()
