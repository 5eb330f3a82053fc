"""Documents of a suite: in memory, in its folder, searched and cited."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from worktrial.engine.lines import read_lines
from worktrial.synthesis.artifacts import Text, ToolDraft
from worktrial.synthesis.files import write_lines
from worktrial.synthesis.prompting import compact
from worktrial.workplaces.handbook.handbook import relevance

Kind = Literal["pdf", "markdown", "text", "openapi", "mcp"]


class SourceDocument(msgspec.Struct, kw_only=True, frozen=True):
    """One document."""

    id: Text
    """Made of its name; unique among the documents."""
    name: Text
    """Name of the file, without its folder."""
    kind: Kind
    hash: Text
    """SHA-256 of its bytes."""
    notes: list[str] = []
    """Remarks for the user on how it was read."""


class DocumentPart(msgspec.Struct, kw_only=True, frozen=True):
    """Everything that a document says under one heading, or on one page of it, uncut."""

    source: Text
    """Id of its document."""
    heading: list[str] = []
    """The headings it stands under, outermost first."""
    page: int | None = None
    """1-based, in documents that have pages."""
    text: Text


class InterfaceOperation(msgspec.Struct, kw_only=True, frozen=True):
    """One operation of an interface description, as a tool."""

    source: Text
    """Id of its document."""
    method: Text
    """HTTP method in capitals."""
    path: Text
    tool: ToolDraft
    """Its `example_output` is None where the description does not say what is answered."""


class DocumentContent(NamedTuple):
    """Contents of one file."""

    parts: list[DocumentPart]
    operations: Sequence[InterfaceOperation] = ()
    notes: Sequence[str] = ()


# Scripts that are not written with a space after each word, and Korean, where endings are part of the word.
_TOGETHER = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def content_words(text: str) -> list[str]:
    """Stems in reading order, function words left out; two characters each where words are not told by spaces."""
    found: list[str] = []
    text = _CAMEL.sub(" ", text.replace("_", " "))
    for run in _TOGETHER.findall(text):
        found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    rest = _TOGETHER.sub(" ", text)
    return [word for word in _analyzer().analyze(rest) if word] + found


@cache
def _analyzer() -> Any:
    # Imported here: the library is loaded only where there is something to compare or to find.
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(60)).filter(Filter.lowercase())
    builder = builder.filter(Filter.stopword("english")).filter(Filter.ascii_fold())
    return builder.filter(Filter.stemmer("english")).build()


_HEADING = 2
"""Weight of a word of a heading beside one of the text."""

FILES, OPERATIONS, PARTS = "files.jsonl", "operations.jsonl", "parts.jsonl"


@dataclass
class SourceLibrary:
    """Documents that were read. Without any, everything rests on what the author knows itself."""

    files: list[SourceDocument] = field(default_factory=list)
    operations: list[InterfaceOperation] = field(default_factory=list)
    parts: list[DocumentPart] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.parts or self.operations)

    def find_operations(self, text: str, limit: int) -> list[InterfaceOperation]:
        """The operations whose descriptions have words of `text`, the best by BM25 first."""
        described = [
            Counter(
                content_words(f"{one.tool.name} {one.path}") * _HEADING
                + content_words(f"{one.tool.description} {compact(one.tool.parameters)}")
            )
            for one in self.operations
        ]
        scores = relevance({*content_words(text)}, described, [words.total() for words in described])
        best = sorted((-score, place) for place, score in enumerate(scores) if score > 0)
        return [self.operations[place] for _, place in best[:limit]]

    def without(self, ids: Collection[str]) -> "SourceLibrary":
        """The documents but for those of these ids."""
        return SourceLibrary(
            [file for file in self.files if file.id not in ids],
            [operation for operation in self.operations if operation.source not in ids],
            [part for part in self.parts if part.source not in ids],
        )

    def joined(self, other: "SourceLibrary") -> "SourceLibrary":
        """These documents and others, by name, as if they had been read together."""
        files = sorted([*self.files, *other.files], key=lambda file: (file.name, file.id))
        place = {file.id: number for number, file in enumerate(files)}
        return SourceLibrary(
            files,
            sorted([*self.operations, *other.operations], key=lambda row: place[row.source]),
            sorted([*self.parts, *other.parts], key=lambda row: place[row.source]),
        )

    def write(self, folder: Path) -> None:
        """Store them, in place of what was there.

        Raises:
            StopRun: the folder cannot be written.
        """
        write_lines(folder / OPERATIONS, self.operations)
        write_lines(folder / PARTS, self.parts)
        write_lines(folder / FILES, self.files)

    @classmethod
    def read(cls, folder: Path) -> "SourceLibrary":
        """Documents that `write` stored; none where nothing was.

        Raises:
            DataError: a file is damaged.
        """
        return cls(
            list(read_lines(folder / FILES, SourceDocument)),
            list(read_lines(folder / OPERATIONS, InterfaceOperation)),
            list(read_lines(folder / PARTS, DocumentPart)),
        )
