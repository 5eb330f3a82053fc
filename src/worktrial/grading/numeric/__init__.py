"""Scores of answers that are numbers, dates, texts or lists: the published one and our own, always both."""

from worktrial.grading.answer_mode import AnswerMode
from worktrial.grading.numeric.diagnose import Cause, Diagnosis, diagnose
from worktrial.grading.numeric.graded import Graded
from worktrial.grading.numeric.official import official_score
from worktrial.grading.numeric.question_unit import question_unit
from worktrial.grading.numeric.ratios import RatioBin, ratio_histogram
from worktrial.grading.numeric.scores import Agreement, Answer, Disagreement, agreement, score_answer
from worktrial.grading.numeric.strict import strict_score
from worktrial.grading.numeric.tolerance import TOLERANCES, CurvePoint, tolerance_curve

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
    "official_score",
    "question_unit",
    "ratio_histogram",
    "score_answer",
    "strict_score",
    "tolerance_curve",
]
