"""Large runs, whole or in shards. A process of its own: `python -m benchmarks.scale_runs ORDER`.

Every sample has a record of 1.5 KB and a trajectory of a kilobyte: made once for some tasks by
`tests.support.made_runs`, and written again under other keys. Prints the folders as a JSON list.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle, product
from pathlib import Path
from typing import Any

import msgspec
from tests.support.made_runs import make_run
from tests.support.run_files import records_in, work_of

from worktrial.engine.manifest import MANIFEST, Asked, Manifest, manifest_text, read_manifest
from worktrial.engine.records import SAMPLES
from worktrial.engine.segments import SegmentWriter
from worktrial.engine.shard import Shard, shard_number

CONDITIONS = ["E0", "E1", "E2", "E3"]
REPEATS = 25


class ScaleOrder(msgspec.Struct):
    """Folders to make."""

    into: str
    tasks: int
    """Each with 25 repeats under 4 conditions: a hundred samples."""
    shards: int = 0
    """Number of shards; 0: one whole run."""


def make(order: ScaleOrder) -> list[str]:
    """Folders of the shards, or of the run."""
    tasks = [f"task-{n:06}" for n in range(order.tasks)]
    asked = Asked(tasks=tasks, repeats=REPEATS, conditions=CONDITIONS, added=0)
    folders = [Path(order.into) / f"run-{n:02}" for n in range(max(1, order.shards))]
    with tempfile.TemporaryDirectory() as place:
        made = make_run(Path(place) / "made", suite="starter", tasks=50, calls=1)
        manifest = read_manifest(made / MANIFEST)
        records, works = _templates(records_in(made)), _templates(work_of(made))
    counts = [0] * len(folders)
    writers = [SegmentWriter(folder) for folder in folders]
    with ExitStack() as stack:
        files = []
        for folder in folders:
            folder.mkdir(parents=True)
            files.append(stack.enter_context((folder / SAMPLES).open("wb")))
        for key in product(tasks, range(REPEATS), CONDITIONS):
            number = shard_number(key, order.shards) - 1 if order.shards else 0
            sample, repeat, condition = key
            middle = f'"sample":"{sample}","repeat":{repeat},"condition":"{condition}"'.encode()
            before, after = next(works)
            lies = msgspec.json.encode(writers[number].add(before + middle + after))
            before, after = next(records)
            files[number].write(before + middle + after[:-1] + b',"work":' + lies + b"}\n")
            counts[number] += 1
    for writer in writers:
        writer.close(seal=True)
    for number, folder in enumerate(folders):
        session = msgspec.structs.replace(
            manifest.sessions[0], asked=msgspec.structs.replace(asked, added=counts[number])
        )
        whole: Manifest = msgspec.structs.replace(
            manifest,
            settings={**manifest.settings, "tasks": tasks, "repeats": REPEATS},
            samples=counts[number],
            shard=Shard(number + 1, order.shards) if order.shards else None,
            sessions=[session],
        )
        (folder / MANIFEST).write_bytes(manifest_text(whole))
    return [str(folder) for folder in folders]


def _templates(lines: list[dict[str, Any]]) -> Iterator[tuple[bytes, bytes]]:
    """What stands before and after the key in lines, over and over."""
    found = []
    for fields in lines:
        apart = ("suite", "sample", "repeat", "condition", "work", "tokens")
        rest = {name: fields[name] for name in fields if name not in apart}
        before = msgspec.json.encode({"suite": fields["suite"]})[:-1] + b","
        found.append((before, b"," + msgspec.json.encode(rest)[1:]))
    return cycle(found)


if __name__ == "__main__":
    print(msgspec.json.encode(make(msgspec.json.decode(sys.argv[1], type=ScaleOrder))).decode())
