"""Judging finished work: what a judge is shown, how it votes, and the verdict that follows."""

from worktrial.grading.evidence import JudgeCase
from worktrial.grading.rubric import RubricJudge
from worktrial.grading.verdict import Decision, Outcome, Verdict, Vote, decide, majority

__all__ = ["Decision", "JudgeCase", "Outcome", "RubricJudge", "Verdict", "Vote", "decide", "majority"]
