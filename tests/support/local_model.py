"""The embedded 0.5B model for tests: pulled once into the user's cache, served once a test session.

A test module asks for it with `from tests.support.local_model import served` and the marker `local_model`.
"""

import asyncio
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any, NamedTuple

import pytest

from worktrial.engine.local.catalogue import LOCAL_CONTEXT, LocalFile, find_entry
from worktrial.engine.local.pull import pull
from worktrial.engine.local.serve import LocalModel

_PATIENCE = 120.0  # seconds for one answer, or for the model to load


class Served(NamedTuple):
    """A model that answers for the whole session."""

    base_url: str
    api_key: str
    model_name: str
    n_ctx: int


class Reply(NamedTuple):
    """Status and JSON body of an answer."""

    status: int
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """What the model wrote."""
        content: str = self.body["choices"][0]["message"]["content"]
        return content


def small_file() -> LocalFile:
    """The 0.5B model's file, pulled when it is not there yet."""
    entry = find_entry("small")
    return LocalFile(entry.name, pull(entry))


def chat(base_url: str, api_key: str, **body: Any) -> Reply:
    """Ask for one completion; greedy unless `body` says otherwise.

    Raises:
        urllib.error.URLError: nothing listens there.
    """
    request = urllib.request.Request(
        f"{base_url}/chat/completions",
        data=json.dumps({"model": "local", "temperature": 0, **body}).encode(),
        headers={"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=_PATIENCE) as response:
            return Reply(response.status, json.load(response))
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, json.load(error))


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """The 0.5B model, served from a thread of its own for the whole session."""
    ready: Future[Served] = Future()
    end = threading.Event()
    thread = threading.Thread(target=asyncio.run, args=(_serve(ready, end),))
    thread.start()
    try:
        yield ready.result(timeout=5 * _PATIENCE)
    finally:
        end.set()
        thread.join()


async def _serve(ready: "Future[Served]", end: threading.Event) -> None:
    try:
        async with LocalModel(small_file()) as model:
            ready.set_result(Served(model.base_url, model.api_key, model.model_name, LOCAL_CONTEXT))
            await asyncio.to_thread(end.wait)
    except BaseException as error:
        if ready.done():
            raise
        ready.set_exception(error)
