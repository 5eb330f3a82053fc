"""Groups of runs that may stand in one ranking."""

from collections.abc import Sequence

from worktrial.engine.identity import Difference, comparable
from worktrial.engine.manifest import Manifest
from worktrial.engine.stored import StoredRun
from worktrial.suite import is_audit

_CLEAN = "E0"


def groups(runs: Sequence[StoredRun]) -> list[list[StoredRun]]:
    """The runs that may be ranked with each other, in the order in which they are named.

    Groups of one suite follow each other. Audits are left out: they say nothing about an agent.
    """
    found: list[list[StoredRun]] = []
    for run in runs:
        if is_audit(run.manifest):
            continue
        for group in found:
            if not any(obstacles(other.manifest, run.manifest) for other in group):
                group.append(run)
                break
        else:
            found.append([run])
    suites = list(dict.fromkeys(group[0].manifest.suite for group in found))
    return sorted(found, key=lambda group: suites.index(group[0].manifest.suite))


def obstacles(first: Manifest, second: Manifest) -> list[Difference]:
    """Why two runs may not be ranked with each other; [] where they may.

    A condition that only one of them tried is none, as each condition has a ranking of its own; the same mode with
    other counts, durations or draws is.
    """
    found = comparable(first, second)
    if not any(difference.what == "faults.conditions" for difference in found):
        return found
    before, after = _faults(first), _faults(second)
    if before is None or after is None:
        return found
    same = all(
        before.get(mode) == after.get(mode) or mode not in before or mode not in after for mode in before | after
    )
    shared = _CLEAN in before and _CLEAN in after
    return [d for d in found if d.what != "faults.conditions"] if same and shared else found


def _faults(manifest: Manifest) -> dict[str, set[str]] | None:
    """Modes to the settings they were tried with; None where the simulator was asked for the faults."""
    stored = manifest.settings.get("faults")
    if not stored:
        return {_CLEAN: set()}
    if stored.get("prompted"):
        return None
    found: dict[str, set[str]] = {}
    for condition in stored["settings"]:
        settings = found.setdefault(condition["mode"], set())
        if condition["mode"] != _CLEAN:
            settings.add(repr(sorted(condition.items())))
    return found
