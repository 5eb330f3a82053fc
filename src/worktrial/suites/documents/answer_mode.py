"""Which of the two scores of an answer."""

from enum import StrEnum


class AnswerMode(StrEnum):
    """Two ways to score an answer; both are always reported."""

    OFFICIAL = "official"  # as the published OfficeQA scorer does
    STRICT = "strict"  # ours, by typed values
