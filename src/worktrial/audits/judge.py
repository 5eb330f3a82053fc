"""The audit of a judge: its verdicts on work of which the state checks know the truth."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Literal

import msgspec

from worktrial.audits.judged_cases import Case
from worktrial.engine.record import SampleResult
from worktrial.engine.roles import Role
from worktrial.engine.trial import Desk, Job
from worktrial.grading import JudgeCase, Outcome, RubricJudge
from worktrial.language import JsonObject
from worktrial.suites.starter.load import load_workplace

SUITE = "audit-judge"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What can change a result."""

    votes: int = 3
    parallel_votes: bool = False
    judge_method: Literal["votes", "logprob"] = "votes"
    judge_record: int = 120_000


class JudgeAudit:
    """Has every case judged once; it passes when the verdict is the true one. A `worktrial.engine.trial.Trial`."""

    suite = SUITE

    def __init__(self, cases: Sequence[Case], settings: Settings) -> None:
        self._cases = {case.id: case for case in cases}
        self._settings = settings
        self.jobs = [
            Job(case.id, 0, {**case.task.tags, "variant": case.variant, "truth": _word(case.passes)})
            for case in cases
        ]
        self.data: JsonObject = {"folder": "built in", "fingerprint": _fingerprint(cases)}
        self.settings: JsonObject = {"agent": "finished work", "cases": list(self._cases), **asdict(settings)}

    async def run(self, job: Job, desk: Desk) -> SampleResult:
        """Judge one case."""
        case, settings = self._cases[job.sample], self._settings
        task, artifact = case.task, load_workplace(case.task.workplace).artifact
        judge = RubricJudge(
            desk.line(Role.JUDGE),
            votes=settings.votes,
            parallel=settings.parallel_votes,
            method=settings.judge_method,
            max_record=settings.judge_record,
        )
        verdict = await judge.judge(
            JudgeCase(
                scenario=task.scenario,
                workplace=artifact.name,
                initial_state=task.initial_state,
                state_description=artifact.state_description,
                instruction=task.instruction,
                rubric=task.rubric,
                trajectory=case.trajectory,
                clock=task.clock,
                fault_ledger=case.fault_ledger,
                final_state=case.final_state,
            )
        )
        result = SampleResult(
            outcome=Outcome.INVALID,
            reason=verdict.detail if verdict.reason is None else f"{verdict.reason.value}: {verdict.detail}",
            votes=[msgspec.to_builtins(vote) for vote in verdict.votes],
            calls=len(case.trajectory.calls),
            turns=case.trajectory.turns,
            clock=task.clock,
        )
        if verdict.outcome is not Outcome.INVALID:
            right = (verdict.outcome is Outcome.PASS) is case.passes
            result.outcome = Outcome.PASS if right else Outcome.FAIL
            result.reason = f"judged {verdict.outcome}, truth {_word(case.passes)} ({verdict.detail})"
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
