"""Fingerprints that tell two versions of a suite's files apart."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path


def files_fingerprint(folder: Path, files: Iterable[Path]) -> str:
    """SHA-256 over `files` and their places below `folder`, whatever order they come in."""
    digest = sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(folder).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()
