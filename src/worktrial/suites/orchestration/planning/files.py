"""The files of a language in a data folder, and clear words when they are not there."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from worktrial.errors import DataError, option
from worktrial.outside.files import read_bytes
from worktrial.suites.orchestration.planning.scenario import Language

CARDS = "multiagent_cards"
SCENARIOS = "scenario_data"

MAX_BYTES = 4_000_000
"""Most bytes of a file that is read; the longest scenario of the release has 41 kB."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file of the data."""

    name: str
    """Within the data folder, such as `EN/scenario_data/85.yaml`."""
    stem: str
    text: str = ""
    problem: str = ""
    """Why the file cannot be read; "" for one that can."""
    digest: bytes = b""


def source_files(folder: Path, language: Language, room: str, suffix: str) -> list[SourceFile]:
    """The files `<folder>/<language>/<room>/*<suffix>`; those with a number for a name come first, in its order.

    Raises:
        DataError: a folder is missing, or there is no such file in it; the message says what is there.
    """
    place = _language_folder(folder, language) / room
    if not place.is_dir():
        raise DataError(
            place, f"no such folder; {folder / language} holds {_contents(place.parent)}", "Get the release again"
        )
    # A leading dot is a file that an editor or an operating system left behind.
    paths = [path for path in place.iterdir() if path.name.endswith(suffix) and not path.name.startswith(".")]
    if not paths:
        raise DataError(
            place, f"holds no *{suffix} file; it holds {_contents(place)}", f"Put the {room} of the release into it"
        )
    return [_read(path, f"{language}/{room}/{path.name}", folder) for path in sorted(paths, key=_order)]


def fingerprint(files: Iterable[SourceFile], *more: bytes) -> str:
    """SHA-256 over names and contents of `files` and over `more`, in hexadecimal."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode("utf-8", "surrogateescape") + b"\0" + file.digest)
    for part in more:
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _order(path: Path) -> tuple[bool, int, str]:
    # `isdecimal` alone lets in digits of other scripts and numbers that are too long for `int`.
    number = int(path.stem) if path.stem.isascii() and path.stem.isdecimal() and len(path.stem) < 18 else None
    return number is None, number or 0, path.name


def _read(path: Path, name: str, folder: Path) -> SourceFile:
    def broken(problem: str) -> SourceFile:
        return SourceFile(name, path.stem, problem=problem, digest=hashlib.sha256(problem.encode()).digest())

    try:
        if path.is_dir():
            return broken("is a folder, not a file")
        if not path.is_file():
            return broken("is not a regular file")
        size = path.stat().st_size
        if size > MAX_BYTES:
            return broken(f"has {size} bytes, more than the {MAX_BYTES} that are read")
        raw = read_bytes(path, within=folder)
    except OSError as e:
        return broken(f"cannot be read ({e.strerror})")
    except DataError as e:
        return broken(str(e).removeprefix(f"{path}: "))
    digest = hashlib.sha256(raw).digest()
    try:
        return SourceFile(name, path.stem, raw.decode("utf-8-sig"), digest=digest)
    except UnicodeDecodeError as e:
        return SourceFile(name, path.stem, problem=f"is not UTF-8 (byte {e.start}: {e.reason})", digest=digest)


def _language_folder(folder: Path, language: Language) -> Path:
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "no such folder"
        raise DataError(folder, what, f"Name the folder that holds {' and '.join(Language)} with {option('data')}")
    place = folder / language
    if place.is_dir():
        return place
    if (folder / SCENARIOS).is_dir() or (folder / CARDS).is_dir():
        what = f"this is the folder of one language, so there is no {language} in it"
        raise DataError(folder, what, f"Name {folder.resolve().parent}")
    inside = sorted(path.parent for path in folder.glob(f"*/{language}") if path.is_dir())
    fix = f"Name {inside[0]}" if inside else f"A language has its own folder with {CARDS} and {SCENARIOS} in it"
    others = [other for other in Language if (folder / other).is_dir()]
    if others:
        fix += f"; to go on with {' and '.join(others)} alone, ask for that language only"
    raise DataError(folder, f"holds no folder {language}; it holds {_contents(folder)}", fix)


def _contents(folder: Path, shown: int = 5) -> str:
    names = sorted(path.name for path in folder.iterdir())
    rest = f" and {len(names) - shown} more" if len(names) > shown else ""
    return (", ".join(names[:shown]) + rest) if names else "nothing"
