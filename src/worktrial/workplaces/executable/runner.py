"""Places where code of workplaces is carried out: locked in, or in our own process where it is trusted."""

import ast
import asyncio
import atexit
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from worktrial.errors import SettingError, option
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.budget import JsonBudget
from worktrial.sandbox import PythonLimits, PythonSession, SandboxUnavailable
from worktrial.sandbox.background import in_background
from worktrial.source_trees import parsed
from worktrial.workplaces.executable.describe import encode
from worktrial.workplaces.executable.inside import Bounds, Carrier, CarrierMessage

PROCESSES = 2
"""Most processes of one runner. Calls wait for one, so any number of episodes side by side costs no more."""
_CHUNK = 256
_MOST_STATES = 200
"""States that a process keeps, beside those of the message at hand: to send one costs more than most calls."""
_MOST_ANSWERED = 64 << 20
"""Bytes of all answers to one message."""
_LEAST_CHUNK = 8
"""Requests that one process answers where another would do nothing."""
# For what takes no steps of its own: far more than any ordinary call, so that the count of steps decides.
_CALL_SECONDS = 20.0
_CALL_STEPS = 2_000_000
_LIMITS = PythonLimits(memory=512 << 20, work=1 << 20, files=20, output=1_000_000)
# In the order in which they import each other; the packages between them hold nothing.
_SHIPPED = {
    "worktrial.errors": "worktrial.errors",
    "worktrial.source_trees": "worktrial.source_trees",
    "worktrial.language": "worktrial.language.message",
    "worktrial.workplaces.executable.declare": "worktrial.workplaces.executable.declare",
    "worktrial.workplaces.executable.atoms": "worktrial.workplaces.executable.atoms",
    "worktrial.workplaces.executable.paging": "worktrial.workplaces.executable.paging",
    "worktrial.workplaces.executable.describe": "worktrial.workplaces.executable.describe",
    "worktrial.workplaces.executable.steps": "worktrial.workplaces.executable.steps",
    "worktrial.workplaces.executable.inside": "worktrial.workplaces.executable.inside",
}
_BOOT = f"""
def _boot():
    import sys
    from types import ModuleType

    given = ship()
    for name, text in given["modules"].items():
        module = sys.modules[name] = ModuleType(name)
        module.__path__ = []
        exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)
    face = sys.modules[given["face"]]
    for name in given["names"]:
        for module in [sys.modules[name] for name in given["modules"]]:
            if hasattr(module, name):
                setattr(face, name, getattr(module, name))

_boot()
from worktrial.workplaces.executable.inside import Bounds, Carrier, serve
_carrier = Carrier(Bounds({_CALL_SECONDS}, {_CALL_STEPS}))
"""
# What is longer is asked for: the session bounds the code of a call.
_MOST_IN_CODE = 400_000


@runtime_checkable
class CodeRunner(Protocol):
    """A place where code of workplaces is carried out."""

    def load(self, key: str, modules: Mapping[str, str], state: JsonObject, files: Mapping[str, str]) -> None:
        """Take a workplace in; see `Carrier.load`."""
        ...

    async def answers(
        self, key: str, requests: Sequence[JsonObject], states: Sequence[JsonValue] = ()
    ) -> list[JsonObject]:
        """Answer requests in order; see `Carrier.answers`. They may be carried out side by side.

        Raises:
            SettingError: code cannot be locked in here.
        """
        ...

    def answers_now(
        self, key: str, requests: Sequence[JsonObject], states: Sequence[JsonValue] = ()
    ) -> list[JsonObject]:
        """Do the same, and wait for it."""
        ...


class TrustedRunner:
    """Our own process: nothing is locked in, and nothing bounds what a call may take."""

    def __init__(self) -> None:
        self._carrier = Carrier(Bounds())

    def load(self, key: str, modules: Mapping[str, str], state: JsonObject, files: Mapping[str, str]) -> None:
        """Take a workplace in; see `CodeRunner.load`."""
        self._carrier.load(key, modules, state, files)

    async def answers(
        self, key: str, requests: Sequence[JsonObject], states: Sequence[JsonValue] = ()
    ) -> list[JsonObject]:
        """Answer requests; see `CodeRunner.answers`."""
        return self.answers_now(key, requests, states)

    def answers_now(
        self, key: str, requests: Sequence[JsonObject], states: Sequence[JsonValue] = ()
    ) -> list[JsonObject]:
        """Answer requests; see `CodeRunner.answers_now`."""
        return list(self._carrier.answers(key, requests, [encode(state) for state in states]))


class _Asked(NamedTuple):
    """Requests that wait to be sent, and their answers to come."""

    requests: Sequence[JsonObject]
    states: Sequence[JsonValue]
    answers: "asyncio.Future[list[JsonObject]]"


class SandboxedRunner:
    """A few processes that are locked in, started when they are needed and kept warm.

    A state travels with each call, so any process may carry out the next one of an episode.
    """

    def __init__(self, *, patience: float = 60.0) -> None:
        """Start nothing yet.

        Args:
            patience: Seconds after which a process that gives no answer is ended. Ordinary code is stopped far
                earlier by the count of its steps; this is for what takes none, and cannot be interrupted.
        """
        self._limits = replace(_LIMITS, seconds=patience)
        self._workplaces: dict[str, JsonObject] = {}
        self._processes: list[_LockedIn] = []
        self._idle: list[_LockedIn] = []
        self._free: asyncio.Semaphore | None = None
        self._asked: dict[tuple[asyncio.AbstractEventLoop, str], list[_Asked]] = {}
        weakref.finalize(self, _close, self._processes).atexit = False

    def load(self, key: str, modules: Mapping[str, str], state: JsonObject, files: Mapping[str, str]) -> None:
        """Take a workplace in; see `CodeRunner.load`."""
        self._workplaces[key] = {"modules": dict(modules), "state": state}

    async def answers(
        self, key: str, requests: Sequence[JsonObject], states: Sequence[JsonValue] = ()
    ) -> list[JsonObject]:
        """Answer requests; see `CodeRunner.answers`.

        What is asked in one turn of the event loop goes to the processes together: a message costs far more than
        most calls.
        """
        loop = asyncio.get_running_loop()
        asked = _Asked(requests, states, loop.create_future())
        together = self._asked.setdefault((loop, key), [])
        together.append(asked)
        if len(together) == 1:
            loop.call_soon(self._send, (loop, key))
        return await asked.answers

    def _send(self, which: tuple[asyncio.AbstractEventLoop, str]) -> None:
        """Send what was asked in this turn of the event loop."""
        together = self._asked.pop(which)
        states: list[JsonValue] = []
        requests: list[JsonObject] = []
        for one in together:
            first = len(states)
            requests += [{**r, "state": first + r["state"]} if "state" in r else r for r in one.requests]
            states += one.states
        sent = asyncio.wrap_future(in_background(self._answers(which[1], requests, states)))

        def hand_out(done: "asyncio.Future[list[JsonObject]]") -> None:
            at = 0
            for one in together:
                if one.answers.done():
                    pass  # nobody waits any more
                elif done.cancelled():
                    one.answers.cancel()
                elif (error := done.exception()) is not None:
                    one.answers.set_exception(error)
                else:
                    one.answers.set_result(done.result()[at : at + len(one.requests)])
                at += len(one.requests)

        sent.add_done_callback(hand_out)

    def answers_now(
        self, key: str, requests: Sequence[JsonObject], states: Sequence[JsonValue] = ()
    ) -> list[JsonObject]:
        """Answer requests; see `CodeRunner.answers_now`."""
        return in_background(self._answers(key, requests, states)).result()

    async def _answers(
        self, key: str, requests: Sequence[JsonObject], states: Sequence[JsonValue]
    ) -> list[JsonObject]:
        size = min(_CHUNK, max(_LEAST_CHUNK, -(-len(requests) // PROCESSES)))
        chunks = [requests[at : at + size] for at in range(0, len(requests), size)]
        named = [_named(state) for state in states]
        answered = await asyncio.gather(*(self._chunk(key, chunk, named) for chunk in chunks))
        return [answer for chunk in answered for answer in chunk]

    async def _chunk(
        self, key: str, requests: Sequence[JsonObject], states: Sequence["_NamedState"]
    ) -> list[JsonObject]:
        # Made here, in the loop in which all of this runs.
        self._free = self._free or asyncio.Semaphore(PROCESSES)
        # Only the states that these need: those that the process does not keep are sent with them.
        needed = {request["state"]: None for request in requests if "state" in request}
        places = {place: number for number, place in enumerate(needed)}
        told = [{**r, "state": places[r["state"]]} if "state" in r else r for r in requests]
        async with self._free:
            process = self._idle.pop() if self._idle else self._another()
            try:
                return await process.answers(key, self._workplaces[key], told, [states[place] for place in places])
            finally:
                self._idle.append(process)

    def _another(self) -> "_LockedIn":
        _end_all_at_exit()
        process = _LockedIn(self._limits)
        _ALIVE.add(process)
        self._processes.append(process)
        return process


_ALIVE: "weakref.WeakSet[_LockedIn]" = weakref.WeakSet()


class _NamedState(NamedTuple):
    """A state as JSON, under a name that follows from it."""

    name: str
    text: bytes


def _named(state: JsonValue) -> _NamedState:
    text = encode(state)
    return _NamedState(blake2b(text, digest_size=16).hexdigest(), text)


class _LockedIn:
    """One process, and what it has been told."""

    def __init__(self, limits: PythonLimits) -> None:
        self._limits = limits
        self._python = PythonSession(limits=limits)
        self._told: set[str] = set()
        self._kept: dict[str, None] = {}
        """Names of the states that it keeps, those asked for the longest ago first."""
        self._is_booted = False
        self._asked = ""
        self._answers: list[JsonObject] = []
        self._budget = JsonBudget(_MOST_ANSWERED)
        self._python.offer("ship", _ship)
        self._python.offer("ask", self._give)
        self._python.offer("hand_back", self._take)

    async def answers(
        self, key: str, workplace: JsonObject, requests: Sequence[JsonObject], states: Sequence[_NamedState]
    ) -> list[JsonObject]:
        """Answers, one for each request; whatever brings the process down ends only the request that did."""
        done: list[JsonObject] = []
        at_once = len(requests)
        while len(done) < len(requests):
            asked = requests[len(done) : len(done) + at_once]
            answers, failure = await self._some(key, workplace, asked, states)
            done += answers
            # Which of many brought it down is not known until each is asked alone.
            if failure is not None and len(asked) == 1:
                done.append(failure)
                at_once = len(requests)
            elif failure is not None:
                at_once = 1
        return done

    async def aclose(self) -> None:
        """End the process."""
        await self._python.aclose()

    async def _some(
        self, key: str, workplace: JsonObject, requests: Sequence[JsonObject], states: Sequence[_NamedState]
    ) -> tuple[list[JsonObject], JsonObject | None]:
        load = {} if key in self._told else {key: workplace}
        new = {state.name: msgspec.Raw(state.text) for state in states if state.name not in self._kept}
        for state in states:
            self._kept.pop(state.name, None)
            self._kept[state.name] = None
        gone = list(self._kept)[: max(0, len(self._kept) - max(_MOST_STATES, len(states)))]
        for name in gone:
            del self._kept[name]
        asked = CarrierMessage(
            load=load,
            key=key,
            requests=list(requests),
            states=[state.name for state in states],
            new=new,
            gone=gone,
        )
        self._asked = encode(asked).decode()
        self._answers = []
        self._budget = JsonBudget(_MOST_ANSWERED)
        given = repr(self._asked) if len(self._asked) < _MOST_IN_CODE else "ask()"
        code = f"{'' if self._is_booted else _BOOT}\nserve(_carrier, {given}, hand_back)"
        self._is_booted = False
        self._told.add(key)
        try:
            result = await self._python.call(code)
            self._is_booted = not result.state_lost
        except SandboxUnavailable as e:
            raise SettingError(f"{e.why} {_TRUST}") from e
        finally:
            if not self._is_booted:
                self._told.clear()
                self._kept.clear()
        if result.value is not None:
            await self._take(_text(result.value))
        if self._budget.is_spent:
            await self._begin_anew()
            return [], {"failure": "output", "detail": "gave more than is taken from one message"}
        answers = self._answers[: len(requests)]
        if result.error is None:
            if len(answers) == len(requests):
                return answers, None
            return answers, {"failure": "stopped", "detail": "disturbed the process that carries it out"}
        if not result.state_lost:
            # Not what was asked failed, but what carries it out: it may have been tampered with.
            await self._begin_anew()
        kind = "endless" if result.error.startswith("TimeLimit") else "stopped"
        said = result.error.strip().splitlines()[-1].partition(". ")[0]
        return answers, {"failure": kind, "detail": said}

    async def _begin_anew(self) -> None:
        await self._python.aclose()
        self.__init__(self._limits)  # type: ignore[misc]

    async def _give(self) -> JsonValue:
        return self._asked

    async def _take(self, piece: JsonValue = None) -> None:
        # Foreign code may have sent it: what is no list of answers is none.
        if not isinstance(piece, str) or not self._budget.take(piece.encode(errors="replace")):
            return
        with suppress(ValueError, TypeError, RecursionError):
            self._answers += msgspec.json.decode(piece, type=list[dict[str, Any]])


def _text(value: str) -> str:
    """The text that was the value of a call; "" where it was something else."""
    try:
        text = ast.literal_eval(parsed(value, mode="eval"))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ""
    return text if isinstance(text, str) else ""


async def _ship() -> JsonValue:
    """Texts of the modules that carry calls out, which are not there in the sandbox."""
    face = import_module("worktrial.workplaces.executable")
    modules = {"worktrial": "", "worktrial.errors": "", "worktrial.workplaces": "", face.__name__: ""}
    for name, source in _SHIPPED.items():
        file = import_module(source).__file__
        assert file is not None
        modules[name] = Path(file).read_text(encoding="utf-8")
    return {"modules": modules, "face": face.__name__, "names": list(face.__all__)}


_TRUST = f"To run the folder's code without a sandbox, at your own risk, give {option('trust')}."


def _close(processes: list[_LockedIn]) -> None:
    if processes:
        in_background(_end(processes))


async def _end(processes: "list[_LockedIn]") -> None:
    await asyncio.gather(*(process.aclose() for process in processes))


@cache
def _end_all_at_exit() -> None:
    # Registered after the loop's own end, so carried out before it.
    atexit.register(lambda: in_background(_end(list(_ALIVE))).result())
