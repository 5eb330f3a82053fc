"""Sealing a large run's work, and reading some. A process of its own: `benchmarks.scale_packed RUN`.

Prints, as JSON, the bytes before and after, the seconds of CPU of sealing, and those of each sample that is read.
"""

import sys
import time
from itertools import islice
from pathlib import Path
from random import Random

import msgspec

from worktrial.engine.record import SampleRecord
from worktrial.engine.records import Records, WorkReader
from worktrial.engine.segments import Segments, SegmentWriter, segment_path, segments_in

READ = 50


def measured(folder: Path) -> dict[str, object]:
    """What it took."""
    with Segments(folder) as segments:
        plain = sum(map(segments.size, segments_in(folder)))
    # A copy of the first segment, which is sealed anew.
    place = folder / "again"
    began = time.process_time()
    writer = SegmentWriter(place)
    place.mkdir()
    with Segments(folder) as segments:
        for line in segments.text(1, 0, segments.size(1)).splitlines():
            writer.add(line)
    writer.close(seal=True)
    packing = time.process_time() - began
    sealed = segment_path(place, 1, sealed=True).stat().st_size
    random = Random(0)
    records = [one for one in islice(Records(folder, SampleRecord), 0, None, 997) if random.random() < 0.5][:READ]
    reads = []
    for record in records:
        assert record.work is not None
        began = time.process_time()
        with WorkReader(folder, dict[str, object]) as work:
            work.at(record.work)
        reads.append(time.process_time() - began)
    sizes = sum(path.stat().st_size for path in segments_in(folder).values())
    return {"plain": plain, "packed": sizes, "sealed": sealed, "packing": packing, "reads": reads}


if __name__ == "__main__":
    print(msgspec.json.encode(measured(Path(sys.argv[1]))).decode())
