"""Agents that are programs on this machine: one process for each sample; `command:PROGRAM ARGS`."""

import asyncio
import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from worktrial.agents.assignment import Assignment, Unstorable
from worktrial.agents.far import FarAgent, given_variables, in_time
from worktrial.agents.printed import MOST_PRINTED
from worktrial.errors import InvalidReason, InvalidSample, SettingError
from worktrial.interop.programs.answers import AnswerPlace
from worktrial.interop.programs.door import OwnDoor, door
from worktrial.sandbox.child import NETWORK_VARIABLES
from worktrial.sandbox.inside.worker import HeadTail
from worktrial.secrets import Redactor

MOST_OUTPUT = 1_000_000
"""Bytes of standard output; a program that says more is ended."""
# What a program needs to run at all, to find its own settings, and to reach a network.
_USUAL = """
PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_ALL LC_CTYPE TZ TERM TMPDIR
XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME
"""
USUAL_ENVIRONMENT = [*_USUAL.split(), *NETWORK_VARIABLES]
"""Names of variables that every program is given."""
_PLACE = re.compile(r"\{(prompt|mcp_config|mcp_url|episode_url|workdir)\}")
_LOOK_SECONDS = 0.05
_LAST_WORDS_SECONDS = 2.0
_SAID = 300


@dataclass(frozen=True, slots=True)
class CommandAgent(FarAgent):
    """A program that is started once for each sample, with the address of the sample's tools.

    What it prints to standard output is the answer, unless it has handed one in by the tool for it. It runs in an
    empty folder of its own, with an environment of named variables alone. When the sample ends, it is killed with
    all that it has started and that stayed in its process group.
    """

    words: Sequence[str]
    """Command line, with `{prompt}`, `{mcp_config}`, `{mcp_url}`, `{episode_url}` and `{workdir}` to be filled in.
    Without `{prompt}` the prompt comes on standard input."""
    answer: AnswerPlace = field(default_factory=AnswerPlace)
    environment: Sequence[str] = ()
    """Names of variables that it is given, beside `USUAL_ENVIRONMENT`."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Files that stand in its folder, by path, with the same places to be filled in."""

    def with_options(self, options: Any) -> "CommandAgent":
        """The agent as the options of a run want it; see `FarAgent`."""
        place = self.answer if options.answer is None else AnswerPlace.read(options.answer)
        return replace(self, answer=place, environment=[*self.environment, *given_variables(options)])

    async def __call__(self, assignment: Assignment) -> None:
        """Start the program and wait for its end; see `Agent`.

        Raises:
            InvalidSample: it ended badly, said too much, or nothing that an answer can be read from.
        """
        said = HeadTail(MOST_PRINTED)
        environment = {name: os.environ[name] for name in self._names if name in os.environ}
        try:
            async with in_time(assignment), door(assignment) as here:
                try:
                    answer = await self._answer(here, assignment, environment, said)
                    await here.close(answer)
                except Unstorable as e:
                    raise InvalidSample(InvalidReason.AGENT_CRASH, f"{self.words[0]}: {e}") from None
        finally:
            assignment.close()
            assignment.trajectory.printed = self._hidden(environment).text(said.text())

    async def _answer(
        self, here: OwnDoor, assignment: Assignment, environment: Mapping[str, str], said: HeadTail
    ) -> str:
        output = bytearray()
        async with self._started(here, assignment, environment, said, output) as process:
            ended = asyncio.create_task(_ended(process))
            try:
                await asyncio.wait([ended, here.work], return_when=asyncio.FIRST_COMPLETED)
                if here.guest.handed_in and not ended.done():
                    # It may have something to put in order; nobody waits for it long.
                    await asyncio.wait([ended], timeout=_LAST_WORDS_SECONDS)
            finally:
                ended.cancel()
        # A limit, or trouble of the workplace, ended the work; or the agent handed in its answer.
        if here.guest.episode.is_over:
            return ""
        if len(output) > MOST_OUTPUT:
            raise self._crash(f"printed more than {MOST_OUTPUT:,} bytes")
        if code := process.returncode:
            how = f"exit code {code}" if code > 0 else f"signal {-code}"
            raise self._crash(f"ended with {how}{_last_line(self._hidden(environment).text(said.text()))}")
        try:
            return self.answer.found_in(bytes(output))
        except ValueError as e:
            raise self._crash(str(e)) from None

    @contextlib.asynccontextmanager
    async def _started(
        self,
        here: OwnDoor,
        assignment: Assignment,
        environment: Mapping[str, str],
        said: HeadTail,
        output: bytearray,
    ) -> AsyncIterator[asyncio.subprocess.Process]:
        with tempfile.TemporaryDirectory(prefix="worktrial-agent-", ignore_cleanup_errors=True) as made:
            workdir = Path(made, "work")
            workdir.mkdir()
            config = Path(made, "mcp.json")
            config.write_text(json.dumps({"mcpServers": {"worktrial": {"type": "http", "url": here.mcp}}}))
            places = {
                "prompt": prompt_of(here, assignment),
                "mcp_config": str(config),
                "mcp_url": here.mcp,
                "episode_url": here.url,
                "workdir": str(workdir),
            }
            for name, text in self.files.items():
                path = workdir / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(_filled(text, places))
            in_words = any("{prompt}" in word for word in self.words)
            try:
                process = await asyncio.create_subprocess_exec(
                    *(_filled(word, places) for word in self.words),
                    stdin=asyncio.subprocess.DEVNULL if in_words else asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    env=environment,
                    cwd=workdir,
                    start_new_session=True,
                )
            except (OSError, ValueError) as e:
                raise self._crash(f"cannot be started: {e}") from None
            streams = [
                asyncio.create_task(_hear(process, process.stdout, output)),
                asyncio.create_task(_keep(process.stderr, said)),
                asyncio.create_task(_tell(process.stdin, places["prompt"])),
            ]
            try:
                yield process
                # What it has left behind may hold the pipes open.
                await asyncio.wait(streams[:2], timeout=_LAST_WORDS_SECONDS)
            finally:
                _kill(process.pid)
                await asyncio.wait(streams, timeout=_LAST_WORDS_SECONDS)
                for stream in streams:
                    stream.cancel()

    @property
    def _names(self) -> Sequence[str]:
        return [*USUAL_ENVIRONMENT, *self.environment]

    def _hidden(self, environment: Mapping[str, str]) -> Redactor:
        """Redactor of the variables that were given on purpose: they are mostly keys."""
        return Redactor(environment[name] for name in self.environment if name in environment)

    def _crash(self, said: str) -> InvalidSample:
        return InvalidSample(InvalidReason.AGENT_CRASH, f"{Path(self.words[0]).name} {said}")


def command(rest: str, base: Path) -> CommandAgent:
    """Agent that `command:PROGRAM ARGS` names.

    Args:
        rest: Command line, quoted as in a shell.
        base: Folder that files in it are relative to.

    Raises:
        SettingError: it cannot be read, or there is no such program.
    """
    try:
        words = shlex.split(rest)
    except ValueError as e:
        raise SettingError(f"the command line cannot be read: {e}") from None
    if not words:
        raise SettingError("write command:PROGRAM ARGS")
    # It runs in a folder of its own, where none of these would be found.
    program, *arguments = words
    found = shutil.which(str(base.resolve() / program) if "/" in program else program)
    if found is None:
        raise SettingError(f"there is no program {program}")
    there = [(base / word).is_file() for word in arguments]
    return CommandAgent(
        [found, *(str((base / w).resolve()) if is_file else w for w, is_file in zip(arguments, there, strict=True))]
    )


def prompt_of(here: OwnDoor, assignment: Assignment) -> str:
    """Everything that the agent is told: the task, the time at the workplace, and how to hand in its answer."""
    told = [assignment.system_prompt, assignment.clock and f"It is {assignment.clock}.", here.guest.instruction]
    return "\n\n".join(text for text in told if text)


def _filled(text: str, places: Mapping[str, str]) -> str:
    """`text` with its places filled in, each once, so that a prompt that holds such a word stays as it is."""
    return _PLACE.sub(lambda place: places[place[1]], text)


async def _hear(
    process: asyncio.subprocess.Process, stream: asyncio.StreamReader | None, output: bytearray
) -> None:
    assert stream is not None
    while part := await stream.read(1 << 16):
        output += part
        if len(output) > MOST_OUTPUT:
            _kill(process.pid)
            return


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Wait for the process itself: its pipes may be held open by what it has left behind."""
    while process.returncode is None:
        await asyncio.sleep(_LOOK_SECONDS)


async def _keep(stream: asyncio.StreamReader | None, said: HeadTail) -> None:
    assert stream is not None
    while part := await stream.read(1 << 16):
        said.write(part)


async def _tell(stream: asyncio.StreamWriter | None, prompt: str) -> None:
    if stream is None:
        return
    with contextlib.suppress(ConnectionError):
        stream.write(prompt.encode())
        await stream.drain()
    stream.close()


def _kill(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def _last_line(said: str) -> str:
    lines = said.strip().splitlines()
    return f": {lines[-1].strip()[:_SAID]}" if lines else ""
