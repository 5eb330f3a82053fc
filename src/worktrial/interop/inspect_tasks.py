"""Suites as tasks of Inspect AI: `inspect eval worktrial/starter`, with our loop, or with Inspect's on our tools.

Inspect finds the tasks by the entry point `inspect_ai`.
"""

from collections.abc import Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ModelOutput, messages_from_openai, model_roles
from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.tool import ToolDef, ToolParams

from worktrial.agents.episode import Episode
from worktrial.agents.episodes import Episodes
from worktrial.engine.record import SampleResult
from worktrial.engine.run import run_trials_async
from worktrial.engine.run_plan import RunPlan
from worktrial.engine.trial import Job, SampleContext, Trial
from worktrial.errors import SettingError
from worktrial.grading import Outcome
from worktrial.grading.reward import NoReward
from worktrial.interop.episodes import Briefing, HeldEpisode, briefings, drive, hold
from worktrial.interop.inspect_provider import ACTIVE
from worktrial.interop.training import judged
from worktrial.language import JsonObject
from worktrial.suite import Suite, suites
from worktrial.trials import PreparedRun, prepare

OURS, THEIRS = "worktrial", "inspect"
_JUDGED = "worktrial"
_JOB = "worktrial_job"


@dataclass(frozen=True, slots=True)
class TaskSource:
    """A suite with the options of a task."""

    suite: str
    options: Mapping[str, Any]
    """Options of the suite, without a folder."""

    def prepared(self, agent: str | Episodes, folder: str, **more: Any) -> PreparedRun:
        """A run of the suite for `agent`, stored in a new place within `folder`."""
        return prepare(self.suite, agent, {**self.options, **more, "output": Path(folder) / "run"})

    def samples(self) -> tuple[list[Sample], int]:
        """Samples of the first repeat, and how often each is repeated."""
        told = briefings(self.suite, THEIRS, self.options)
        first = told[0].job.repeat
        samples = [_sample(one) for one in told if one.job.repeat == first]
        return samples, len({one.job.repeat for one in told})


def _sample(told: Briefing) -> Sample:
    job = told.job
    return Sample(
        id=f"{job.sample}/{job.condition}",
        input=[ChatMessageSystem(content=told.system_prompt), ChatMessageUser(content=told.instruction)],
        metadata={**job.tags, _JOB: {"sample": job.sample, "condition": job.condition}},
    )


class OneJobTrial:
    """One sample of a trial, as a trial of its own.

    Args:
        trial: The whole.
        job: The sample.
    """

    def __init__(self, trial: Trial, job: Job) -> None:
        self._trial = trial
        self.suite = trial.suite
        self.jobs = (job,)
        self.data = trial.data
        self.settings = trial.settings
        self.result: SampleResult | None = None
        """The result, once there is one."""

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Do the job; see `Trial`."""
        self.result = await self._trial.run(job, context)
        return self.result


def _one_job(prepared: PreparedRun, state: TaskState) -> OneJobTrial:
    wanted = (state.metadata[_JOB]["sample"], state.epoch - 1, state.metadata[_JOB]["condition"])
    return OneJobTrial(prepared.trial, next(job for job in prepared.trial.jobs if job.key == wanted))


@solver  # type: ignore[untyped-decorator]
def worktrial_loop(source: TaskSource, agent: str) -> Solver:
    """Solver that has our engine do the sample: its loop, faults, limits and verdict.

    Args:
        source: The suite.
        agent: Who works, as one writes it after `--agent`.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        with TemporaryDirectory(prefix="worktrial-sample-") as folder:
            prepared = source.prepared(agent, folder, repeats=state.epoch)
            trial = _one_job(prepared, state)
            (end,) = await run_trials_async([RunPlan(trial, prepared.plan.roles, prepared.plan.settings)])
        result = trial.result
        if result is None:
            raise NoReward(f"no verdict: {end}")
        line = result.trajectory or {}
        state.output = ModelOutput.from_content(str(state.model), str(line.get("answer") or ""))
        if line.get("messages"):
            # The record has the last of them as the answer.
            state.messages = [*await messages_from_openai(_plain(line["messages"])), state.output.message]
        state.metadata[_JUDGED] = judged(result)
        state.completed = True
        return state

    return solve


def _plain(messages: list[JsonObject]) -> list[Any]:
    """Messages in the words of chat completions alone."""
    known = ("role", "content", "tool_calls", "tool_call_id", "name", "refusal", "reasoning_content")
    return [{name: message[name] for name in known if name in message} for message in messages]


_held: dict[str, HeldEpisode[None]] = {}
"""Episodes that Inspect's agents work on, by the sample's run."""


@solver  # type: ignore[untyped-decorator]
def open_episode(source: TaskSource) -> Solver:
    """Solver that opens the sample's episode and offers its tools, for whatever solver comes next.

    Args:
        source: The suite.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        held = _held[state.uuid] = await hold(_driven(source, state))
        state.tools = [_tool(held.episode, spec["function"]) for spec in held.episode.tools]
        return state

    return solve


@asynccontextmanager
async def _driven(source: TaskSource, state: TaskState) -> Any:
    with TemporaryDirectory(prefix="worktrial-sample-") as folder:
        episodes = Episodes(THEIRS, most=1)
        prepared = source.prepared(episodes, folder, repeats=state.epoch)
        trial = _one_job(prepared, state)
        async with drive(replace(prepared, trial=trial), episodes):
            yield await episodes.take(), None


def _tool(episode: Episode, spec: JsonObject) -> Any:
    async def execute(**arguments: Any) -> str:
        return (await episode.call(spec["name"], arguments)).text

    # Words of the schema that its class does not know are dropped here.
    parameters = ToolParams.model_validate(spec["parameters"])
    return ToolDef(execute, spec["name"], spec.get("description") or spec["name"], parameters).as_tool()


async def close_episode(state: TaskState) -> None:
    """Give up an episode that was never judged."""
    held = _held.pop(state.uuid, None)
    if held is not None and not held.episode.is_over:
        await held.episode.abandon("the sample ended before it was scored")


@scorer(metrics=[accuracy(), stderr()])  # type: ignore[untyped-decorator]
def verdict() -> Any:
    """Scorer that reports our verdict. A sample without one is an error, never a wrong answer."""

    async def score(state: TaskState, target: Any) -> Score:
        held = _held.get(state.uuid)
        kept = state.metadata.get(_JUDGED)
        if held is not None:
            kept = judged(await held.finish(_answer(state)))
        if kept is None or kept["outcome"] == Outcome.INVALID:
            raise NoReward("no verdict: " + ("the sample was not worked on" if kept is None else kept["reason"]))
        return Score(
            value=CORRECT if kept["outcome"] == Outcome.PASS else INCORRECT,
            answer=state.output.completion,
            explanation=kept["reason"],
            metadata={name: kept[name] for name in ("checks", "calls", "refused", "faults")},
        )

    return score


def _answer(state: TaskState) -> str:
    """Last words of the agent; "" where a limit ended the work between its calls."""
    return "" if state.output.message.tool_calls else state.output.completion


def suite_task(suite: Suite) -> Callable[..., Task]:
    """Task of Inspect's for a suite."""

    def made(
        faults: str | list[str] = "E0",
        loop: str = OURS,
        agent: str = f"inspect:{ACTIVE}",
        **options: Any,
    ) -> Task:
        if loop not in (OURS, THEIRS):
            raise SettingError(f"loop {loop}: there is {OURS} and {THEIRS}")
        names = faults if isinstance(faults, str) else ",".join(faults)
        given = dict(options)
        if names.strip().upper() != "E0":
            given["faults"] = names
        for role in model_roles():
            if role in suite.roles:
                given.setdefault(role, f"inspect:role/{role}")
        source = TaskSource(suite.name, given)
        samples, repeats = source.samples()
        ours = loop == OURS
        return Task(
            dataset=MemoryDataset(samples, name=suite.name),
            setup=None if ours else open_episode(source),
            solver=worktrial_loop(source, agent) if ours else generate(tool_calls="loop"),
            cleanup=close_episode,
            scorer=verdict(),
            epochs=repeats,
            # One workplace that fails is no reason to lose the others.
            fail_on_error=False,
            metadata={"suite": suite.name, "loop": loop, "options": msgspec.to_builtins(given)},
        )

    made.__name__ = made.__qualname__ = suite.name
    made.__doc__ = suite.about
    made_task: Callable[..., Task] = task(name=suite.name)(made)
    return made_task


for _name in suites.names:
    if suites.get(_name).assignments:
        globals()[_name] = suite_task(suites.get(_name))
