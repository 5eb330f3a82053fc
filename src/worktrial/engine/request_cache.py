"""Answers of earlier requests on disk, so that a run can be replayed without a network."""

import hashlib
import os
import tempfile
from pathlib import Path

from worktrial.engine.secrets import Redactor
from worktrial.errors import SettingError, StopRun, option


class RequestCache:
    """One file per answer, named by the hash of the whole request.

    Writers use a temporary file and a rename, so several processes may share a folder.

    Raises:
        SettingError: the folder cannot be made.
    """

    def __init__(self, folder: Path, redactor: Redactor) -> None:
        self._folder = folder
        self._redactor = redactor
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise SettingError(
                f"{option('cache')} {folder}: {e.strerror}. Name a folder that can be written"
            ) from None

    @staticmethod
    def key(url: str, body: bytes, salt: str) -> str:
        """The name of a request: its address, its whole body, and which draw of it this is."""
        digest = hashlib.sha256(body)
        digest.update(b"\0" + url.encode() + b"\0" + salt.encode())
        return digest.hexdigest()

    def get(self, key: str) -> bytes | None:
        """The stored response body, or None."""
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, key: str, response: bytes) -> None:
        """Store a response body.

        Raises:
            StopRun: the folder cannot be written to.
        """
        path = self._path(key)
        try:
            path.parent.mkdir(exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
            with os.fdopen(handle, "wb") as file:
                file.write(self._redactor.bytes(response))
            Path(name).replace(path)
        except OSError as e:
            raise StopRun(f"{option('cache')} {self._folder}: an answer cannot be stored ({e.strerror})") from None

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"
