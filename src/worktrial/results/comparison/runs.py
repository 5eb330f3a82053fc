"""Two runs, compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from worktrial.engine.identity import Difference, comparable
from worktrial.engine.record import Key
from worktrial.engine.stored import StoredRun
from worktrial.errors import SettingError, option
from worktrial.language.untrusted import printable
from worktrial.places import shown_place
from worktrial.results.changes import PairFigures, pair_of
from worktrial.results.comparison.outcomes import ConditionComparison, compare_outcomes
from worktrial.results.conclusion import conclude_on, names_of
from worktrial.results.writing import points, signed
from worktrial.statistics import MARGIN
from worktrial.terminal import table_of

if TYPE_CHECKING:
    from rich.console import Group


_HEADERS = ("A", "B", "B - A, points", "interval")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Gains and losses of the second of two runs against the first, on the samples that both have."""

    first: str
    """The run's folder."""
    second: str
    differences: tuple[Difference, ...]
    """Reasons for which the two are not comparable; () when they are."""
    differing_faults: tuple[Key, ...]
    """Samples for which they planned different faults, so that these are not comparable either."""
    only_first: tuple[Key, ...]
    only_second: tuple[Key, ...]
    missing_first: int
    """Samples that have not finished."""
    missing_second: int
    confidence: float
    """Level of all intervals, 0-1."""
    headline: str
    """The condition that stands for the comparison; "" where no condition is shared."""
    conditions: tuple[ConditionComparison, ...]
    """Conditions that both runs have; E0 first. Never mixed."""
    figures: PairFigures
    """Changes of all figures, the score and those of the suite among them, each with its interval."""
    conclusion: str
    """Sentence on who does more of the work, by how much, under which faults, and how sure that is."""

    @property
    def is_fair(self) -> bool:
        """Whether nothing but the agents differs, as far as the runs tell."""
        return not self.differences and not self.differing_faults

    @property
    def label(self) -> str:
        """Line for every output where they were compared though more than the agents differs; else ""."""
        return "" if self.is_fair else f"compared though they differ in {self.differing}"

    @property
    def differing(self) -> str:
        """Differences other than the agents, in one line; "" without any."""
        told = list(map(str, self.differences))
        if keys := self.differing_faults:
            sample, _, condition = keys[0]
            told.append(f"faults planned for {len(keys)} samples, such as {sample} under {condition}")
        return "; ".join(told)

    def check_fair(self) -> None:
        """Refuse runs in which more than the agents differs.

        Raises:
            SettingError: it does; the message lists what.
        """
        if not self.is_fair:
            raise SettingError(
                f"{self.first} and {self.second} are not comparable: they differ in {self.differing}. Run "
                f"one of them anew like the other; {option('force')} goes on all the same and labels the output"
            )

    def __str__(self) -> str:
        return self.conclusion

    def __rich__(self) -> "Group":
        from rich.console import Group
        from rich.text import Text

        table = table_of(["condition"], _HEADERS)
        for row in self._rows():
            table.add_row(*(Text(cell) for cell in row))
        return Group(Text(printable(self.conclusion), style="bold"), table)

    def _repr_html_(self) -> str:
        """The conclusion and the differences below it, for notebooks; all of it is escaped."""
        rows = [["condition", *_HEADERS], *self._rows()]
        cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
        table = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<p>{escape(printable(self.conclusion))}</p><table>{table}</table>"

    def _rows(self) -> Iterator[list[str]]:
        for one in self.conditions:
            found = self.figures.get("completion_of_valid", one.condition)
            if found.value is not None and found.interval is not None:
                rates = f"{found.first:.1%}", f"{found.second:.1%}", signed(found.value)
                yield [printable(one.condition), *rates, points(found.interval)]

    @property
    def untried(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Conditions that only the first run has samples of, and those that only the second has."""
        shared = {one.condition for one in self.conditions}
        first, second = (
            tuple(name for name in dict.fromkeys(key[2] for key in keys) if name not in shared)
            for keys in (self.only_first, self.only_second)
        )
        return first, second

    def check_shared(self, condition: str | None = None) -> None:
        """Refuse runs without a common sample.

        Args:
            condition: The one that was asked for; None for any.

        Raises:
            SettingError: there is none, or none of `condition`.
        """
        shared = [one.condition for one in self.conditions]
        if not shared:
            one, other = (", ".join(names) or "no sample" for names in self.untried)
            raise SettingError(
                f"{self.first} and {self.second} have no sample in common (task, repeat and condition); "
                f"the first has {one}, the second {other}"
            )
        if condition is not None and condition not in shared:
            raise SettingError(f"{option('condition')} {condition}: both runs have {', '.join(shared)}")

    def of(self, condition: str) -> ConditionComparison | None:
        """Comparison of the two under `condition`; None where not both have it."""
        return next((one for one in self.conditions if one.condition == condition), None)


def compare_runs(
    first: StoredRun,
    second: StoredRun,
    *,
    confidence: float = 0.95,
    condition: str | None = None,
    margin: float = MARGIN,
) -> Comparison:
    """Compare two runs sample by sample; differences are second minus first.

    Runs that are not comparable are compared all the same, and the result says what differs: look at `is_fair`.

    Args:
        first: For instance the baseline.
        second: For instance the new release.
        confidence: Of the intervals, between 0 and 1, exclusive.
        condition: Makes this condition the headline, and the conclusion about it alone; None for E0 where both have
            it, else their first, and a conclusion over all.
        margin: Shortfall that does not matter, as a share.
    """
    pair = pair_of(first, second)
    figures = pair.figures(confidence)
    return Comparison(
        first=shown_place(first.folder),
        second=shown_place(second.folder),
        differences=tuple(_blocking(first, second)),
        differing_faults=tuple(pair.pairing.differing_faults),
        only_first=tuple(pair.pairing.only_first),
        only_second=tuple(pair.pairing.only_second),
        missing_first=first.missing,
        missing_second=second.missing,
        confidence=confidence,
        headline=condition if condition is not None and pair.shared else figures.headline,
        conditions=tuple(compare_outcomes(name, own, pair.counted[name]) for name, own in pair.shared.items()),
        figures=figures,
        conclusion=conclude_on(
            names_of([first, second]), margin=margin, level=1 - confidence, condition=condition, each=True
        ).sentence,
    )


def _blocking(first: StoredRun, second: StoredRun) -> Sequence[Difference]:
    found = comparable(first.manifest, second.manifest)
    prompted = any((run.manifest.settings.get("faults") or {}).get("prompted") for run in (first, second))
    if prompted:
        return found
    # Conditions are compared one by one, and planned faults sample by sample: a condition that only one run has
    # does no harm to the others.
    return [difference for difference in found if not difference.what.startswith("faults.conditions")]
