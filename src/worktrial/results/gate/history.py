"""Histories of looks: runs that were held against one pinned baseline, one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from worktrial.engine.lines import cut_torn_tail, read_lines
from worktrial.engine.manifest import utc_now
from worktrial.engine.stored import StoredRun
from worktrial.errors import DataError, option
from worktrial.grading import Outcome
from worktrial.results.completion import passed
from worktrial.results.gate.baselines import STORE, Fingerprint, check_name, fingerprint
from worktrial.statistics import Tries

_FORMAT = 2
_ENDING = ".looks.jsonl"
MOST_LOOKS = 1000
"""Looks of one history: a look a night for more than two years."""
_LARGEST = 256_000_000

_MOST_TRIES = 10_000


class Counted(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Tries of one task with a verdict."""

    passed: Annotated[int, msgspec.Meta(ge=0, le=_MOST_TRIES)]
    tries: Annotated[int, msgspec.Meta(ge=1, le=_MOST_TRIES)]


class Look(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A line of `NAME.looks.jsonl`: one run, held against the baseline."""

    format: int = _FORMAT
    run: str
    """Folder of the run."""
    fingerprint: Fingerprint
    began: str
    """Begin of the run in UTC; empty where it is not on record."""
    looked: str
    """Date and time of the gate in UTC."""
    baseline: Fingerprint
    suite: str
    condition: str
    level: float
    outcomes: dict[str, Counted]
    """Task to its tries."""

    @property
    def tries(self) -> Tries:
        """Tries of each task; their order says nothing."""
        return {
            task: (1.0,) * own.passed + (0.0,) * (own.tries - own.passed) for task, own in self.outcomes.items()
        }


@dataclass(frozen=True, slots=True)
class LookRow:
    """Looks up to the run that is judged."""

    name: str
    looks: tuple[Look, ...]
    is_new: bool
    """Whether the last look is not on record yet."""


@dataclass(frozen=True, slots=True)
class History:
    """Looks on record, the first of them first."""

    name: str
    path: Path
    looks: tuple[Look, ...]

    def with_look(self, run: StoredRun, baseline: StoredRun, condition: str, level: float) -> LookRow:
        """The looks up to `run`, which is one more unless it was looked at before.

        Args:
            run: A finished run.
            baseline: The run it is held against.
            condition: That is looked at.
            level: Of the whole row.

        Raises:
            DataError: the history belongs to another baseline, condition or level, is full, or the run is no new
                look.
        """
        look = Look(
            run=str(run.folder),
            fingerprint=fingerprint(run),
            began=run.manifest.sessions[0].started if run.manifest.sessions else "",
            looked=utc_now(),
            baseline=fingerprint(baseline),
            suite=run.manifest.suite,
            condition=condition,
            level=level,
            outcomes={task: Counted(round(sum(own)), len(own)) for task, own in tries_of(run, condition).items()},
        )
        self._check_same_row(look)
        for n, earlier in enumerate(self.looks, 1):
            if earlier.fingerprint == look.fingerprint:
                return LookRow(self.name, self.looks[:n], is_new=False)
        self._check_new(look, run)
        return LookRow(self.name, (*self.looks, look), is_new=True)

    def keep(self, row: LookRow) -> None:
        """Put the last look of `row` on record, if it is new.

        Raises:
            DataError: the file cannot be written.
        """
        if not row.is_new:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            cut_torn_tail(self.path)
            with self.path.open("ab") as file:
                file.write(msgspec.json.encode(row.looks[-1]) + b"\n")
        except OSError as e:
            raise DataError(
                self.path, f"cannot be written ({e.strerror})", f"Name another folder with {option('store')}"
            ) from None

    def _check_same_row(self, look: Look) -> None:
        if look.fingerprint.results == look.baseline.results:
            raise DataError(look.run, "is the baseline itself, so no look at another run", "Gate a later run")
        if not self.looks:
            return
        first = self.looks[0]
        anew = f"Begin another history with another name, or remove {self.path}"
        if first.suite != look.suite:
            what = f"its looks are of the suite {first.suite}, and this one of {look.suite}"
            raise DataError(self.path, what, anew)
        if first.baseline != look.baseline:
            what = f"its looks since {first.looked} are at another baseline, or at this one before it changed"
            raise DataError(self.path, what, anew)
        if first.condition != look.condition:
            raise DataError(self.path, f"its looks are at {first.condition}, this one at {look.condition}", anew)
        if first.level != look.level:
            what = f"it was begun with {option('level')} {first.level:g}, and now {look.level:g} is asked for"
            raise DataError(self.path, what, f"Keep to the level, or: {anew[0].lower()}{anew[1:]}")

    def _check_new(self, look: Look, run: StoredRun) -> None:
        if not look.outcomes:
            raise DataError(look.run, f"no sample under {look.condition} has a verdict", "Gate a run that has some")
        for earlier in self.looks:
            if (earlier.run, earlier.began) == (look.run, look.began):
                what = f"was looked at on {earlier.looked} and has changed since: the same tries would count twice"
                raise DataError(look.run, what, "Start a new run for a new look")
        if self.looks and look.began < self.looks[-1].began:
            last = self.looks[-1]
            what = f"began on {look.began or 'an unknown day'}, before the last look of {self.path} ({last.began})"
            raise DataError(
                look.run, what, f"Looks come in the order of the runs; gate it without {option('sequential')}"
            )
        if all(record.replayed for record in run.records):
            what = "every sample has requests that the request cache answered: old tries, no new look"
            raise DataError(look.run, what, "Run it without the cache")
        if len(self.looks) >= MOST_LOOKS:
            raise DataError(
                self.path, f"it has {MOST_LOOKS} looks, the most there can be", "Pin a new baseline and a new name"
            )


def tries_of(run: StoredRun, condition: str) -> dict[str, list[float]]:
    """Passes of each task's samples that have a verdict, under one condition."""
    tries: dict[str, list[float]] = {}
    for record in run.records:
        if record.condition == condition and record.outcome is not Outcome.INVALID:
            tries.setdefault(record.sample, []).append(passed(record))
    return tries


def open_history(name: str, store: Path = STORE) -> History:
    """The history of that name; without a look where there is none yet.

    Raises:
        SettingError: `name` is none.
        DataError: the file is damaged.
    """
    path = store / f"{check_name(name, 'sequential')}{_ENDING}"
    if not path.exists():
        return History(name, path, ())
    if path.stat().st_size > _LARGEST:
        raise DataError(path, f"larger than {_LARGEST:,} bytes", "Begin another history with another name")
    return History(name, path, tuple(_checked(path, list(read_lines(path, Look)))))


def _checked(path: Path, looks: Sequence[Look]) -> list[Look]:
    fix = "Remove this line, or begin another history with another name"
    if len(looks) > MOST_LOOKS:
        raise DataError(path, f"more than {MOST_LOOKS} looks", "Begin another history with another name")
    kept: dict[Fingerprint, Look] = {}
    for n, look in enumerate(looks, 1):
        where = f"{path}:{n}"
        if look.format != _FORMAT:
            raise DataError(where, f"has format {look.format}, and this version reads {_FORMAT}", fix)
        if wrong := next((task for task, own in look.outcomes.items() if own.passed > own.tries), None):
            own = look.outcomes[wrong]
            raise DataError(where, f"outcomes.{wrong}: {own.passed} of {own.tries} tries passed", fix)
        first = looks[0]
        for field in ("baseline", "suite", "condition", "level"):
            if getattr(look, field) != getattr(first, field):
                raise DataError(where, f"{field}: another than in the first line", fix)
        # Two gates at the same moment may both have put the same run on record.
        kept.setdefault(look.fingerprint, look)
    return list(kept.values())
