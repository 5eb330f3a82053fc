"""Pinned baselines: a name for a stored run, and fingerprints that tell when it is no longer the same."""

import os
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePath

import msgspec

from worktrial.engine.identity import TrialIdentity
from worktrial.engine.lines import replace_file
from worktrial.engine.manifest import utc_now
from worktrial.engine.records import SAMPLES
from worktrial.engine.stored import StoredRun, agent_of, open_run
from worktrial.errors import DataError, SettingError, option
from worktrial.outside.files import open_file

STORE = Path("runs/gates")
"""Folder for pinned baselines and histories, unless another is named."""

_FORMAT = 2
_ENDING = ".baseline.json"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LARGEST = 100_000
"""Bytes of a pinned baseline's file; it has less than 2,000."""


class Fingerprint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """SHA-256 of everything in a run that a comparison reads."""

    settings: str
    """Digest of its identity."""
    results: str
    """Digest of `samples.jsonl`."""


class PinnedBaseline(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """`NAME.baseline.json`."""

    format: int = _FORMAT
    run: str
    """Path of the run's folder, from the folder of this file, with `/`."""
    fingerprint: Fingerprint
    pinned: str
    """Date and time in UTC."""
    suite: str
    agent: str | None
    samples: int


@dataclass(frozen=True, slots=True)
class Pin:
    """A pinned baseline under its name."""

    name: str
    path: Path
    """Its file."""
    baseline: PinnedBaseline

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return Path(os.path.normpath(self.path.parent / self.baseline.run))

    def open(self) -> StoredRun:
        """The run, as it was pinned.

        Raises:
            DataError: it is gone, or has changed since.
        """
        told = f"the baseline {self.name}, pinned on {self.baseline.pinned}"
        if not self.folder.is_dir():
            raise DataError(self.folder, f"{told}, is gone", f"Put it back, or pin another: {self._command}")
        run = open_run(self.folder)
        found = fingerprint(run)
        if found != self.baseline.fingerprint:
            what = "settings" if found.settings != self.baseline.fingerprint.settings else "results"
            raise DataError(
                self.folder,
                f"{told}, has other {what} now",
                f"Put the old run back, or pin this one: {self._command} {option('replace')}",
            )
        return run

    @property
    def _command(self) -> str:
        return f"worktrial baseline set {self.name} RUN"


def fingerprint(run: StoredRun) -> Fingerprint:
    """Fingerprint of everything in `run` that a comparison reads."""
    digest = sha256()
    with open_file(run.folder / SAMPLES) as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return Fingerprint(TrialIdentity.of(run.manifest).digest, digest.hexdigest())


def check_name(name: str, what: str) -> str:
    """`name` if it can name a file anywhere.

    Raises:
        SettingError: it cannot.
    """
    if not _NAME.fullmatch(name):
        raise SettingError(
            f"{what} {name!r}: a name has up to 64 letters, digits, dots, dashes and underscores, and begins with "
            "a letter or a digit"
        )
    return name


def pin(name: str, run: StoredRun, *, store: Path = STORE, replace: bool = False) -> Pin:
    """Keep `run` as the baseline `name`.

    Args:
        name: By which a gate finds it.
        run: A finished run. Its folder stays where it is.
        store: Folder for the pin.
        replace: Whether a baseline of that name may be replaced.

    Raises:
        SettingError: `name` is none, or is taken.
        DataError: the run is unfinished, has no verdict, or the file cannot be written.
    """
    path = store / f"{check_name(name, 'baseline')}{_ENDING}"
    if run.missing:
        raise DataError(
            run.folder, f"unfinished, {run.missing} samples are missing", "Finish it before it is pinned"
        )
    if all(record.outcome == "invalid" for record in run.records):
        raise DataError(run.folder, "no sample has a verdict", "Pin a run that has some")
    if path.exists() and not replace:
        raise SettingError(f"{path}: there is a baseline {name} already; {option('replace')} puts this one there")
    try:
        store.mkdir(parents=True, exist_ok=True)
        baseline = PinnedBaseline(
            run=_from(run.folder, store),
            fingerprint=fingerprint(run),
            pinned=utc_now(),
            suite=run.manifest.suite,
            agent=agent_of(run.manifest),
            samples=len(run.records),
        )
        replace_file(path, msgspec.json.format(msgspec.json.encode(baseline), indent=2) + b"\n")
    except OSError as e:
        raise DataError(
            path, f"cannot be written ({e.strerror})", f"Name another folder with {option('store')}"
        ) from None
    return Pin(name, path, baseline)


def _from(folder: Path, store: Path) -> str:
    try:
        return PurePath(os.path.relpath(folder.resolve(), store.resolve())).as_posix()
    except ValueError:  # two drives of Windows
        return folder.resolve().as_posix()


def read_pin(name: str, store: Path = STORE) -> Pin:
    """The baseline of that name.

    Raises:
        SettingError: `name` is none.
        DataError: there is none, or its file is damaged.
    """
    path = store / f"{check_name(name, 'baseline')}{_ENDING}"
    if not path.is_file():
        known = ", ".join(pin.name for pin in pins(store)) or "none"
        raise DataError(
            path, f"no baseline {name} is pinned; pinned: {known}", f"Pin one: worktrial baseline set {name} RUN"
        )
    return _read(path)


def pins(store: Path = STORE) -> list[Pin]:
    """All pinned baselines by name; none where there is no such folder.

    Raises:
        DataError: a file is damaged.
    """
    return [_read(path) for path in sorted(store.glob(f"*{_ENDING}"))]


def unpin(name: str, store: Path = STORE) -> None:
    """Forget a baseline; its run stays.

    Raises:
        SettingError: `name` is none.
        DataError: there is none.
    """
    path = store / f"{check_name(name, 'baseline')}{_ENDING}"
    if not path.is_file():
        read_pin(name, store)
    path.unlink()


def find_baseline(word: str | Path, store: Path = STORE, base: Path = Path()) -> StoredRun:
    """The run in a folder, or the one that is pinned under a name.

    Args:
        word: The folder, or the name.
        store: Folder of the pins.
        base: Folder that a relative one starts from.

    Raises:
        SettingError: `word` is both.
        DataError: it is neither, or cannot be read; the pinned run is gone or has changed.
    """
    pinned = isinstance(word, str) and _NAME.fullmatch(word) and (store / f"{word}{_ENDING}").is_file()
    if not pinned:
        if isinstance(word, str) and _NAME.fullmatch(word) and not (base / word).exists():
            known = ", ".join(pin.name for pin in pins(store)) or "none"
            raise DataError(
                word,
                f"neither the folder of a run nor a baseline that is pinned in {store} (pinned: {known})",
                f"Pin one: worktrial baseline set {word} RUN",
            )
        return open_run(base / word)
    if (base / word).is_dir():
        raise SettingError(f"{word}: a folder here and a pinned baseline; write ./{word} for the folder")
    return read_pin(str(word), store).open()


def _read(path: Path) -> Pin:
    if path.stat().st_size > _LARGEST:
        raise DataError(path, f"larger than {_LARGEST:,} bytes, so not a pinned baseline", "Pin it anew")
    try:
        baseline = msgspec.json.decode(path.read_bytes(), type=PinnedBaseline)
    except (msgspec.MsgspecError, UnicodeDecodeError) as e:
        raise DataError(path, f"not a pinned baseline: {e}", "Pin it anew with `worktrial baseline set`") from None
    if baseline.format != _FORMAT:
        raise DataError(path, f"has format {baseline.format}, and this version reads {_FORMAT}", "Pin it anew")
    return Pin(path.name.removesuffix(_ENDING), path, baseline)
