"""The samples that several runs share: what there is to compare, and at what cost it was done."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cached_property
from math import fsum

from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome
from worktrial.results.estimates import BoardEstimate, Sums, clusters
from worktrial.results.spending import quantity_in
from worktrial.statistics import mean_change


class Basis(StrEnum):
    """Cost that decides between equals."""

    AGENT = "agent"  # the agent's own requests
    TRIAL = "trial"  # of all roles, simulator and judge included


_COSTS = {Basis.AGENT: "agent cost", Basis.TRIAL: "cost"}


class SharedSamples:
    """The samples under one condition, and with one tag where given, that all of `runs` have.

    A run with less than half of the tasks of the largest is left out, because it would shrink them for all. Repeats
    do not count: who tried each task more often keeps nobody else out.
    """

    def __init__(self, runs: Sequence[StoredRun], condition: str, tag: str = "", value: str = "") -> None:
        def counts(record: SampleRecord) -> bool:
            return record.condition == condition and (not tag or str(record.tags.get(tag)) == value)

        of_run = [{record.key: record for record in run.records if counts(record)} for run in runs]
        tasks = [len({sample for sample, _, _ in records}) for records in of_run]
        largest = max(tasks, default=0)
        enough = [2 * own >= largest > 0 for own in tasks]
        kept = [records for records, is_enough in zip(of_run, enough, strict=True) if is_enough]
        self.runs = [run for run, is_enough in zip(runs, enough, strict=True) if is_enough]
        self.left_out = tuple(run for run, is_enough in zip(runs, enough, strict=True) if not is_enough)
        self.keys: set[Key] = set.intersection(*(set(records) for records in kept)) if kept else set()
        self.records = [[r for key, r in records.items() if key in self.keys] for records in kept]
        """Records of each of `runs`."""
        self.not_shared = max((len(records) for records in of_run), default=0) - len(self.keys)
        """Samples of the largest run that not all have."""
        self._costs: dict[tuple[int, Basis], list[float | None]] = {}

    def passed(self, n: int) -> int:
        """Passes of the run at a position."""
        return self._passed[n]

    @cached_property
    def _passed(self) -> list[int]:
        return [sum(record.outcome is Outcome.PASS for record in records) for records in self.records]

    @cached_property
    def ranking(self) -> list[int]:
        """Positions of runs: the most passes first, of equal ones the cheaper."""
        costs, _ = self.costs(range(len(self.runs)))

        def rank(n: int) -> tuple[int, float]:
            return -self.passed(n), costs.get(n, 0.0)

        return sorted(range(len(self.runs)), key=rank)

    def costs(self, wanted: Iterable[int]) -> tuple[dict[int, float], Basis | None]:
        """Dollars per sample of the wanted runs: of the agents alone where known of all, else of the trial."""
        listed = list(wanted)
        for basis in _COSTS:
            costs = {n: self._costs_of(n, basis) for n in listed}
            known = {n: [cost for cost in own if cost is not None] for n, own in costs.items()}
            if all(len(known[n]) == len(costs[n]) for n in listed):
                return {n: sum(own) / len(own) for n, own in known.items() if own}, basis
        return {}, None

    def _costs_of(self, n: int, basis: Basis) -> list[float | None]:
        """Dollars of every sample of the run at a position."""
        if (n, basis) not in self._costs:
            self._costs[n, basis] = list(map(quantity_in(self.runs[n], _COSTS[basis]), self.records[n]))
        return self._costs[n, basis]

    def saving(self, best: int, other: int, basis: Basis) -> BoardEstimate:
        """The best's dollars per sample minus the other's; paired."""
        one, two = (self._sums(n, basis) for n in (best, other))
        columns = [[of[name][part] for name in one] for of, part in ((two, "cost"), (one, "cost"), (one, "n"))]
        found = mean_change(columns[0], columns[1], columns[2])
        samples = fsum(sums["n"] for sums in one.values())
        value = fsum(sums["cost"] - two[name]["cost"] for name, sums in one.items()) / samples
        return BoardEstimate(value, None if found is None else found.difference)

    def _sums(self, n: int, basis: Basis) -> dict[str, Sums]:
        records = self.records[n]
        costs = dict(zip((record.key for record in records), self._costs_of(n, basis), strict=True))
        return clusters(records, lambda record: {"cost": costs[record.key] or 0.0})
