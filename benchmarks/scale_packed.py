"""Packing a large run's trajectories, and reading some. A process of its own: `benchmarks.scale_packed RUN`.

Prints, as JSON, the bytes before and after, the seconds of CPU of packing, and those of each sample that is read.
"""

import sys
import time
from pathlib import Path
from random import Random

import msgspec
from worktrial.engine.packing import TrajectoryWriter
from worktrial.engine.trajectories import PACKED, PACKED_INDEX, TRAJECTORIES

from worktrial.engine.manifest import MANIFEST, read_manifest
from worktrial.engine.stored import trajectory

READ = 50


def measured(folder: Path) -> dict[str, object]:
    """What it took."""
    plain = (folder / TRAJECTORIES).stat().st_size
    began = time.process_time()
    writer = TrajectoryWriter(folder, compress=True)
    writer.open()
    writer.close(pack=True)
    packing = time.process_time() - began
    asked = read_manifest(folder / MANIFEST).sessions[0].asked
    assert asked is not None
    random, reads = Random(0), []
    for _ in range(READ):
        key = random.choice(asked.tasks), random.randrange(asked.repeats), random.choice(asked.conditions)
        began = time.process_time()
        trajectory(folder, *key)
        reads.append(time.process_time() - began)
    sizes = [(folder / name).stat().st_size for name in (PACKED, PACKED_INDEX)]
    return {"plain": plain, "packed": sizes[0], "index": sizes[1], "packing": packing, "reads": reads}


if __name__ == "__main__":
    print(msgspec.json.encode(measured(Path(sys.argv[1]))).decode())
