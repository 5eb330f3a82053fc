"""The documents of a suite, in memory and in its folder."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from worktrial.engine.store import read_lines
from worktrial.synthesis.lines import write_lines
from worktrial.synthesis.sources.model import Operation, Passage, SourceFile

if TYPE_CHECKING:
    from worktrial.synthesis.sources.search import Index

FILES, PASSAGES, OPERATIONS = "files.jsonl", "passages.jsonl", "operations.jsonl"


class Sources:
    """Documents that were read. Without any, everything rests on what the author knows itself."""

    def __init__(
        self,
        files: Sequence[SourceFile] = (),
        passages: Sequence[Passage] = (),
        operations: Sequence[Operation] = (),
    ) -> None:
        self.files = list(files)
        self.passages = list(passages)
        self.operations = list(operations)

    def __bool__(self) -> bool:
        return bool(self.passages)

    @cached_property
    def _index(self) -> "Index":
        # Imported here: the index's library is loaded only where there is something to find.
        from worktrial.synthesis.sources.search import Index

        return Index(self.passages)

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], Passage]:
        return {(passage.source, passage.id): passage for passage in self.passages}

    @property
    def hashes(self) -> dict[str, str]:
        """Id to SHA-256 of each document, for the provenance."""
        return {file.id: file.hash for file in self.files}

    def find(self, text: str, limit: int) -> list[Passage]:
        """The passages that have words of `text`, the best by BM25 first; the same ones for the same documents."""
        if not self.passages:
            return []
        return [self.passages[number] for number in self._index.best(text, limit)]

    def find_operations(self, text: str, limit: int) -> list[Operation]:
        """The operations whose descriptions have words of `text`, the best by BM25 first."""
        if not self.operations:
            return []
        ranked = {(p.source, p.id): rank for rank, p in enumerate(self.find(text, len(self.passages)))}
        fitting = [o for o in self.operations if (o.source, o.passage) in ranked]
        return sorted(fitting, key=lambda o: ranked[o.source, o.passage])[:limit]

    def passage(self, source: str, id: str) -> Passage | None:
        """The passage of that name."""
        return self._by_name.get((source, id))

    def write(self, folder: Path) -> None:
        """Store them, in place of what was there.

        Raises:
            StopRun: the folder cannot be written.
        """
        write_lines(folder / PASSAGES, self.passages)
        write_lines(folder / OPERATIONS, self.operations)
        write_lines(folder / FILES, self.files)

    @classmethod
    def read(cls, folder: Path) -> "Sources":
        """What `write` stored; no documents where nothing was.

        Raises:
            DataError: a file is damaged.
        """
        return cls(
            list(read_lines(folder / FILES, SourceFile)),
            list(read_lines(folder / PASSAGES, Passage)),
            list(read_lines(folder / OPERATIONS, Operation)),
        )
