"""A workplace whose code is somebody else's: described and played without any of it running in our process."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import msgspec

from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.executable.declare import Function
from worktrial.workplaces.executable.describe import CallOutcome, DescribedFunctions, carry_out, describe, encode
from worktrial.workplaces.executable.folder import (
    read_initial_state,
    read_modules,
    read_workplace_file,
)
from worktrial.workplaces.executable.inside import with_difference
from worktrial.workplaces.executable.report_form import REPORT_TOOL, ReportForm, report_functions
from worktrial.workplaces.executable.runner import CodeRunner, SandboxedRunner, TrustedRunner
from worktrial.workplaces.executable.source_rules import source_faults
from worktrial.workplaces.executable.workplace import refuse_misfit, tool_of
from worktrial.workplaces.handbook import Handbook
from worktrial.workplaces.handbook.tools import handbook_functions
from worktrial.workplaces.session import Observation, Origin, refusal
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.tools import Tool

_MOST_KNOWN = 50_000
FailureKind = Literal["raised", "endless", "memory", "output", "no_json", "misfit", "remembers", "stopped"]
"""Ways in which code can fail: it raised, took too long, needed too much memory, gave too much, gave what JSON
cannot say, met a state or value that does not fit its type, kept something outside of the state, or brought its
process down."""


class CodeFailure(InvalidSample):
    """A request that a workplace's code could not carry out."""

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(InvalidReason.TASK_DATA, f"{kind}: {detail}")
        self.kind = kind


@dataclass(frozen=True, slots=True)
class ScriptedEpisode:
    """Calls to be made one after the other, beginning in `state`."""

    state: JsonObject
    calls: Sequence[tuple[str, JsonValue]] = ()


@dataclass(frozen=True, slots=True)
class EpisodeCall:
    """One call of an episode, carried out."""

    content: JsonObject
    """Observation that an agent would see."""
    error: bool
    """Whether the call ended in an error."""
    state: JsonObject
    """State after it."""
    changed: bool
    """Whether that is another one than before."""
    touched: bool
    """Whether a tool that only looks changed its copy of the state, which was thrown away."""
    origin: Origin


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """Result of an episode."""

    calls: Sequence[EpisodeCall]
    """The calls up to the one that failed, which is not among them."""
    state: JsonObject
    """State after them."""
    failure: CodeFailure | None = None
    """Why the call after them could not be carried out; None where all were."""


@dataclass(frozen=True)
class CodeWorkplace:
    """Tools as Python functions in a folder of somebody's own, and the artifact derived from them.

    Example:
        >>> home = CodeWorkplace.read(Path("my-trial/workplaces/claims_desk"))
        >>> session = home.open()
        >>> observation = await session.call("get_claim", {"claim_id": "C-901"})
    """

    artifact: Workplace
    """Complete, tools of the handbook and the report form included: a `LanguageSimulator` can play the same
    workplace from it."""
    runner: CodeRunner
    key: str
    """SHA-256 over code and initial state, shortened; the workplace's name in the runner."""
    citations: Mapping[str, Sequence[str]]
    """Clauses that functions cite, by `module.function`."""
    sources: Mapping[str, str] = field(repr=False)
    """Module to its text."""
    examples: Mapping[str, JsonObject] = field(repr=False)
    """Arguments of each tool's example call, of those that show one."""
    _built_in: DescribedFunctions | None = field(default=None, repr=False)
    _handbook: Handbook | None = field(default=None, repr=False)
    report: ReportForm | None = field(default=None, repr=False)
    """Form in which agents report; None where they report in words."""
    _known: "dict[tuple[str, str], Observation | None]" = field(default_factory=dict, repr=False, compare=False)
    """Calls that were held against the tools' schemas, with what they are answered without any code."""

    @classmethod
    def read(
        cls,
        folder: Path,
        *,
        runner: CodeRunner | None = None,
        handbook: Handbook | None = None,
        trust: bool = False,
    ) -> "CodeWorkplace":
        """Read the workplace in `folder` and describe its tools.

        Args:
            folder: Holds `workplace.yaml`, `initial_state.yaml` and `tools.py`, maybe other modules.
            runner: Where its code is carried out; None makes a runner of its own.
            handbook: Papers that its agents may search and read; None for none.
            trust: Run the code in our own process, without source rules.

        Raises:
            DataError: a file is missing or cannot be used, or the code cannot be a workplace's.
            SettingError: code cannot be locked in here.
        """
        described = read_workplace_file(folder)
        if described.name != folder.name:
            what = f"name: is {described.name!r}, and the folder is called {folder.name!r}"
            raise DataError(folder / "workplace.yaml", what, "Call them the same")
        return cls.build(
            described.name,
            read_modules(folder),
            system_prompt=described.system_prompt,
            initial_state=read_initial_state(folder),
            state_description=described.state_description,
            source=str(folder),
            runner=runner,
            handbook=handbook,
            report=described.report,
            trust=trust,
        )

    @classmethod
    def build(
        cls,
        name: str,
        modules: Mapping[str, str],
        *,
        system_prompt: str,
        initial_state: JsonObject,
        state_description: JsonObject | None = None,
        source: str = "",
        runner: CodeRunner | None = None,
        handbook: Handbook | None = None,
        report: ReportForm | None = None,
        trust: bool = False,
    ) -> "CodeWorkplace":
        """Describe the tools in `modules`; see `read`.

        Args:
            name: The workplace's name.
            modules: Module to its text; `tools` holds the tools.
            system_prompt: The rules, for a model that plays the workplace.
            initial_state: JSON that fits the type of the tools' first parameter.
            state_description: Meaning of the state's fields.
            source: The folder it came from, for messages.
            runner: Where its code is carried out; None makes a runner of its own.
            handbook: Papers that its agents may search and read; None for none.
            report: Form in which its agents report; None for none.
            trust: Run the code in our own process, without source rules.

        Raises:
            DataError: the code cannot be a workplace's; the message has the first few reasons.
            SettingError: code cannot be locked in here.
        """
        where = source or name
        if not trust and (faults := source_faults(modules)):
            raise DataError(where, "; ".join(faults[:3]), "See `worktrial run FOLDER --help` on trust")
        runner = runner or (TrustedRunner() if trust else SandboxedRunner())
        key = sha256(msgspec.json.encode([sorted(modules.items()), initial_state])).hexdigest()[:16]
        files = {module: f"{source}/{module}.py" for module in modules} if source else {}
        runner.load(key, modules, initial_state, files)
        told = _value(runner.answers_now(key, [{"do": "describe"}])[0], where)
        try:
            msgspec.convert(told, _Description)
        except msgspec.ValidationError as e:
            raise DataError(where, f"its code gives no description of its tools ({e})") from None
        built_in = _built_in(handbook, report, where)
        own = [_tool(row, where) for row in told["tools"]]
        taken = {tool.name for tool in built_in.tools} if built_in else set()
        if both := sorted(taken & {tool.name for tool in own}):
            brings = "report form" if both[0] == REPORT_TOOL else "handbook"
            raise DataError(where, f"the tool {both[0]} is one that the {brings} brings", "Call it otherwise")
        tools = [*own, *(_built_in_tools(built_in) if built_in else ())]
        artifact = Workplace(
            name, system_prompt, tuple(tools), told["state"], state_description or {}, source=source
        )
        examples = {row["name"]: row["example"] for row in told["tools"] if row["example"] is not None}
        return cls(artifact, runner, key, told["cites"], modules, examples, built_in, handbook, report)

    def with_module(self, name: str, text: str) -> "CodeWorkplace":
        """The same workplace with another text of one module, carried out in the same place.

        Raises:
            DataError: the code cannot be a workplace's.
            SettingError: code cannot be locked in here.
        """
        made = CodeWorkplace.build(
            self.artifact.name,
            {**self.sources, name: text},
            system_prompt=self.artifact.system_prompt,
            initial_state=self.artifact.initial_state,
            state_description=self.artifact.state_description,
            source=self.artifact.source,
            runner=self.runner,
            handbook=self._handbook,
            report=self.report,
            trust=isinstance(self.runner, TrustedRunner),
        )
        # What schemas refuse is the same for both, and a mutant's calls are those of the workplace.
        return replace(made, _known=self._known) if _schemas(made) == _schemas(self) else made

    def starting_from(self, initial_state: JsonObject) -> "CodeWorkplace":
        """The same workplace, found by the agent in another state, which is taken to be whole; see `complete`."""
        return replace(self, artifact=replace(self.artifact, initial_state=initial_state))

    def complete(self, states: Sequence[JsonObject], where: Sequence[str]) -> list[JsonObject]:
        """States with the defaults of what they leave out.

        Args:
            states: Any number of them.
            where: Name of each, for messages.

        Raises:
            DataError: one does not fit the state's type.
        """
        asked = [{"do": "complete", "state": place} for place in range(len(states))]
        answers = self.runner.answers_now(self.key, asked, states)
        return [_value(answer, name) for answer, name in zip(answers, where, strict=True)]

    def open(self, initial_state: JsonObject | None = None) -> "CodeSession":
        """Session that begins in `initial_state`, a whole state, or in the workplace's own."""
        return CodeSession(self, self.artifact.initial_state if initial_state is None else initial_state)

    async def episodes(self, batch: Sequence[ScriptedEpisode]) -> list[EpisodeResult]:
        """Carry out episodes that know nothing of each other, many at a time.

        Raises:
            SettingError: code cannot be locked in here.
        """
        states: dict[int, int] = {}
        kept: list[JsonObject] = []
        for episode in batch:
            if id(episode.state) not in states:
                states[id(episode.state)] = len(kept)
                kept.append(episode.state)
        plans = [_Planned.of(self, episode) for episode in batch]
        asked = [
            {"do": "episode", "state": states[id(episode.state)], "calls": plan.sent}
            for episode, plan in zip(batch, plans, strict=True)
        ]
        answers = await self.runner.answers(self.key, asked, kept)
        return [plan.result(answer) for plan, answer in zip(plans, answers, strict=True)]

    async def covered(self, batch: Sequence[ScriptedEpisode]) -> list[frozenset[tuple[str, int]] | None]:
        """Lines of functions that run in episodes, as module and line; None for an episode that fails.

        Raises:
            SettingError: code cannot be locked in here.
        """
        plans = [_Planned.of(self, episode) for episode in batch]
        asked = [{"do": "covered", "state": place, "calls": plan.sent} for place, plan in enumerate(plans)]
        answers = await self.runner.answers(self.key, asked, [episode.state for episode in batch])
        found = [answer.get("value") for answer in answers]
        return [
            None if lines is None else frozenset((module, line) for module in lines for line in lines[module])
            for lines in found
        ]

    async def draw(self, seed: int) -> JsonObject:
        """A state drawn by the workplace's own `draw.py`.

        Args:
            seed: Of the `random.Random` that `draw` is given.

        Raises:
            CodeFailure: there is no such function, it failed, or its state does not fit.
            SettingError: code cannot be locked in here.
        """
        drawn = await self._one({"do": "draw", "seed": seed})
        state: JsonObject = await self._one({"do": "complete", "state": 0}, [drawn])
        return state

    async def call_function(self, module: str, name: str, *arguments: JsonValue) -> JsonValue:
        """Result of a function of one of the workplace's modules.

        Args:
            module: Name of the module, such as `atoms`.
            name: Name of the function.
            arguments: What it is given, as JSON.

        Raises:
            CodeFailure: there is no such function, or it failed.
            SettingError: code cannot be locked in here.
        """
        request: JsonObject = {"do": "function", "module": module, "function": name, "arguments": list(arguments)}
        if arguments and isinstance(arguments[0], dict):
            # Most likely a state, which the process may know already.
            return await self._one({**request, "arguments": list(arguments[1:]), "state": 0}, arguments[:1])
        return await self._one(request)

    async def _one(self, request: JsonObject, states: Sequence[JsonValue] = ()) -> Any:
        (answer,) = await self.runner.answers(self.key, [request], states)
        if "failure" in answer:
            raise CodeFailure(answer["failure"], f"{self.artifact.name}: {answer['detail']}")
        return answer["value"]

    @cached_property
    def _built_in_functions(self) -> Mapping[str, Any]:
        return {tool.name: tool.function for tool in self._built_in.tools} if self._built_in else {}

    def answered_here(self, tool: str, arguments: JsonValue) -> Observation | None:
        """Observation of a call that does not reach the workplace's code: refused, or of a tool of ours.

        The same calls are made again and again, and no state plays a part in these: each is looked at once.
        """
        try:
            key = (tool, repr(arguments))
        except RecursionError:  # too deep to be written down, and refused for it
            return self._looked_at(tool, arguments)
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._looked_at(tool, arguments)
        return self._known[key]

    def _looked_at(self, tool: str, arguments: JsonValue) -> Observation | None:
        refused = refusal(self.artifact, tool, arguments)
        if refused is not None or self._built_in is None or tool not in self._built_in_functions:
            return refused
        done = carry_out(tool, self._built_in_functions[tool], self._built_in.decoder, b"{}", arguments)
        return Observation(done.content, _origin(done))


class CodeSession:
    """One episode in a `CodeWorkplace`. The state lives here, and goes along with every call."""

    def __init__(self, workplace: CodeWorkplace, state: JsonObject) -> None:
        self._workplace = workplace
        self._state = state
        self._turn = asyncio.Lock()

    @property
    def state(self) -> JsonObject:
        """The state as it is now, as a JSON copy of its own."""
        state: JsonObject = msgspec.json.decode(encode(self._state))
        return state

    def restore(self, state: JsonObject) -> None:
        """Go on in `state`; see `Restorable`."""
        try:
            (self._state,) = self._workplace.complete([state], [self._workplace.artifact.name])
        except DataError as e:
            raise ValueError(f"{self._workplace.artifact.name} cannot be in this state: {e}") from None

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        """Carry out one tool call; see `Session.call`.

        Raises:
            CodeFailure: the workplace's code could not.
            SettingError: its process was brought down and cannot be started again.
        """
        here = self._workplace.answered_here(tool, arguments)
        if here is not None:
            return here
        async with self._turn:
            (done,) = await self._workplace.episodes([ScriptedEpisode(self._state, [(tool, arguments)])])
            if done.failure is not None:
                raise done.failure
            self._state = done.state
        return Observation(done.calls[0].content, done.calls[0].origin)


@dataclass(frozen=True, slots=True)
class _Planned:
    """An episode with the calls that reach the code apart from those that do not."""

    name: str
    state: JsonObject
    sent: list[list[JsonValue]]
    here: list[Observation | None]
    """Observation of each call, None for one that is sent."""

    @classmethod
    def of(cls, home: CodeWorkplace, episode: ScriptedEpisode) -> "_Planned":
        """Sort the calls of an episode."""
        here = [home.answered_here(tool, arguments) for tool, arguments in episode.calls]
        sent = [[tool, given] for (tool, given), known in zip(episode.calls, here, strict=True) if known is None]
        return cls(home.artifact.name, episode.state, sent, here)

    def result(self, answer: JsonObject) -> EpisodeResult:
        """The episode, put together again."""
        told: JsonObject = answer.get("value") or {"seen": [], **answer}
        state, seen = self.state, iter(told["seen"])
        calls: list[EpisodeCall] = []
        for known in self.here:
            if known is not None:
                content = known.content
                calls.append(EpisodeCall(content, is_error(content), state, False, False, known.origin))
                continue
            row = next(seen, None)
            if row is None:
                break
            content, change, touched, refused = row
            state = state if change is None else with_difference(state, change)
            origin = Origin.REFUSAL if refused else Origin.EXECUTABLE
            calls.append(EpisodeCall(content, is_error(content), state, change is not None, touched, origin))
        failed = "failure" in told
        failure = CodeFailure(told["failure"], f"{self.name}.{told['detail']}") if failed else None
        return EpisodeResult(calls, state, failure)


class _DescribedTool(msgspec.Struct):
    """A tool as code in the sandbox describes it, which may be anything."""

    name: str
    description: str
    parameters: JsonObject
    writes: bool | None
    example: JsonObject | None
    output: JsonValue


class _Description(msgspec.Struct):
    tools: list[_DescribedTool]
    state: JsonObject
    cites: dict[str, list[str]]


def _schemas(workplace: CodeWorkplace) -> list[tuple[str, JsonObject]]:
    return [(tool.name, tool.parameters) for tool in workplace.artifact.tools]


def _built_in(handbook: Handbook | None, report: ReportForm | None, where: str) -> DescribedFunctions | None:
    functions: list[Function] = []
    if handbook is not None:
        handbook.on({})
        functions += handbook_functions(handbook, dict[str, Any])
    if report is not None:
        functions += report_functions(report, dict[str, Any])
    return describe(functions, {}, f"{where}: tools of ours") if functions else None


def _built_in_tools(built_in: DescribedFunctions) -> Iterable[Tool]:
    return [tool_of(t.name, t.description, t.parameters, writes=t.function.writes) for t in built_in.tools]


def _tool(row: JsonObject, where: str) -> Tool:
    made = tool_of(row["name"], row["description"], row["parameters"], writes=row["writes"])
    if row["example"] is not None:
        refuse_misfit(made, row["example"], f"{where}: tool {made.name}")
    return replace(made, example_output=row["output"])


def _value(answer: JsonObject, where: str) -> Any:
    """The value of an answer.

    Raises:
        DataError: the code failed.
    """
    if "failure" not in answer:
        return answer["value"]
    detail = answer["detail"]
    # What is told by the checks of our own says where it is.
    what = detail if answer["failure"] in ("misfit", "raised") else f"{answer['failure']}: {detail}"
    raise DataError(where, what)


def _origin(done: CallOutcome) -> Origin:
    return Origin.REFUSAL if done.refused else Origin.EXECUTABLE
