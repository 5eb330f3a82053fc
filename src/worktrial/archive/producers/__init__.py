"""Producers of an archive's documents, and the readers of their pages."""

from worktrial.archive.producers.files import (
    DocumentSource,
    Files,
    PageReader,
    Producer,
    ReadSettings,
    kind_of,
    open_document,
)

__all__ = ["DocumentSource", "Files", "PageReader", "Producer", "ReadSettings", "kind_of", "open_document"]
