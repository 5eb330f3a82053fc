"""A stored run read to be shown: by its figures where these do, else by whole records."""

from pathlib import Path

from worktrial.engine.figures import figure_blocks, lines_that_count, without_collection
from worktrial.engine.record import SampleRecord
from worktrial.engine.store import SAMPLES
from worktrial.engine.stored import StoredRun, manifest_in, open_run
from worktrial.results.duties import has_duties
from worktrial.results.summary import RunTally
from worktrial.suite import Suite, is_audit, suite_of


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
    run = StoredRun(folder, manifest_in(folder), [])
    with without_collection():
        return _once(run) or _last_lines(run)


def _once(run: StoredRun) -> RunTally | None:
    """The run, of which each sample is taken to have one line; None where one has two."""
    tally = RunTally(run)
    for records in figure_blocks(run.folder):
        tally.add_all(records)
        if tally.has_twice:
            return None
    return tally


def _last_lines(run: StoredRun) -> RunTally:
    tally, counted = RunTally(run), lines_that_count(run.folder / SAMPLES)
    start = 0
    for records in figure_blocks(run.folder):
        kept: list[SampleRecord] = []
        # Lines that were written since count the next time.
        for number, record in enumerate(records[: max(0, counted.lines - start)], start):
            if counted.has(number):
                kept.append(record)
            else:
                # A sample that ran again stands where it first finished.
                tally.add_all(kept)
                kept.clear()
                tally.reserve(record)
        tally.add_all(kept)
        start += len(records)
    return tally
