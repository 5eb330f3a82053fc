"""A stored run read once to be shown: added up as it is read, its records kept only where more is shown of them."""

import contextlib
import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec.structs import force_setattr

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import SampleRecord, projected
from worktrial.engine.records import Records
from worktrial.engine.stored import StoredRun, manifest_in
from worktrial.results.duties import has_duties
from worktrial.results.summary import RunTally
from worktrial.suite import Suite, is_audit, suite_of

# Of most records nothing else is summed up.
_SUMMED = {*SampleRecord.__struct_fields__} - {"violations", "clock", "finished", "work", "tokens"}
_NO_TAGS = msgspec.Raw(b"{}")


def tally_shown(folder: Path, *, whole: bool = False) -> RunTally:
    """The run in `folder` added up; of a million samples that are not kept some 100 MB are held.

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
    kept = whole or own or is_audit(manifest) or has_duties(manifest)
    kind = SampleRecord if kept else _shared_tags()
    records: Records[SampleRecord] = Records(folder, kind)
    with _without_collection():
        found = _added_up(folder, manifest, records.every(), kept=kept)
        # Only where samples ran again, which hardly any did, has to be known which lines count.
        return _added_up(folder, manifest, records.blocks(), kept=kept) if found.is_repeated else found


def _added_up(folder: Path, manifest: Manifest, blocks: Iterator[list[SampleRecord]], *, kept: bool) -> RunTally:
    tally = RunTally(StoredRun(folder, manifest, []))
    shared: dict[bytes, dict[str, Any]] = {}
    for block in blocks:
        if kept:
            tally.run.records.extend(block)
        else:
            for record in block:
                text = bytes(record.tags)  # type: ignore[arg-type]
                tags = shared.get(text)
                if tags is None:
                    tags = shared[text] = msgspec.json.decode(text)
                force_setattr(record, "tags", tags)
        tally.add_all(block)
        if tally.is_repeated:
            break
    return tally


def _shared_tags() -> type[SampleRecord]:
    """Type of records whose tags are left as they lie: many samples have the same ones, which are read once."""
    tags: Any = ("tags", msgspec.Raw, msgspec.field(default=_NO_TAGS))
    made: Any = msgspec.defstruct("SummedRecord", [tags], bases=(projected(_SUMMED),), kw_only=True, frozen=True)
    return cast(type[SampleRecord], made)


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
