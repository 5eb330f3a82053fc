"""Questions about a generated archive, with answers computed from what is printed."""

from worktrial.archive.generate.questions.choose import questions_about
from worktrial.archive.generate.questions.question import Question

__all__ = ["Question", "questions_about"]
