"""Groups of runs that may stand in one ranking."""

from collections.abc import Sequence

from worktrial.engine.identity import comparable
from worktrial.engine.stored import StoredRun
from worktrial.suite import is_audit


def groups(runs: Sequence[StoredRun]) -> list[list[StoredRun]]:
    """The runs that may be ranked with each other, in the order in which they are named.

    Groups of one suite follow each other. Audits are left out: they say nothing about an agent.
    """
    found: list[list[StoredRun]] = []
    for run in runs:
        if is_audit(run.manifest):
            continue
        for group in found:
            if not any(comparable(other.manifest, run.manifest) for other in group):
                group.append(run)
                break
        else:
            found.append([run])
    suites = list(dict.fromkeys(group[0].manifest.suite for group in found))
    return sorted(found, key=lambda group: suites.index(group[0].manifest.suite))
