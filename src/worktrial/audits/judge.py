"""The audit of a judge: its verdicts on work of which the state checks know the truth."""

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256

import msgspec

from worktrial.audits.judged_cases import Case
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Job, SampleContext
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.suites.executable.trial import judge_case
from worktrial.suites.judging import JudgeSettings, Work, judge

SUITE = "audit-judge"


class JudgeAudit:
    """Has every case judged once; it passes when the verdict is the true one. A `worktrial.engine.trial.Trial`."""

    suite = SUITE

    def __init__(self, cases: Sequence[Case], settings: JudgeSettings) -> None:
        self._cases = {case.id: case for case in cases}
        self._settings = settings
        self.jobs = [
            Job(case.id, 0, {**case.task.tags, "variant": case.variant, "truth": _word(case.passes)})
            for case in cases
        ]
        self.data: JsonObject = {"folder": "built in", "fingerprint": _fingerprint(cases)}
        self.settings: JsonObject = {"agent": "finished work", "cases": list(self._cases), **asdict(settings)}

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Judge one case."""
        case = self._cases[job.sample]
        work = Work(case.trajectory, case.task.clock, case.final_state, case.fault_ledger)
        result = await judge(judge_case(case.task, work), context.model(Role.JUDGE), self._settings)
        result.calls, result.turns, result.clock = (
            len(case.trajectory.calls),
            case.trajectory.turns,
            case.task.clock,
        )
        if result.outcome is not Outcome.INVALID:
            verdict, right = result.outcome, (result.outcome is Outcome.PASS) is case.passes
            result.outcome = Outcome.PASS if right else Outcome.FAIL
            result.reason = f"judged {verdict}, truth {_word(case.passes)} ({result.reason})"
        return result


def _word(passes: bool) -> str:
    return Outcome.PASS if passes else Outcome.FAIL


def _fingerprint(cases: Sequence[Case]) -> str:
    digest = sha256()
    for case in cases:
        calls = [(call.tool, call.arguments, call.observation.content) for call in case.trajectory.calls]
        told = [case.id, case.passes, case.task.instruction, case.task.rubric, calls, case.trajectory.answer]
        digest.update(msgspec.json.encode([*told, case.final_state]))
    return digest.hexdigest()
