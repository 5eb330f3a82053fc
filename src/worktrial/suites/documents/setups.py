"""What an agent is given beside the question. Each set-up takes one stage of the work away."""

from enum import StrEnum


class Setup(StrEnum):
    """From nothing but the question to the whole archive."""

    CLOSED = "closed"  # the question alone: what a model knows by heart
    ORACLE_PAGES = "oracle-pages"  # the gold pages come with the question: what is left is reading and computing
    ORACLE_DOCS = "oracle-docs"  # the tools, over the gold documents alone: finding the page is added
    ARCHIVE = "archive"  # the tools, over everything: finding the document is added

    @property
    def has_archive_tools(self) -> bool:
        """Whether the agent can search and read."""
        return self in (Setup.ORACLE_DOCS, Setup.ARCHIVE)
