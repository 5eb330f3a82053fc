"""Answers of earlier requests on disk, so that a run can be replayed without a network."""

import hashlib
import itertools
import os
import secrets
from pathlib import Path

from worktrial.errors import SettingError, StopRun, option
from worktrial.secrets import Redactor

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


class RequestCache:
    """One file per answer, named by the hash of the whole request.

    Writers use a temporary file and a rename, so several processes may share a folder.

    Raises:
        SettingError: the folder cannot be made.
    """

    def __init__(self, folder: Path, redactor: Redactor) -> None:
        self._folder = folder
        self._redactor = redactor
        self._own = secrets.token_hex(8)
        """Part of the names of temporary files that no other writer's have."""
        self._numbers = itertools.count()
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
            with open(self._path(key), "rb", buffering=0) as file:  # noqa: PTH123 - see `_path`
                return file.read()
        except FileNotFoundError:
            return None

    def put(self, key: str, response: bytes) -> None:
        """Store a response body.

        Raises:
            StopRun: the folder cannot be written to.
        """
        path = self._path(key)
        name = f"{self._folder}/{key[:2]}/.writing-{self._own}-{next(self._numbers)}"
        try:
            try:
                handle = os.open(name, _NEW, 0o600)
            except FileNotFoundError:
                Path(path).parent.mkdir(exist_ok=True)
                handle = os.open(name, _NEW, 0o600)
            try:
                rest = memoryview(self._redactor.bytes(response))
                while rest:
                    rest = rest[os.write(handle, rest) :]
            finally:
                os.close(handle)
            os.replace(name, path)  # noqa: PTH105 - see `_path`
        except OSError as e:
            raise StopRun(f"{option('cache')} {self._folder}: an answer cannot be stored ({e.strerror})") from None

    def _path(self, key: str) -> str:
        # As text: a path is made for every request, and as an object it takes as long as reading its file.
        return f"{self._folder}/{key[:2]}/{key}.json"
