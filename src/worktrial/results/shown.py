"""A stored run read to be shown: by its figures where these do, else by whole records."""

import contextlib
import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import force_setattr

from worktrial.engine.record import SampleRecord, projected
from worktrial.engine.records import Records
from worktrial.engine.stored import StoredRun, manifest_in, open_run
from worktrial.results.duties import has_duties
from worktrial.results.summary import RunTally
from worktrial.suite import Suite, is_audit, suite_of

# Of most records nothing else is summed up.
_SUMMED = {*SampleRecord.__struct_fields__} - {
    "checks",
    "violations",
    "measures",
    "clock",
    "finished",
    "work",
    "tokens",
}


def tally_shown(folder: Path, *, whole: bool = False) -> RunTally:
    """The run in `folder` added up; with its records where more than their figures is shown of it.

    Args:
        folder: Where it was stored.
        whole: Whether records are wanted in any case.

    Raises:
        DataError: there is no such folder, it holds no run, or a record is damaged.
    """
    manifest = manifest_in(folder)
    suite = suite_of(manifest)
    # Tables and figures of a suite's own are made from whole records, and so is what is said about duties.
    own = suite is not None and (
        suite.score is not None or (type(suite).tables, type(suite).figures) != (Suite.tables, Suite.figures)
    )
    if whole or own or is_audit(manifest) or has_duties(manifest):
        return RunTally.of(open_run(folder))
    return tally_figures(folder)


def tally_figures(folder: Path) -> RunTally:
    """The run in `folder` added up by figures alone: of a million samples some 100 MB are held at most.

    Raises:
        DataError: there is no such folder, it holds no run, or a record is damaged.
    """
    tally = RunTally(StoredRun(folder, manifest_in(folder), []))
    shared: dict[bytes, dict[str, Any]] = {}
    with _without_collection():
        for block in Records(folder, projected(_SUMMED)).blocks():
            for record in block:
                # Held once, where many samples have the same ones.
                force_setattr(record, "tags", shared.setdefault(msgspec.json.encode(record.tags), record.tags))
            tally.add_all(block)
    return tally


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Reading makes no cycles, and looking for some among a million records takes longer than to read them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
