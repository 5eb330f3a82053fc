"""Which runs may stand in one ranking."""

from collections.abc import Sequence

from worktrial.results.comparable import comparable
from worktrial.results.stored import StoredRun

_AUDIT = "audit-"


def groups(runs: Sequence[StoredRun]) -> list[list[StoredRun]]:
    """The runs that may be ranked with each other (`comparable`), in the order in which they are named.

    Audits are left out: they say nothing about an agent.
    """
    found: list[list[StoredRun]] = []
    for run in runs:
        if run.manifest.suite.startswith(_AUDIT):
            continue
        for group in found:
            if not comparable(group[0].manifest, run.manifest):
                group.append(run)
                break
        else:
            found.append([run])
    return found
