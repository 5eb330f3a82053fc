"""Keeping keys out of everything that is written or shown."""

import json
from collections.abc import Iterable
from urllib.parse import parse_qsl, quote, urlsplit

from worktrial.engine.roles import RoleSettings

HIDDEN = "[key]"
# No provider issues shorter keys, but servers of one's own are given words such as "none", "test" or
# "ollama"; hiding those would blot out ordinary text, and even the records' own fields.
SHORTEST_SECRET = 8


class Redactor:
    """Replaces known secrets in text and bytes."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: list[str] = []
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        """Hide `secret`, also as it looks inside JSON and inside a URL."""
        if len(secret) < SHORTEST_SECRET:
            return
        for form in {secret, json.dumps(secret)[1:-1], quote(secret, safe="")}:
            if form not in self._secrets:
                self._secrets.append(form)
        self._secrets.sort(key=len, reverse=True)

    def add_role(self, settings: RoleSettings, *, needs_key: bool) -> None:
        """Hide what is secret in a role's settings.

        Raises:
            SettingError: the role needs its key, and the key is not set.
        """
        if needs_key:
            key = settings.key()
            if key:
                self.add(key)
        if settings.base_url:
            self.add_url(settings.base_url)

    def add_url(self, url: str) -> None:
        """Hide the user, the password and the query of `url`, and each value of the query."""
        parts = urlsplit(url)
        # `api-version=2026-01-01` is no secret, and its date may well stand in a task.
        values = [value for name, value in parse_qsl(parts.query) if "version" not in name]
        for piece in (parts.netloc.rpartition("@")[0], parts.password, parts.query, *values):
            if piece:
                self.add(piece)

    def text(self, text: str) -> str:
        """`text` with every secret replaced."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text

    def bytes(self, data: bytes) -> bytes:
        """`data` (UTF-8) with every secret replaced."""
        for secret in self._secrets:
            data = data.replace(secret.encode(), HIDDEN.encode())
        return data
