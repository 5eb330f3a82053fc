"""Runs named on the command line: folders, or addresses in object stores, which are brought here first."""

from pathlib import Path

from worktrial.errors import SettingError, option
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
