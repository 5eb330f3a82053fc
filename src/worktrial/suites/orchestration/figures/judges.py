"""How far the judges of argument values agree with each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from worktrial.engine.record import SampleRecord
from worktrial.language import JsonObject
from worktrial.statistics import Agreement, PairwiseCohen, agreement, pairwise_cohen


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of a run's judges over the values of one language."""

    language: str
    judges: tuple[str, ...]
    """Their seats, in the order of votes."""
    values: int
    """Values judged. One that came up in several samples was judged once, and counts once."""
    same: float
    """The mean verdict, 0-1: the share of votes for equal meaning, averaged over the values."""
    without_vote: int
    """Votes that are missing, because a judge could not be reached or understood."""
    fleiss: Agreement
    """Over all judges together."""
    cohen: PairwiseCohen
    """Of every two judges; none where there is one judge."""

    @property
    def pairs(self) -> list[tuple[str, str, float | None]]:
        """Two judges and Cohen's kappa of the two, for every two."""
        return [(a, b, k) for (a, b), k in zip(combinations(self.judges, 2), self.cohen.by_pair, strict=True)]


def judge_agreement(records: Iterable[SampleRecord]) -> list[JudgeAgreement]:
    """The agreement of the judges among `records`, by language; none for a run without judged values."""
    questions: dict[str, dict[str, JsonObject]] = {}
    for record in records:
        for value in record.measures.get("judging", {}).get("values", ()):
            asked = repr([value.get(part) for part in ("tool", "key", "gold", "predicted", "context")])
            questions.setdefault(record.measures["language"], {})[asked] = value
    return [_agreement(language, list(questions[language].values())) for language in sorted(questions)]


def _agreement(language: str, values: Sequence[JsonObject]) -> JudgeAgreement:
    ballots = [[vote["same_meaning"] for vote in value["votes"]] for value in values]
    return JudgeAgreement(
        language=language,
        judges=tuple(vote["judge"] for vote in values[0]["votes"]),
        values=len(values),
        same=sum(value["share"] for value in values) / len(values),
        without_vote=sum(vote is None for votes in ballots for vote in votes),
        fleiss=agreement(ballots),
        cohen=pairwise_cohen(ballots),
    )
