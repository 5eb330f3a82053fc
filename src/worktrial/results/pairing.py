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
        return Outcome.INVALID not in (self.first.outcome, self.second.outcome)

    @property
    def same_faults(self) -> bool:
        """Whether the same faults were planned for both.

        A sample that could not even be set up has no plan on record; that is no difference.
        """
        both = self.first, self.second
        plans = [r.fault_plan for r in both if r.fault_plan or r.outcome is not Outcome.INVALID]
        return len(plans) < 2 or plans[0] == plans[1]


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
    known = {record.key for record in first.records}
    return Pairing(
        pairs=[SamplePair(r, others[r.key]) for r in first.records if r.key in others],
        only_first=[r.key for r in first.records if r.key not in others],
        only_second=[key for key in others if key not in known],
    )
