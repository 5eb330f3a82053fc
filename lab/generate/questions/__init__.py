"""Questions about a generated archive, with answers computed from what is printed."""

from lab.generate.questions.choose import questions_about
from lab.generate.questions.question import Question

__all__ = ["Question", "questions_about"]
