"""Manifest of a run: its settings, its data, its sessions. Stored beside the samples."""

import datetime as dt
import platform
from pathlib import Path

import msgspec

from worktrial.engine.shard import Shard
from worktrial.errors import DataError, option
from worktrial.language import JsonObject
from worktrial.outside.files import read_bytes
from worktrial.version import __version__

FORMAT = 2
MANIFEST = "manifest.json"


class Asked(msgspec.Struct, kw_only=True, frozen=True):
    """Samples that one command asked for: each task, so many times, under each condition."""

    tasks: list[str]
    repeats: int
    conditions: list[str]
    added: int
    """Number of these samples for which no session before had asked."""


class SessionRecord(msgspec.Struct, kw_only=True):
    """One invocation that worked on the run."""

    started: str
    command: list[str]
    endpoints: dict[str, str] = {}
    """Role to address, without anything secret; an address may change between sessions."""
    versions: dict[str, str] = {}
    ended: str | None = None
    """Null while it works, and for ever if it was killed."""
    end: str | None = None
    """`done`, `interrupted`, `stopped: …`, or `broken off: …` after a defect."""
    cost: float = 0.0
    """US dollars spent in this session, on unfinished samples too."""
    tokens: int = 0
    asked: Asked | None = None
    """Samples that it asked for, where some were new to the run; else null."""
    notices: list[str] = []
    """Sentences on things done otherwise than asked for, such as a field left out that an endpoint refuses."""


class Manifest(msgspec.Struct, kw_only=True):
    """`manifest.json`."""

    format: int = FORMAT
    suite: str
    data: JsonObject
    """Origin of the data, and its fingerprint."""
    settings: JsonObject
    """Everything that can change a result. A resumed run must have the same, but for `tasks`, `repeats` and
    `faults`, which may grow; then they are those of all sessions."""
    samples: int
    """Number of samples that the finished run will have: all that its sessions asked for."""
    shard: Shard | None = None
    """Part of a run that this is; null for a whole one. `asked` of its sessions is the whole run's."""
    sessions: list[SessionRecord] = []

    @property
    def is_own(self) -> bool:
        """Whether the suite was a folder of one's own."""
        return "kind" in self.data

    @property
    def title(self) -> str:
        """Name of the suite for people."""
        return str(self.data.get("title", self.suite))

    @property
    def roles(self) -> dict[str, JsonObject]:
        """Settings of every model by its role; of work that was judged again those of then, too."""
        return {**self.settings.get("carried_roles", {}), **self.settings.get("roles", {})}


def manifest_text(manifest: Manifest) -> bytes:
    """Text of a run's `manifest.json`."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"


class _Format(msgspec.Struct):
    format: int


def utc_now() -> str:
    """Date and time on the host as records hold it: ISO 8601 in UTC, to the second."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def versions() -> dict[str, str]:
    """Versions of everything that a result may depend on beside the settings."""
    return {"worktrial": __version__, "python": platform.python_version(), "platform": platform.platform()}


def read_manifest(path: Path) -> Manifest:
    """The manifest at `path`.

    Raises:
        DataError: there is none, or it is not ours.
    """
    if not path.exists():
        raise DataError(path, "no such file", "Is this the folder of a run?")
    return decode_manifest(read_bytes(path, within=path.parent), path)


def decode_manifest(data: bytes, where: Path | str) -> Manifest:
    """The manifest that was read from a file.

    Args:
        data: All of the file.
        where: It lies, for messages.

    Raises:
        DataError: it is not ours.
    """
    try:
        # First: another format's fields say nothing to this version.
        stored = msgspec.json.decode(data, type=_Format).format
        if stored != FORMAT:
            fix = (
                "Use a newer worktrial" if stored > FORMAT else f"Start another run with another {option('output')}"
            )
            raise DataError(where, f"has format {stored}, and this version reads {FORMAT}", fix)
        return msgspec.json.decode(data, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
        raise DataError(where, f"not a run's manifest: {e}") from None
