"""Document archives: parsing, recognition, tables, the store, search, and the tools offered to an agent."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from worktrial.archive.build import build
    from worktrial.archive.pages import Cell, Table
    from worktrial.archive.pages import PageContent as Page
    from worktrial.archive.store import open_archive

__all__ = ["Cell", "Page", "Table", "build", "open_archive"]

_PLACES = {
    "open_archive": ("store", "open_archive"),
    "Page": ("pages", "PageContent"),
    "Table": ("pages", "Table"),
    "Cell": ("pages", "Cell"),
}


def __getattr__(name: str) -> Any:
    # Whoever only opens an archive does without the libraries that build one.
    if name == "build":
        return import_module(f"{__name__}.build")  # a room of that name, which can be called
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _PLACES[name]
    found = globals()[name] = getattr(import_module(f"{__name__}.{module}"), attribute)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
