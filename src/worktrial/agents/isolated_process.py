"""The process in which a user's own function works on one sample; see `isolated`."""

import asyncio
import contextlib
import os
import resource
import sys
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from worktrial.agents.assignment import Assignment, Limits
from worktrial.agents.own_callable import OwnCallable, crash_traceback, python_function
from worktrial.errors import InvalidSample, SettingError
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.budget import JsonBudget
from worktrial.sandbox.inside.landlock import give_up_files
from worktrial.sandbox.inside.wire import HungUp, Wire, die_with_parent, limit
from worktrial.workplaces import Observation, Origin


class _FarSession:
    """The workplace, as far as it can be reached through the connection."""

    state = None

    def __init__(self, wire: Wire, pictures: list[str]) -> None:
        self._wire = wire
        self._pictures = pictures

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Ask for one call where the workplace is."""
        # In a thread: an agent may well think on while it waits.
        reply = await asyncio.to_thread(self._ask, {"call": [tool, arguments]})
        self._pictures += reply["pictures"]
        return Observation(reply["seen"], Origin.EXECUTABLE)

    def take_pictures(self) -> list[str]:
        """Pictures that have come since it was asked last."""
        taken = [*self._pictures]
        self._pictures.clear()
        return taken

    def fault_of(self, answer: str) -> str:
        """Fault of an answer, as those find it who judge it."""
        return str(self._ask({"offered": answer})["fault"])

    def _ask(self, message: JsonObject) -> JsonObject:
        self._wire.write(message)
        return self._wire.read()


def main() -> None:
    """Do the work of one sample, and say what came of it."""
    wire = Wire()
    # What is printed is heard where the run is.
    os.dup2(2, 1)
    sys.stdout = open(1, "w", buffering=1, errors="replace", closefd=False)  # noqa: SIM115
    die_with_parent()
    wire.announce()
    with contextlib.suppress(HungUp, BrokenPipeError):
        wire.write(_work(wire))
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    # Threads of the agent's may never end, and nothing is left to be saved.
    os._exit(0)


def _work(wire: Wire) -> JsonObject:
    told = wire.read()
    sys.path[:] = told["path"]
    limit(resource.RLIMIT_CORE, 0)
    if sys.platform == "linux":  # elsewhere it is no limit of what a process takes
        limit(resource.RLIMIT_DATA, told["memory"])
    if told["writable"]:
        give_up_files(told["readable"], told["writable"], network=True)
    session = _FarSession(wire, told["pictures"])
    about: dict[str, Any] = told["assignment"]
    assignment = Assignment(
        **{**about, "limits": Limits(**about["limits"])},
        session=session,
        # What it may write is counted where the run is.
        budget=JsonBudget(1 << 60, 1 << 60),
        take_pictures=session.take_pictures,
        fault_of=session.fault_of,
    )
    try:
        function = python_function(told["rest"], Path(told["base"]))
        asyncio.run(_awaited(OwnCallable(function, keep_printed=False)(assignment)))
    except SettingError as e:
        return {"crash": str(e)}
    except InvalidSample as e:
        return {"crash": e.detail, "told": crash_traceback(e)}
    except BaseException as e:  # noqa: BLE001 - whatever the agent leaves behind on its loop
        return {"crash": f"{type(e).__name__}: {e}"}
    return {"answer": assignment.trajectory.answer}


async def _awaited(work: Awaitable[None]) -> None:
    await work
