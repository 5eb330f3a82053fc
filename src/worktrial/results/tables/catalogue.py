"""All tables, in the order in which people are shown them."""

from collections.abc import Collection, Mapping

from worktrial.errors import SettingError
from worktrial.results.tables.columns import Table
from worktrial.results.tables.record_tables import (
    CHECKS,
    FAULT_EVENTS,
    FAULT_MISSES,
    FAULTS,
    SAMPLES,
    USAGE,
    VOTES,
)
from worktrial.results.tables.run_table import RUNS
from worktrial.results.tables.trajectory_tables import CALLS, MESSAGES, TRAJECTORIES

TABLES: Mapping[str, Table] = {
    table.name: table
    for table in (
        RUNS,
        SAMPLES,
        USAGE,
        VOTES,
        CHECKS,
        FAULT_EVENTS,
        FAULTS,
        FAULT_MISSES,
        TRAJECTORIES,
        CALLS,
        MESSAGES,
    )
}


def chosen(names: Collection[str]) -> list[Table]:
    """The tables of these names.

    Raises:
        SettingError: there is no such table.
    """
    for name in names:
        if name not in TABLES:
            raise SettingError(f"there is no table {name!r}; there are {', '.join(TABLES)}")
    return [TABLES[name] for name in names]
