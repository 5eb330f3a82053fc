"""The index of a run: what going on with it takes, without reading its records.

`samples.idx` has a header, and 56 bytes for each line of `samples.jsonl`, in their order. It is made from the
records and can be made again: where the two do not agree, the records count.
"""

import math
import struct
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from operator import itemgetter, lt
from pathlib import Path
from typing import IO, Any, NamedTuple
from zlib import crc32

from worktrial.engine.lines import write_all
from worktrial.engine.record import Key, SampleRecord, key_digest, total_tokens
from worktrial.engine.roles import Role
from worktrial.errors import InvalidReason
from worktrial.grading import Outcome
from worktrial.outside.files import open_file, refuse_leaving
from worktrial.workplaces.conformance import SimulatorHealth

INDEX = "samples.idx"
_OUTCOMES = (*Outcome,)
# Reasons of invalid samples, and ends of an agent's work, that decide whether going on makes sense. 0 is any other.
_ENDS = ("", *(reason.value for reason in InvalidReason), "unread_call", "empty_answer", "cut_answer")
_NUMBER_OF_END = {end: number for number, end in enumerate(_ENDS)}
# Digest of the key, place, cost, tokens, outcome, end, flags, three counts of the simulator's, checksum of line.
ROW = struct.Struct("<12sQdQBBHIIII")
"""Row of the index about one line: the second number is its place."""
_PLACED = struct.Struct(f"<12sQ{ROW.size - 20}x")
_DIGEST = 12
_ACTED, _REPLAYED = 1, 2
# Another version, or another list of ends, makes another header: such an index is made again.
HEADER = b"worktrial index 1 " + sha256(repr((_OUTCOMES, _ENDS, ROW.format)).encode()).digest()
_AT_ONCE = 1 << 14  # rows
_LOOKS = 64
_MOST = 2**32 - 1


class SampleFigures(NamedTuple):
    """Figures of a finished sample that the rest of the run needs."""

    outcome: Outcome
    ended: str
    """Reason of an invalid sample, or end of the agent's work, where it decides whether to go on; else ""."""
    acted: bool
    """Whether the agent made a call."""
    cost: float | None
    """US dollars; None where some model's price is unknown."""
    tokens: int
    """Tokens in and out, of all roles."""
    replayed: bool
    """Whether requests were answered from the request cache."""
    health: SimulatorHealth
    """Counts of the simulator's answers, where it played in this run."""


class SampleKind(NamedTuple):
    """A way in which samples end."""

    outcome: Outcome
    ended: str
    acted: bool


def figures_of(record: SampleRecord) -> SampleFigures:
    """Figures of a record."""
    ended = record.invalid_reason or record.stop_reason or ""
    # Work that is only judged again has been played before.
    played = record.simulation is not None and Role.SIMULATOR in record.usage
    return SampleFigures(
        record.outcome,
        ended if ended in _NUMBER_OF_END else "",
        record.calls > 0,
        record.cost,
        total_tokens(record.usage),
        record.replayed > 0,
        record.simulation if played and record.simulation is not None else SimulatorHealth(),
    )


class SampleIndex:
    """Figures of a run's samples, the last line of each, kept up to date while it is written.

    Some 130 bytes of memory a sample, whatever its record holds.

    Args:
        folder: Of the run; must be locked by whoever opens the index.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / INDEX
        self._file: IO[bytes] | None = None
        self._waiting = bytearray()
        self._forget()

    def _forget(self) -> None:
        self._rows: dict[bytes, int] = {}
        self._outcomes = array("B")
        self._kinds: Counter[tuple[int, int, int]] = Counter()
        self._replaced: list[int] = []
        self.cost = 0.0
        """US dollars of all samples that nothing was replayed in."""
        self.tokens = 0
        """Tokens of these."""

    @property
    def kinds(self) -> Mapping[SampleKind, int]:
        """Number of samples by the way in which they ended."""
        found: Counter[SampleKind] = Counter()
        for (outcome, end, flags), count in self._kinds.items():
            found[SampleKind(_OUTCOMES[outcome], _ENDS[end], bool(flags & _ACTED))] += count
        return found

    def __len__(self) -> int:
        return len(self._rows)

    def open(self, samples: Path, read: Callable[[int, int], Iterator[tuple[SampleRecord, bytes, int]]]) -> None:
        """Read the index, or make what is missing of it.

        Args:
            samples: File of the records, without a torn line at its end.
            read: Gives records from a place on, of which the first is that of the line with a number from 1; each
                with its line and the place where it begins.

        Raises:
            DataError: a record that is not in the index is damaged.
        """
        refuse_leaving(self._path.parent, self._path)
        self._file = self._path.open("a+b", buffering=0)
        size = samples.stat().st_size if samples.exists() else 0
        place = _agreed(samples, len(self._outcomes), self._row_at) if size and self._load(size) else 0
        if place == 0:
            self._forget()
            self._file.truncate(0)
            self._waiting += HEADER
            self._write()
        count = len(self._outcomes)
        self._file.truncate(len(HEADER) + count * ROW.size)
        for record, line, at in read(place, count + 1):
            row = _row(record, line, at)
            self._take(ROW.unpack(row))
            self._waiting += row
            if len(self._waiting) >= _AT_ONCE * ROW.size:
                self._write()
        self._write()

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()

    def add(self, record: SampleRecord, line: bytes, place: int) -> None:
        """Take in a record that was stored just now.

        Args:
            record: The record.
            line: Its line, with the line break.
            place: Byte at which this begins.

        Raises:
            OSError: the index cannot be written to.
        """
        row = _row(record, line, place)
        self._take(ROW.unpack(row))
        self._waiting += row
        self._write()

    def outcome(self, key: Key) -> Outcome | None:
        """Outcome of a sample; None where it has not finished."""
        number = self._rows.get(key_digest(key)[:_DIGEST])
        return None if number is None else _OUTCOMES[self._outcomes[number]]

    def figures(self, key: Key) -> SampleFigures:
        """Figures of a sample that has finished."""
        return _figures(self._row_at(self._rows[key_digest(key)[:_DIGEST]]))

    def _row_at(self, number: int) -> bytes:
        assert self._file is not None  # opened
        after = (number - len(self._outcomes)) * ROW.size + len(self._waiting)
        if after >= 0:
            return bytes(self._waiting[after : after + ROW.size])
        # What is written goes to the end, wherever this is.
        self._file.seek(len(HEADER) + number * ROW.size)
        return self._file.read(ROW.size)

    def _take(self, row: tuple[Any, ...]) -> None:
        digest, _, cost, tokens, outcome, end, flags, *_ = row
        rows, number = self._rows, len(self._outcomes)
        if digest in rows:
            earlier = rows[digest]
            _, _, was_cost, was_tokens, was_outcome, was_end, was_flags, *_ = ROW.unpack(self._row_at(earlier))
            self._replaced.append(earlier)
            self._kinds[was_outcome, was_end, was_flags] -= 1
            if not was_flags & _REPLAYED:
                self.cost -= _dollars(was_cost) or 0.0
                self.tokens -= was_tokens
        rows[digest] = number
        self._outcomes.append(outcome)
        self._kinds[outcome, end, flags] += 1
        if not flags & _REPLAYED:
            if cost == cost:  # no NaN
                self.cost += cost
            self.tokens += tokens

    def _write(self) -> None:
        assert self._file is not None  # opened
        waiting = bytes(self._waiting)
        self._waiting.clear()
        write_all(self._file, waiting)

    def _read_from(self, at: int) -> bytes:
        assert self._file is not None  # opened
        self._file.seek(at)
        return self._file.read(_AT_ONCE * ROW.size)

    def _load(self, size: int) -> int:
        """Take in the rows about the first `size` bytes of the records; returns how many there are.

        Every row has to lie after the one before it; else there are none.
        """
        assert self._file is not None  # opened
        self._file.seek(0)
        if self._file.read(len(HEADER)) != HEADER:
            return 0
        before, take = -1, self._take
        at = len(HEADER)
        while data := self._read_from(at):
            at += len(data)
            for row in ROW.iter_unpack(data[: len(data) // ROW.size * ROW.size]):
                place = row[1]
                if place <= before or (before < 0 and place):
                    return 0
                if place >= size:
                    return len(self._outcomes)
                take(row)
                before = place
        return len(self._outcomes)


def _agreed(samples: Path, count: int, row_at: Callable[[int], bytes]) -> int:
    """Place at which the last line with a row ends; 0 where the records are not those of the rows.

    The first, the last and some lines between them are looked at. Lines that were left out, put in or changed in
    length are found by the last.
    """
    end = 0
    with open_file(samples) as file:
        for number in sorted({count * n // _LOOKS for n in range(_LOOKS)} | {count - 1}):
            _, place, *_, checksum = ROW.unpack(row_at(number))
            file.seek(place)
            line = file.readline()
            end = place + len(line)
            follows = end if number + 1 == count else ROW.unpack(row_at(number + 1))[1]
            if not line.endswith(b"\n") or end != follows or crc32(line) != checksum:
                return 0
    return end


def index_rows(folder: Path, samples: Path) -> bytes | None:
    """Rows of the index of a run that is not written to, one for each line; None where it says not the same.

    Args:
        folder: Of the run.
        samples: File of its records, which may end with a torn line.

    Raises:
        DataError: the index lies out of the folder.
    """
    path = folder / INDEX
    refuse_leaving(folder, path)
    if not path.exists() or not samples.exists():
        return None
    data = path.read_bytes()
    rows = memoryview(data)[len(HEADER) :]
    count = len(rows) // ROW.size
    if not data.startswith(HEADER) or not count:
        return None
    end = _agreed(samples, count, lambda n: bytes(rows[n * ROW.size : (n + 1) * ROW.size]))
    with open_file(samples) as file:
        file.seek(end)
        # A whole line after them has no row.
        return bytes(rows[: count * ROW.size]) if end and not file.readline().endswith(b"\n") else None


class CountedLines(NamedTuple):
    """Lines of a run that count: for each sample the last."""

    lines: int
    """Number of lines that there are."""
    replaced: frozenset[int]
    """Numbers of the others, from 0."""

    def has(self, number: int) -> bool:
        """Whether the line of that number counts."""
        return number < self.lines and number not in self.replaced


def counted_lines(folder: Path, samples: Path) -> CountedLines | None:
    """Lines of `samples` that count, by the index alone; None where it is not there, or may say nothing about them.

    So it is where the records were written to after it: by somebody who mends them, or by a run at this moment.

    Args:
        folder: Of the run, which nobody needs to have locked.
        samples: File of its records.

    Raises:
        DataError: the index lies out of the folder.
    """
    path = folder / INDEX
    refuse_leaving(folder, path)
    if not path.exists() or not samples.exists():
        return None
    found = samples.stat()
    if not found.st_size or found.st_mtime_ns > path.stat().st_mtime_ns:
        return None
    count, replaced = 0, frozenset[int]()
    with open_file(path) as file:

        def row_at(number: int) -> bytes:
            file.seek(len(HEADER) + number * ROW.size)
            return file.read(ROW.size)

        if file.read(len(HEADER)) == HEADER:
            count, replaced = _lines_of(file, found.st_size)
        if not count or _agreed(samples, count, row_at) != found.st_size:
            return None
    return CountedLines(count, replaced)


def _lines_of(rows: IO[bytes], size: int) -> tuple[int, frozenset[int]]:
    """Number of lines within `size` bytes of records, by their rows, and those that are followed by another."""
    digests: dict[bytes, int] = {}
    replaced = []
    before, number = -1, 0
    while data := rows.read(_AT_ONCE * ROW.size):
        found = list(_PLACED.iter_unpack(data[: len(data) // ROW.size * ROW.size]))
        whole = len(found)
        while found and found[-1][1] >= size:
            found.pop()
        places = [before, *map(itemgetter(1), found)]
        if (number == 0 and found and places[1]) or not all(map(lt, places, places[1:])):
            return 0, frozenset()
        own = {digest: at for at, (digest, _) in enumerate(found, number)}
        if len(own) < len(found) or not own.keys().isdisjoint(digests):
            for at, (digest, _) in enumerate(found, number):
                if digest in digests:
                    replaced.append(digests[digest])
                digests[digest] = at
        else:
            digests |= own
        before, number = places[-1], number + len(found)
        if len(found) < whole:
            break
    return number, frozenset(replaced)


def _row(record: SampleRecord, line: bytes, place: int) -> bytes:
    figures = figures_of(record)
    health = figures.health
    return ROW.pack(
        key_digest(record.key)[:_DIGEST],
        place,
        math.nan if figures.cost is None else figures.cost,
        figures.tokens,
        _OUTCOMES.index(figures.outcome),
        _NUMBER_OF_END[figures.ended],
        figures.acted * _ACTED | figures.replayed * _REPLAYED,
        *(min(count, _MOST) for count in (health.observations, health.misshapen, health.contradictions)),
        crc32(line),
    )


def _figures(row: bytes) -> SampleFigures:
    _, _, cost, tokens, outcome, end, flags, *health, _ = ROW.unpack(row)
    return SampleFigures(
        _OUTCOMES[outcome],
        _ENDS[end],
        bool(flags & _ACTED),
        _dollars(cost),
        tokens,
        bool(flags & _REPLAYED),
        SimulatorHealth(*health),
    )


def _dollars(cost: float) -> float | None:
    return None if math.isnan(cost) else cost
