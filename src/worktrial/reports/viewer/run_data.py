"""The data files of one run: a site has them all on disk, a server makes each when it is asked for."""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any
from zlib import crc32

import msgspec

from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.records import WorkReader
from worktrial.engine.segments import MissingWork
from worktrial.errors import WorktrialError
from worktrial.language import may_be_mixed
from worktrial.reports.report import ReportRun
from worktrial.reports.viewer.columns import Values, columns_of, values_of
from worktrial.reports.viewer.readings import readings_of
from worktrial.reports.viewer.script_data import array, data_file, encoded, literal, literal_size
from worktrial.reports.viewer.slices import LONG, SlicedWork, sliced
from worktrial.suite import Album, PagePicture, Suite, find_suite_of
from worktrial.workplaces.retracing import RetracedCalls, Retracing

ROWS = 5000
"""Samples in a file of columns."""

CHUNK = 384 * 1024
"""Bytes after which a file of trajectories is full. A longer sample has a file of its own."""

RETRACED = 50_000_000
"""Bytes of a run's trajectories whose calls a report carries out again; the viewer does it for what is seen."""

KEYS = 4000
"""Samples that an index file names, in the mean."""

_NAME = re.compile(r"run|([stkc])(0|[1-9][0-9]{0,8})|p(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})")


class RunData:
    """The data files of a run, each made when it is asked for.

    The number of a sample is its place among the run's records.

    Args:
        run: The run, under the name that addresses give it.
        whole: Function that reads some of its records whole, where `run` holds their figures alone.
        is_served: Whether files are made for somebody who waits for them, and not all at once: then changes of the
            workplace's state are told even where each call takes its time.
    """

    def __init__(
        self,
        run: ReportRun,
        whole: Callable[[Sequence[SampleRecord]], Sequence[SampleRecord]] = lambda few: few,
        *,
        is_served: bool = False,
    ) -> None:
        self._run = run
        self._records = run.run.records
        self._whole = whole
        self._is_served = is_served
        self._last: tuple[int, SlicedWork | None] | None = None

    def names(self) -> Iterator[str]:
        """Names of all files, those of trajectories last, and of what their calls changed."""
        kinds = {"k": self._key_files, "s": -(-len(self._records) // ROWS), "t": len(self.firsts)}
        if self._retracing is not None:
            kinds["c"] = kinds["t"]
        yield f"{self._run.slug}/run"
        for kind, count in kinds.items():
            yield from (f"{self._run.slug}/{kind}{number}" for number in range(count))
        for number, count in self._long.items():
            yield from (f"{self._run.slug}/p{number}-{part}" for part in range(count))

    def file(self, name: str) -> bytes:
        """Content of one file.

        Raises:
            KeyError: the run has no such file.
            DataError: a record is damaged.
        """
        slug, _, part = name.rpartition("/")
        asked = _NAME.fullmatch(part)
        if asked is None or slug != self._run.slug:
            raise KeyError(name)
        if asked[3] is not None:
            return data_file(name, {"values": literal(self._slice(name, int(asked[3]), int(asked[4])))})
        if asked[1] is None:
            return data_file(name, {"head": encoded(self._head)})
        makers = {"s": self._columns, "t": self._trajectories, "k": self._numbers, "c": self._changes}
        fields = makers[asked[1]](int(asked[2]))
        if fields is None:
            raise KeyError(name)
        return data_file(name, fields)

    def is_slow(self, name: str) -> bool:
        """Whether a file takes more than reading: then others may be made at the same time.

        What it shares with them is there when this returns.
        """
        return name.rpartition("/")[2].startswith("c") and bool(self._plan[0]) and self._retracing is not None

    def pictures(self, key: Key) -> Mapping[int, Sequence[PagePicture]]:
        """Pictures of what a sample's calls were about, by call; {} where there are none or no such sample."""
        (line,) = self._work([record for record in self._records if record.key == key] or [None])
        return {} if line is None or self._album is None else self._album.of_calls(line)

    def picture(self, name: str) -> bytes:
        """One of these as a PNG.

        Raises:
            KeyError: there is none of that name.
            DataError: there is no such page, or its file is gone.
        """
        if self._album is None:
            raise KeyError(name)
        return self._album.draw(name)

    def samples_in(self, name: str) -> int:
        """Number of samples whose trajectories are in a file."""
        kind, number = name.rpartition("/")[2][:1], name.rpartition("/")[2][1:]
        if kind != "t":
            return 0
        first, end = self._range(int(number))
        return end - first

    @property
    def firsts(self) -> list[int]:
        """The number of the first sample in each file of trajectories."""
        return self._plan[0]

    @property
    def _long(self) -> dict[int, int]:
        """Number of a sample whose work is in slices to the count of these."""
        return self._plan[1]

    @cached_property
    def _plan(self) -> tuple[list[int], dict[int, int]]:
        encoder = msgspec.json.Encoder()
        firsts: list[int] = []
        long: dict[int, int] = {}
        size = 0
        for number, stored in enumerate(self._work(self._records)):
            record = self._whole(self._records[number : number + 1])[0]
            parts = self._sliced(number, stored)
            if parts is not None:
                long[number] = len(parts.slices)
            line = stored if parts is None else parts.head
            work = 4 if line is None else literal_size(line)
            # Beside what has to be read stands how it is read, which is no longer.
            own = literal_size(encoder.encode(record)) + work * (2 if line and may_be_mixed(line) else 1) + 8
            if not firsts or size + own > CHUNK:
                firsts.append(number)
                size = 0
            size += own
        return firsts, long

    def _sliced(self, number: int, line: bytes | None) -> SlicedWork | None:
        """A sample's work in slices; the last one is kept, as its slices are asked for one by one."""
        if line is None or len(line) < LONG:
            return None
        if self._last is None or self._last[0] != number:
            self._last = number, sliced(line)
        return self._last[1]

    def _slice(self, name: str, number: int, part: int) -> bytes:
        if part >= self._long.get(number, 0):
            raise KeyError(name)
        if self._last is None or self._last[0] != number:
            (line,) = self._work(self._records[number : number + 1])
            parts = self._sliced(number, line)
        else:
            parts = self._last[1]
        if parts is None or part >= len(parts.slices):
            raise KeyError(name)
        return parts.slices[part]

    @cached_property
    def _values(self) -> Values:
        return values_of(self._records)

    @property
    def _head(self) -> dict[str, Any]:
        return {
            "slug": self._run.slug,
            "name": self._run.name,
            "suite": self._run.run.manifest.title,
            "samples": len(self._records),
            "missing": self._run.run.missing,
            "repeated": any(record.repeat for record in self._records),
            "rows": ROWS,
            "values": self._values,
            "firsts": self.firsts,
            "keys": self._key_files,
            "changes": self._retracing is not None,
        }

    def _columns(self, number: int) -> dict[str, bytes] | None:
        records = self._records[number * ROWS : (number + 1) * ROWS]
        return {"columns": encoded(columns_of(self._run.run, records, self._values))} if records else None

    def _range(self, number: int) -> tuple[int, int]:
        """First sample in a file of trajectories, and the one after its last."""
        ends = [*self.firsts, len(self._records)]
        return ends[number], ends[number + 1]

    def _trajectories(self, number: int) -> dict[str, bytes] | None:
        """Every sample is there, those without a trajectory with their record alone."""
        if number >= len(self.firsts):
            return None
        first, end = self._range(number)
        records = self._whole(self._records[first:end])
        encoder = msgspec.json.Encoder()
        samples = [
            self._sample(number, encoder.encode(record), stored)
            for number, (record, stored) in enumerate(zip(records, self._work(records), strict=True), first)
        ]
        neighbours = [self._key(first - 1), self._key(end)]
        return {"first": b"%d" % first, "neighbours": encoded(neighbours), "samples": array(samples)}

    def _sample(self, number: int, record: bytes, stored: bytes | None) -> bytes:
        """Literals of a sample: record, work, how its replies are read, and the places of what was left out."""
        parts = self._sliced(number, stored)
        line = stored if parts is None else parts.head
        told = b"null" if parts is None else encoded(parts.places)
        return b"[%b,%b,%b,%b]" % (literal(record), _literal(line), _literal(line and readings_of(line)), told)

    @cached_property
    def _suite(self) -> Suite | None:
        """The run's suite with its tasks; None where it, or the folder of it, is not here."""
        try:
            return find_suite_of(self._run.run.manifest)
        except WorktrialError:
            return None

    @cached_property
    def _album(self) -> Album | None:
        return None if self._suite is None else self._suite.album(self._run.run)

    @cached_property
    def _retracing(self) -> Retracing | None:
        """Means to tell what calls changed; None where that cannot be told, or takes too long for all samples."""
        found = None if self._suite is None else self._suite.retracing(self._run.run)
        return found if found is not None and (found.is_cheap or self._is_served) else None

    def _changes(self, number: int) -> dict[str, bytes] | None:
        """Changes of the state by the calls of each sample of `t` with the same number; null without calls."""
        if self._retracing is None or number >= len(self.firsts):
            return None
        first, end = self._range(number)
        records = self._records[first:end]
        told = [self._changes_by(one, line) for one, line in zip(records, self._work(records), strict=True)]
        return {"changes": array(b"null" if one is None else encoded(one) for one in told)}

    def _changes_by(self, record: SampleRecord, line: bytes | None) -> RetracedCalls | None:
        if line is None or record.work is None or self._retracing is None:
            return None
        if not self._is_served and (record.work.segment > 1 or record.work.offset >= RETRACED):
            return RetracedCalls(stopped=f"a report tells it of the first {RETRACED:,} bytes; see `worktrial view`")
        return self._retracing.changes(line)

    def _work(self, records: Iterable[SampleRecord | None]) -> Iterator[bytes | None]:
        """Lines of the samples' work as they are stored; None where there is none, or none any more."""
        with WorkReader(self._run.run.folder, msgspec.Raw) as work:
            for record in records:
                line = None
                with contextlib.suppress(MissingWork):
                    line = None if record is None or record.work is None else bytes(work.at(record.work))
                yield line

    def _key(self, number: int) -> Key | None:
        return self._records[number].key if 0 <= number < len(self._records) else None

    @property
    def _key_files(self) -> int:
        return max(1, -(-len(self._records) // KEYS))

    @cached_property
    def _index(self) -> list[dict[str, int]]:
        """Keys to numbers, apart by the checksum of the key."""
        files: list[dict[str, int]] = [{} for _ in range(self._key_files)]
        for number, record in enumerate(self._records):
            text = key_text(record.key)
            files[crc32(text.encode()) % len(files)][text] = number
        return files

    def _numbers(self, number: int) -> dict[str, bytes] | None:
        return {"numbers": encoded(self._index[number])} if number < len(self._index) else None


def _literal(json: bytes | None) -> bytes:
    return b"null" if json is None else literal(json)


def key_text(key: Key) -> str:
    """A key as the index names it. The page makes the same from an address."""
    sample, repeat, condition = key
    return f"{repeat}\n{condition}\n{sample}"
