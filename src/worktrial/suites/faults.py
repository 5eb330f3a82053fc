"""How the suites put a sample under its condition. Shared by them."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from worktrial.agents.assignment import Limits
from worktrial.agents.candidates import Candidate
from worktrial.engine.record import SampleResult
from worktrial.engine.trial import Job
from worktrial.errors import SettingError
from worktrial.language import JsonObject
from worktrial.suites.judging import Work
from worktrial.workplaces import Session, Trajectory, Workplace
from worktrial.workplaces.faults import (
    TRANSFORMS,
    Conditions,
    FaultSettings,
    FaultUnit,
    FaultySession,
    Position,
    Transform,
    draw_plan,
)


class _Task(Protocol):
    @property
    def id(self) -> str: ...

    @property
    def tags(self) -> dict[str, Any]: ...


def jobs_under(conditions: Conditions, tasks: Sequence[_Task], repeats: int) -> list[Job]:
    """Every task, `repeats` times, under every condition."""
    return [Job(t.id, n, t.tags, name) for name in conditions.by_name for n in range(repeats) for t in tasks]


def check_conditions(conditions: Conditions, candidate: Candidate, limits: Limits) -> None:
    """Refuse conditions that these samples cannot meet.

    Raises:
        SettingError: events longer than any trial, or turns of an agent that has none.
    """
    conditions.check(limits.turns)
    by_turn = any(s.unit is FaultUnit.TURN for s in conditions.settings)
    if by_turn and candidate.kind == "python":
        raise SettingError("--fault-unit turn: a Python agent's turns are not known. Use --fault-unit call")


def in_manifest(settings: Any) -> JsonObject:
    """A suite's settings for the manifest; without faults as in runs from before there were any."""
    plain: JsonObject = msgspec.to_builtins(settings)
    if settings.faults.is_clean:
        del plain["faults"]
    return plain


def faulty(
    session: Session,
    workplace: Workplace,
    faults: FaultSettings,
    sample: str,
    trajectory: Trajectory,
    transforms: Mapping[str, Transform] = TRANSFORMS,
) -> FaultySession:
    """`session` under the plan of `sample`; calls and turns are counted as in `trajectory`.

    Args:
        session: Where the agent works.
        workplace: Its tools.
        faults: The condition.
        sample: The task's id.
        trajectory: Of the agent.
        transforms: What implicit faults do, by kind.
    """
    return FaultySession(
        session,
        draw_plan(faults, sample, tuple(transforms)),
        workplace,
        position=lambda: Position(len(trajectory.calls), max(0, trajectory.turns - 1)),
        transforms=transforms,
    )


def note_faults(result: SampleResult, session: Session) -> None:
    """Put what a faulty session planned and did into the result; any other leaves it as it is."""
    if isinstance(session, FaultySession):
        result.fault_plan = list(session.plan.events)
        result.fault_ledger = session.ledger
        result.fault_misses = session.misses


def finished(session: Session, trajectory: Trajectory, clock: str) -> Work:
    """What is left to grade when the agent has ended its stay."""
    ledger = session.ledger if isinstance(session, FaultySession) else ()
    return Work(trajectory, clock, session.state, ledger)
