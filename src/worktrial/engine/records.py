"""Records of a run as they are read from `samples.jsonl`, and the work that they point at."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from worktrial.engine.lines import decoded_lines, line_blocks
from worktrial.engine.record import Key, Place, SampleLine, SampleRecord
from worktrial.engine.segments import Segments, segment_path
from worktrial.errors import DataError
from worktrial.outside.files import open_file

SAMPLES = "samples.jsonl"
"""File of a run's records."""

_R = TypeVar("_R", bound=SampleRecord | SampleLine)
_W = TypeVar("_W")


class Records(Generic[_R]):
    """Records of the run in a folder: of each sample the last line, in the order in which these were written.

    They are read anew whenever they are iterated; some 40 bytes are held of each. A torn last line is passed over,
    so a run that is being written can be read.

    Args:
        folder: Of the run.
        kind: Type that each line is decoded as; one with fewer fields takes less, see `projected`.
    """

    def __init__(self, folder: Path, kind: type[_R]) -> None:
        self.folder = folder
        self.path = folder / SAMPLES
        self._kind = kind

    def __iter__(self) -> Iterator[_R]:
        """The last record of every sample.

        Raises:
            DataError: a line is damaged.
        """
        return chain.from_iterable(self.blocks())

    def blocks(self) -> Iterator[list[_R]]:
        """The last record of every sample, many at a time.

        Raises:
            DataError: a line is damaged.
        """
        lines, replaced = self._replaced()
        number = 0
        for block in self.every():
            # Lines that were written since count the next time.
            kept = block[: lines - number]
            if replaced:
                kept = [record for at, record in enumerate(kept, number) if at not in replaced]
            yield kept
            number += len(block)
            if number >= lines:
                return

    def listed(self) -> list[_R]:
        """The last record of every sample, all of them held; the file is read once.

        Raises:
            DataError: a line is damaged.
        """
        found = [*chain.from_iterable(self.every())]
        replaced = _replaced(found)
        return [record for at, record in enumerate(found) if at not in replaced] if replaced else found

    def every(self) -> Iterator[list[_R]]:
        """Every line in order, also those of samples that ran again, many at a time.

        Raises:
            DataError: a line is damaged.
        """
        return line_blocks(self.path, self._kind)

    def spans(self, place: int = 0) -> Iterator[tuple[_R, int, int]]:
        """Every line from the byte `place` on, with the bytes at which it begins and ends.

        Raises:
            DataError: a line is damaged.
        """
        try:
            file = open_file(self.path, within=self.folder)
        except FileNotFoundError:
            return
        with file:
            yield from decoded_lines(file, self.path, self._kind, place=place)

    def _replaced(self) -> tuple[int, frozenset[int]]:
        """Number of lines that there are, and the numbers of those after which another is about the same sample."""
        keys = Records(self.folder, SampleLine)
        hashes = array("q")
        for block in keys.every():
            hashes.extend([hash(line.key) for line in block])
        twice = _twice(hashes)
        lines = islice(chain.from_iterable(keys.every()), len(hashes) if twice else 0)
        return len(hashes), _numbers_replaced(lines, twice)


def _replaced(records: Sequence[SampleRecord | SampleLine]) -> frozenset[int]:
    """Places of records after which another is about the same sample."""
    return _numbers_replaced(records, _twice(array("q", [hash(record.key) for record in records])))


def _twice(hashes: "array[int]") -> set[int]:
    """Hashes that there are two of: of nearly all runs none, and to find that out takes little."""
    return {one for one, other in pairwise(sorted(hashes)) if one == other}


def _numbers_replaced(lines: Iterable[SampleRecord | SampleLine], twice: set[int]) -> frozenset[int]:
    last: dict[Key, int] = {}
    replaced = set()
    for number, line in enumerate(lines if twice else ()):
        if hash(line.key) in twice:
            if line.key in last:
                replaced.add(last[line.key])
            last[line.key] = number
    return frozenset(replaced)


def last_records(folder: Path) -> dict[Key, SampleRecord]:
    """The last record of every sample of the run in `folder`, by its key.

    Raises:
        DataError: a record is damaged.
    """
    return {record.key: record for record in Records(folder, SampleRecord).listed()}


class WorkReader(Generic[_W]):
    """Work of the samples of a run, each read where its record says. Use as a context manager.

    Args:
        folder: Of the run.
        kind: Type that lines are decoded as.
    """

    def __init__(self, folder: Path, kind: type[_W]) -> None:
        self._folder = folder
        self._segments = Segments(folder)
        self._decoder = msgspec.json.Decoder(kind)

    def __enter__(self) -> "WorkReader[_W]":
        return self

    def __exit__(self, *_: object) -> None:
        self._segments.__exit__()

    def at(self, place: Place) -> _W:
        """The line at a place.

        Raises:
            DataError: it is damaged, or not there.
        """
        line = self._segments.line(place)
        try:
            # Fields that the type leaves out are skipped, not decoded; whoever reads them later could not.
            if not line.isascii():
                line.decode()
            return self._decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
            where = f"{segment_path(self._folder, place.segment)}, byte {place.offset}"
            raise DataError(where, f"damaged record: {e}", "Run the sample again") from None


class _Worked(SampleLine):
    work: Place | None = None


def trajectory_lines(folder: Path, kind: type[_W]) -> Iterator[_W]:
    """The trajectory of every sample's last record that has one, decoded as `kind`.

    Raises:
        DataError: a record or a trajectory is damaged.
    """
    with WorkReader(folder, kind) as work:
        for record in Records(folder, _Worked):
            if record.work is not None:
                yield work.at(record.work)
