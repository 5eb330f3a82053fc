"""Two run folders that say the same."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from worktrial.engine.record import SampleRecord
from worktrial.engine.records import Records, WorkReader
from worktrial.engine.stored import open_run


def work(folder: Path) -> dict[Any, Any]:
    """The last record of every sample, wherever its work lies, and its trajectory."""
    with WorkReader(folder, dict[str, Any]) as lines:
        return {
            record.key: (
                replace(record, work=None, tokens=None),
                None if record.work is None else lines.at(record.work),
            )
            for record in Records(folder, SampleRecord)
        }


def says_the_same(first: Path, second: Path) -> None:
    a, b = open_run(first).manifest, open_run(second).manifest
    assert (a.suite, a.data) == (b.suite, b.data)
    assert {k: v for k, v in a.settings.items() if k != "tasks"} == {
        k: v for k, v in b.settings.items() if k != "tasks"
    }
    one, other = work(first), work(second)
    assert one.keys() == other.keys()
    for key in one:
        assert one[key] == other[key], key
