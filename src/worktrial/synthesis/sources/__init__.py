"""The user's documents: procedures, policies and interfaces, cut into passages that can be cited."""

from worktrial.synthesis.sources.load import load
from worktrial.synthesis.sources.store import (
    DocumentPart,
    InterfaceOperation,
    Passage,
    SourceDocument,
    SourceLibrary,
)

__all__ = ["DocumentPart", "InterfaceOperation", "Passage", "SourceDocument", "SourceLibrary", "load"]
