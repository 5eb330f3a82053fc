"""Batches of a run on disk: each is noted before its answers are waited for, since it is paid for."""

import os
from pathlib import Path

import msgspec

from worktrial.engine.lines import append_line, cut_torn_tail, read_lines
from worktrial.engine.store import BATCHES
from worktrial.errors import StopRun
from worktrial.secrets import Redactor

ANSWERS = "batch-answers"
"""Folder with all answers of a run that is not finished yet: its request cache, where it has no other."""


class BatchLine(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A line of `batches.jsonl`: a batch that was submitted, or, with `ended`, one that has come back."""

    number: int
    """Number of the batch in the run, from 1."""
    role: str
    """Role whose requests it holds."""
    address: str
    """Address of the role's model."""
    batch: str
    """The provider's id of the batch."""
    requests: list[str] = []
    """Names of its requests, which are those of the request cache."""
    ended: str | None = None
    """Outcome, in words; null while it is in flight."""


class BatchLedger:
    """Batches in a run's folder.

    Args:
        folder: Of the run, which this process has to itself.
        redactor: Hides keys that an endpoint repeats.

    Raises:
        DataError: a line is damaged.
        StopRun: the folder cannot be written to.
    """

    def __init__(self, folder: Path, redactor: Redactor) -> None:
        self._path = folder / BATCHES
        self._redactor = redactor
        cut_torn_tail(self._path)
        self.open = {line.number: line for line in batches_in_flight(folder)}
        """Batches in flight, by number."""
        self._last = max((line.number for line in read_lines(self._path, BatchLine)), default=0)

    def next_number(self) -> int:
        """A number for another batch."""
        self._last += 1
        return self._last

    def begin(self, line: BatchLine) -> None:
        """Note a batch that was submitted, on the disk: it is paid for."""
        self._append(line, durable=True)
        self.open[line.number] = line

    def end(self, line: BatchLine, how: str) -> None:
        """Note that a batch has come back, or never will."""
        self._append(
            BatchLine(number=line.number, role=line.role, address=line.address, batch=line.batch, ended=how)
        )
        self.open.pop(line.number, None)

    def _append(self, line: BatchLine, *, durable: bool = False) -> None:
        try:
            with self._path.open("ab", buffering=0) as file:
                append_line(file, self._redactor.bytes(msgspec.json.encode(line)))
                if durable:
                    os.fsync(file.fileno())
        except OSError as e:
            raise StopRun(f"{self._path}: a batch cannot be stored ({e.strerror})") from None


def batches_in_flight(folder: Path) -> list[BatchLine]:
    """Batches of a stored run that have not come back."""
    lines = [*read_lines(folder / BATCHES, BatchLine)]
    ended = {line.number for line in lines if line.ended is not None}
    return [line for line in lines if line.number not in ended]
