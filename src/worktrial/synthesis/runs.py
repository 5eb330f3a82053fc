"""Calibration runs on disk. In memory they have no trajectories: a full-size suite has hundreds of runs."""

from collections.abc import Callable, Iterable, Iterator

import msgspec

from worktrial.engine.store import cut_torn_tail, read_lines
from worktrial.synthesis.artifacts import RunRow
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.lines import append_line


class RunBook:
    """The runs of a suite folder, under one set of settings.

    Args:
        folder: Whose.
        settings: Hash of what a run depends on beside its slot's content.
        clean: Takes secrets out of a line.
    """

    def __init__(
        self, folder: SuiteFolder, settings: str, clean: Callable[[bytes], bytes] = lambda line: line
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._clean = clean
        self._rows: dict[str, list[RunRow]] = {}

    def have(self, slot: str, content: str) -> list[RunRow]:
        """The runs on this content that came to a verdict, without their trajectories.

        Those without a verdict run again; what was paid for them lies in the cache.
        """
        return [row for row in self._of(slot) if row.content == content and row.outcome != "invalid"]

    def full(self, slot: str, content: str) -> list[RunRow]:
        """Every run on this content, with trajectories, read from disk."""
        return _last(row for row in self._stored(slot) if row.content == content)

    def add(self, row: RunRow) -> RunRow:
        """Store a run; returns what is kept of it in memory.

        Raises:
            StopRun: it cannot be written.
        """
        rows = self._of(row.slot)
        row = msgspec.structs.replace(row, settings=self._settings)
        append_line(self._folder.runs(row.slot), self._clean(msgspec.json.encode(row)))
        kept = _slim(row)
        rows.append(kept)
        return kept

    def _of(self, slot: str) -> list[RunRow]:
        if slot not in self._rows:
            cut_torn_tail(self._folder.runs(slot))
            self._rows[slot] = _last(_slim(row) for row in self._stored(slot))
        return self._rows[slot]

    def _stored(self, slot: str) -> Iterator[RunRow]:
        rows = read_lines(self._folder.runs(slot), RunRow)
        return (row for row in rows if row.settings == self._settings)


def _slim(row: RunRow) -> RunRow:
    return msgspec.structs.replace(row, trajectory=None, votes=[])


def _last(rows: Iterable[RunRow]) -> list[RunRow]:
    """Of each run the last row: one without a verdict may have been run again."""
    found: dict[tuple[str, str, int], RunRow] = {}
    for row in rows:
        found[row.content, row.kind, row.number] = row
    return list(found.values())
