"""Shifts in a trial: how a desk is opened for one, and the judgement of the work at it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from worktrial.agents.candidates import Candidate
from worktrial.engine.record import SampleResult
from worktrial.engine.trial import SampleContext
from worktrial.errors import InvalidReason, InvalidSample, SettingError, option
from worktrial.grading import Outcome
from worktrial.grading.check import CheckResult
from worktrial.language import JsonObject
from worktrial.suites.shifts.cases import Score
from worktrial.suites.shifts.clerks import Clerk
from worktrial.suites.shifts.desk import DeskFolder
from worktrial.trial.judging import Work
from worktrial.trial.trial import OpenWorkplace, Sample, ToolTrial
from worktrial.trial.work import WorkSettings
from worktrial.workplaces.desk import DeskSession, DeskState
from worktrial.workplaces.executable.describe import encode
from worktrial.workplaces.time import WallClock


@dataclass(frozen=True)
class Shift:
    """One task: a desk, how long, and which variant of the day."""

    desk: DeskFolder
    length: str
    variant: int

    @property
    def id(self) -> str:
        """Name such as `charge-nurse-short-0`."""
        return f"{self.desk.name.replace('_', '-')}-{self.length}-{self.variant}"

    @property
    def category(self) -> str:
        """Industry of the desk."""
        return self.desk.file.category

    @property
    def scenario(self) -> str:
        """DeskFolder and length, of which this is one variant; intervals draw them as a whole."""
        return f"{self.desk.name}/{self.length}"

    @property
    def tags(self) -> JsonObject:
        """Tags by which results can be grouped."""
        file = self.desk.file
        return {
            "category": file.category,
            "domain": file.domain,
            "scenario": self.scenario,
            "difficulty": self.length,
            "language": file.language,
            "desk": self.desk.name,
            "variant": self.variant,
        }

    def start(self) -> DeskState:
        """State in which the shift begins, drawn anew."""
        return self.desk.draw(self.length, self.variant)


class BegunShift(NamedTuple):
    """A shift, and the state in which it begins; drawing that takes longer than most shifts."""

    shift: Shift
    start: DeskState


@dataclass(frozen=True, kw_only=True)
class ShiftSettings(WorkSettings):
    """Settings of the suite's own that can change a result."""

    wall: float | None = None
    """Minutes of the shift for each minute that the agent takes; None lets only calls cost time."""


_WORKERS = frozenset({"plan", "greedy", "careful", "stale"})
"""Reference agents that a desk may have or lack."""


def load(shift: Shift) -> BegunShift:
    """The shift as it begins; see `worktrial.trial.trial.Load`."""
    return BegunShift(shift, shift.start())


async def grade(begun: BegunShift, work: Work, context: SampleContext, rubric: str | None) -> SampleResult:
    """Judge the state in which a shift ended; see `worktrial.trial.trial.Grade`. Code decides."""
    desk, length = begun.shift.desk, begun.shift.length
    if work.final_state is None:
        raise InvalidSample(InvalidReason.TASK_DATA, "the stored trajectory has no final state to judge")
    try:
        end: DeskState = msgspec.convert(work.final_state, desk.workplace.home.state_type)
    except msgspec.ValidationError as e:
        raise InvalidSample(InvalidReason.TASK_DATA, f"the final state is of another version: {e}") from e
    return result_of(desk.score(begun.start, end), end, desk.file.spam.get(length))


def shift_trial(
    data: JsonObject,
    shifts: Sequence[Shift],
    candidate: Candidate,
    settings: ShiftSettings,
    *,
    options: JsonObject | None = None,
) -> ToolTrial[BegunShift]:
    """Shifts made ready to run; for the arguments see `ToolTrial`.

    Raises:
        SettingError: the agent is a reference agent that a desk does not have.
    """
    for desk in {shift.desk.name: shift.desk for shift in shifts}.values():
        if candidate.kind == "reference" and candidate.spec in _WORKERS.difference(desk.clerks):
            known = ", ".join(desk.clerks)
            raise SettingError(f"{option('agent')} {candidate.spec}: the desk {desk.name} has {known}")

    async def open_shift(begun: BegunShift, sample: Sample) -> OpenWorkplace:
        return opened(begun, candidate, settings.wall)

    return ToolTrial(
        load,
        open_shift,
        grade,
        suite="shifts",
        data=data,
        tasks=shifts,
        candidate=candidate,
        settings=settings,
        tools={tool.name for shift in shifts for tool in shift.desk.workplace.home.artifact.tools},
        options=options,
    )


def opened(begun: BegunShift, candidate: Candidate | None = None, wall: float | None = None) -> OpenWorkplace:
    """The desk as the shift begins.

    Args:
        begun: The shift.
        candidate: Who works; a clerk that ships with the suite is made for the shift.
        wall: Minutes of the shift for each minute that the agent takes; None lets only calls cost time.
    """
    desk, start = begun.shift.desk, begun.start
    # Reading a state is cheaper than drawing it again, and the clerk is shown the one before the first call.
    live = msgspec.json.decode(encode(start), type=desk.workplace.home.state_type)
    session = DeskSession(desk.workplace, live, wall=None if wall is None else WallClock(wall))
    is_clerk = candidate is not None and candidate.kind == "reference" and candidate.make is None
    return OpenWorkplace(
        session=session,
        workplace=desk.workplace.home.artifact,
        instruction=desk.instruction(start),
        clock=start.time.begins.isoformat(timespec="minutes"),
        agent=Clerk(desk.clerk(candidate.spec, start)) if candidate is not None and is_clerk else None,
        finish=session.finish,
    )


def result_of(score: Score, end: DeskState, spam: float | None = None) -> SampleResult:
    """Result of a shift: passed if it is not failed, a check for each case and harm, and the points as measures.

    Args:
        score: Points and harms.
        end: The last state.
        spam: Score that the desk states for clerks that do no work at such shifts.
    """
    checks = [
        CheckResult(
            f"{case.id}: {case.title}",
            case.earned >= case.reachable - 1e-9,
            "; ".join(
                f"{part.name} {part.earned:g} of {part.points}"
                + (f" ({part.lost.replace('_', ' ')}: {part.because})" if part.lost else "")
                for part in case.parts
            ),
        )
        for case in score.cases
    ]
    checks += [
        CheckResult(f"no harm: {harm.kind.replace('_', ' ')}", False, f"{harm.what} ({harm.because})")
        for harm in score.harms
    ]
    measures: JsonObject = {
        "grade": score.grade,
        "failed_by": score.failed_by,
        "score": round(score.share, 6),
        "points": round(score.earned, 4),
        "reachable": score.reachable,
        "harm": score.harm,
        "on_time": score.on_time,
        "spam": spam,
        "minutes": end.time.ends,
        "cases": msgspec.to_builtins(score.cases),
        "harms": [{**msgspec.to_builtins(harm), "price": harm.points} for harm in score.harms],
    }
    return SampleResult(
        outcome=Outcome.FAIL if score.grade == "failed" else Outcome.PASS,
        reason=_summary(score),
        checks=checks,
        measures=measures,
    )


def _summary(score: Score) -> str:
    said = f"{score.grade}: {score.earned:g} of {score.reachable} points"
    if score.harms:
        said += f", harm of {score.harm}"
    return "; ".join([said, *score.failed_by])
