"""Review pages: everything that a person needs to judge a suite in the making, as static HTML."""

from worktrial.synthesis.review.page import write_review

__all__ = ["write_review"]
