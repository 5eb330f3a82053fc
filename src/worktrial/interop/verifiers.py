"""Workplaces as a taskset of verifiers: tools stay native tools, and the trace keeps the tokens.

The episode lives in the process that runs the rollouts, behind a port of its own on this machine. The harness calls
the workplace's tools there over MCP, so each rollout has its own catalogue and no process is started for it.
"""

import weakref
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any

import msgspec
import verifiers.v1 as vf
from pydantic import Field

from worktrial.agents.episode import Episode
from worktrial.errors import SettingError
from worktrial.grading import Outcome
from worktrial.grading.check import CheckResult
from worktrial.grading.reward import RewardKind, reward
from worktrial.interop.episodes import Briefing, HeldEpisode, briefings, episode, hold
from worktrial.interop.programs.door import served_alone
from worktrial.interop.training import Catalogue, judged, scenario_of

# Seconds without a call after which an episode is over whose rollout broke off; a model of a batch may think long.
_IDLE_SECONDS = 1800.0
# Address of tools outside any rollout, where nobody calls them: nothing is served there.
_NOWHERE = "http://127.0.0.1:9/mcp"
# Where a trace keeps what was judged.
_JUDGED = "worktrial"

_address: ContextVar[str] = ContextVar("mcp_address", default=_NOWHERE)


class WorkplaceTaskConfig(vf.TaskConfig):  # type: ignore[misc]
    """Options of scoring, under `--env.taskset.task`."""

    reward: RewardKind = RewardKind.OUTCOME


class WorkplaceTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """Options of the tasks, under `--env.taskset`."""

    task: WorkplaceTaskConfig = WorkplaceTaskConfig()
    suite: str = ""
    """Name of a suite, or folder of one's own; to be given."""
    split: str | None = None
    """train or test, which share no scenario; None for all tasks."""
    faults: str = "E0"
    """Fault conditions, such as `E0,E2`; each makes tasks of its own."""
    fault_seed: int | None = None
    """Number that draws another schedule of faults."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Further options of the suite, as `worktrial run SUITE --help-all` lists them, with underscores."""


class WorkplaceData(vf.TaskData):  # type: ignore[misc]
    """One task under one condition, and how to set it up."""

    suite: str
    sample: str
    condition: str
    scenario: str
    options: dict[str, Any]
    """Options of `wt.episode`."""


class WorkplaceToolset(vf.Toolset[vf.ToolsetConfig]):  # type: ignore[misc]
    """Tools of an episode, at the address where it is served already."""

    TOOL_PREFIX = None


_stays: dict[str, HeldEpisode[str]] = {}
"""Episodes of rollouts that are under way, by the trace's id."""


class WorkplaceTask(vf.Task[WorkplaceData, vf.State, WorkplaceTaskConfig]):  # type: ignore[misc]
    """One task: its episode is opened for a rollout, and judged with the model's last words as the answer."""

    @property
    def key(self) -> str:
        """Identity of the task, whatever its prompt says."""
        return f"{self.data.suite}/{self.data.sample}/{self.data.condition}"

    @classmethod
    def toolsets(cls, config: WorkplaceTaskConfig) -> list[WorkplaceToolset]:
        """Tools of the episode that was opened in this rollout."""
        return [WorkplaceToolset(vf.ToolsetConfig(url=_address.get()))]

    async def setup(self, trace: Any) -> None:
        """Open the episode.

        Raises:
            WorktrialError: the workplace cannot be set up.
        """
        stay = _stays[trace.id] = await hold(_served(self.data))
        _address.set(stay.beside)
        # A rollout that breaks off is never finalized; its episode ends by itself, and its trace goes some day.
        weakref.finalize(trace, _stays.pop, trace.id, None)

    async def finalize(self, trace: Any) -> None:
        """End the episode, and keep what was judged with the trace."""
        result = await _stays.pop(trace.id).finish(_answer(trace))
        trace.info[_JUDGED] = judged(result)

    @vf.reward  # type: ignore[untyped-decorator]
    async def work(self, trace: Any) -> float:
        """Reward of the work; see `worktrial.grading.reward`.

        Raises:
            NoReward: the sample is invalid, so that trainers drop the rollout.
            SettingError: the share of checks is asked for where code checks nothing.
        """
        kept = trace.info[_JUDGED]
        return reward(
            Outcome(kept["outcome"]),
            reason=kept["reason"],
            checks=msgspec.convert(kept["checks"], list[CheckResult]),
            refused=kept["refused"],
            kind=self.config.reward,
        )


class WorkplaceTaskset(vf.Taskset[WorkplaceTask, WorkplaceTasksetConfig]):  # type: ignore[misc]
    """Tasks of a suite."""

    def load(self) -> Iterable[WorkplaceTask]:
        """All tasks of the split under all conditions.

        Raises:
            SettingError: the suite, the split or an option makes no sense.
            DataError: the suite's data cannot be read.
        """
        config = self.config
        if not config.suite:
            raise SettingError("--env.taskset.suite: name a suite, or the folder of one")
        given = dict(config.options)
        if config.faults.strip().upper() != "E0":
            given |= {"faults": config.faults, "fault_seed": config.fault_seed}
        told = {(one.job.sample, one.job.condition): one for one in briefings(config.suite, "verifiers", given)}
        catalogue = Catalogue.of([one.job for one in told.values()])
        splits = catalogue.splits.values() if config.split is None else [catalogue.tasks(config.split)]
        wanted = {job.sample for tasks in splits for job in tasks}
        found = [_data(config, one) for one in told.values() if one.job.sample in wanted]
        if not found:
            raise SettingError(f"split {config.split}: the suite {config.suite} has no task in it")
        return [WorkplaceTask(data, config.task) for data in found]


def _data(config: WorkplaceTasksetConfig, told: Briefing) -> WorkplaceData:
    job = told.job
    own = {name: value for name, value in config.options.items() if name not in ("tasks", "limit", "shuffle")}
    return WorkplaceData(
        id=f"{job.sample}/{job.condition}",
        name=job.sample,
        suite=config.suite,
        sample=job.sample,
        condition=job.condition,
        scenario=scenario_of(job),
        options={**own, "faults": job.condition, "seed": config.fault_seed},
        system_prompt=told.system_prompt,
        prompt=told.instruction,
    )


@asynccontextmanager
async def _served(data: WorkplaceData) -> AsyncIterator[tuple[Episode, str]]:
    """Episode of a task, and the address of its tools over MCP."""
    opening = episode(data.suite, data.sample, agent="verifiers", idle_seconds=_IDLE_SECONDS, **data.options)
    async with opening as one, served_alone(one, None) as (_, url):
        yield one, f"{url}/mcp"


def _answer(trace: Any) -> str:
    """Last words of the model; "" where a limit ended the work between its calls."""
    last: Sequence[Any] = trace.assistant_messages[-1:]
    return "" if last and last[0].tool_calls else str(trace.last_reply)
