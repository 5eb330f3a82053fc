"""Runs followed while they grow: figures of each, brought up to date by what was added since the last look."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from worktrial.engine.heartbeat import STOP, Heartbeat, read_heartbeat
from worktrial.engine.manifest import MANIFEST, Manifest, read_manifest
from worktrial.engine.record import Key, SampleLine
from worktrial.engine.records import Records
from worktrial.engine.segments import WORK
from worktrial.engine.stored import runs_below
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.results.completion import passed, share
from worktrial.statistics import Estimate

ENDING = "ending"
"""State of a run whose end was asked for."""
_LAST = 12


# None of these can be part of a cycle, and there are many of them.
class _Tags(msgspec.Struct, gc=False):
    scenario: Any = None


class _Tokens(msgspec.Struct, gc=False):
    input_tokens: int = 0
    output_tokens: int = 0


class FollowedSample(SampleLine, gc=False):
    """Figures of a finished sample, without its votes and checks."""

    outcome: Outcome
    reason: str = ""
    cost: float | None = None
    seconds: float = 0.0
    calls: int = 0
    usage: dict[str, _Tokens] = msgspec.field(default_factory=dict)
    """Tokens by role until they are added up; then {}, for most of what a sample takes in memory would be these."""
    tokens: int = msgspec.field(default=0, name="tokens added up")
    """Tokens in and out, of all roles."""
    finished: str = ""
    tags: _Tags = msgspec.field(default_factory=_Tags)

    @property
    def scenario(self) -> str | None:
        """Scenario of the task; None without one."""
        found = self.tags.scenario
        return found if found is None or isinstance(found, str) else msgspec.json.encode(found).decode()


@dataclass(frozen=True, slots=True)
class ConditionRate:
    """Outcomes under one condition so far."""

    condition: str
    samples: int
    passed: int
    rate: Estimate | None
    """Passed of all, with its interval; None without a sample."""


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
        self._samples: dict[Key, FollowedSample] = {}
        self._rates: list[ConditionRate] | None = None
        self._read = 0
        self._file: int | None = None
        self._records = Records(folder, FollowedSample)

    @property
    def samples(self) -> Sequence[FollowedSample]:
        """The last line of every finished sample, in the order in which they first finished."""
        return list(self._samples.values())

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
        self.manifest = read_manifest(self.folder / MANIFEST)
        self._read_on()
        self.stamp = stamp
        return True

    def _read_on(self) -> None:
        stamp = _stamp(self._records.path)
        if stamp is None or self._file != stamp[0] or stamp[1] < self._read:
            # Another file, or a shorter one: what was read before says nothing about it.
            self._samples, self._read, self.problem = {}, 0, None
            self._file = None if stamp is None else stamp[0]
        self._rates = None
        try:
            for sample, _, end in self._records.spans(self._read):
                sample.tokens = sum(one.input_tokens + one.output_tokens for one in sample.usage.values())
                sample.usage = {}
                self._samples[sample.key] = sample
                self._read, self.problem = end, None
        except DataError as e:
            self.problem = str(e)

    def counts(self) -> Mapping[Outcome, int]:
        """Finished samples by outcome."""
        return Counter(sample.outcome for sample in self.samples)

    def rates(self) -> list[ConditionRate]:
        """Completion under each condition, in the order in which they came up."""
        if self._rates is None:
            apart: dict[str, list[FollowedSample]] = {}
            for sample in self.samples:
                apart.setdefault(sample.condition, []).append(sample)
            self._rates = [
                ConditionRate(name, len(own), sum(s.outcome is Outcome.PASS for s in own), share(own, passed))
                for name, own in apart.items()
            ]
        return self._rates

    @property
    def cost(self) -> float | None:
        """US dollars of all finished samples; None where a price is unknown."""
        costs = [sample.cost for sample in self.samples]
        return None if any(cost is None for cost in costs) else sum(cost or 0.0 for cost in costs)

    @property
    def tokens(self) -> int:
        """Tokens of all finished samples, in and out."""
        return sum(sample.tokens for sample in self.samples)

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

    def last_troubles(self) -> list[FollowedSample]:
        """The last samples that failed or are invalid, the newest first."""
        bad = [sample for sample in self.samples if sample.outcome is not Outcome.PASS]
        return bad[: -_LAST - 1 : -1]

    def invalid_reasons(self) -> Mapping[str, int]:
        """Kinds of reasons of invalid samples to their number, the most frequent first."""
        invalid = (s.reason.partition(":")[0] for s in self.samples if s.outcome is Outcome.INVALID)
        return dict(Counter(invalid).most_common())


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
