"""Whether two agents differ on the same tasks."""

from collections.abc import Container
from dataclasses import dataclass

from worktrial.engine.record import Key
from worktrial.engine.stored import StoredRun
from worktrial.results.comparison.changes import cluster_by
from worktrial.results.comparison.outcomes import paired_table, paired_test
from worktrial.results.pairing import pair_runs


@dataclass(frozen=True, slots=True)
class Contest:
    """Two agents on the tasks on which both have a verdict."""

    only_first: int
    """Samples that only the first passed."""
    only_second: int
    tasks: int
    left_out: int
    """Samples without two verdicts, or under other faults in the one run than in the other."""
    p: float
    """Two-sided, as a comparison of the two runs has it; of this test alone."""
    least_p: float
    """The smallest p that any outcome on so many tasks and scenarios could give."""


def contest(first: StoredRun, second: StoredRun, keys: Container[Key]) -> Contest:
    """The paired test of two runs, by the samples with `keys` only."""
    pairs = [pair for pair in pair_runs(first, second).pairs if pair.first.key in keys]
    counted = [pair for pair in pairs if pair.both_judged and pair.same_faults]
    cluster_of = cluster_by(pair.first for pair in counted)
    table, test = paired_table(counted), paired_test(counted)
    return Contest(
        only_first=table.only_first,
        only_second=table.only_second,
        tasks=len({pair.first.sample for pair in counted}),
        left_out=len(pairs) - len(counted),
        p=1.0 if test is None else test.p,
        # When every task, or scenario, goes to the same agent.
        least_p=min(1.0, 2 * 0.5 ** len({cluster_of(pair.first) for pair in counted})),
    )
