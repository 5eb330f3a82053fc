"""The figures that only some suites have, in two runs of the same samples."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from worktrial.results.comparison.changes import Change
from worktrial.results.pairing import SamplePair


@dataclass(frozen=True, slots=True)
class SuiteFigure:
    """A figure, 0-1, in two runs."""

    name: str
    change: Change


def suite_figures(pairs: Sequence[SamplePair], *, confidence: float, seed: int) -> list[SuiteFigure]:
    """Orchestration: the three scores by language, or what a free run reached. Documents: both scorers' shares.

    Args:
        pairs: Of one condition.
        confidence: Of the intervals.
        seed: Of the draws.
    """
    return [*_documents(pairs, confidence, seed), *_orchestration(pairs, confidence, seed)]


def _documents(pairs: Sequence[SamplePair], confidence: float, seed: int) -> Iterable[SuiteFigure]:
    from worktrial.suites.documents import suite

    return suite.changes(pairs, confidence=confidence, seed=seed)


def _orchestration(pairs: Sequence[SamplePair], confidence: float, seed: int) -> Iterator[SuiteFigure]:
    # Imported here because other suites need none of it.
    from worktrial.suites.orchestration import suite

    yield from suite.changes(pairs, confidence=confidence, seed=seed)
