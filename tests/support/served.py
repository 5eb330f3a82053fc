"""`worktrial serve` as a process of its own, and requests to it."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

Answer = tuple[int, Any]
"""Status and JSON of an answer."""


class ServedSuite:
    """A server process that is up."""

    def __init__(self, process: "subprocess.Popen[str]", token: str | None = None) -> None:
        self.process = process
        assert process.stdout is not None
        self.url = process.stdout.readline().strip()
        self.token = token or process.stdout.readline().strip().removeprefix("token ")
        assert urlsplit(self.url).port, "the server did not start"

    @property
    def authority(self) -> str:
        return urlsplit(self.url).netloc

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = "",
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
    ) -> Answer:
        """One request; `token` "" sends the right one, None sends none."""
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = f"Bearer {token or self.token}"
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        connection = http.client.HTTPConnection(self.authority, timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            said = answer.read()
        is_json = answer.headers.get_content_type() == "application/json"
        return answer.status, json.loads(said) if is_json else said.decode()

    def open(self, **asked: Any) -> dict[str, Any]:
        status, episode = self.ask("POST", "/episodes", asked)
        assert status == 201, episode
        assert isinstance(episode, dict)
        return episode

    def call(self, episode: Mapping[str, Any], tool: str, arguments: Any = None, **more: Any) -> Answer:
        body = {"tool": tool, "arguments": {} if arguments is None else arguments}
        return self.ask("POST", f"/episodes/{episode['episode']}/calls", body, **more)

    def finish(self, episode: Mapping[str, Any], answer: str = "", **more: Any) -> Answer:
        return self.ask("POST", f"/episodes/{episode['episode']}/finish", {"answer": answer}, **more)

    def state(self, episode: Mapping[str, Any]) -> dict[str, Any]:
        status, state = self.ask("GET", f"/episodes/{episode['episode']}")
        assert status == 200, state
        assert isinstance(state, dict)
        return state

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Exit code, and what else was written to standard output."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=60)
        return self.process.returncode, out


@contextlib.contextmanager
def served(
    folder: Path, *options: str, suite: str = "starter", token_env: tuple[str, str] | None = None
) -> Iterator[ServedSuite]:
    """Serve a suite into `folder`; what it says on standard error is in `folder`.err."""
    words = [sys.executable, "-m", "worktrial", "serve", suite, "-o", str(folder), *options]
    environment = os.environ | {"XDG_STATE_HOME": str(folder.parent / "state")}
    if token_env is not None:
        environment |= dict([token_env])
        words += ["--token-env", token_env[0]]
    with folder.with_suffix(".err").open("w") as errors:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
    try:
        yield ServedSuite(process, None if token_env is None else token_env[1])
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=60)
