"""Two runs of the same trial, sample by sample."""

from dataclasses import dataclass

from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome


@dataclass(frozen=True, slots=True)
class SamplePair:
    """The same task, repeat and condition in two runs."""

    first: SampleRecord
    second: SampleRecord

    @property
    def both_judged(self) -> bool:
        """Whether neither of the two is invalid."""
        return self.first.outcome is not Outcome.INVALID and self.second.outcome is not Outcome.INVALID

    @property
    def same_faults(self) -> bool:
        """Whether the same faults were planned for both.

        A sample that could not even be set up has no plan on record; that is no difference.
        """
        if self.first.fault_plan == self.second.fault_plan:
            return True
        return any(r.outcome is Outcome.INVALID and not r.fault_plan for r in (self.first, self.second))


@dataclass(frozen=True, slots=True)
class Pairing:
    """Samples that two runs have in common, and those that only one of them has."""

    pairs: list[SamplePair]
    """Pairs in the order of the first run."""
    only_first: list[Key]
    only_second: list[Key]

    @property
    def differing_faults(self) -> list[Key]:
        """Samples for which the two runs planned different faults; outcomes there are not comparable."""
        return [pair.first.key for pair in self.pairs if not pair.same_faults]


def pair_runs(first: StoredRun, second: StoredRun) -> Pairing:
    """Pair the finished samples of two runs by task, repeat and condition.

    Plans are drawn from seed, task and mode, never from what an agent does, so with the same seed every pair
    was put under the same faults, whichever agents worked.
    """
    others = {record.key: record for record in second.records}
    pairs, only_first = [], []
    for record in first.records:
        key = record.key
        other = others.pop(key, None)
        if other is None:
            only_first.append(key)
        else:
            pairs.append(SamplePair(record, other))
    return Pairing(pairs, only_first, only_second=list(others))
