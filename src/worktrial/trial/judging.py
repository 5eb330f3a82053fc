"""Having finished work judged by a model, the same way for every suite, fresh or stored."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from worktrial.agents.candidates import Candidate
from worktrial.engine.record import SampleResult
from worktrial.grading import JudgeCase, RubricJudge, Verdict
from worktrial.grading.prompt import prompt_fingerprint
from worktrial.language import Complete, JsonObject
from worktrial.trial.work import WorkSettings
from worktrial.workplaces import Trajectory, Workplace
from worktrial.workplaces.faults import DegradedCall

# The judge needs to know where a fault struck, not every row of a long list that it struck.
_FIELDS_FOR_JUDGE = 12


@dataclass(frozen=True, kw_only=True)
class JudgeSettings:
    """Settings by which a judge model decides."""

    votes: int = 3
    parallel_votes: bool = False
    judge_method: Literal["votes", "logprob"] = "votes"
    judge_record: int = 120_000
    """Characters of a trajectory that a judge is shown; the middle of long observations goes first."""


@dataclass(frozen=True, kw_only=True)
class JudgedWorkSettings(JudgeSettings, WorkSettings):
    """Settings of work with tools that a judge may look at."""

    def on_record(self, candidate: Candidate) -> JsonObject:
        """Settings for the manifest, with the judge's prompt; see `WorkSettings`."""
        return {**WorkSettings.on_record(self, candidate), **judge_on_record(self)}


def judge_on_record(settings: JudgeSettings) -> JsonObject:
    """Settings for the manifest: the SHA-256 of what the judge is told."""
    return {"judge_prompt": prompt_fingerprint(settings.judge_method)}


@dataclass(frozen=True, slots=True)
class Work:
    """Work that an agent left behind."""

    trajectory: Trajectory
    clock: str
    """The date and time at the workplace, ISO 8601."""
    final_state: JsonObject | None = None
    """State at the end; None where it lives only in a model's conversation."""
    fault_ledger: Sequence[DegradedCall] = ()
    facts: JsonObject = field(default_factory=dict)
    """Facts that whoever played the workplace recorded beside the state."""
    doubts: Sequence[JsonObject] = ()
    """Answers that cannot be right: call, tool, and what speaks against each."""

    @property
    def faults_for_judge(self) -> list[JsonObject]:
        """The ledger as a judge is shown it."""
        return [
            {
                "call": row.call,
                "tool": row.tool,
                "kind": row.kind,
                "fields": row.fields[:_FIELDS_FOR_JUDGE],
                **({"carried_out": row.effect} if row.effect is not None else {}),
                **({"not_written": row.lost[:_FIELDS_FOR_JUDGE]} if row.lost else {}),
            }
            for row in self.fault_ledger
        ]


def doubts_of(findings: Sequence[JsonObject]) -> list[JsonObject]:
    """Findings on answers of a simulator as a judge is shown them: contradictions, and none of mere shape."""
    told = [f for f in findings if f["check"] in ("consistent", "state")]
    return [{"call": f["call"], "tool": f["tool"], "why": f["evidence"]} for f in told]


class JudgedTask(Protocol):
    """Fields of a task that a judge is shown."""

    @property
    def scenario(self) -> str:
        """Name of the scenario."""
        ...

    @property
    def instruction(self) -> str:
        """Instruction that the agent was given."""
        ...

    @property
    def rubric(self) -> str:
        """Conditions under which the work passes."""
        ...


def judge_case(task: JudgedTask, workplace: Workplace, work: Work, rubric: str | None = None) -> JudgeCase:
    """The case that a judge is shown.

    Args:
        task: What was to be done.
        workplace: Where, as the agent found it.
        work: What was done.
        rubric: Replaces the task's own.
    """
    return JudgeCase(
        scenario=task.scenario,
        workplace=workplace.name,
        initial_state=workplace.initial_state,
        state_description=workplace.state_description,
        instruction=task.instruction,
        rubric=rubric or task.rubric,
        trajectory=work.trajectory,
        clock=work.clock,
        fault_ledger=work.faults_for_judge,
        final_state=work.final_state,
        recorded_facts=work.facts,
        doubts=work.doubts,
    )


async def judge(case: JudgeCase, complete: Complete, settings: JudgeSettings) -> SampleResult:
    """The verdict of the judge on `case`, as the result of a sample."""
    rubric_judge = RubricJudge(
        complete,
        votes=settings.votes,
        parallel=settings.parallel_votes,
        method=settings.judge_method,
        max_record=settings.judge_record,
    )
    return judged(await rubric_judge.judge(case))


def judged(verdict: Verdict) -> SampleResult:
    """A judge's verdict as the result of a sample."""
    reason = verdict.detail if verdict.reason is None else f"{verdict.reason.value}: {verdict.detail}"
    return SampleResult(outcome=verdict.outcome, reason=reason, votes=list(verdict.votes))
