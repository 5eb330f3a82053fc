"""Two runs, compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from worktrial.engine.record import Key
from worktrial.engine.stored import StoredRun
from worktrial.results.comparable import Difference, comparable
from worktrial.results.comparison.conditions import ConditionComparison, compare_conditions
from worktrial.results.comparison.quantities import unseen
from worktrial.results.comparison.robustness import RobustnessChange, robustness_changes
from worktrial.results.comparison.suite_figures import SuiteFigure, suite_figures
from worktrial.results.conditions import by_condition, headline
from worktrial.results.pairing import SamplePair, pair_runs


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the second of two runs does better or worse than the first, on the samples that both have."""

    first: str
    """The run's folder."""
    second: str
    differences: tuple[Difference, ...]
    """What makes the two not comparable; () when they are."""
    differing_faults: tuple[Key, ...]
    """Samples for which they planned different faults, so that these are not comparable either."""
    only_first: tuple[Key, ...]
    only_second: tuple[Key, ...]
    missing_first: int
    """Samples that have not finished."""
    missing_second: int
    confidence: float
    """Of all intervals."""
    headline: str
    """The condition that stands for the comparison; "" where no condition is shared."""
    conditions: tuple[ConditionComparison, ...]
    """Those that both runs have; E0 first. Never mixed."""
    robustness: Mapping[str, RobustnessChange]
    """By setting (`3x2`, ""); {} where not both tried E0 to E3."""
    suite_figures: tuple[SuiteFigure, ...]
    """Of the headline condition, where the suite has figures of its own."""

    @property
    def is_fair(self) -> bool:
        """Whether nothing but the agents differs, as far as the runs tell."""
        return not self.differences and not self.differing_faults

    def of(self, condition: str) -> ConditionComparison | None:
        """What the two came to under `condition`; None where not both have it."""
        return next((one for one in self.conditions if one.condition == condition), None)


def compare_runs(
    first: StoredRun, second: StoredRun, *, confidence: float = 0.95, seed: int = 0, condition: str | None = None
) -> Comparison:
    """Compare two runs sample by sample; differences are second minus first.

    Runs that are not comparable are compared all the same, and the result says what differs: look at `is_fair`.

    Args:
        first: For instance the baseline.
        second: For instance the new release.
        confidence: Of the intervals, between 0 and 1, exclusive.
        seed: Of the bootstrap's and the permutation tests' draws.
        condition: Makes this condition the headline; None for E0 where both have it, else their first.
    """
    paired = pair_runs(first, second)
    own = {record.key: pair for pair in paired.pairs for record in (pair.first,)}
    pairs: dict[str, list[SamplePair]] = {
        name: [own[record.key] for record in records]
        for name, records in by_condition(pair.first for pair in paired.pairs).items()
    }
    chosen = condition or headline(list(pairs))
    return Comparison(
        first=str(first.folder),
        second=str(second.folder),
        differences=tuple(_blocking(first, second)),
        differing_faults=tuple(paired.differing_faults),
        only_first=tuple(paired.only_first),
        only_second=tuple(paired.only_second),
        missing_first=first.missing,
        missing_second=second.missing,
        confidence=confidence,
        headline=chosen if pairs else "",
        conditions=tuple(
            compare_conditions(pairs, {**unseen(first), **unseen(second)}, confidence=confidence, seed=seed)
        ),
        robustness=robustness_changes(pairs, confidence=confidence, seed=seed),
        suite_figures=tuple(suite_figures(pairs.get(chosen, []), confidence=confidence, seed=seed)),
    )


def _blocking(first: StoredRun, second: StoredRun) -> Sequence[Difference]:
    found = comparable(first.manifest, second.manifest)
    prompted = any((run.manifest.settings.get("faults") or {}).get("prompted") for run in (first, second))
    if prompted:
        return found
    # Conditions are compared one by one, and planned faults sample by sample: a condition that only one run has
    # does no harm to the others.
    return [difference for difference in found if difference.what != "faults.conditions"]


def untried(comparison: Comparison) -> list[str]:
    """Conditions of which only one of the runs has samples."""
    shared = {one.condition for one in comparison.conditions}
    named = dict.fromkeys(key[2] for key in chain(comparison.only_first, comparison.only_second))
    return [name for name in named if name not in shared]
