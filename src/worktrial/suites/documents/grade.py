"""The verdict on one answer, and everything it was measured by."""

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from worktrial.engine.record import SampleResult
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.suites.documents.answers import Answer, AnswerMode, Diagnosis, Graded, diagnose, score_answer
from worktrial.suites.documents.nearby import candidates, missing_figures
from worktrial.suites.documents.question import Question
from worktrial.suites.documents.scoring import ScoreSettings, answer_of, headline, score_measures, scorer_version
from worktrial.suites.documents.setups import Setup
from worktrial.suites.documents.taxonomy import Evidence, Failure, failure
from worktrial.suites.documents.trace import Trace, retrieval_measures, trace_of
from worktrial.workplaces import Trajectory

if TYPE_CHECKING:
    import duckdb

_NEAR = 0.01


class Database(Protocol):
    """Where the cells are; an `Archive` is one."""

    def connection(self) -> "duckdb.DuckDBPyConnection":
        """A connection with the table `cells`. The caller closes it."""
        ...


@dataclass(frozen=True, slots=True)
class Grader:
    """Grades answers of one run. Touches files, so call it off the event loop."""

    setup: Setup
    settings: ScoreSettings
    archive: Database | None
    """To look around the gold figures of a wrong answer; None where the run has no archive."""
    data_revision: JsonObject
    """Fingerprints of questions and archive."""

    def __call__(self, question: Question, trajectory: Trajectory) -> SampleResult:
        """The result of a sample."""
        answer = answer_of(question, trajectory.answer)
        graded, trace = headline(answer, self.settings), trace_of(trajectory.calls)
        scores = score_measures(answer)
        measures: JsonObject = {
            "setup": self.setup.value,
            "gold": question.answer,
            "unit": answer.unit,
            **scores,
            "scorer": self.settings.scorer,
            "tolerance": self.settings.tolerance,
            "scorer_version": scorer_version(),
            "data_revision": self.data_revision,
            "retrieval": retrieval_measures(question.pages, trace),
            "diagnosis": None,
            "failure": None,
        }
        reason = f"{self.settings.scorer}: {graded.why}"
        if graded.score:
            return SampleResult(outcome=Outcome.PASS, reason=reason, measures=measures)
        diagnosis, unread = self._looked_around(question, answer)
        kind, why = failure(self._evidence(question, answer, trajectory, trace, diagnosis, unread, graded))
        measures["diagnosis"] = None if diagnosis is None else _as_row(diagnosis)
        measures["failure"] = {"kind": kind.value, "why": why}
        if kind is not Failure.UNKNOWN:
            reason += f"; {kind}: {why}"
        return SampleResult(outcome=Outcome.FAIL, reason=reason, measures=measures)

    def _looked_around(self, question: Question, answer: Answer) -> tuple[Diagnosis | None, list[str]]:
        near: dict[str, float] = {}
        unread: list[str] = []
        if self.archive is not None and question.pages:
            with closing(self.archive.connection()) as connection:
                near = candidates(connection, question)
                unread = missing_figures(connection, question)
        return diagnose(answer.ground_truth, answer.predicted, unit=answer.unit, candidates=near), unread

    def _evidence(
        self,
        question: Question,
        answer: Answer,
        trajectory: Trajectory,
        trace: Trace,
        diagnosis: Diagnosis | None,
        unread: list[str],
        graded: Graded,
    ) -> Evidence:
        mode = self.settings.mode
        other = AnswerMode.OURS if mode is AnswerMode.PUBLISHED else AnswerMode.PUBLISHED
        return Evidence(
            question=question,
            setup=self.setup,
            stop_reason=trajectory.stop_reason,
            reply=trajectory.answer,
            other_scorer=bool(score_answer(answer, other, self.settings.tolerance).score),
            near=any(score_answer(answer, either, _NEAR).score for either in AnswerMode),
            why=graded.why,
            diagnosis=diagnosis,
            trace=trace,
            unread=unread,
        )


def _as_row(diagnosis: Diagnosis) -> JsonObject:
    return {
        "cause": diagnosis.cause.value,
        "why": diagnosis.why,
        "ratio": diagnosis.ratio,
        "opposite_sign": diagnosis.opposite_sign,
    }
