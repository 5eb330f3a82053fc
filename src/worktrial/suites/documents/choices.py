"""Choices between few, named alike on the command line, in Python and in stored runs."""

from enum import StrEnum


class Setup(StrEnum):
    """Documents that the agent is given beside the question: from none to the whole archive.

    Each set-up adds one stage of the work to the one before.
    """

    CLOSED = "closed"  # the question alone: what a model knows by heart
    ORACLE_PAGES = "oracle-pages"  # the gold pages come with the question: what is left is reading and computing
    ORACLE_DOCS = "oracle-docs"  # the tools, over the gold documents alone: finding the page is added
    ARCHIVE = "archive"  # the tools, over everything: finding the document is added

    @property
    def has_archive_tools(self) -> bool:
        """Whether the agent can search and read."""
        return self in (Setup.ORACLE_DOCS, Setup.ARCHIVE)


class AnswerMode(StrEnum):
    """Two ways to score an answer; both are always reported."""

    PUBLISHED = "published"
    """Score of the published OfficeQA scorer."""
    OURS = "ours"
    """Our own score, by typed values."""
