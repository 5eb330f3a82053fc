"""The records of runs as one JSONL file."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from worktrial.results.exports.files import new_file
from worktrial.results.tables.source import RunSource


def export_records(sources: Sequence[RunSource], out: Path, *, force: bool = False) -> int:
    """Write the last record of every sample, with the name of its run before its own fields.

    Returns:
        How many lines there are.

    Raises:
        DataError: a run's folder is damaged, or the place cannot be written to.
        SettingError: there is something at the place, and not `force`.
    """
    count = 0
    encoder = msgspec.json.Encoder()
    with new_file(out, force=force) as file:
        for source in sources:
            for record in source.records():
                file.write(encoder.encode({"run": source.name, **msgspec.structs.asdict(record)}) + b"\n")
                count += 1
    return count
