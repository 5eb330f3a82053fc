"""Parameters that many commands have. A run is a folder, or lies in an object store and is brought here first."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from worktrial.errors import DataError, SettingError, option
from worktrial.places import address_of, shown_place


def run_folder(word: str) -> Path:
    """Folder on this machine of the run that `word` names, with all of its files.

    Raises:
        WorktrialError: it is an address, and there is no whole run.
    """
    return _here(word)


def records_folder(word: str) -> Path:
    """Folder on this machine of the run that `word` names; of one in an object store, without its trajectories.

    Raises:
        WorktrialError: it is an address, and there is no whole run.
    """
    return _here(word, records=True)


def work_folder(word: str, segment: int) -> Path:
    """Folder on this machine of the run that `word` names; of one in an object store, with one segment of its work.

    Raises:
        WorktrialError: it is an address, and there is no whole run.
    """
    return _here(word, segment=segment)


def local_output(word: str) -> Path:
    """Place on this machine that `word` names, for what is written to no store.

    Raises:
        SettingError: it is an address.
    """
    place = Path(word)
    if address_of(place) is not None:
        raise SettingError(f"{option('output')} {shown_place(place)}: is an address; this is written to a folder")
    return place


def _here(word: str, *, records: bool = False, segment: int | None = None) -> Path:
    place = Path(word)
    if address_of(place) is None:
        return place
    from worktrial.scale.objects import local_run

    return local_run(place, records=records, segment=segment)


def run_at(help: str, metavar: str = "RUN", *, records: bool = False) -> Any:
    """Argument that names runs.

    Args:
        help: What `--help` says of it.
        metavar: Word that stands for it.
        records: Whether records are enough, without trajectories.
    """
    return typer.Argument(help=help, metavar=metavar, parser=records_folder if records else run_folder)


def output_to(help: str, metavar: str) -> Any:
    """Option `-o` for a place on this machine.

    Args:
        help: What `--help` says of it.
        metavar: Word that stands for it.
    """
    return typer.Option("--output", "-o", help=help, metavar=metavar, parser=local_output)


@contextmanager
def written(place: Path, fix: str = "Name a file in a folder that is there") -> Iterator[None]:
    """Turn a failing write of a file into one clear error.

    Args:
        place: The file.
        fix: How to mend it.

    Raises:
        DataError: it cannot be written.
    """
    try:
        yield
    except (OSError, ValueError) as e:
        raise DataError(place, f"cannot be written ({getattr(e, 'strerror', None) or e})", fix) from None


AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]
TakeOver = Annotated[
    bool, typer.Option("--take-over", help="Go on with what another machine has not let go, because it died.")
]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Run the code of a suite of your own in this process, with all your rights, not in the sandbox.",
    ),
]
