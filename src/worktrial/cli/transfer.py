"""`worktrial pull ADDRESS` and `worktrial push RUN ADDRESS`: runs and archives from and to object stores."""

from pathlib import Path
from typing import Annotated

import typer

from worktrial.cli.places import TakeOver, output_to
from worktrial.engine.notices import say
from worktrial.errors import SettingError
from worktrial.places import address_of

_SCHEMES = "s3://BUCKET/RUN, gs://, az:// or file://"


def pull(
    run: Annotated[str, typer.Argument(help=f"Address of the run or archive: {_SCHEMES}.", metavar="ADDRESS")],
    output: Annotated[
        Path | None, output_to("Folder for it. Default: its name, that of a run in runs/.", "DIR")
    ] = None,
) -> None:
    """Bring a run or an archive from an object store into a folder. Needs the extra store.

    Every part is checked against its SHA-256. Where the folder holds an earlier state, only what is new is fetched;
    shards of a run are put together.

    Example: worktrial pull s3://trials/first
    """
    address = _address(run)
    from worktrial.stores.bucket import Bucket
    from worktrial.stores.folders import kind_of

    if kind_of(Bucket(address)) == "archive":
        from worktrial.stores.archives import pull as bring_archive

        place = output or Path(address.rpartition("/")[2])
        bring_archive(address, place)
        say(f"{address} -> {place}", err=True)
        return
    from worktrial.scale.objects import pull as bring

    folder = output or Path("runs") / address.rpartition("/")[2]
    missing = bring(address, folder)
    say(f"{address} -> {folder}", err=True)
    if missing:
        say(f"{missing:,} samples of the run are not there yet", err=True)


def push(
    run: Annotated[Path, typer.Argument(help="Folder of the run, or of a shard, or of an archive.", metavar="RUN")],
    to: Annotated[str, typer.Argument(help=f"Address: {_SCHEMES}.", metavar="ADDRESS")],
    take_over: TakeOver = False,
) -> None:
    """Bring a run or an archive to an object store: all of it, or what is new there. Needs the extra store.

    Example: worktrial push runs/first s3://trials/first
    """
    address = _address(to)
    from worktrial.archive import Archive

    if Archive.lies_in(run):
        from worktrial.stores.archives import push as bring
    else:
        from worktrial.engine.remote import push as bring
    bring(run, address, take_over=take_over)
    say(f"{run} -> {address}", err=True)


def _address(word: str) -> str:
    address = address_of(word)
    if address is None:
        raise SettingError(f"{word}: is no address in an object store; write {_SCHEMES}")
    return address
