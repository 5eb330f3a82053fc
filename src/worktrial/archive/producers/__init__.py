"""Where an archive's documents come from."""

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
