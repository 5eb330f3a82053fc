"""Calibration runs: worked on and judged as in the finished suite, and kept on disk."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import msgspec

from worktrial.agents.assignment import Limits
from worktrial.agents.candidates import Candidate
from worktrial.engine.client import Client
from worktrial.engine.record import SampleResult, dollars
from worktrial.engine.roles import Role, RoleName
from worktrial.engine.scheduler import defect, guarded
from worktrial.engine.store import cut_torn_tail, read_lines
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.language import JsonObject
from worktrial.suites.simulated.tasks import Task, TaskSet
from worktrial.suites.simulated.trial import SimulatedSettings, SimulatedTrial
from worktrial.synthesis.artifacts import JobSpec, RunKind, Slot, SlotRun, TaskDraft, WorkplaceDraft
from worktrial.synthesis.checks.case import playable
from worktrial.synthesis.files import append_line, content_hash
from worktrial.synthesis.folder import SuiteFolder
from worktrial.workplaces.clock import DEFAULT_CLOCK


@dataclass(frozen=True, kw_only=True)
class CalibrationSettings:
    """Settings of a calibration run beside its slot, the models and the number of votes."""

    memory: str = "history"
    """Memory of the simulator; a `worktrial.workplaces.simulator.Memory`."""
    simulator_prompt: str = "full"
    """Style of the simulator's prompt; a `worktrial.workplaces.simulator.PromptStyle`."""
    limits: Limits = field(default_factory=Limits)
    clock: str = DEFAULT_CLOCK
    """The date and time of tasks that name none, ISO 8601."""
    judge_method: Literal["votes", "logprob"] = "votes"
    judge_record: int = 120_000
    """Characters of a record that the judge is shown; as in the settings of judging."""


def runner_for(
    spec: JobSpec, clients: Mapping[RoleName, Client], settings: CalibrationSettings, who: Candidate | None = None
) -> "Callable[[Slot, WorkplaceDraft, TaskDraft], SlotRunner]":
    """Function from a slot as it is written to the runner of its runs.

    Args:
        spec: The job.
        clients: For the agent, the simulator and the judge.
        settings: Of the trials.
        who: Takes them; None for the model in the agent's role.
    """
    agent = who or Candidate("model", clients[Role.AGENT].settings.model)
    trial = SimulatedSettings(
        votes=spec.votes,
        memory=settings.memory,
        simulator_prompt=settings.simulator_prompt,
        limits=settings.limits,
        clock=settings.clock,
        judge_method=settings.judge_method,
        judge_record=settings.judge_record,
    )
    return lambda slot, workplace, task: SlotRunner(clients, agent, trial, slot, workplace, task)


class SlotRunner:
    """Runner of the calibration runs of one slot; see `runner_for`."""

    def __init__(
        self,
        clients: Mapping[RoleName, Client],
        agent: Candidate,
        settings: SimulatedSettings,
        slot: Slot,
        workplace: WorkplaceDraft,
        task: TaskDraft,
    ) -> None:
        self._clients = clients
        self._agent = agent
        self._settings = settings
        self._slot = slot
        self._content = content_hash(workplace, task)
        self._workplace, self._task = workplace, task

    async def __call__(self, slot: str, kind: RunKind, number: int) -> SlotRun:
        """One run from an untouched workplace, `plan` with the solution plan in the agent's instruction.

        It is repeated from the request cache when the same run was made before: requests are told apart by the
        slot, the kind, the number and the content. A repaired slot gets new runs even where its requests are the
        same as before, since a repair that was made to suit the old ones would be judged by them.

        Raises:
            StopRun: an endpoint refuses to work, or a budget is spent.
        """
        if slot != self._slot.id:
            raise ValueError(f"this runner is for {self._slot.id}, not for {slot}")
        job = Job(f"{slot}/{kind}/{self._content}", number)
        context = SampleContext(job, self._clients)
        started = time.perf_counter()
        result = await guarded(self._result(job, kind, context))
        seconds = round(time.perf_counter() - started, 3)
        row = self._row(kind, number, result, context, seconds)
        try:
            return _plain(row)
        except (TypeError, ValueError, OverflowError, RecursionError) as e:
            # Something that is no JSON, such as half of a surrogate pair, got into the record.
            return _plain(self._row(kind, number, defect(e), context, seconds))

    async def _result(self, job: Job, kind: RunKind, context: SampleContext) -> SampleResult:
        try:
            return await self._trial(job, kind).run(job, context)
        except DataError as e:
            raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e

    def _trial(self, job: Job, kind: RunKind) -> SimulatedTrial:
        slot, draft = self._slot, self._task
        if kind == "plan" and not draft.plan:
            raise InvalidSample(InvalidReason.TASK_DATA, "the plan has no step")
        task = Task(
            id=job.sample,
            difficulty=slot.level,
            scenario=slot.subtopic.title,
            category="",
            domain="",
            instruction=draft.instruction,
            workplace=slot.id,
            rubric=draft.rubric,
            plan=[_step(msgspec.to_builtins(step)) for step in draft.plan],
        )
        workplace = playable(self._workplace, f"slot {slot.id}")
        tasks = TaskSet(Path(), [task], {slot.id: workplace}, self._content)
        settings = replace(self._settings, with_plan=kind == "plan", repeats=1)
        return SimulatedTrial("synthesis", tasks, [task], self._agent, settings)

    def _row(
        self, kind: RunKind, number: int, result: SampleResult, context: SampleContext, seconds: float
    ) -> SlotRun:
        meter = context.meter
        return SlotRun(
            slot=self._slot.id,
            kind=kind,
            number=number,
            content=self._content,
            outcome=result.outcome.value,
            reason=result.reason,
            calls=result.calls,
            seconds=seconds,
            cost=dollars(meter.cost),
            tokens=sum(usage.tokens for usage in meter.usage.values()),
            votes=result.votes,
            trajectory=result.trajectory,
        )


def _plain(row: SlotRun) -> SlotRun:
    """The row as it comes back from its file."""
    return msgspec.json.decode(msgspec.json.encode(row), type=SlotRun)


def _step(step: JsonObject) -> JsonObject:
    return {name: value for name, value in step.items() if name != "why" or value}


class RunBook:
    """The runs of a suite folder, under one set of settings.

    Args:
        folder: Whose.
        settings: Hash of what a run depends on beside its slot's content.
        clean: Takes secrets out of a line.
    """

    def __init__(
        self, folder: SuiteFolder, settings: str, clean: Callable[[bytes], bytes] = lambda line: line
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._clean = clean
        self._rows: dict[str, list[SlotRun]] = {}

    def have(self, slot: str, content: str) -> list[SlotRun]:
        """The runs on this content that came to a verdict, without their trajectories.

        Those without a verdict run again; what was paid for them lies in the cache.
        """
        return [row for row in self._of(slot) if row.content == content and row.outcome != "invalid"]

    def full(self, slot: str, content: str) -> list[SlotRun]:
        """Every run on this content, with trajectories, read from disk."""
        return _last(row for row in self._stored(slot) if row.content == content)

    def add(self, row: SlotRun) -> SlotRun:
        """Store a run; returns what is kept of it in memory.

        Raises:
            StopRun: it cannot be written.
        """
        rows = self._of(row.slot)
        row = msgspec.structs.replace(row, settings=self._settings)
        append_line(self._folder.runs(row.slot), self._clean(msgspec.json.encode(row)))
        kept = _slim(row)
        rows.append(kept)
        return kept

    def _of(self, slot: str) -> list[SlotRun]:
        if slot not in self._rows:
            cut_torn_tail(self._folder.runs(slot))
            self._rows[slot] = _last(_slim(row) for row in self._stored(slot))
        return self._rows[slot]

    def _stored(self, slot: str) -> Iterator[SlotRun]:
        rows = read_lines(self._folder.runs(slot), SlotRun)
        return (row for row in rows if row.settings == self._settings)


def _slim(row: SlotRun) -> SlotRun:
    return msgspec.structs.replace(row, trajectory=None, votes=[])


def _last(rows: Iterable[SlotRun]) -> list[SlotRun]:
    """Last row of each run: one without a verdict may have been run again."""
    found: dict[tuple[str, str, int], SlotRun] = {}
    for row in rows:
        found[row.content, row.kind, row.number] = row
    return list(found.values())
