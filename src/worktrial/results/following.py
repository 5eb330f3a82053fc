"""Runs followed while they grow: figures of each, brought up to date by what was added since the last look."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from worktrial.engine.heartbeat import STOP, Heartbeat, read_heartbeat
from worktrial.engine.manifest import MANIFEST, Manifest, read_manifest
from worktrial.engine.record import Key, SampleRecord, projected
from worktrial.engine.records import Records
from worktrial.engine.segments import WORK
from worktrial.engine.stored import StoredRun, runs_below
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.results.conditions import headline, in_order
from worktrial.results.figure import FIGURES, Ask, RunFigures, Samples

ENDING = "ending"
"""State of a run whose end was asked for."""
_LAST = 12
_BLOCK = 4_000  # records that are added up at once
_PASSED_OVER = frozenset({"votes", "checks", "violations", "measures", "clock", "work", "tokens"})


class FollowedRun:
    """A run folder, read from where the last look ended.

    Args:
        folder: The run's.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: Manifest = Manifest(suite="", data={}, settings={}, samples=0)
        """The manifest at the last look."""
        self.problem: str | None = None
        """Damage that keeps the run, or the rest of it, from being read; None where there is none."""
        self.stamp: tuple[object, ...] = ()
        """Changes whenever the folder's content does."""
        self._read = 0
        self._file: int | None = None
        kind = projected({*SampleRecord.__struct_fields__} - _PASSED_OVER)
        self._records: Records[SampleRecord] = Records(folder, kind)
        self._forget()

    def _forget(self) -> None:
        self._keys: dict[Key, int | None] = {}
        self._conditions: dict[str, Samples] = {}
        self._figures: RunFigures | None = None
        self._counts: Counter[Outcome] = Counter()
        self._reasons: Counter[str] = Counter()
        self._troubles: deque[SampleRecord] = deque(maxlen=_LAST)
        self.cost: float | None = 0.0
        """US dollars of all finished samples; None where a price is unknown."""
        self.tokens = 0
        """Tokens of all finished samples, in and out."""
        self.in_session = 0
        """Samples that finished since the last session began."""

    @property
    def calls(self) -> dict[Key, int]:
        """Number of calls of each sample with a verdict, for whoever labels them; see `labels.calls_of`."""
        return {key: calls for key, calls in self._keys.items() if calls is not None}

    @property
    def samples(self) -> int:
        """Count of finished samples."""
        return len(self._keys)

    def look(self) -> bool:
        """Read what was added since the last look.

        Returns:
            Whether anything changed.

        Raises:
            DataError: the folder is gone, or is no run any more.
        """
        stamp = tuple(map(_stamp, (self.folder / MANIFEST, self._records.path, self.folder / WORK)))
        if stamp == self.stamp:
            return False
        before, self.manifest = self._begun, read_manifest(self.folder / MANIFEST)
        if self._begun != before:
            self._file = None
        self._read_on()
        self.stamp = stamp
        return True

    @property
    def _begun(self) -> str:
        """Time at which the last session began; "" before any."""
        return self.manifest.sessions[-1].started if self.manifest.sessions else ""

    def _read_on(self) -> None:
        stamp = _stamp(self._records.path)
        if stamp is None or self._file != stamp[0] or stamp[1] < self._read:
            # Another file, a shorter one, or another session: what was read before says nothing about it.
            self._forget()
            self._read, self.problem = 0, None
            self._file = None if stamp is None else stamp[0]
        block: list[SampleRecord] = []
        try:
            for record, _, end in self._records.spans(self._read):
                block.append(record)
                self._read, self.problem = end, None
                if len(block) == _BLOCK:
                    self._add(block)
                    block = []
        except DataError as e:
            self.problem = str(e)
        self._add(block)

    def _add(self, block: Sequence[SampleRecord]) -> None:
        last = {record.key: record for record in block}
        if not self._keys.keys().isdisjoint(last):
            # A sample ran again: what was added of its first line cannot be taken away.
            self._forget()
            last = {record.key: record for record, _, end in self._records.spans() if end <= self._read}
        self._keys |= {key: None if r.outcome is Outcome.INVALID else r.calls for key, r in last.items()}
        self._figures = None
        found: dict[str, list[SampleRecord]] = {}
        for record in last.values():
            found.setdefault(record.condition, []).append(record)
            self._counts[record.outcome] += 1
            if record.outcome is not Outcome.PASS:
                self._troubles.append(record)
            if record.outcome is Outcome.INVALID:
                self._reasons[record.reason.partition(":")[0]] += 1
            self.tokens += sum(one.input_tokens + one.output_tokens for one in record.usage.values())
            # All times are written by one program in one form, so that texts are in the order of times.
            self.in_session += record.finished >= self._begun
        self.cost = _sum([self.cost, *(record.cost for record in last.values())])
        run = StoredRun(self.folder, self.manifest, [])
        for name, own in found.items():
            self._conditions.setdefault(name, Samples(run)).add_all(own)

    def counts(self) -> Mapping[Outcome, int]:
        """Finished samples by outcome."""
        return self._counts

    def figures(self) -> RunFigures:
        """Figures of each condition so far; those of a suite's own are told of a run that has ended."""
        if self._figures is None:
            conditions = {name: self._conditions[name] for name in in_order(self._conditions)}
            listed = [
                replace(figure, condition=name)
                for name, samples in conditions.items()
                for meaning in FIGURES.values()
                for figure in meaning.reckon(samples, Ask())
            ]
            self._figures = RunFigures(headline([*conditions]), tuple(conditions), tuple(listed))
        return self._figures

    def heartbeat(self) -> Heartbeat | None:
        """Last sign of life of whoever works on the run, read now; None where nobody does."""
        return read_heartbeat(self.folder)

    def state(self, now: datetime) -> str:
        """State in a word: going on, silent, or how its last session ended."""
        if not self.manifest.sessions:
            return "unknown"
        session = self.manifest.sessions[-1]
        if session.ended is not None:
            return session.end or "ended"
        beat = self.heartbeat()
        if beat is None:
            return "going on, or killed"
        if beat.is_alive(now):
            return ENDING if (self.folder / STOP).exists() else "going on"
        return "killed: no sign of life"

    def last_troubles(self) -> list[SampleRecord]:
        """The last samples that failed or are invalid, the newest first."""
        return [*reversed(self._troubles)]

    def invalid_reasons(self) -> Mapping[str, int]:
        """Kinds of reasons of invalid samples to their number, the most frequent first."""
        return dict(self._reasons.most_common())


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


class RunShelf:
    """Runs below some places, as they lie on disk now: new ones come, deleted ones go.

    Args:
        places: Folders of runs, or folders that hold some.
    """

    def __init__(self, places: Iterable[Path]) -> None:
        self._places = list(places)
        self._known: dict[Path, FollowedRun] = {}

    def look(self, *, search: bool = True) -> list[FollowedRun]:
        """The runs there are now, each read up to date; those whose manifest cannot be read are among them.

        Args:
            search: Whether to look for new runs; else only those of the last search are read.
        """
        if search:
            found = dict.fromkeys(folder for place in self._places for folder in runs_below(place.resolve()))
            self._known = {folder: self._known.get(folder) or FollowedRun(folder) for folder in found}
        for run in self._known.values():
            try:
                run.look()
            except DataError as e:
                # It may come back, and is then another.
                run.problem, run.stamp = str(e), ()
        return list(self._known.values())
