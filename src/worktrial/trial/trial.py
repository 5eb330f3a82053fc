"""The path of one sample with tools, top to bottom: load, workplace, faults, agent, verdict."""

from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from worktrial.agents.assignment import NO_SOLUTION, Agent, Assignment, Solution
from worktrial.agents.candidates import Candidate
from worktrial.agents.own_callable import crash_traceback
from worktrial.agents.prompting import render_prompt
from worktrial.engine.manifest import MANIFEST, Manifest
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.times import work_timed
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import DataError, InvalidReason, InvalidSample, SettingError, option
from worktrial.grading import Outcome
from worktrial.grading.check import CheckResult
from worktrial.language import JsonObject
from worktrial.trial.duties import with_budget
from worktrial.trial.judging import Work, doubts_of
from worktrial.trial.work import WorkSettings
from worktrial.workplaces import Session, Trajectory, Workplace
from worktrial.workplaces.duties.human import NOBODY, REQUEST_HUMAN, HumanSession
from worktrial.workplaces.duties.session import PolicySession
from worktrial.workplaces.faults import (
    OF_WRITES,
    TRANSFORMS,
    Conditions,
    FaultKind,
    FaultMode,
    FaultSettings,
    FaultySession,
    Needed,
    Position,
    Transform,
    draw_plan,
    planned_kinds,
)
from worktrial.workplaces.watch import WatchedSession


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample while its workplace is opened."""

    id: str
    """The task's id."""
    faults: FaultSettings
    """The condition."""
    context: SampleContext
    """Models of the sample."""
    trajectory: Trajectory
    """Record of the work; it grows while the agent works."""
    stack: AsyncExitStack
    """Stack that closes what was opened for the sample, when it ends."""

    def position(self) -> Position:
        """Place of the next call."""
        return position_in(self.trajectory)()


@dataclass(frozen=True, kw_only=True)
class OpenWorkplace:
    """A task's workplace, open for one agent."""

    session: Session
    """The workplace as the agent reaches it, without faults."""
    workplace: Workplace
    """Tools of the workplace, as faults know them."""
    instruction: str
    clock: str = ""
    """Date and time in it, ISO 8601; "" where there is none."""
    agent: Agent | None = None
    """The wing's own agent for this sample, in place of the candidate's; None for that."""
    solution: Solution = NO_SOLUTION
    human: str = NOBODY
    """Answer of a human who is asked for, where one can be."""
    system_prompt: str | None = None
    """Text that a model is told before the instruction; None for what the settings say."""
    fault_of: Callable[[str], str] = lambda answer: ""
    """Function that tells why an answer is asked for again, once; see `Assignment`."""
    workspace: Path | None = None
    take_pictures: Callable[[], list[str]] = list
    needed: Callable[[], Needed | None] = lambda: None
    """Function that reads off what the task needs, which faults aim at; called under faults only."""
    transforms: Mapping[str, Transform] = field(default_factory=lambda: TRANSFORMS)
    """Ways in which implicit faults degrade answers, by kind."""
    watched: WatchedSession | None = None
    """Watch over the simulator's answers; None where there is none, or it was asked to degrade them."""
    finish: Callable[[], None] = lambda: None
    """Function that does what happens after the agent's last call."""
    closing: Callable[[], JsonObject] = dict
    """Function that tells what else the stored trajectory says; of it, `final_facts` are graded, too."""
    as_stored: Callable[[JsonObject], JsonObject] = lambda line: line
    """Function that makes of a trajectory the one that is stored."""


class TrialTask(Protocol):
    """Fields of a task that every trial needs."""

    @property
    def id(self) -> str:
        """Id of the task."""
        ...

    @property
    def tags(self) -> dict[str, Any]:
        """Tags by which results can be grouped."""
        ...


T = TypeVar("T")


Load = Callable[[Any], T]
"""Loads one of the trial's tasks. A `DataError` or `InvalidSample` makes the sample `invalid`."""
Grade = Callable[[T, Work, SampleContext, str | None], Awaitable[SampleResult]]
"""Grades work on a task, fresh or stored; a text replaces the task's own rubric. Raises `InvalidSample` where there
is no verdict through no fault of the agent."""


@contextmanager
def readable() -> Iterator[None]:
    """Take data that cannot be read for what it is: no failure of the agent's.

    Raises:
        InvalidSample: a `DataError` was raised.
    """
    try:
        yield
    except DataError as e:
        raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e


class ToolTrial(Generic[T]):
    """Tasks with tools made ready to run: a wing gives three functions, and everything else is here.

    Raises:
        SettingError: faults that no trial can hold, or a policy that names unknown tools.
    """

    def __init__(
        self,
        load: Load[T],
        open_workplace: Callable[[T, Sample], Awaitable[OpenWorkplace]],
        grade: Grade[T],
        *,
        suite: str,
        data: JsonObject,
        tasks: Sequence[TrialTask],
        candidate: Candidate,
        settings: WorkSettings,
        tools: Collection[str] = (),
        options: JsonObject | None = None,
        notices: Sequence[str] = (),
        sample_memory: int = 0,
    ) -> None:
        """Set up a trial.

        Args:
            load: Loads a task.
            open_workplace: Opens a task's workplace for one sample. What it raises is as for `load`.
            grade: Grades work on a task.
            suite: The suite's name.
            data: For the manifest: `folder` and `fingerprint` of the tasks.
            tasks: Those to run.
            candidate: Who works.
            settings: What can change a result.
            tools: Names of all tools, which a policy may name.
            options: Options that can change a result, for comparisons; None where the trial was not made from any.
            notices: Sentences to tell the user before it starts.
            sample_memory: Bytes that one sample may take at most; 0 where nothing of it is large.
        """
        settings.check(candidate)
        settings.duties.check_tools(tools)
        self._load, self._open, self._grade = load, open_workplace, grade
        self._tasks = {task.id: task for task in tasks}
        self._candidate, self._own = candidate, settings
        if any(condition.mode is FaultMode.W for condition in settings.faults.settings):
            _refuse_one_wording(tasks)
        self._conditions = settings.faults.by_name
        self.suite = suite
        self.jobs = jobs_under(settings.faults, tasks, settings.repeats)
        self.data = data
        self.settings: JsonObject = {
            "agent": candidate.spec,
            "tasks": [task.id for task in tasks],
            **settings.on_record(candidate),
            **({} if options is None else {"options": options}),
        }
        self.notices = notices
        self.sample_memory = sample_memory

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Do one sample; see `worktrial.engine.trial.Trial`."""
        async with AsyncExitStack() as stack:
            sample = Sample(job.sample, self._conditions[job.condition], context, Trajectory(), stack)
            with readable():
                task = self._load(self._asked(job))
                place = await self._open(task, sample)
            session = place.session
            if not self._own.faults.prompted:
                session = under_faults(place, sample.id, sample.faults, sample.position)
            assignment = self._assignment(place, session, sample)

            async def graded() -> SampleResult:
                place.finish()
                with readable():
                    return await self._grade(task, _work(place, session, sample.trajectory), context, None)

            result = await episode(
                place.agent or self._candidate.agent(context, place.solution),
                assignment,
                graded,
                lambda: self._own.duties.budget_checks(sample.trajectory, context.meter),
            )
            line = {**(result.trajectory or {}), **place.closing()}
            if place.watched is not None:
                result.simulation = place.watched.health
                line["simulation"] = place.watched.findings
            result.trajectory = place.as_stored(line)
        return result

    def _asked(self, job: Job) -> Any:
        """The task, in the words in which this sample asks for it."""
        task: Any = self._tasks[job.sample]
        is_otherwise = self._conditions[job.condition].mode is FaultMode.W
        return task.reworded(job.repeat) if is_otherwise else task

    def _assignment(self, place: OpenWorkplace, session: Session, sample: Sample) -> Assignment:
        """The agent's assignment, under the suite's duties, limits and prompt."""
        own, context = self._own, sample.context
        prompt, tools = place.system_prompt, place.workplace.tool_specs
        if prompt is None and own.agent_prompt is not None:
            prompt = render_prompt(own.agent_prompt, place.clock)
        if own.duties.human:
            session, tools = HumanSession(session, place.human), [*tools, REQUEST_HUMAN.spec]
        return Assignment(
            instruction=place.instruction,
            clock=place.clock,
            tools=tools,
            session=own.duties.watch(session, sample.position),
            limits=own.limits,
            context=own.context,
            tokens=lambda: context.meter.tokens(Role.AGENT),
            cost=lambda: context.meter.known_cost,
            book=context.book,
            workspace=place.workspace,
            fault_of=place.fault_of,
            system_prompt=prompt,
            take_pictures=place.take_pictures,
            trajectory=sample.trajectory,
        )


def _refuse_one_wording(tasks: Sequence[Any]) -> None:
    alone = [task.id for task in tasks if not task.wordings]
    if alone:
        some = ", ".join(alone[:3]) + (", …" if len(alone) > 3 else "")
        raise SettingError(
            f"{option('wordings')}: {len(alone)} of {len(tasks)} tasks have one wording alone ({some}). "
            "Choose others"
        )


def _work(place: OpenWorkplace, session: Session, trajectory: Trajectory) -> Work:
    """Work that is left to grade when the agent has ended its episode."""
    return Work(
        trajectory,
        place.clock,
        session.state,
        session.ledger if isinstance(session, FaultySession) else (),
        place.closing().get("final_facts", {}),
        [] if place.watched is None else doubts_of(msgspec.to_builtins(place.watched.findings)),
    )


async def episode(
    agent: Agent,
    assignment: Assignment,
    grade: Callable[[], Awaitable[SampleResult]],
    budget: Callable[[], list[CheckResult]] = list,
) -> SampleResult:
    """Let `agent` work, then grade it, and whether it has kept to its budget.

    The trajectory is kept whichever way it ends: a sample without a verdict has to be explained too. Where an agent
    of the user's own crashed, it holds the traceback.
    """
    finished = False
    crash: str | None = None
    try:
        with work_timed(assignment):
            await agent(assignment)
        finished = True
        kept = budget()
        result = with_budget(await grade(), kept)
    except InvalidSample as e:
        result = SampleResult(outcome=Outcome.INVALID, reason=str(e))
        crash = crash_traceback(e)
    done = assignment.trajectory
    result.calls, result.turns = len(done.calls), done.turns
    result.stop_reason = done.stop_reason.value if finished else None
    result.answered_by = done.answered_by
    result.clock = assignment.clock or None
    result.context = done.context
    note_duties(result, assignment.session)
    note_faults(result, assignment.session)
    result.trajectory = _trajectory_line(assignment, result)
    if crash is not None:
        result.trajectory["traceback"] = crash
    return result


def _trajectory_line(assignment: Assignment, result: SampleResult) -> JsonObject:
    done = assignment.trajectory
    line: JsonObject = {
        "outcome": result.outcome,
        "reason": result.reason,
        "instruction": assignment.instruction,
        "clock": assignment.clock,
        "answer": done.answer,
        "stop_reason": result.stop_reason,
        "messages": done.messages,
        "calls": done.calls,
        "final_state": assignment.session.state,
    }
    # Only where there are any: most trajectories have none.
    seldom = {"notes": done.notes, "printed": done.printed, "own": done.own}
    return {**line, **{name: told for name, told in seldom.items() if told}}


def jobs_under(conditions: Conditions, tasks: Sequence[TrialTask], repeats: int) -> list[Job]:
    """Every task, `repeats` times, under every condition; all samples of a task one after the other.

    So a run that ends early has tried each condition and repeat about equally often, and at the same time of a
    provider's day.
    """
    return [Job(t.id, n, t.tags, name) for t in tasks for n in range(repeats) for name in conditions.by_name]


def condition_on_record(manifest: Manifest, name: str) -> FaultSettings:
    """Condition of a stored run.

    Args:
        manifest: Of the run.
        name: Name of the condition in its records.

    Raises:
        DataError: the run has no such condition on record.
    """
    try:
        # Without faults the manifest says nothing of them.
        return msgspec.convert(manifest.settings.get("faults", {}), Conditions).by_name[name]
    except (msgspec.ValidationError, SettingError, KeyError) as e:
        raise DataError(MANIFEST, f"settings.faults: holds no condition {name} ({e})") from None


def position_in(trajectory: Trajectory) -> Callable[[], Position]:
    """Function that tells where the next call stands in `trajectory`, as it grows."""
    return lambda: Position(len(trajectory.calls), max(0, trajectory.turns - 1))


def under_faults(
    place: OpenWorkplace, sample: str, faults: FaultSettings, position: Callable[[], Position]
) -> Session:
    """The session of `place` under a condition.

    Args:
        place: An open workplace.
        sample: The task's id.
        faults: The condition.
        position: Function that tells where the next call stands; see `position_in`.
    """
    if not faults.mode.is_faulty:
        return place.session
    return faulty(
        place.session, place.workplace, faults, sample, position, transforms=place.transforms, needed=place.needed()
    )


def faulty(
    session: Session,
    workplace: Workplace,
    faults: FaultSettings,
    sample: str,
    position: Callable[[], Position],
    transforms: Mapping[str, Transform] = TRANSFORMS,
    needed: Needed | None = None,
) -> FaultySession:
    """`session` under the plan of `sample`.

    Args:
        session: Where the agent works.
        workplace: Holds the tools' schemas.
        faults: The condition.
        sample: The task's id.
        position: Function that tells where the next call stands; see `position_in`.
        transforms: What implicit faults do to answers, by kind.
        needed: What the task needs; None where that is not known.
    """
    of_writes = [kind for kind in OF_WRITES if kind != FaultKind.PARTIAL_WRITE or hasattr(session, "restore")]
    kinds = (*transforms, *of_writes)
    return FaultySession(
        session,
        draw_plan(faults, sample, kinds, weights=planned_kinds(workplace, kinds).weights),
        workplace,
        position=position,
        transforms=transforms,
        needed=needed,
    )


def note_duties(result: SampleResult, session: Session) -> None:
    """Put violations of a policy into the result; a session without one leaves it as it is."""
    if isinstance(session, PolicySession):
        result.violations = session.violations


def note_faults(result: SampleResult, session: Session) -> None:
    """Put what a faulty session planned and did into the result; any other leaves it as it is."""
    while isinstance(session, PolicySession | HumanSession):
        session = session.inner
    if isinstance(session, FaultySession):
        result.fault_plan = list(session.plan.events)
        result.fault_ledger = session.ledger
        result.fault_misses = session.misses
