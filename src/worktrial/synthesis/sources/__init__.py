"""The user's documents: procedures, policies and interfaces."""

from worktrial.synthesis.sources.load import load
from worktrial.synthesis.sources.store import (
    DocumentPart,
    InterfaceOperation,
    SourceDocument,
    SourceLibrary,
)

__all__ = ["DocumentPart", "InterfaceOperation", "SourceDocument", "SourceLibrary", "load"]
