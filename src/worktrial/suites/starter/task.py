"""The path of one starter sample, top to bottom."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from worktrial.agents.assignment import Assignment, Limits
from worktrial.agents.candidates import Candidate
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Desk, Job
from worktrial.errors import SettingError
from worktrial.grading import JudgeCase, Outcome, RubricJudge
from worktrial.grading.state_checks import CheckResult, run_checks
from worktrial.language import JsonObject
from worktrial.suites.faults import check_conditions, faults_for_judge, faulty, in_manifest, jobs_under
from worktrial.suites.starter.load import StarterTask, fingerprint, load_workplace
from worktrial.suites.stay import judged, stay
from worktrial.workplaces import Session, Trajectory
from worktrial.workplaces.faults import Conditions, FaultMode

SUITE = "starter"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What of the suite's own can change a result."""

    repeats: int = 1
    votes: int = 3
    parallel_votes: bool = False
    judge_method: Literal["votes", "logprob"] = "votes"
    judge_record: int = 120_000
    """Characters of a trajectory that a judge is shown."""
    limits: Limits = field(default_factory=Limits)
    faults: Conditions = field(default_factory=Conditions)


class StarterTrial:
    """The suite made ready to run. The state checks decide; a judge's votes are kept beside them.

    Raises:
        SettingError: faults that no trial can hold, or that would need a simulator.
    """

    suite = SUITE

    def __init__(
        self, tasks: Sequence[StarterTask], candidate: Candidate, settings: Settings, *, with_judge: bool
    ) -> None:
        if settings.faults.prompted:
            raise SettingError(
                "--faults prompted: asks the model that plays the workplace, and here none does. Use --faults E1, "
                "E2, E3 or all"
            )
        check_conditions(settings.faults, candidate, settings.limits)
        self._conditions = settings.faults.by_name
        self._tasks = {task.id: task for task in tasks}
        self._candidate = candidate
        self._settings = settings
        self._with_judge = with_judge
        self.jobs = jobs_under(settings.faults, tasks, settings.repeats)
        self.data: JsonObject = {"folder": "built in", "fingerprint": fingerprint()}
        self.settings: JsonObject = {
            "agent": candidate.spec,
            "tasks": [task.id for task in tasks],
            **in_manifest(settings),
        }

    async def run(self, job: Job, desk: Desk) -> SampleResult:
        """Set up, work, check; see `worktrial.engine.trial.Trial`."""
        task = self._tasks[job.sample]
        workplace = load_workplace(task.workplace)
        faults = self._conditions[job.condition]
        trajectory = Trajectory()
        session: Session = workplace.open(task.initial_state)
        if faults.mode is not FaultMode.E0:
            session = faulty(session, workplace.artifact, faults, task.id, trajectory)
        assignment = Assignment(
            instruction=task.instruction,
            clock=task.clock,
            tools=workplace.artifact.tool_specs,
            session=session,
            limits=self._settings.limits,
            tokens=lambda: desk.meter.tokens(Role.AGENT),
            cost=lambda: desk.meter.known_cost,
            plan=task.plan,
            trajectory=trajectory,
        )

        async def grade() -> SampleResult:
            checks = run_checks(
                task.checks,
                initial_state=task.initial_state,
                final_state=session.state or {},
                trajectory=trajectory,
            )
            result = SampleResult(
                outcome=Outcome.PASS if all(check.passed for check in checks) else Outcome.FAIL,
                reason=_summary(checks),
                checks=[msgspec.to_builtins(check) for check in checks],
            )
            if self._with_judge:
                result.votes = (await self._judge(task, assignment, desk)).votes
            return result

        return await stay(self._candidate.agent(desk), assignment, grade)

    async def _judge(self, task: StarterTask, assignment: Assignment, desk: Desk) -> SampleResult:
        settings = self._settings
        artifact = load_workplace(task.workplace).artifact
        judge = RubricJudge(
            desk.line(Role.JUDGE),
            votes=settings.votes,
            parallel=settings.parallel_votes,
            method=settings.judge_method,
            max_record=settings.judge_record,
        )
        case = JudgeCase(
            scenario=task.scenario,
            workplace=artifact.name,
            initial_state=task.initial_state,
            state_description=artifact.state_description,
            instruction=task.instruction,
            rubric=task.rubric,
            trajectory=assignment.trajectory,
            clock=task.clock,
            fault_ledger=faults_for_judge(assignment.session),
            final_state=assignment.session.state,
        )
        return judged(await judge.judge(case))


def _summary(checks: Sequence[CheckResult]) -> str:
    failed = [check for check in checks if not check.passed]
    if not failed:
        return f"all {len(checks)} checks passed"
    return f"{len(failed)} of {len(checks)} checks failed; first: {failed[0].check} ({failed[0].why})"
