"""Servers of this user on this machine: a file each, for its owner's eyes, while they are up."""

import contextlib
import json
import os
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

import platformdirs

# A server on this machine that is alive answers at once.
_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class ListedServer:
    """A server that answers, and its open episodes."""

    url: str
    folder: str
    """Folder of its run."""
    episodes: dict[str, Any]
    """Answer of `GET /episodes`."""


@contextlib.contextmanager
def on_list(url: str, token: str, folder: Path) -> Iterator[None]:
    """Keep a server on the list for as long as the block lasts."""
    place = _place()
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = place / f"{os.getpid()}.json"
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump({"url": url, "token": token, "folder": str(folder.resolve())}, file)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def servers() -> Iterator[ListedServer]:
    """Servers that answer; those that were killed are taken off the list."""
    for path in sorted(_place().glob("*.json")):
        try:
            said = json.loads(path.read_text())
            asked = urllib.request.Request(
                f"{said['url']}/episodes", headers={"Authorization": f"Bearer {said['token']}"}
            )
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(asked, timeout=_SECONDS) as answer:
                episodes = json.load(answer)
        except (URLError, OSError, ValueError, KeyError) as e:
            gone = isinstance(getattr(e, "reason", None), ConnectionRefusedError)
            if gone or isinstance(e, HTTPError | KeyError):
                path.unlink(missing_ok=True)
            continue
        yield ListedServer(said["url"], said["folder"], episodes)


def _place() -> Path:
    return platformdirs.user_state_path("worktrial") / "servers"
