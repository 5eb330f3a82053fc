"""Trial as a suite hands it to the engine: jobs, and how to do one."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from worktrial.engine.record import CLEAN, Key, SampleResult
from worktrial.engine.roles import Role, RoleName
from worktrial.engine.shard import Shard
from worktrial.engine.spend import Meter, Spend
from worktrial.engine.times import SampleTimes, TimedModel
from worktrial.language import Complete, JsonObject, JsonValue, Usage

if TYPE_CHECKING:
    from worktrial.engine.client import Client


@dataclass(frozen=True, slots=True)
class Job:
    """One sample to run: a task, which repeat of it, and under which condition."""

    sample: str
    repeat: int
    tags: Mapping[str, JsonValue] = field(default_factory=dict)
    condition: str = CLEAN
    """Name of one of the run's fault settings."""

    @property
    def key(self) -> Key:
        """Identity of the sample within its run."""
        return self.sample, self.repeat, self.condition


class SampleContext:
    """Models and meter of one running sample."""

    def __init__(
        self,
        job: Job,
        clients: "Mapping[RoleName, Client]",
        times: SampleTimes | None = None,
        spend: Spend | None = None,
    ) -> None:
        self.job = job
        self.meter = Meter()
        self.started = time.perf_counter()
        """Moment from which the sample's time is counted, by `time.perf_counter`."""
        self._clients = clients
        self._times = times
        self._spend = spend

    def restart(self) -> None:
        """Count the sample's time from now on: nobody was there to work on it before."""
        self.started = time.perf_counter()
        if self._times is not None:
            self._times.began = time.time_ns()

    def leave_out(self, seconds: float) -> None:
        """Leave so many seconds out of the sample's time; fewer than 0 are added to it."""
        self.started += seconds

    def book(self, usage: Usage, cost: float | None) -> None:
        """Put on record what an agent says that it has spent, which asks its models itself.

        Args:
            usage: Tokens as it tells them; none of them where it tells none.
            cost: US dollars; None where nobody knows.

        Raises:
            StopRun: the budget cannot be watched, because it tells no tokens.
        """
        self.meter.add(Role.AGENT, usage, cost)
        if self._spend is not None:
            self._spend.add(usage, cost)

    def model(self, role_name: RoleName) -> Complete:
        """The `Complete` of `role_name` (a role) for this sample."""
        # Samples are independent draws: the request cache never serves one sample's answer to another.
        job = self.job
        salt = f"{job.sample}/{job.repeat}" + ("" if job.condition == CLEAN else f"/{job.condition}")
        model = self._clients[role_name].model(self.meter, salt)
        return model if self._times is None else TimedModel(model, role_name, self._times)


class Trial(Protocol):
    """A suite made ready to run."""

    @property
    def suite(self) -> str:
        """The suite's name."""
        ...

    @property
    def jobs(self) -> Sequence[Job]:
        """All samples, in the order in which they are started."""
        ...

    @property
    def data(self) -> JsonObject:
        """Origin of the data and its `fingerprint`, for the manifest."""
        ...

    @property
    def settings(self) -> JsonObject:
        """Everything of the suite's own that can change a result, for the manifest."""
        ...

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Do one job.

        Raises:
            InvalidSample: it has no verdict, through no fault of the agent.
            StopRun: going on would be pointless.
        """
        ...


class ShardedTrial:
    """The part of a trial that falls to one shard; everything but `jobs` is the whole trial's."""

    def __init__(self, whole: Trial, shard: Shard) -> None:
        self.whole = whole
        self.shard = shard
        self.suite: str = whole.suite
        self.data: JsonObject = whole.data
        self.settings: JsonObject = whole.settings
        self.jobs: Sequence[Job] = [job for job in whole.jobs if shard.holds(job.key)]

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Do one job; see `Trial`."""
        return await self.whole.run(job, context)
