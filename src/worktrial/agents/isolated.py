"""A user's own function in a process of its own, one for each sample."""

import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from worktrial.agents.assignment import Assignment, storable
from worktrial.agents.far import FarAgent, in_time
from worktrial.agents.own_callable import PREFIX, FarCrash
from worktrial.agents.printed import MOST_PRINTED
from worktrial.engine.notices import tell_on_stderr
from worktrial.errors import InvalidReason, InvalidSample, SettingError, flag
from worktrial.language import JsonObject, visible
from worktrial.sandbox.box import boxed, shown_beside, wings, without
from worktrial.sandbox.bubblewrap import SandboxUnavailable
from worktrial.sandbox.child import (
    NETWORK_VARIABLES,
    BrokenWire,
    Child,
    ChildGone,
    StartFailure,
    usual_environment,
)
from worktrial.sandbox.inside.worker import HeadTail
from worktrial.sandbox.parsers import Wall, best_wall
from worktrial.secrets import Redactor
from worktrial.workplaces import StopReason

ISOLATED = "WORKTRIAL_ISOLATED"
"""Environment variable that is set in the processes of agents."""

_ENVIRONMENT = (*NETWORK_VARIABLES, "PYTHONPATH", "VIRTUAL_ENV", "OMP_NUM_THREADS")
_MOST_MESSAGE = 16 << 20
_START_SECONDS = 60.0
_LOOK_SECONDS = 0.5
_LAST_WORDS_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class IsolatedCallable(FarAgent):
    """Agent made of a function that each sample runs in a Python of its own.

    The process has its own memory, whose limit it cannot raise, and its own time; at the end of the sample it is
    killed with all that it has started and that stayed in its group. Where the machine has a box, it sees the
    network, what is installed and what lies beside its code, and nothing of the run, the suite's files and other
    processes. Of this process's environment it is given what programs need and what is named.
    """

    rest: str
    """Place of the function: `MODULE:FUNCTION` or `FILE.py:FUNCTION`."""
    base: Path
    """Folder that a module is looked for in, and a file's path is relative to."""
    memory: int
    """Bytes of data that the process may hold; Linux only."""
    variables: Sequence[str] = ()
    """Names of environment variables that it is given beside the usual ones."""
    hidden: Sequence[Path] = ()
    """Folders of the run and of the suite's data."""

    async def __call__(self, assignment: Assignment) -> None:
        """Let the function work on `assignment`.

        Raises:
            InvalidSample: the function raised an exception, did not return a string, or its process ended.
        """
        trajectory = assignment.trajectory
        printed = HeadTail(MOST_PRINTED)
        hidden = Redactor(os.environ[name] for name in self.variables if name in os.environ)
        environment = {**usual_environment(*_ENVIRONMENT, *self.variables), ISOLATED: "1"}
        wall, words, scratch = agent_wall(), _words(), ""
        if wall is Wall.SANDBOX:
            environment |= {"HOME": "/tmp", "TMPDIR": "/tmp"}
            words = boxed(words, self._shown(), self.hidden, memory=self.memory, folder=self.base.resolve())
        elif wall is Wall.LANDLOCK:
            scratch = tempfile.mkdtemp(prefix="worktrial-agent-")
            environment |= {"HOME": scratch, "TMPDIR": scratch}
        child = await Child.start(words, env=environment, most=_MOST_MESSAGE)
        try:
            await child.ready(_START_SECONDS)
        except StartFailure as e:
            raise InvalidSample(InvalidReason.AGENT_CRASH, f"the agent's process did not start: {e}") from None
        hearing = asyncio.create_task(child.hear(printed.write))
        try:
            async with in_time(assignment):
                trajectory.answer = visible(
                    await self._answer(child, self._task(assignment, scratch), assignment, hidden)
                )
                trajectory.stop_reason = (
                    StopReason.ANSWERED if trajectory.answer.strip() else StopReason.EMPTY_ANSWER
                )
        finally:
            child.kill_all()
            await child.gone()
            # Something that got away may hold the pipe open.
            await asyncio.wait([hearing], timeout=_LAST_WORDS_SECONDS)
            hearing.cancel()
            if scratch:
                shutil.rmtree(scratch, ignore_errors=True)
            assignment.close()
            trajectory.printed = hidden.text(printed.text())

    async def _answer(self, child: Child, task: JsonObject, assignment: Assignment, hidden: Redactor) -> str:
        try:
            await child.send(task)
            while True:
                said = await _next(child)
                if "answer" in said:
                    return storable(said["answer"])
                if "offered" in said:
                    await child.send({"fault": assignment.fault_of(str(said["offered"]))})
                    continue
                if "crash" in said:
                    crash = hidden.text(str(said["crash"]))
                    told = FarCrash(hidden.text(said.get("told") or ""))
                    raise InvalidSample(InvalidReason.AGENT_CRASH, crash + self._missing(crash)) from told
                tool, arguments = said["call"]
                seen = await assignment.call(tool, arguments)
                await child.send({"seen": seen, "pictures": assignment.take_pictures()})
        except ChildGone:
            child.kill_all()
            await child.gone()
            how = f"exit code {child.code}" if child.code is None or child.code >= 0 else f"signal {-child.code}"
            raise InvalidSample(
                InvalidReason.AGENT_CRASH, f"the agent's process ended without an answer ({how})"
            ) from None
        except (BrokenWire, KeyError, TypeError, ValueError) as e:
            raise InvalidSample(
                InvalidReason.AGENT_CRASH, f"the agent's process said what nobody can read: {e}"
            ) from None

    def _missing(self, crash: str) -> str:
        """Advice where the function looked for a variable that this process has and the agent's was not given."""
        found = re.fullmatch(r"KeyError: '(\w+)'", crash)
        if found is None or found[1] not in os.environ or found[1] in self.variables:
            return ""
        return f". If that is an environment variable, name it with {flag('agent_env')}"

    def _shown(self) -> list[str]:
        place = Path(self.rest.rpartition(":")[0])
        folder = (self.base / place).resolve().parent if place.suffix == ".py" else self.base.resolve()
        return shown_beside(folder, self.hidden)

    def _task(self, assignment: Assignment, scratch: str) -> JsonObject:
        told: JsonObject = msgspec.to_builtins(
            {
                "path": sys.path,
                "rest": self.rest,
                "base": str(self.base.resolve()),
                "memory": self.memory,
                "readable": [*without(self._shown(), self.hidden)] if scratch else [],
                "writable": scratch,
                "pictures": assignment.take_pictures(),
                "assignment": {
                    "instruction": assignment.instruction,
                    "clock": assignment.clock,
                    "tools": assignment.tools,
                    # Its time is kept here.
                    "limits": replace(assignment.limits, seconds=None),
                    "system_prompt": assignment.system_prompt,
                },
            }
        )
        return told


@cache
def agent_wall() -> Wall:
    """The best box that this machine has for agents of one's own; where it has none, that is said once."""
    try:
        return best_wall()
    except SandboxUnavailable as e:
        tell_on_stderr(f"{flag('isolate')}: the agent sees your files and processes, for there is no box: {e.why}")
        return Wall.NONE


def isolated(
    spec: str,
    function: Callable[..., Any],
    base: Path,
    memory: int,
    variables: Sequence[str] = (),
    hidden: Sequence[Path] = (),
) -> IsolatedCallable:
    """The agent in a process of its own that does what `function` does in this one.

    Args:
        spec: The agent as it is named: `python:MODULE:FUNCTION`, or the same for a function that was handed over.
        function: The function itself.
        base: Folder that relative paths in `spec` are relative to.
        memory: Bytes of data that each process may hold.
        variables: Names of environment variables that it is given beside the usual ones.
        hidden: Folders of the run and of the suite's data.

    Raises:
        SettingError: another process could not find the function.
    """
    if os.environ.get(ISOLATED):
        raise SettingError(
            "the agent's file starts the trial itself when it is imported; put that under "
            'if __name__ == "__main__":'
        )
    module, _, name = spec.removeprefix(PREFIX).rpartition(":")
    if module == "__main__":
        file = getattr(sys.modules["__main__"], "__file__", None)
        if file is None:
            raise SettingError(f"{name} is known to this session only; write it into a file")
        module = str(Path(file).resolve())
    elif Path(module).suffix != ".py" and module in sys.modules:
        file = getattr(sys.modules[module], "__file__", None)
        found = getattr(sys.modules[module], name, None)
        if file is None or found is not function:
            raise SettingError(f"{name} cannot be found by its name in {module}; name a function of a module")
        if module.startswith("worktrial_agent_"):
            module = str(Path(file).resolve())
    if "<" in name or "." in name:
        raise SettingError(f"{name} cannot be found by its name; name a function of a module")
    return IsolatedCallable(f"{module}:{name}", base, memory, variables, [*wings(), *hidden])


async def _next(child: Child) -> JsonObject:
    """Message that comes next, or none: whoever the process has left behind may keep the line open.

    Raises:
        BrokenWire: it is none.
        ChildGone: the process has ended.
    """
    coming = asyncio.ensure_future(child.receive())
    try:
        while True:
            was_gone = child.code is not None
            done, _ = await asyncio.wait([coming], timeout=_LOOK_SECONDS)
            if done:
                return coming.result()
            if was_gone:
                raise ChildGone
    finally:
        coming.cancel()


def _words() -> list[str]:
    # What this process can import, the agent's can, too.
    start = f"import sys; sys.path[:] = {sys.path!r}; from worktrial.agents.isolated_process import main; main()"
    return [sys.executable, "-c", start]
