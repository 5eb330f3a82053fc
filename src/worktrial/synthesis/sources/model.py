"""What is kept of a user's documents."""

from typing import Literal

import msgspec

from worktrial.synthesis.artifacts import Text, ToolDraft

Kind = Literal["pdf", "markdown", "text", "openapi"]


class SourceFile(msgspec.Struct, kw_only=True, frozen=True):
    """One document."""

    id: Text
    """Made of its name; unique among the documents."""
    name: Text
    """Of the file, without its folder."""
    kind: Kind
    hash: Text
    """SHA-256 of its bytes."""
    notes: list[str] = []
    """What the user should know of how it was read."""


class Passage(msgspec.Struct, kw_only=True, frozen=True):
    """A piece of a document, short enough to be shown to a model together with a few others."""

    source: Text
    """Id of its document."""
    id: Text
    """Within the document."""
    heading: list[str] = []
    """The headings it stands under, outermost first."""
    page: int | None = None
    """1-based, in documents that have pages."""
    text: Text


class Operation(msgspec.Struct, kw_only=True, frozen=True):
    """One operation of an interface description, as a tool."""

    source: Text
    """Id of its document."""
    passage: Text
    """Id of the passage that describes it."""
    method: Text
    """In capitals."""
    path: Text
    tool: ToolDraft
    """Its `example_output` is None where the description does not say what is answered."""
