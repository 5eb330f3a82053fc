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

    Args:
        folder: Of the files; made where there is none.
        redactor: Hides keys that an endpoint repeats.
        is_of_run: Whether the answers are those of one run, so that its samples have their cost.

    Raises:
        SettingError: the folder cannot be made.
    """

    def __init__(self, folder: Path, redactor: Redactor, *, is_of_run: bool = False) -> None:
        self.is_of_run = is_of_run
        self._folder = folder
        self._redactor = redactor
        self._own = secrets.token_hex(8)
        """Part of the names of temporary files that no other writer's have."""
        self._numbers = itertools.count()
        self._unbooked: set[str] = set()
        """Names of answers that came when nobody waited for them."""
        try:
            # That of a run is made with its first answer, so that a run that never began leaves nothing.
            if not is_of_run:
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

    def is_new(self, key: str) -> bool:
        """Whether nobody has booked a stored answer yet; whoever asks does it now."""
        if key not in self._unbooked:
            return False
        self._unbooked.discard(key)
        return True

    def put(self, key: str, response: bytes, *, is_booked: bool = True) -> None:
        """Store a response body.

        Args:
            key: Name of the request.
            response: The body.
            is_booked: Whether somebody books what it cost.

        Raises:
            StopRun: the folder cannot be written to.
        """
        path = self._path(key)
        name = f"{self._folder}/{key[:2]}/.writing-{self._own}-{next(self._numbers)}"
        try:
            try:
                handle = os.open(name, _NEW, 0o600)
            except FileNotFoundError:
                Path(path).parent.mkdir(parents=self.is_of_run, exist_ok=True)
                handle = os.open(name, _NEW, 0o600)
            try:
                rest = memoryview(self._redactor.bytes(response))
                while rest:
                    rest = rest[os.write(handle, rest) :]
            finally:
                os.close(handle)
            os.replace(name, path)  # noqa: PTH105 - see `_path`
            if not is_booked:
                self._unbooked.add(key)
        except OSError as e:
            raise StopRun(f"{option('cache')} {self._folder}: an answer cannot be stored ({e.strerror})") from None

    def _path(self, key: str) -> str:
        # As text: a path is made for every request, and as an object it takes as long as reading its file.
        return f"{self._folder}/{key[:2]}/{key}.json"
