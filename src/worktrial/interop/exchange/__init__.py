"""Runs in the formats of others: written by `worktrial export`, read again by `worktrial import`."""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from worktrial.errors import DataError

if TYPE_CHECKING:
    from worktrial.interop.exchange.imported import ImportedSample


class ExchangeFormat(NamedTuple):
    """A format of other programs."""

    place: str
    """`module:function` below this package, imported when it is called: of sources, a place, and `force`."""
    takes: frozenset[str] = frozenset()
    """Names of further options of the function."""


FORMATS = {
    "atif": ExchangeFormat("atif:export_atif"),
    "harbor": ExchangeFormat("harbor:export_harbor"),
    "inspect": ExchangeFormat("inspect_log:export_inspect"),
    "rollouts": ExchangeFormat("rollouts:export_rollouts", frozenset({"reward"})),
}
"""Every format by its name."""


def writer(name: str) -> Callable[..., Any]:
    """Function that writes runs in the format `name`: of sources, a place, and `force`."""
    module, _, function = FORMATS[name].place.partition(":")
    found: Callable[..., Any] = getattr(import_module(f"{__name__}.{module}"), function)
    return found


def imported_samples(places: Sequence[Path], suite: str | None = None) -> Iterator["ImportedSample"]:
    """Samples in files of others' formats, read one after the other.

    Args:
        places: Files, or folders that hold some at any depth.
        suite: Suite whose tasks the files of other programs are about.

    Raises:
        DataError: a file is of no format that is known, or damaged.
    """
    from worktrial.interop.exchange.atif_import import is_atif, read_atif
    from worktrial.interop.exchange.inspect_import import read_inspect

    known = "Name files in ATIF (.json), or logs of Inspect (.eval)"
    for place in places:
        if not place.exists():
            raise DataError(place, "no such file or folder", "Check the path")
        files = sorted(p for p in place.rglob("*") if p.suffix in (".json", ".eval")) if place.is_dir() else [place]
        if not files:
            raise DataError(place, "holds no file that could be imported", known)
        for path in files:
            if path.suffix == ".eval":
                yield from read_inspect(path, suite)
            elif is_atif(path):
                yield from read_atif(path, suite)
            else:
                raise DataError(path, "of no format that can be imported", known)
