"""`worktrial merge SHARD… -o RUN`: shards of a run as the run that they are."""

from pathlib import Path
from typing import Annotated

import typer

from worktrial.engine.notices import say
from worktrial.places import shown_place


def merge(
    shards: Annotated[
        list[Path],
        typer.Argument(
            help="Folders that `worktrial run --shard` wrote, or addresses of them.", metavar="SHARD..."
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder or address of the run that is made.", metavar="RUN")
    ],
    partial: Annotated[
        bool, typer.Option("--partial", help="Merge what is there, where shards or samples are missing.")
    ] = False,
) -> None:
    """Put the shards of a run together.

    The shards stay as they are. Merging them again, when they have gone on, makes the folder anew. One that was
    merged with --partial is an unfinished run, and the command without --shard goes on with it.

    Example: worktrial merge runs/big-* -o runs/big
    """
    # Imported here because help pages need no arrays.
    from worktrial.scale.objects import merge_places

    merged = merge_places(shards, output, partial=partial)
    say(f"{merged.samples:,} samples of {merged.shards} shards -> {shown_place(output)}", err=True)
    if merged.missing:
        say(f"{merged.missing:,} samples of the run are missing; its command without --shard runs them", err=True)
