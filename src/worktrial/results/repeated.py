"""What a run says of agents that tried the same task several times."""

from collections.abc import Sequence

from worktrial.engine.record import SampleRecord
from worktrial.grading import Outcome
from worktrial.results.comparison.changes import cluster_by
from worktrial.statistics import Repeats, over_tasks


def repeats_of(records: Sequence[SampleRecord]) -> Repeats | None:
    """pass@k and pass^k for k the number of repeats; scenarios are drawn as a whole for the intervals.

    Args:
        records: Of one condition. Tries without a verdict are left out, and so are tasks that then have fewer than
            k tries.

    Returns:
        None where no task has k tries, or none is tried more than once.
    """
    k = len({record.repeat for record in records})
    if k < 2:
        return None
    cluster_of = cluster_by(records)
    tries: dict[str, list[bool]] = {}
    scenario: dict[str, str] = {}
    for record in records:
        if record.outcome is not Outcome.INVALID:
            tries.setdefault(record.sample, []).append(record.outcome is Outcome.PASS)
            scenario[record.sample] = cluster_of(record)
    return over_tasks(tries.values(), k, clusters=[scenario[sample] for sample in tries])
