"""Code of a workplace loaded, and asked: in the sandbox, or in our own process where it is trusted.

Imports nothing of ours but what describes and calls functions, which is sent into the sandbox along with it.
"""

import inspect
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.machinery import ModuleSpec
from itertools import count
from operator import is_
from random import Random
from time import monotonic
from types import FrameType, ModuleType
from typing import Any, NamedTuple

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.executable.declare import cited
from worktrial.workplaces.executable.describe import (
    CallOutcome,
    DescribedFunctions,
    NoJson,
    carry_out,
    complete,
    describe,
    encode,
    to_json,
)
from worktrial.workplaces.executable.steps import TICK, OutOfSteps, Steps, counted, steps

MOST_BYTES = 4 << 20
"""JSON of one answer, or of one state."""
_PACKAGES = "worktrial_workplace_"
_SHOWN = 400
_PIECE_SECONDS = 0.5
MOST_PIECE = 200_000
"""Bytes of answers that are handed back together."""
_MOST_KEPT = 4 << 20
"""Bytes of states that are kept with the calls of a batch."""
_MOST_WHOLE = 256
"""Whole states that are kept from one batch to the next."""
_LASTING = (dict, list, set, bytearray, deque)
_NUMBERS = count()
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Failure(Exception):
    """Misbehaviour of code: something that no workplace may do."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


class _OutOfTime(BaseException):
    """Raised where the code is when its time is up; no ordinary handler of it catches this."""


class Bounds(NamedTuple):
    """Bounds of one call; 0 for none."""

    seconds: float = 0
    """Seconds of this process's own computing, which a busy machine does not lengthen."""
    steps: int = 0
    """Calls of functions and turns of loops in the workplace's own code."""
    output: int = MOST_BYTES


class Sources:
    """Modules of a package that is nowhere on disk. A finder of Python's, and their loader."""

    def __init__(
        self, sources: Mapping[str, str], files: Mapping[str, str] | None = None, steps: Steps | None = None
    ) -> None:
        """Name the modules.

        Args:
            sources: Module to its text; a name that others begin with is a package.
            files: Module to the file that it is from, for tracebacks.
            steps: Count that their code keeps; None where it keeps none.
        """
        self._sources = sources
        self._files = files or {}
        self._steps = steps

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Specification of a module, None where it is none of these."""
        if name not in self._sources:
            return None
        is_package = any(other.startswith(f"{name}.") for other in self._sources)
        return ModuleSpec(name, self, origin=self._files.get(name), is_package=is_package)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave the making of the module to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Carry out the module's text."""
        name = module.__name__
        file = self._files.get(name, f"{name.rpartition('.')[2]}.py")
        if self._steps is None:
            code = compile(self._sources[name], file, "exec", dont_inherit=True)
        else:
            setattr(module, TICK, self._steps.tick)
            code = counted(self._sources[name], file)
        exec(code, module.__dict__)


class LoadedWorkplace:
    """Modules of one workplace, imported, with its tools described."""

    def __init__(
        self,
        key: str,
        modules: Mapping[str, str],
        files: Mapping[str, str] | None = None,
        counting: "tuple[Steps, int] | None" = None,
    ) -> None:
        """Import nothing yet.

        Args:
            key: Name of its own for these modules.
            modules: Module to its text; `tools` holds the tools.
            files: Module to the file that it is from.
            counting: Count that their code keeps, and the most steps that an import may take; None for none.
        """
        self._package = f"{_PACKAGES}{key}_{next(_NUMBERS)}"
        self._names = tuple(modules)
        named = {f"{self._package}.{module}": text for module, text in modules.items()}
        paths = {f"{self._package}.{module}": path for module, path in (files or {}).items()}
        self._counting = counting
        self._finder = Sources({self._package: "", **named}, paths, counting and counting[0])
        self._described: DescribedFunctions | None = None
        self._lasting: dict[str, str] = {}
        self._collections: list[tuple[str, Any]] = []
        self._bound: list[tuple[dict[str, Any], list[Any]]] = []
        """Names of each imported module, and their values when it was."""

    def module(self, name: str) -> ModuleType:
        """A module of the workplace.

        Raises:
            Failure: there is none of this name, or it cannot be imported.
        """
        if name not in self._names:
            raise Failure("raised", f"the workplace has no {name}.py")
        whole = f"{self._package}.{name}"
        if whole not in sys.modules:
            with _found_by(self._finder), self._counted_apart():
                __import__(whole)
            self._refuse_memory(sys.modules[whole])
            self._collections = [*self._containers()]
            self._lasting = {name: repr(value) for name, value in self._collections}
            held = [sys.modules.get(f"{self._package}.{module}") for module in self._names]
            self._bound = [(vars(one), list(vars(one).values())) for one in held if one is not None]
        return sys.modules[whole]

    def _refuse_memory(self, module: ModuleType) -> None:
        """Refuse what a module keeps from one call to the next by its nature.

        Raises:
            Failure: a function or method keeps its answers, or a constant is used up.
        """
        own = dict(vars(module))
        for name, value in vars(module).items():
            if isinstance(value, type) and value.__module__ == module.__name__:
                own |= {f"{name}.{part}": inner for part, inner in vars(value).items()}
        for name, value in own.items():
            what = ""
            if hasattr(value, "cache_clear") and getattr(value, "__module__", "") == module.__name__:
                what = "keeps its answers (functools.cache)"
            elif isinstance(value, Iterator | Random):
                what = f"is used up ({type(value).__name__})"
            if what:
                self.forget()
                where = f"{module.__name__.rpartition('.')[2]}.{name}"
                raise Failure("remembers", f"{where} {what}, and so lasts from one call to the next; leave it out")

    @contextmanager
    def _counted_apart(self) -> Iterator[None]:
        """Count an import on its own: only some calls come upon one, depending on the process they are in."""
        if self._counting is None:
            yield
            return
        steps, most = self._counting
        left = steps.leave(most)
        try:
            yield
        finally:
            steps.leave(left)

    def described(self, state: JsonObject, where: str) -> DescribedFunctions:
        """The tools, read together with an initial state."""
        self._described = describe(self.module("tools"), state, where)
        return self._described

    @property
    def package(self) -> str:
        """Name of the package that its modules are imported into."""
        return self._package

    @property
    def functions(self) -> DescribedFunctions | None:
        """The tools as they were described; None where they have not been since the modules were imported."""
        return self._described

    @property
    def citations(self) -> dict[str, list[str]]:
        """Clauses that the functions of each module cite, by `module.function`."""
        found = {}
        for name in self._names:
            module = self.module(name)
            for function in vars(module).values():
                if inspect.isfunction(function) and function.__module__ == module.__name__ and cited(function):
                    found[f"{name}.{function.__name__}"] = list(cited(function))
        return found

    def forget(self) -> None:
        """Let go of the modules, so that they are imported anew."""
        for name in [name for name in sys.modules if name == self._package or name.startswith(f"{self._package}.")]:
            del sys.modules[name]
        self._described = None

    def refuse_lasting_changes(self) -> None:
        """Refuse code that keeps something outside of the state, where the next call would find it.

        Raises:
            Failure: a collection of a module is another one than when it was imported; it is imported anew.
        """
        # To look at each name of each module takes longer than most calls.
        for name, now in self._collections if self._is_bound_as_before() else self._containers():
            if self._lasting.get(name) != repr(now):
                self.forget()
                what = f"{name} was changed, and lasts from one call to the next"
                raise Failure("remembers", f"{what}; keep it in the state")

    def _is_bound_as_before(self) -> bool:
        """Whether every name of the modules has the value that it had when they were imported."""
        return all(len(now) == len(was) and all(map(is_, now.values(), was)) for now, was in self._bound)

    def _containers(self) -> Iterator[tuple[str, Any]]:
        for module in self._names:
            held = sys.modules.get(f"{self._package}.{module}")
            for name, value in [] if held is None else list(vars(held).items()):
                if isinstance(value, _LASTING) and not name.startswith("__"):
                    yield f"{module}.{name}", value


_Lines = set[tuple[str, int]]
"""Module and line."""


@contextmanager
def _watching(package: str, lines: _Lines) -> Iterator[None]:
    """Put the lines of functions of a package that run meanwhile into `lines`."""
    first = f"{package}."

    def called(frame: FrameType, event: str, arg: object) -> "Callable[..., Any] | None":
        name = frame.f_globals.get("__name__", "")
        # Bodies of modules and classes run once, on import, whatever is called.
        if not name.startswith(first) or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            return None
        module = name.removeprefix(first)

        def line(frame: FrameType, event: str, arg: object) -> "Callable[..., Any]":
            lines.add((module, frame.f_lineno))
            return line

        return line(frame, event, arg)

    before = sys.gettrace()
    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(before)


class _Outcome(NamedTuple):
    """Outcome of a call, as it is told, and the state after it."""

    told: list[JsonValue]
    state: bytes


class _Batch:
    """States of a batch as JSON, each read once, and its calls: the same one in the same state is made once.

    Episodes of a batch tend to begin alike, and to part at a late call.
    """

    def __init__(self, key: str, given: Sequence[bytes], wholes: dict[tuple[str, bytes], bytes]) -> None:
        self.given = given
        self._key = key
        self._wholes = wholes
        self._outcomes: dict[tuple[str, str, bytes, bytes], _Outcome] = {}
        self._kept = 0
        self.draft: tuple[bytes, Any] = (b"", None)
        """The state as the last call left it, with its JSON: few calls change it."""

    def whole(self, place: int, described: DescribedFunctions) -> bytes:
        """State as the tools' own type writes it."""
        of = (self._key, self.given[place])
        if of not in self._wholes:
            if len(self._wholes) >= _MOST_WHOLE:
                self._wholes.clear()
            self._wholes[of] = encode(described.decoder.decode(self.given[place]))
        return self._wholes[of]

    def once(self, call: tuple[str, str, bytes, bytes], make: Callable[[], _Outcome]) -> _Outcome:
        """Outcome of a call, made now or before.

        Args:
            call: Tool, arguments, state, and what the other side has of the state.
            make: Makes the call; one that fails is not kept.
        """
        if call not in self._outcomes:
            outcome = make()
            self._kept += len(outcome.state) if outcome.state is not call[2] else 0
            if self._kept > _MOST_KEPT:
                self._outcomes.clear()
                self._kept = 0
            self._outcomes[call] = outcome
        return self._outcomes[call]


class Carrier:
    """Carries out requests: the one place where code of workplaces is called."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._steps = steps()
        self._loaded: dict[str, LoadedWorkplace] = {}
        self._modules: dict[str, Mapping[str, str]] = {}
        self._watched: dict[str, tuple[LoadedWorkplace, _Lines]] = {}
        """Workplaces imported once more to see which lines run, with those that run on import."""
        self._states: dict[str, JsonObject] = {}
        self._wholes: dict[tuple[str, bytes], bytes] = {}
        """Whole states by workplace and what was given: batches tend to come back to the same."""
        self.kept: dict[str, bytes] = {}
        """States that were sent, by a name that the other side has for them."""

    def load(
        self, key: str, modules: Mapping[str, str], state: JsonObject, files: Mapping[str, str] | None = None
    ) -> None:
        """Take a workplace in; nothing of it is run yet.

        Args:
            key: Its name from now on.
            modules: Module to its text.
            state: Its initial state.
            files: Module to the file that it is from.
        """
        self._loaded[key] = LoadedWorkplace(key, modules, files, self._counting)
        self._modules[key] = modules
        self._states[key] = state

    @property
    def _counting(self) -> "tuple[Steps, int] | None":
        return (self._steps, self._bounds.steps) if self._bounds.steps else None

    def answers(self, key: str, requests: Sequence[JsonObject], states: Sequence[bytes]) -> Iterator[JsonObject]:
        """Answer requests, one after the other: `{"value": …}` or `{"failure": kind, "detail": text}`.

        Args:
            key: The workplace.
            requests: What is asked: `do` names it.
            states: JSON of states that requests name by their place here.
        """
        given = _Batch(key, states, self._wholes)
        for request in requests:
            try:
                yield {"value": self._answer(key, request, given)}
            except Failure as failure:
                yield {"failure": failure.kind, "detail": failure.detail[:_SHOWN]}

    def _answer(self, key: str, request: JsonObject, states: _Batch) -> JsonValue:
        loaded = self._loaded[key]
        match request["do"]:
            case "describe":
                return self._describe(loaded, key)
            case "draw":
                return self._guarded(loaded, lambda: _called(loaded, "draw", "draw", Random(request["seed"])))
            case "function":
                module, function, given = request["module"], request["function"], request["arguments"]
                if "state" in request:
                    given = [msgspec.json.decode(states.given[request["state"]]), *given]
                return self._guarded(loaded, lambda: _called(loaded, module, function, *given))
            case "complete":
                state = msgspec.json.decode(states.given[request["state"]])
                return self._guarded(loaded, lambda: complete(self._functions(loaded, key).decoder, state, ""))
            case "covered":
                return self._covered(key, request["calls"], states.given[request["state"]])
        described = self._functions(loaded, key)
        whole = self._guarded(loaded, lambda: states.whole(request["state"], described))
        told = states.given[request["state"]]
        return self._episode(loaded, described, request["calls"], whole, told, states)

    def _covered(self, key: str, calls: Sequence[Sequence[Any]], state: bytes) -> JsonValue:
        """Lines of functions that run in an episode or on import, by module; None where a call fails.

        Nothing is taken from what was called before, or the lines would not show.
        """
        if key not in self._watched:
            on_import: _Lines = set()
            loaded = LoadedWorkplace(key, self._modules[key], None, self._counting)
            with _watching(loaded.package, on_import):
                self._functions(loaded, key)
            self._watched[key] = (loaded, on_import)
        loaded, on_import = self._watched[key]
        described = self._functions(loaded, key)
        lines = set(on_import)
        batch = _Batch(key, [state], {})
        with _watching(loaded.package, lines):
            whole = self._guarded(loaded, lambda: batch.whole(0, described))
            done = self._episode(loaded, described, calls, whole, state, batch)
        if "failure" in done:
            return None
        found: dict[str, list[int]] = {}
        for module, line in sorted(lines):
            found.setdefault(module, []).append(line)
        return found

    def _functions(self, loaded: LoadedWorkplace, key: str) -> DescribedFunctions:
        if loaded.functions is None:
            self._guarded(loaded, lambda: loaded.described(self._states[key], key))
        assert loaded.functions is not None
        return loaded.functions

    def _describe(self, loaded: LoadedWorkplace, key: str) -> JsonObject:
        found = self._functions(loaded, key)
        tools = [
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "writes": tool.function.writes,
                "example": tool.example,
                "output": self._guarded(loaded, partial(found.example_output, tool)),
            }
            for tool in found.tools
        ]
        cites = self._guarded(loaded, lambda: loaded.citations)
        return {"tools": tools, "state": found.initial_state, "cites": cites}

    def _episode(
        self,
        loaded: LoadedWorkplace,
        described: DescribedFunctions,
        calls: Sequence[Sequence[Any]],
        state: bytes,
        told: bytes,
        batch: _Batch,
    ) -> JsonObject:
        """Calls one after the other; one that fails ends them.

        Args:
            loaded: The workplace.
            described: Its functions.
            calls: Tool and arguments of each.
            state: The whole state.
            told: What the other side has of it, which may lack what is left to defaults.
            batch: Knows what was called before.
        """
        functions = {tool.name: tool.function for tool in described.tools}
        seen: list[JsonValue] = []
        ended: JsonObject = {}
        for tool, arguments in calls:
            do = partial(carry_out, tool, functions[tool], described.decoder, state, arguments, watched=True)
            make = partial(self._outcome, loaded, do, state, told, batch)
            try:
                outcome = batch.once((tool, repr(arguments), state, told), make)
            except Failure as failure:
                ended = {"failure": failure.kind, "detail": f"{tool}: {failure.detail}"[:_SHOWN]}
                break
            seen.append(outcome.told)
            if outcome.state != state:
                state = told = outcome.state
        return {"seen": seen, **ended}

    def _outcome(
        self, loaded: LoadedWorkplace, do: Callable[..., CallOutcome], state: bytes, told: bytes, batch: _Batch
    ) -> _Outcome:
        """Outcome of one call.

        Raises:
            Failure: its code did what no workplace may do.
        """
        of, draft = batch.draft
        batch.draft = (b"", None)
        done = self._guarded(loaded, partial(do, draft=draft if of == state else None))
        batch.draft = (state, done.draft)
        if not isinstance(done.content, dict):
            raise Failure("no_json", f"answered no JSON object: {done.content!r}")
        if max(len(encode(done.content)), len(done.state)) > self._bounds.output:
            raise Failure("output", f"more than {self._bounds.output:,} bytes of answer or state")
        change = None if done.state == state else difference(told, done.state)
        return _Outcome([done.content, change, done.touched, done.refused], done.state)

    def _guarded(self, loaded: LoadedWorkplace, do: "Callable[[], Any]") -> Any:
        """Result of code of the workplace.

        Raises:
            Failure: it did what no workplace may do.
        """
        try:
            with self._at_most():
                result = do()
                loaded.refuse_lasting_changes()
        except Failure:
            raise
        except OutOfSteps as error:
            # Somewhere between two statements; nothing that it left behind can be relied on.
            loaded.forget()
            raise Failure("endless", f"{_place(error)}took more than {self._bounds.steps:,} steps") from None
        except _OutOfTime:
            loaded.forget()
            raise Failure("endless", f"took more than {self._bounds.seconds:g} seconds of computing") from None
        except MemoryError:
            raise Failure("memory", "needs more memory than there is") from None
        except msgspec.ValidationError as error:
            raise Failure("misfit", f"a value does not fit: {error}") from error
        except DataError as error:
            raise Failure("misfit", str(error).removeprefix(": ")) from error
        except NoJson as error:
            raise Failure("no_json", f"a value has no JSON form ({error})") from error
        except BaseException as error:
            raise Failure("raised", _said(error)) from error
        return result

    @contextmanager
    def _at_most(self) -> Iterator[None]:
        """Keep to the bounds: to steps, and to seconds where the code takes none."""
        if self._bounds.steps:
            self._steps.leave(self._bounds.steps)
        try:
            with _at_most(self._bounds.seconds):
                yield
        finally:
            self._steps.leave(sys.maxsize)


def _called(loaded: LoadedWorkplace, module: str, function: str, *arguments: Any) -> JsonValue:
    found = getattr(loaded.module(module), function, None)
    if found is None:
        raise Failure("raised", f"{module}.py has no {function}")
    return to_json(found(*arguments))


class CarrierMessage(msgspec.Struct, kw_only=True):
    """A batch of requests for a process, with what it has not been told yet."""

    load: dict[str, Any]
    """Workplaces, each the arguments of `Carrier.load` by its key."""
    key: str
    requests: list[dict[str, Any]]
    states: list[str]
    """Names of the states that requests name by their place here."""
    new: dict[str, msgspec.Raw]
    """States that were not sent before, by name."""
    gone: list[str]
    """Names of states that are asked for no more."""


_MESSAGES = msgspec.json.Decoder(CarrierMessage)


def serve(carrier: Carrier, text: str, hand_back: Callable[[str], None]) -> str:
    """Carry out what is asked, in the sandbox; answers that are many or late are handed back in pieces before.

    Args:
        carrier: What carries it out.
        text: JSON of a `CarrierMessage`.
        hand_back: Function that takes a piece, JSON of a list of answers.

    Returns:
        The last piece.
    """
    asked = _MESSAGES.decode(text)
    for key, given in asked.load.items():
        carrier.load(key, **given)
    for name in asked.gone:
        del carrier.kept[name]
    carrier.kept |= {name: bytes(state) for name, state in asked.new.items()}
    states = [carrier.kept[name] for name in asked.states]
    piece: list[JsonObject] = []
    size, began = 0, monotonic()
    for answer in carrier.answers(asked.key, asked.requests, states):
        piece.append(answer)
        size += len(encode(answer))
        # Early enough that what is done is not lost when a later one is stopped.
        if size > MOST_PIECE or monotonic() - began > _PIECE_SECONDS:
            hand_back(encode(piece).decode())
            piece, size, began = [], 0, monotonic()
    return encode(piece).decode()


def difference(before: bytes, after: bytes) -> JsonObject:
    """Change that makes one JSON object into another, far shorter than a whole state: see `with_difference`.

    Only what differs is read.

    Returns:
        `set`: fields with new values; `gone`: names of fields that are no more; `in`: differences within fields.
    """
    was, now = _FIELDS.decode(before), _FIELDS.decode(after)
    put, within = {}, {}
    for name, raw in now.items():
        old, new = bytes(was.get(name, b"")), bytes(raw)
        if old == new:
            continue
        if old[:1] == new[:1] == b"{":
            inner = difference(old, new)
            if any(inner.values()):
                within[name] = inner
            continue
        value = msgspec.json.decode(new)
        # As text, since Python takes 1, 1.0 and true for the same; read first, since 1.10 and 1.1 are the same.
        if not old or encode(msgspec.json.decode(old)) != encode(value):
            put[name] = value
    return {"set": put, "gone": [name for name in was if name not in now], "in": within}


def with_difference(before: JsonObject, change: JsonObject) -> JsonObject:
    """The state after a change, sharing with the one before what stayed as it was."""
    kept: JsonObject = {name: value for name, value in before.items() if name not in change["gone"]} | change["set"]
    return kept | {name: with_difference(before[name], inner) for name, inner in change["in"].items()}


@contextmanager
def _found_by(finder: Sources) -> Iterator[None]:
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    if not seconds:
        yield
        return
    # Again and again: code may swallow the first.
    signal.signal(signal.SIGVTALRM, _stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, 0.1)
    try:
        yield
    finally:
        with suppress(_OutOfTime):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _stop(number: int, frame: FrameType | None) -> None:
    raise _OutOfTime


def _said(error: BaseException) -> str:
    """Type and message of an error, with the place in the workplace's code."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - foreign code may define it
        text = "(its text could not be made)"
    return f"{_place(error)}{type(error).__name__}: {text}"


def _place(error: BaseException) -> str:
    """File and line of the workplace's code in which an error was raised; "" where it was in none."""
    place, at = "", error.__traceback__
    while at is not None:
        name = at.tb_frame.f_globals.get("__name__", "")
        if name.startswith(_PACKAGES):
            place = f"{name.rpartition('.')[2]}.py, line {at.tb_lineno}: "
        at = at.tb_next
    return place
