"""The door through which gates make many calls: whole episodes in one go, each in a state of its own."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces import Workplace, refusal
from worktrial.workplaces.executable import ExecutableWorkplace, ToolError
from worktrial.workplaces.executable.code import CodeFailure, CodeWorkplace, EpisodeResult, ScriptedEpisode
from worktrial.workplaces.executable.describe import encode, to_json
from worktrial.workplaces.executable.source_rules import parsed


@dataclass(frozen=True, slots=True)
class Probe:
    """Calls to make one after the other, beginning in a state."""

    state: JsonObject
    calls: Sequence[tuple[str, JsonValue]]
    """Tool and arguments of each."""


@dataclass(frozen=True, slots=True)
class ProbedCall:
    """Outcome of one call of a `Probe`."""

    content: JsonObject
    """Observation; {} where the call failed in a way that no rule knows."""
    error: bool
    """Whether it was refused, by the schema or by a rule."""
    changed: bool
    """Whether it changed the state."""
    touched: bool = False
    """Whether a tool that only reads changed its copy of the state, which is thrown away."""
    crash: str = ""
    """Reason of a failure that no rule knows, such as an exception; "" where the call was answered."""


@dataclass(frozen=True, slots=True)
class Probed:
    """Outcome of a `Probe`."""

    calls: Sequence[ProbedCall]
    state: JsonObject
    """The state at the end."""

    @property
    def crash(self) -> str:
        """First reason of a failure that no rule knows; "" where there is none."""
        return next((call.crash for call in self.calls if call.crash), "")


class Door(Protocol):
    """Protocol of a workplace that can be called in bulk."""

    @property
    def artifact(self) -> Workplace:
        """The workplace's tools and default state."""
        ...

    @property
    def sources(self) -> dict[str, str]:
        """Python that holds the tools and their rules, by file name."""
        ...

    async def probe(self, probes: Sequence[Probe]) -> list[Probed]:
        """Carry out `probes`, each from its own state."""
        ...

    async def draw(self, seed: int) -> JsonObject | None:
        """Initial state of a seed; None where the workplace draws none.

        Raises:
            Undrawable: the generator raised, or what it drew is no state.
        """
        ...

    def mutated(self, file: str, source: str) -> "Door":
        """The same workplace with one file's source replaced.

        Raises:
            DataError: it cannot be built from that.
        """
        ...


class Undrawable(Exception):
    """An initial state that could not be drawn; the message says why."""


class TrustedDoor:
    """Door to a workplace whose functions run in this process, because they are trusted."""

    def __init__(self, workplace: ExecutableWorkplace, sources: dict[str, str] | None = None) -> None:
        """Open a door.

        Args:
            workplace: Whose.
            sources: Its source by file name; None reads the file of its tools.
        """
        self._workplace = workplace
        self._sources = sources
        self._decoder = msgspec.json.Decoder(workplace.state_type)
        self._writers = {name for name, function in workplace.functions.items() if function.writes}

    @property
    def artifact(self) -> Workplace:
        """The workplace's tools and default state."""
        return self._workplace.artifact

    @property
    def sources(self) -> dict[str, str]:
        """Source of the module that holds the tools."""
        if self._sources is not None:
            return self._sources
        path = self._path
        return {} if path is None else {path.name: path.read_text(encoding="utf-8")}

    @property
    def _path(self) -> Path | None:
        modules = {function.run.__code__.co_filename for function in self._workplace.functions.values()}
        path = Path(next(iter(modules))) if len(modules) == 1 else None
        return path if path is not None and path.is_file() else None

    async def probe(self, probes: Sequence[Probe]) -> list[Probed]:
        """Carry out `probes`; see `Door`."""
        return [self._probed(probe) for probe in probes]

    async def draw(self, seed: int) -> JsonObject | None:
        """None: a workplace without a folder draws no states."""
        return None

    def mutated(self, file: str, source: str) -> "TrustedDoor":
        """The same workplace with its module's source replaced; see `Door`."""
        first = next(iter(self._workplace.functions.values())).run
        module = ModuleType(first.__module__)
        module.__package__ = first.__module__.rpartition(".")[0]
        module.__file__ = str(self._path)
        try:
            exec(compile(source, str(self._path), "exec"), module.__dict__)
            artifact = self.artifact
            built = ExecutableWorkplace.build(
                artifact.name,
                module,
                system_prompt=artifact.system_prompt,
                initial_state=artifact.initial_state,
                state_description=artifact.state_description,
            )
        except Exception as e:
            raise DataError(file, f"cannot be used ({type(e).__name__}: {e})") from e
        return TrustedDoor(built, {**self.sources, file: source})

    def _probed(self, probe: Probe) -> Probed:
        try:
            text = encode(probe.state)
            draft = self._decoder.decode(text)
        except (msgspec.ValidationError, UnicodeError) as e:
            crashed = ProbedCall({}, True, False, crash=f"the state does not fit: {e}")
            return Probed([crashed] * len(probe.calls), probe.state)
        text = encode(draft)
        done: list[ProbedCall] = []
        for tool, arguments in probe.calls:
            call, after = self._call(tool, arguments, draft, text)
            if call.changed or call.touched or call.error or call.crash:
                # A refused write may have changed half of its draft.
                draft = self._decoder.decode(after)
            text = after
            done.append(call)
        state: JsonObject = msgspec.json.decode(text)
        return Probed(done, state)

    def _call(self, tool: str, arguments: JsonValue, draft: Any, before: bytes) -> tuple[ProbedCall, bytes]:
        refused = refusal(self.artifact, tool, arguments)
        if refused is not None:
            return ProbedCall(refused.content, True, False), before
        function = self._workplace.functions[tool]
        try:
            given = msgspec.json.decode(encode(arguments), type=function.arguments)
        except (msgspec.ValidationError, UnicodeError) as e:
            said = {"error": {"type": "invalid_arguments", "message": f"{tool}: {e}"}}
            return ProbedCall(said, True, False), before
        try:
            content = to_json(function.run(draft, **msgspec.structs.asdict(given)))
            after = encode(draft)
        except ToolError as e:
            return ProbedCall(e.observation, True, False), before
        # Whatever a rule raises is what is looked for here.
        except Exception as e:  # noqa: BLE001
            return ProbedCall({}, True, False, crash=f"raised {type(e).__name__}: {e}"), before
        if not isinstance(content, dict):
            return ProbedCall({}, True, False, crash="answered with no JSON object"), before
        if tool in self._writers:
            return ProbedCall(content, False, after != before), after
        return ProbedCall(content, False, False, touched=after != before), before


def _imported(source: str) -> list[str]:
    """Names of modules that a module imports from beside it, and others that cannot be told from such."""
    found: list[str] = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.ImportFrom):
            found += [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.name.split(".")[0] for alias in node.names]
    return found


class CodeDoor:
    """Door to a workplace whose code is somebody else's, wherever that is carried out."""

    def __init__(self, workplace: CodeWorkplace) -> None:
        """Open a door."""
        self._workplace = workplace

    @property
    def artifact(self) -> Workplace:
        """The workplace's tools and default state."""
        return self._workplace.artifact

    @property
    def sources(self) -> dict[str, str]:
        """Source of the modules that take part in calls, those of the tools first."""
        sources = self._workplace.sources
        names, waiting = [], ["tools"]
        while waiting:
            name = waiting.pop(0)
            if name in sources and name not in names:
                names.append(name)
                waiting += _imported(sources[name])
        return {f"{name}.py": sources[name] for name in names}

    async def probe(self, probes: Sequence[Probe]) -> list[Probed]:
        """Carry out `probes`; see `Door`. A call that fails ends its episode, so the rest begins another."""
        done = await self._workplace.episodes([ScriptedEpisode(probe.state, probe.calls) for probe in probes])
        return [await self._whole(probe, one) for probe, one in zip(probes, done, strict=True)]

    async def draw(self, seed: int) -> JsonObject | None:
        """Initial state of a seed; see `Door`."""
        if "draw" not in self._workplace.sources:
            return None
        try:
            return await self._workplace.draw(seed)
        except CodeFailure as e:
            raise Undrawable(e.detail) from e

    def mutated(self, file: str, source: str) -> "CodeDoor":
        """The same workplace with one module's source replaced; see `Door`."""
        return CodeDoor(self._workplace.with_module(file.removesuffix(".py"), source))

    async def _whole(self, probe: Probe, result: EpisodeResult) -> Probed:
        calls, state = [], probe.state
        while True:
            calls += [ProbedCall(c.content, c.error, c.changed, c.touched) for c in result.calls]
            state = result.state
            if result.failure is None:
                return Probed(calls, state)
            calls.append(ProbedCall({}, True, False, crash=result.failure.detail))
            rest = probe.calls[len(calls) :]
            if not rest:
                return Probed(calls, state)
            (result,) = await self._workplace.episodes([ScriptedEpisode(state, rest)])
