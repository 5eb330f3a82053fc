"""Verdicts of people on the samples of a run: `labels.jsonl` beside the run's folder, never in it."""

import datetime as dt
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Protocol

import msgspec
from filelock import FileLock

from worktrial.engine.lines import append_line, cut_torn_tail, read_lines
from worktrial.engine.manifest import Manifest
from worktrial.engine.record import CLEAN, Key, SampleLine
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.language.untrusted import printable

LABELS = "labels.jsonl"
_LOCK = ".labels.lock"
_REMOVE = "Remove this line to go on"


class LabelVerdict(StrEnum):
    """Judgement of a person."""

    PASS = "pass"
    FAIL = "fail"
    UNCLEAR = "unclear"


_Reader = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]


class ReaderOpinion(SampleLine, kw_only=True):
    """One reader's verdict on one sample, as the reader gives it."""

    reader: _Reader
    """Name of the reader."""
    verdict: LabelVerdict
    reason: Annotated[str, msgspec.Meta(max_length=20_000)] = ""
    """Grounds, in the reader's words."""
    call: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """Index of the call that the verdict hangs on, from 0; null where it hangs on none."""
    line: Annotated[str, msgspec.Meta(max_length=20_000)] = ""
    """Check, or line of the rubric, that the verdict hangs on; "" where none is named."""
    blind: bool = False
    """Whether the verdict and its grounds were hidden from the reader."""


class Label(ReaderOpinion, kw_only=True):
    """One line of `labels.jsonl`; of one reader on one sample the last one counts."""

    run: str
    """Name of the run's folder."""
    began: str = ""
    """Begin of the run's first session, by which a later run in a folder of the same name is known."""
    at: str = ""
    """Time of the label, ISO 8601 in UTC."""


class LabelBook:
    """The labels of one run. Several processes may add to it at once; nothing is ever taken away.

    Args:
        folder: The run's.
        manifest: The run's.
    """

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        whole = folder.resolve()
        self.path = whole.parent / LABELS
        """File that holds the labels of all runs in the same folder."""
        self._run = whole.name
        self._began = manifest.sessions[0].started if manifest.sessions else ""

    def add(self, opinion: ReaderOpinion, calls: Mapping[Key, int]) -> Label:
        """Store a reader's verdict.

        Args:
            opinion: What the reader said.
            calls: From `calls_of` the run's records.

        Raises:
            ValueError: the run has no such sample or call, or the reader's name cannot be shown.
            DataError: the file cannot be written.
        """
        name = " ".join(unicodedata.normalize("NFC", opinion.reader).split())
        if not name or printable(name) != name:
            raise ValueError("reader: give a name of letters that can be seen")
        if problem := _misplaced(opinion, calls):
            raise ValueError(problem)
        now = dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
        label = Label(
            **{**msgspec.structs.asdict(opinion), "reader": name}, run=self._run, began=self._began, at=now
        )
        try:
            line = msgspec.json.encode(label)
        except UnicodeEncodeError as e:
            raise ValueError(f"no text that can be stored: {e}") from None
        try:
            with FileLock(self.path.with_name(_LOCK)):
                cut_torn_tail(self.path)
                with self.path.open("ab", buffering=0) as file:
                    append_line(file, line)
        except OSError as e:
            raise DataError(self.path, f"cannot be written ({e.strerror})", "Let the viewer write there") from None
        return label

    def read(self, calls: Mapping[Key, int]) -> list[Label]:
        """The last label of each reader on each sample of the run, in the order in which they were first given.

        A torn last line is passed over.

        Args:
            calls: From `calls_of` the run's records.

        Raises:
            DataError: a line is damaged, has a verdict that is none, is of another run that had the same folder, or
                of a sample or call that the run does not have.
        """
        found: dict[tuple[str, Key], Label] = {}
        for number, label in enumerate(read_lines(self.path, Label), 1):
            if label.run != self._run:
                continue
            where = f"{self.path}:{number}"
            if label.began != self._began:
                what = f"is a label of another run that was called {self._run}, begun {label.began or 'some time'}"
                raise DataError(where, what, _REMOVE)
            if problem := _misplaced(label, calls):
                raise DataError(where, problem, _REMOVE)
            found[label.reader, label.key] = label
        return list(found.values())

    def others(self) -> list[str]:
        """Names of the other runs that have labels in the same file."""
        return sorted({label.run for label in read_lines(self.path, Label)} - {self._run})


def vote_of(label: Label) -> bool | None:
    """Whether a reader passes the sample; None is unclear."""
    return None if label.verdict is LabelVerdict.UNCLEAR else label.verdict is LabelVerdict.PASS


def majority(votes: Iterable[bool | None]) -> bool | None:
    """Verdict of most readers; None where as many say the one as the other."""
    cast = [vote for vote in votes if vote is not None]
    return None if 2 * sum(cast) == len(cast) else 2 * sum(cast) > len(cast)


def majorities(labels: Iterable[Label]) -> dict[Key, bool]:
    """Verdict of most readers on each sample; ties are left out."""
    votes: dict[Key, list[bool | None]] = {}
    for label in labels:
        votes.setdefault(label.key, []).append(vote_of(label))
    return {key: said for key, own in votes.items() if (said := majority(own)) is not None}


class Labelled(Protocol):
    """The part of a sample's record that a label is held against."""

    @property
    def key(self) -> Key:
        """Task, repeat and condition."""

    @property
    def outcome(self) -> Outcome:
        """Outcome of the sample."""

    @property
    def calls(self) -> int:
        """Tool calls made."""


def calls_of(records: Iterable[Labelled]) -> dict[Key, int]:
    """Number of calls of each sample that can be labelled: each with a verdict, for others may run again."""
    return {record.key: record.calls for record in records if record.outcome is not Outcome.INVALID}


def _misplaced(opinion: ReaderOpinion, calls: Mapping[Key, int]) -> str:
    """Problem of a label that is about nothing in the run; "" where there is none."""
    if opinion.key not in calls:
        under = "" if opinion.condition == CLEAN else f" under {opinion.condition}"
        return f"sample: no verdict of {opinion.sample!r}, repeat {opinion.repeat}{under}, is in the run"
    if opinion.call is not None and opinion.call >= calls[opinion.key]:
        return f"call: {opinion.sample!r} has {calls[opinion.key]} calls, and none with the index {opinion.call}"
    return ""
