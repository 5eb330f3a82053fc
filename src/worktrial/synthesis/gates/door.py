"""The door through which gates make many calls: whole episodes in one go, each in a state of its own."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.source_trees import parsed
from worktrial.suites.executable.tasks import Home
from worktrial.workplaces import Workplace
from worktrial.workplaces.executable import ExecutableWorkplace
from worktrial.workplaces.executable.code import CodeFailure, CodeWorkplace, EpisodeResult, ScriptedEpisode
from worktrial.workplaces.executable.report_form import REPORT_TOOL


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


class Undrawable(Exception):
    """An initial state that could not be drawn; the message says why."""


def _of_ours(workplace: ExecutableWorkplace) -> CodeWorkplace:
    """A workplace of ours as code, with the modules beside its tools that these import.

    Raises:
        DataError: its functions are not those of one file.
    """
    artifact = workplace.artifact
    own = [function for name, function in workplace.functions.items() if name != REPORT_TOOL]
    files = {function.run.__code__.co_filename for function in own}
    path = Path(files.pop())
    if files or not path.is_file():
        raise DataError(artifact.name, "its tools are not the functions of one file", "Put them into one module")
    beside = {one.stem: one.read_text(encoding="utf-8") for one in sorted(path.parent.glob("*.py"))}
    return CodeWorkplace.build(
        artifact.name,
        _taking_part({**beside, "tools": beside[path.stem]}),
        system_prompt=artifact.system_prompt,
        initial_state=artifact.initial_state,
        state_description=artifact.state_description,
        source=artifact.source,
        report=workplace.report,
        trust=True,
    )


def _taking_part(modules: Mapping[str, str]) -> dict[str, str]:
    """Modules that take part in calls, those of the tools first."""
    found: dict[str, str] = {}
    waiting = ["tools"]
    while waiting:
        name = waiting.pop(0)
        if name in modules and name not in found:
            found[name] = modules[name]
            waiting += _imported(modules[name])
    return found


# A door is opened for each gate, onto the same modules.
@lru_cache(32)
def _imported(source: str) -> Sequence[str]:
    """Names of modules that a module imports from beside it, and others that cannot be told from such."""
    found: list[str] = []
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.ImportFrom):
            found += [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [alias.name.split(".")[0] for alias in node.names]
    return found


class Door:
    """A workplace that can be called in bulk, wherever its code is carried out."""

    def __init__(self, workplace: Home) -> None:
        """Open a door.

        Args:
            workplace: Whose. One of ours is read from its file anew, and carried out in this process.

        Raises:
            DataError: its functions are not those of one file.
        """
        self.home = workplace if isinstance(workplace, CodeWorkplace) else _of_ours(workplace)
        self._starts: dict[int, JsonObject] = {}

    @property
    def artifact(self) -> Workplace:
        """The workplace's tools and default state."""
        return self.home.artifact

    @property
    def sources(self) -> dict[str, str]:
        """Source of the modules that take part in calls, those of the tools first."""
        return {f"{name}.py": text for name, text in _taking_part(self.home.sources).items()}

    async def probe(self, probes: Sequence[Probe]) -> list[Probed]:
        """Carry out `probes`, each from its own state."""
        # A call that fails ends its episode, so the rest begins another.
        done = await self.home.episodes([ScriptedEpisode(probe.state, probe.calls) for probe in probes])
        return [await self._whole(probe, one) for probe, one in zip(probes, done, strict=True)]

    async def covered(self, probes: Sequence[Probe]) -> list[frozenset[tuple[str, int]] | None]:
        """File and line of each statement in a function that runs in a probe; None where a call fails."""
        found = await self.home.covered([ScriptedEpisode(probe.state, probe.calls) for probe in probes])
        return [
            None if lines is None else frozenset((f"{module}.py", line) for module, line in lines)
            for lines in found
        ]

    async def draw(self, seed: int) -> JsonObject | None:
        """Initial state of a seed; None where the workplace draws none.

        Raises:
            Undrawable: the generator raised, or what it drew is no state.
        """
        if "draw" not in self.home.sources:
            return None
        try:
            return await self.home.draw(seed)
        except CodeFailure as e:
            raise Undrawable(e.detail) from e

    async def start(self, seed: int) -> JsonObject:
        """State of a seed in which tasks begin, drawn once; nobody may change it.

        Raises:
            CodeFailure: the workplace draws none, or what it drew is no state.
        """
        if seed not in self._starts:
            self._starts[seed] = await self.home.draw(seed)
        return self._starts[seed]

    async def call_function(self, module: str, name: str, *arguments: JsonValue) -> JsonValue:
        """Result of a function of one of the workplace's modules; see `CodeWorkplace.call_function`."""
        return await self.home.call_function(module, name, *arguments)

    def mutated(self, file: str, source: str) -> "Door":
        """The same workplace with one file's source replaced.

        Raises:
            DataError: it cannot be built from that.
        """
        return Door(self.home.with_module(file.removesuffix(".py"), source))

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
            (result,) = await self.home.episodes([ScriptedEpisode(state, rest)])
