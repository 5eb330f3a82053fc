"""Scores of answers that are numbers, dates, texts or lists: the published one and our own."""

from worktrial.suites.documents.answers.diagnosis import AnswerDiagnosis, Cause, RatioBin, diagnose, ratio_histogram
from worktrial.suites.documents.answers.graded import AnswerPair, AnswerScore
from worktrial.suites.documents.answers.ours import our_score
from worktrial.suites.documents.answers.published import published_score
from worktrial.suites.documents.answers.quantities import question_unit

__all__ = [
    "AnswerDiagnosis",
    "AnswerPair",
    "AnswerScore",
    "Cause",
    "RatioBin",
    "diagnose",
    "our_score",
    "published_score",
    "question_unit",
    "ratio_histogram",
]
