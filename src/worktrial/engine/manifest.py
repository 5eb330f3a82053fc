"""Manifest of a run: its settings, its data, its sessions. Stored beside the samples."""

import platform
from collections.abc import Iterator
from pathlib import Path

import msgspec

from worktrial import __version__
from worktrial.errors import DataError, SettingError, option
from worktrial.language import JsonObject, JsonValue

FORMAT = 1


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


class Manifest(msgspec.Struct, kw_only=True):
    """`manifest.json`."""

    format: int = FORMAT
    suite: str
    data: JsonObject
    """Origin of the data, and its fingerprint."""
    settings: JsonObject
    """Everything that can change a result. A resumed run must have the same."""
    samples: int
    """Number of samples that the finished run will have."""
    sessions: list[SessionRecord] = []


class _Format(msgspec.Struct):
    format: int


def versions() -> dict[str, str]:
    """Versions of everything that a result may depend on beside the settings."""
    return {"worktrial": __version__, "python": platform.python_version(), "platform": platform.platform()}


def read_manifest(path: Path) -> Manifest:
    """The manifest at `path`.

    Raises:
        DataError: there is none, or it is not ours.
    """
    try:
        data = path.read_bytes()
        # First: another format's fields say nothing to this version.
        stored = msgspec.json.decode(data, type=_Format).format
        if stored != FORMAT:
            fix = (
                "Use a newer worktrial" if stored > FORMAT else f"Start another run with another {option('output')}"
            )
            raise DataError(path, f"has format {stored}, and this version reads {FORMAT}", fix)
        return msgspec.json.decode(data, type=Manifest)
    except FileNotFoundError:
        raise DataError(path, "no such file", "Is this the folder of a run?") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as e:
        raise DataError(path, f"not a run's manifest: {e}") from None


def refuse_other_settings(stored: Manifest, wanted: Manifest, folder: Path) -> None:
    """Check that a run may be resumed.

    Raises:
        SettingError: something that can change results differs; the message shows what.
    """
    if stored.suite != wanted.suite:
        article = "an" if stored.suite[:1] in "aeiou" else "a"
        raise SettingError(
            f"{folder} holds {article} {stored.suite} run. Name another folder with {option('output')}, or "
            "none for a new one"
        )
    before = {"suite": stored.suite, "data": stored.data.get("fingerprint"), "settings": stored.settings}
    # Runs from before options were on record say the same in other words.
    known = {k: v for k, v in wanted.settings.items() if k != "options" or k in stored.settings}
    now = {"suite": wanted.suite, "data": wanted.data.get("fingerprint"), "settings": known}
    # Compare what JSON keeps, so that tuples and lists are the same.
    differences = list(_differences(before, msgspec.json.decode(msgspec.json.encode(now))))
    if differences:
        shown = "\n".join(f"  {where}: {_short(old)} -> {_short(new)}" for where, old, new in differences)
        raise SettingError(
            f"{folder} holds a run with other settings (stored -> now):\n{shown}\n"
            f"Give the stored settings to resume it, or start another run with another {option('output')}"
        )


def _differences(before: JsonValue, now: JsonValue, where: str = "") -> Iterator[tuple[str, JsonValue, JsonValue]]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted(before.keys() | now.keys()):
            yield from _differences(before.get(key), now.get(key), f"{where}.{key}" if where else key)
    elif before != now:
        yield where, before, now


def _short(value: JsonValue) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= 80 else f"{text[:77]}..."
