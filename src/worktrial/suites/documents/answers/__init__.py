"""Scores of answers that are numbers, dates, texts or lists: the published one and our own, always both."""

from worktrial.suites.documents.answer_mode import AnswerMode
from worktrial.suites.documents.answers.diagnose import Cause, Diagnosis, diagnose
from worktrial.suites.documents.answers.graded import Graded
from worktrial.suites.documents.answers.official import published_score
from worktrial.suites.documents.answers.question_unit import question_unit
from worktrial.suites.documents.answers.ratios import RatioBin, ratio_histogram
from worktrial.suites.documents.answers.scores import Agreement, Answer, Disagreement, agreement, score_answer
from worktrial.suites.documents.answers.strict import our_score
from worktrial.suites.documents.answers.tolerance import TOLERANCES, CurvePoint, tolerance_curve

__all__ = [
    "TOLERANCES",
    "Agreement",
    "Answer",
    "AnswerMode",
    "Cause",
    "CurvePoint",
    "Diagnosis",
    "Disagreement",
    "Graded",
    "RatioBin",
    "agreement",
    "diagnose",
    "our_score",
    "published_score",
    "question_unit",
    "ratio_histogram",
    "score_answer",
    "tolerance_curve",
]
