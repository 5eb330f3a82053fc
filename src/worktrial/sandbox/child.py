"""A Python of ours in a process of its own, spoken to over two pipes, killed with everything that it has started.

A message is a frame: four bytes of length, then the body. The other end of the pipes, and the limits that a child
sets itself, are in `sandbox.inside.wire`.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence

from worktrial.language import JsonObject
from worktrial.outside.budget import MOST_VALUES, holds_more_values

_REAP_SECONDS = 5
_USUAL = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TEMP", "TMP", "TZ", "TERM", "LD_LIBRARY_PATH"),
    *("DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "SYSTEMROOT", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"),
    *("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_NUMERIC", "LC_TIME"),
)
NETWORK_VARIABLES = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
    *("http_proxy", "https_proxy", "no_proxy"),
)
"""Names of variables that tell programs the way to the network."""


def usual_environment(*further: str) -> dict[str, str]:
    """Variables that programs need to run at all, and those named; no keys, whatever they are called.

    Args:
        further: Names of further variables.
    """
    return {name: os.environ[name] for name in (*_USUAL, *further) if name in os.environ}


class BrokenWire(Exception):
    """A message that does not belong here."""


class ChildGone(Exception):
    """The process has ended, or hung up."""


class StartFailure(Exception):
    """A child that ended, or stayed silent, before it was ready."""

    def __init__(self, said: str | None, code: int | None) -> None:
        super().__init__(said)
        self.said = said
        """Its error output; None where it was silent for too long."""
        self.code = code
        """Its exit code."""


class Child:
    """A process that answers JSON with JSON, for use in an event loop.

    Its messages are not trusted: code that runs in it may write to the same pipe.
    """

    def __init__(self, process: asyncio.subprocess.Process, most: int) -> None:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._process = process
        self._to, self._from, self._says = process.stdin, process.stdout, process.stderr
        self._most = most

    @classmethod
    async def start(
        cls,
        words: Sequence[str],
        *,
        env: Mapping[str, str],
        most: int,
        folder: str | None = None,
        kept: tuple[int, ...] = (),
    ) -> "Child":
        """Start a process.

        Args:
            words: Its command line.
            env: Its whole environment.
            most: Bytes that one of its messages may have.
            folder: Its working directory; ours by default.
            kept: Descriptors that it inherits.
        """
        pipe = asyncio.subprocess.PIPE
        # A session of its own, so that Ctrl-C in a terminal reaches only us, and that all it starts can be killed.
        process = await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=folder, pass_fds=kept, start_new_session=True
        )
        return cls(process, most)

    @property
    def code(self) -> int | None:
        """Exit code, negative for a signal; None while it runs."""
        return self._process.returncode

    async def ready(self, seconds: float) -> None:
        """Wait for the message that says it is ready; without it the child is gone.

        Raises:
            StartFailure: The child ended, or said nothing for `seconds`.
        """
        said: str | None = None
        ready = False
        try:
            async with asyncio.timeout(seconds):
                await self.receive()
            ready = True
        except TimeoutError:
            said = None
        except (ChildGone, BrokenWire):
            self.kill()
            said = (await self._says.read()).decode(errors="replace")
        finally:
            if not ready:
                self.kill()
                await self.gone()
        if not ready:
            raise StartFailure(said, self.code)

    async def send(self, message: JsonObject) -> None:
        """Send a message.

        Raises:
            ChildGone: Nobody is there to read it.
        """
        try:
            self._to.write(_frame(json.dumps(message).encode()))
            await self._to.drain()
        except ConnectionError:
            raise ChildGone from None

    async def receive(self) -> JsonObject:
        """Wait for the next message.

        Raises:
            BrokenWire: It is too long, or no JSON object.
            ChildGone: There will be none.
        """
        try:
            size = int.from_bytes(await self._from.readexactly(4), "big")
            if size > self._most:
                raise BrokenWire(f"a message of {size:,} bytes")
            body = await self._from.readexactly(size)
            if holds_more_values(body, MOST_VALUES):
                raise BrokenWire(f"a message of more than {MOST_VALUES:,} values")
            message = json.loads(body)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise ChildGone from None
        except (ValueError, RecursionError) as error:
            raise BrokenWire("a message that is no JSON") from error
        if not isinstance(message, dict):
            raise BrokenWire("a message that is no JSON object")
        return message

    async def hear(self, into: Callable[[bytes], object]) -> None:
        """Hand on what it writes to its error output, as it comes, until nobody can write there any more."""
        while said := await self._says.read(1 << 16):
            into(said)

    def kill(self) -> None:
        """Kill the process and everything that it has started and that stayed in its group."""
        if self.code is None:
            _kill_group(self._process.pid)

    def kill_all(self) -> None:
        """Kill the process and its group, even where the process itself has ended and others of it go on."""
        _kill_group(self._process.pid)

    async def gone(self) -> None:
        """Wait until a killed process is gone, then let go of its pipes."""
        # What it left in the pipe must be taken out before the event loop lets go of it.
        with contextlib.suppress(TimeoutError):
            # Something that it started and that got away may hold the pipe open.
            await asyncio.wait_for(self._from.read(), _REAP_SECONDS)
        if self.code is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _REAP_SECONDS)
        self.kill()
        self._to.close()


class WaitingChild:
    """A process that is spoken to without an event loop; messages are plain bytes.

    Wait for several at once with `multiprocessing.connection.wait`, told what `fileno` gives.

    Args:
        words: Its command line.
        env: Its whole environment.
        kept: Descriptors that it inherits.
    """

    def __init__(self, words: Sequence[str], *, env: Mapping[str, str], kept: tuple[int, ...] = ()) -> None:
        self._says = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._says,
            env=env,
            bufsize=0,
            pass_fds=kept,
            start_new_session=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout

    def fileno(self) -> int:
        """Descriptor that can be read when a message has come, or the process has ended."""
        return self._from.fileno()

    def send(self, body: bytes) -> None:
        """Send a message; one to a process that has died is lost, which shows when its answer is waited for."""
        rest = memoryview(_frame(body))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while rest:
                rest = rest[self._to.write(rest) :]

    @property
    def pid(self) -> int:
        """Number of the process that was started."""
        return self._process.pid

    def receive(self, most: int) -> bytes:
        """Wait for the next message.

        Args:
            most: Bytes that it may have.

        Raises:
            BrokenWire: It claims to be longer.
            ChildGone: There will be none.
        """
        size = int.from_bytes(self._exactly(4), "big")
        if size > most:
            raise BrokenWire(f"a message of {size:,} bytes")
        return self._exactly(size)

    def farewell(self, patience: float) -> tuple[int | None, str]:
        """End a process that has hung up.

        Args:
            patience: Seconds that it may take to end by itself: its own exit code says more than our kill.

        Returns:
            Its exit code, None where it had to be killed; and the end of its error output.
        """
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        code = self._process.poll()
        self._says.seek(0)
        said = self._says.read()[-2000:].decode(errors="replace").strip()
        self.end()
        return code, said

    def end(self) -> None:
        """Kill the process and all that it has started, in the middle of whatever it does, and let go of it."""
        if self._process.poll() is None:
            _kill_group(self._process.pid)
        self._process.wait()
        for file in (self._to, self._from, self._says):
            file.close()

    def _exactly(self, size: int) -> bytes:
        body = bytearray()
        while len(body) < size:
            part = self._from.read(size - len(body))
            if not part:
                raise ChildGone
            body += part
        return bytes(body)


def _frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
