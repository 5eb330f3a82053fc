"""Where an archive's documents come from."""

from worktrial.archive.producers.choose import Files, kind_of, open_document
from worktrial.archive.producers.source import DocumentSource, PageReader, Producer, ReadSettings

__all__ = ["DocumentSource", "Files", "PageReader", "Producer", "ReadSettings", "kind_of", "open_document"]
