"""The path of one shift, top to bottom, and the judgement of its work."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from worktrial.agents.assignment import Agent, Limits
from worktrial.agents.candidates import Candidate
from worktrial.agents.context import ContextKeeping
from worktrial.engine.record import SampleResult
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import InvalidReason, InvalidSample, SettingError, option
from worktrial.grading import Outcome
from worktrial.grading.check import CheckResult
from worktrial.language import JsonObject
from worktrial.suites.duties import Duties
from worktrial.suites.episode import (
    assignment_in,
    check_conditions,
    episode,
    faulty,
    jobs_under,
    position_in,
    refuse_prompted,
    settings_on_record,
)
from worktrial.suites.regrade import FinishedWork
from worktrial.suites.shifts.cases import PASSED_FROM, Score
from worktrial.suites.shifts.clerks import Clerk
from worktrial.suites.shifts.desk import Desk
from worktrial.workplaces import Session, Trajectory
from worktrial.workplaces.desk import DeskSession, DeskState
from worktrial.workplaces.executable.describe import encode
from worktrial.workplaces.faults import Conditions, FaultMode, FaultSettings, Position
from worktrial.workplaces.time import WallClock


@dataclass(frozen=True)
class Shift:
    """One task: a desk, how long, and which variant of the day."""

    desk: Desk
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
        """Desk and length, of which this is one variant; intervals draw them as a whole."""
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


@dataclass(frozen=True, kw_only=True)
class ShiftSettings:
    """Settings of the suite's own that can change a result."""

    repeats: int = 1
    limits: Limits = field(default_factory=Limits)
    faults: Conditions = field(default_factory=Conditions)
    agent_prompt: str | None = None
    """Template of the user's own that the agent is told; None for the standard one."""
    context: ContextKeeping = field(default_factory=ContextKeeping)
    duties: Duties = field(default_factory=Duties)
    wall: float | None = None
    """Minutes of the shift for each minute that the agent takes; None lets only calls cost time."""


_WORKERS = frozenset({"plan", "greedy", "careful", "stale"})
"""Reference agents that a desk may have or lack."""


class ShiftTrial:
    """Shifts made ready to run. Code decides; no model is needed beside the agent.

    Raises:
        SettingError: faults that no trial can hold, or that would need a simulator.
    """

    def __init__(
        self,
        data: JsonObject,
        shifts: Sequence[Shift],
        candidate: Candidate,
        settings: ShiftSettings,
        *,
        options: JsonObject | None = None,
    ) -> None:
        """Set up a trial.

        Args:
            data: For the manifest: `folder` and `fingerprint` of the desks.
            shifts: Those to run.
            candidate: Who works.
            settings: What can change a result.
            options: Options that can change a result, for comparisons; None where the trial was not made from any.
        """
        refuse_prompted(settings.faults)
        check_conditions(settings.faults, candidate, settings.limits)
        settings.duties.check_tools(
            {tool.name for shift in shifts for tool in shift.desk.workplace.home.artifact.tools}
        )
        for desk in {shift.desk.name: shift.desk for shift in shifts}.values():
            if candidate.kind == "reference" and candidate.spec in _WORKERS.difference(desk.clerks):
                known = ", ".join(desk.clerks)
                raise SettingError(f"{option('agent')} {candidate.spec}: the desk {desk.name} has {known}")
        self.suite = "shifts"
        self._conditions = settings.faults.by_name
        self._shifts = {shift.id: shift for shift in shifts}
        self._candidate = candidate
        self._settings = settings
        self.jobs = jobs_under(settings.faults, shifts, settings.repeats)
        self.data = data
        self.settings: JsonObject = settings_on_record(candidate, shifts, settings, options)

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Set up, work, judge; see `worktrial.engine.trial.Trial`."""
        shift = self._shifts[job.sample]
        desk = shift.desk
        start = shift.start()
        clock = start.time.begins.isoformat(timespec="minutes")
        artifact = desk.workplace.home.artifact
        trajectory = Trajectory()
        wall = None if self._settings.wall is None else WallClock(self._settings.wall)
        # Reading a state is cheaper than drawing it again.
        live = msgspec.json.decode(encode(start), type=desk.workplace.home.state_type)
        own = DeskSession(desk.workplace, live, wall=wall)
        session = under_faults(own, shift, self._conditions[job.condition], position_in(trajectory))
        assignment = assignment_in(
            session,
            trajectory,
            self._settings,
            context,
            instruction=desk.instruction(start),
            clock=clock,
            tools=artifact.tool_specs,
        )

        async def graded() -> SampleResult:
            own.finish()
            return result_of(desk.score(start, own.live), own.live, desk.file.spam.get(shift.length))

        return await episode(
            self._agent(desk, start, context),
            assignment,
            graded,
            lambda: self._settings.duties.budget_checks(trajectory, context.meter),
        )

    def _agent(self, desk: Desk, start: DeskState, context: SampleContext) -> Agent:
        if self._candidate.kind == "reference" and self._candidate.make is None:
            return Clerk(desk.clerk(self._candidate.spec, start))
        return self._candidate.agent(context)


def under_faults(
    session: DeskSession, shift: Shift, faults: FaultSettings, position: Callable[[], Position]
) -> Session:
    """A shift's session under a condition.

    Args:
        session: At the shift's desk.
        shift: The shift.
        faults: The condition.
        position: Function that tells where the next call stands.
    """
    if faults.mode is FaultMode.E0:
        return session
    return faulty(session, shift.desk.workplace.home.artifact, faults, shift.id, position)


class ShiftGrader:
    """Grader of stored work: judges stored final states again."""

    def __init__(self, data: JsonObject, shifts: Sequence[Shift]) -> None:
        self.data = data
        self._shifts = {shift.id: shift for shift in shifts}

    async def grade(self, work: FinishedWork, rubric: str | None, context: SampleContext) -> SampleResult:
        """Judge `work`; see `worktrial.suites.regrade.Grader`."""
        shift = self._shifts.get(work.record.sample)
        if shift is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the suite has no such shift")
        if work.work.final_state is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the stored trajectory has no final state to judge")
        desk = shift.desk
        try:
            end: DeskState = msgspec.convert(work.work.final_state, desk.workplace.home.state_type)
        except msgspec.ValidationError as e:
            raise InvalidSample(InvalidReason.TASK_DATA, f"the final state is of another version: {e}") from e
        return result_of(desk.score(shift.start(), end), end, desk.file.spam.get(shift.length))


def result_of(score: Score, end: DeskState, spam: float | None = None) -> SampleResult:
    """Result of a shift: passed or not, a check for each case and harm, and the points as measures.

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
        outcome=Outcome.PASS if score.passed else Outcome.FAIL,
        reason=_summary(score),
        checks=checks,
        measures=measures,
    )


def _summary(score: Score) -> str:
    said = f"{score.earned:g} of {score.reachable} points"
    if score.harms:
        said += f", harm of {score.harm}"
    if score.missed_duties:
        said += f"; critical and not right: {', '.join(case.id for case in score.missed_duties)}"
    if score.grave:
        said += f"; grave: {score.grave[0].what}"
    if score.share < PASSED_FROM:
        said += f"; less than {PASSED_FROM:.0%} of the points"
    return said
