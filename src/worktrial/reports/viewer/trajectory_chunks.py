"""Samples with all they did, in files small enough to load one for one sample."""

from collections.abc import Callable, Sequence
from pathlib import Path
from zlib import crc32

import msgspec

from worktrial.engine.record import Key, SampleRecord
from worktrial.reports.viewer.script_data import array, encoded, literal, write_data
from worktrial.reports.viewer.stored_lines import StoredLines

CHUNK = 384 * 1024
"""Bytes after which a file is full. A longer sample has a file of its own."""

KEYS = 4000
"""Samples that an index file names, in the mean."""


def write_trajectories(
    slug: str, folder: Path, records: Sequence[SampleRecord], into: Path, progress: Callable[[int], None]
) -> list[int]:
    """Write the samples of a run, and the index from their keys to their numbers.

    Every sample is there, those without a trajectory with their record alone.

    Args:
        slug: The run's.
        folder: The run's.
        records: Its samples. The number of a sample is its place here.
        into: The site's folder.
        progress: Told how many more samples are written.

    Returns:
        The number of the first sample in each file.

    Raises:
        DataError: a line of `trajectories.jsonl` is damaged.
    """
    _write_keys(slug, records, into)
    encoder = msgspec.json.Encoder()
    firsts: list[int] = []
    waiting: list[bytes] = []
    size = 0

    def write(end: int) -> None:
        nonlocal size
        first = end - len(waiting)
        neighbours = [_key(records, first - 1), _key(records, end)]
        fields = {"first": b"%d" % first, "neighbours": encoded(neighbours), "samples": array(waiting)}
        write_data(into, f"{slug}/t{len(firsts)}", fields)
        firsts.append(first)
        progress(len(waiting))
        waiting.clear()
        size = 0

    with StoredLines(folder) as lines:
        for number, record in enumerate(records):
            stored = lines.line(record.key)
            done = b"null" if stored is None else literal(stored)
            sample = b"[" + literal(encoder.encode(record)) + b"," + done + b"]"
            if waiting and size + len(sample) > CHUNK:
                write(number)
            waiting.append(sample)
            size += len(sample)
    if waiting:
        write(len(records))
    return firsts


def key_files(samples: int) -> int:
    """How many files the index of so many samples has."""
    return max(1, -(-samples // KEYS))


def key_text(key: Key) -> str:
    """A key as the index names it. The page makes the same from an address."""
    sample, repeat, condition = key
    return f"{repeat}\n{condition}\n{sample}"


def _key(records: Sequence[SampleRecord], number: int) -> Key | None:
    return records[number].key if 0 <= number < len(records) else None


def _write_keys(slug: str, records: Sequence[SampleRecord], into: Path) -> None:
    files: list[dict[str, int]] = [{} for _ in range(key_files(len(records)))]
    for number, record in enumerate(records):
        text = key_text(record.key)
        files[crc32(text.encode()) % len(files)][text] = number
    for place, numbers in enumerate(files):
        write_data(into, f"{slug}/k{place}", {"numbers": encoded(numbers)})
