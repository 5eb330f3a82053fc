"""One agent's work on one sample, from the assignment to the stored result, under its condition."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from worktrial.agents.assignment import Agent, Assignment, Limits
from worktrial.agents.candidates import Candidate
from worktrial.agents.context import ContextKeeping
from worktrial.agents.own_callable import crash_traceback
from worktrial.agents.prompting import render_prompt
from worktrial.engine.manifest import MANIFEST, Manifest
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.times import work_timed
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import DataError, InvalidSample, SettingError, option
from worktrial.grading import Outcome
from worktrial.grading.check import CheckResult
from worktrial.language import JsonObject
from worktrial.suites.duties import Duties, with_budget
from worktrial.suites.judging import JudgeSettings, Work, judge_on_record
from worktrial.suites.own_prompt import prompt_on_record
from worktrial.workplaces import Session, Trajectory, Workplace
from worktrial.workplaces.duties.human import HumanSession
from worktrial.workplaces.duties.session import PolicySession
from worktrial.workplaces.faults import (
    OF_WRITES,
    TRANSFORMS,
    Conditions,
    FaultKind,
    FaultSettings,
    FaultUnit,
    FaultySession,
    Needed,
    Position,
    Transform,
    draw_plan,
    planned_kinds,
)

Grade = Callable[[], Awaitable[SampleResult]]


async def episode(
    agent: Agent, assignment: Assignment, grade: Grade, budget: Callable[[], list[CheckResult]] = list
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
    result.clock = assignment.clock
    result.context = done.context
    note_duties(result, assignment.session)
    note_faults(result, assignment.session)
    result.tokens, result.offered = done.tokens, done.offered
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


class _Task(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def tags(self) -> dict[str, Any]: ...


def jobs_under(conditions: Conditions, tasks: Sequence[_Task], repeats: int) -> list[Job]:
    """Every task, `repeats` times, under every condition; all samples of a task one after the other.

    So a run that ends early has tried each condition and repeat about equally often, and at the same time of a
    provider's day.
    """
    return [Job(t.id, n, t.tags, name) for t in tasks for n in range(repeats) for name in conditions.by_name]


def check_conditions(conditions: Conditions, candidate: Candidate, limits: Limits) -> None:
    """Refuse conditions that these samples cannot meet.

    Raises:
        SettingError: events longer than any trial, or turns of an agent that has none.
    """
    conditions.check(limits.turns)
    if not candidate.has_turns and any(s.unit is FaultUnit.TURN for s in conditions.settings):
        flag = option("fault_unit")
        raise SettingError(f"{flag} turn: the turns of {candidate.spec} are not known. Use {flag} call")


def refuse_prompted(conditions: Conditions) -> None:
    """Refuse faults that a model would have to play, where code plays the workplace.

    Raises:
        SettingError: they are asked for by a prompt.
    """
    if conditions.prompted:
        flag = option("faults")
        raise SettingError(
            f"{flag} prompted: asks the model that plays the workplace, and here none does. Use {flag} E1, E2, "
            "E3 or all"
        )


def in_manifest(settings: Any) -> JsonObject:
    """A suite's settings for the manifest; without faults nothing is said of them."""
    # A policy is of a kind that only its own `on_record` can write, so it does not get that far.
    plain: JsonObject = msgspec.to_builtins(settings, enc_hook=lambda _: None)
    if settings.faults.is_clean:
        del plain["faults"]
    # With its fingerprint, and only for who is told it (`prompt_on_record`); only where it is not the usual one.
    plain.pop("agent_prompt", None)
    plain.pop("context", None)
    plain.pop("duties", None)
    return plain | judge_on_record(settings) if isinstance(settings, JudgeSettings) else plain


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


class _EpisodeSettings(Protocol):
    """Settings of a suite in whose workplaces agents work with tools."""

    @property
    def limits(self) -> Limits: ...

    @property
    def context(self) -> ContextKeeping: ...

    @property
    def duties(self) -> Duties: ...

    @property
    def agent_prompt(self) -> str | None: ...


def settings_on_record(
    candidate: Candidate, tasks: Sequence[_Task], settings: _EpisodeSettings, options: JsonObject | None
) -> JsonObject:
    """Everything for the manifest that can change a result of such a suite.

    Args:
        candidate: Who works.
        tasks: Those to run.
        settings: The suite's own.
        options: Options that can change a result, for comparisons; None where the trial was not made from any.
    """
    return {
        "agent": candidate.spec,
        "tasks": [task.id for task in tasks],
        **in_manifest(settings),
        **settings.context.on_record,
        **settings.duties.on_record,
        **prompt_on_record(candidate, settings.agent_prompt),
        **({} if options is None else {"options": options}),
    }


def assignment_in(
    session: Session,
    trajectory: Trajectory,
    settings: _EpisodeSettings,
    context: SampleContext,
    *,
    instruction: str,
    clock: str,
    tools: list[JsonObject],
    fault_of: Callable[[str], str] = lambda answer: "",
) -> Assignment:
    """An agent's assignment in a session, under the suite's duties, limits and prompt.

    Args:
        session: Where the agent works.
        trajectory: Record of the work, empty.
        settings: The suite's own.
        context: Of the sample; counts tokens and cost.
        instruction: First text for the agent.
        clock: Date and time at the workplace, ISO 8601.
        tools: Those of the workplace, in the chat-completions form.
        fault_of: Function that tells why an answer is asked for again, once; "" where it is taken.
    """
    return Assignment(
        instruction=instruction,
        clock=clock,
        tools=tools,
        session=settings.duties.watch(session, position_in(trajectory)),
        limits=settings.limits,
        context=settings.context,
        tokens=lambda: context.meter.tokens(Role.AGENT),
        cost=lambda: context.meter.known_cost,
        book=context.book,
        fault_of=fault_of,
        system_prompt=settings.agent_prompt and render_prompt(settings.agent_prompt, clock),
        trajectory=trajectory,
    )


def position_in(trajectory: Trajectory) -> Callable[[], Position]:
    """Function that tells where the next call stands in `trajectory`, as it grows."""
    return lambda: Position(len(trajectory.calls), max(0, trajectory.turns - 1))


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


def finished(session: Session, trajectory: Trajectory, clock: str) -> Work:
    """Work that is left to grade when the agent has ended its episode."""
    ledger = session.ledger if isinstance(session, FaultySession) else ()
    return Work(trajectory, clock, session.state, ledger)
