"""Document archives: parsing, recognition, tables, the store, search, and the tools offered to an agent.

Whoever stands outside imports from here alone; import-linter holds that.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worktrial.archive.building.build import BuildReport, build
    from worktrial.archive.building.messages import BuildEvent
    from worktrial.archive.meaning.value import value_of
    from worktrial.archive.pages import LOW_CONFIDENCE, Address, Box, Cell, Route, Table
    from worktrial.archive.pages import PageContent as Page
    from worktrial.archive.producers.files import DocumentSource, Producer, read_document
    from worktrial.archive.search.index import Hit
    from worktrial.archive.store.archive import Archive, open_archive
    from worktrial.archive.store.record import DocumentRecord
    from worktrial.archive.tools.queries import Queries
    from worktrial.archive.tools.toolbox import ToolBox as toolbox

_PLACES = {
    "build": "building.build",
    "open_archive": "store.archive",
    "Archive": "store.archive",
    "Page": "pages:PageContent",
    "Table": "pages",
    "Cell": "pages",
    "Address": "pages",
    "toolbox": "tools.toolbox:ToolBox",
    "Producer": "producers.files",
    # What these hand out and take.
    "Box": "pages",
    "BuildEvent": "building.messages",
    "BuildReport": "building.build",
    "DocumentRecord": "store.record",
    "DocumentSource": "producers.files",
    "Hit": "search.index",
    "LOW_CONFIDENCE": "pages",
    "Queries": "tools.queries",
    "Route": "pages",
    "read_document": "producers.files",
    "value_of": "meaning.value",
}

__all__ = [
    "LOW_CONFIDENCE",
    "Address",
    "Archive",
    "Box",
    "BuildEvent",
    "BuildReport",
    "Cell",
    "DocumentRecord",
    "DocumentSource",
    "Hit",
    "Page",
    "Producer",
    "Queries",
    "Route",
    "Table",
    "build",
    "open_archive",
    "read_document",
    "toolbox",
    "value_of",
]


def __getattr__(name: str) -> Any:
    # Whoever only opens an archive does without the libraries that build one.
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _PLACES[name].partition(":")
    found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), attribute or name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
