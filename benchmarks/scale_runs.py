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

import msgspec
from tests.support.made_runs import make_run
from worktrial.engine.trajectories import TRAJECTORIES

from worktrial.engine.manifest import MANIFEST, Asked, Manifest, manifest_text, read_manifest
from worktrial.engine.records import SAMPLES
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
        samples, trajectories = (_templates(made / name) for name in (SAMPLES, TRAJECTORIES))
    counts = [0] * len(folders)
    with ExitStack() as stack:
        files = []
        for folder in folders:
            folder.mkdir(parents=True)
            files.append([stack.enter_context((folder / name).open("wb")) for name in (SAMPLES, TRAJECTORIES)])
        for key in product(tasks, range(REPEATS), CONDITIONS):
            number = shard_number(key, order.shards) - 1 if order.shards else 0
            sample, repeat, condition = key
            middle = f'"sample":"{sample}","repeat":{repeat},"condition":"{condition}"'.encode()
            for file, (before, after) in zip(files[number], (next(samples), next(trajectories)), strict=True):
                file.write(before + middle + after)
            counts[number] += 1
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


def _templates(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """What stands before and after the key in the lines of a file, over and over."""
    found = []
    for line in path.read_bytes().splitlines(keepends=True):
        fields = msgspec.json.decode(line)
        rest = {name: fields[name] for name in fields if name not in ("suite", "sample", "repeat", "condition")}
        before = msgspec.json.encode({"suite": fields["suite"]})[:-1] + b","
        found.append((before, b"," + msgspec.json.encode(rest)[1:] + b"\n"))
    return cycle(found)


if __name__ == "__main__":
    print(msgspec.json.encode(make(msgspec.json.decode(sys.argv[1], type=ScaleOrder))).decode())
