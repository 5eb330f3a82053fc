"""The two scores of an answer, and their names in runs that are stored."""

from enum import StrEnum


class AnswerMode(StrEnum):
    """Two ways to score an answer; both are always reported.

    Their earlier names, `official` and `strict`, are read too.
    """

    PUBLISHED = "published"
    """As the published OfficeQA scorer does."""
    OURS = "ours"
    """By typed values."""

    @classmethod
    def _missing_(cls, value: object) -> "AnswerMode | None":
        return {"official": cls.PUBLISHED, "strict": cls.OURS}.get(str(value))
