"""Files of run folders as tests make, read and damage them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from worktrial.engine.record import Place
from worktrial.engine.records import SAMPLES
from worktrial.engine.segments import Segments, segment_path

Line = dict[str, Any]


def store_work(folder: Path, samples: Iterable[tuple[Any, Any]]) -> None:
    """Write the records of a run with the work of each, or None, as lines of one open segment."""
    path = segment_path(folder, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    offset = 0
    with (folder / SAMPLES).open("wb") as records, path.open("wb") as work:
        for record, line in samples:
            fields = msgspec.to_builtins(record)
            fields["work"] = None
            if line is not None:
                data = (line if isinstance(line, bytes) else msgspec.json.encode(line)) + b"\n"
                work.write(data)
                fields["work"] = [1, offset, len(data)]
                offset += len(data)
            records.write(msgspec.json.encode(fields) + b"\n")


def records_in(folder: Path) -> list[Line]:
    """Every record of a run as it is stored, but for a torn last one."""
    return [msgspec.json.decode(line) for line in (folder / SAMPLES).read_bytes().split(b"\n")[:-1]]


def raw_work(folder: Path) -> list[bytes | None]:
    """Work of every record of a run as it is stored, in the order of the records."""
    with Segments(folder) as segments:
        places = [record.get("work") for record in records_in(folder)]
        return [None if one is None else segments.line(msgspec.convert(one, Place)) for one in places]


def work_of(folder: Path) -> list[Line]:
    """Work of every record of a run that has some."""
    return [msgspec.json.decode(line) for line in raw_work(folder) if line is not None]


def set_work(folder: Path, lines: Sequence[Any]) -> None:
    """Give every record of a run another work, or None."""
    store_work(folder, zip(records_in(folder), lines, strict=True))
