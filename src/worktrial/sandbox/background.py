"""An event loop of its own, in a thread, for processes that outlive any one run and serve synchronous callers."""

import asyncio
import atexit
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def in_background(work: Coroutine[Any, Any, T]) -> "Future[T]":
    """Start `work` in the loop; wait with `result()`, or with `asyncio.wrap_future` in a loop of one's own."""
    return asyncio.run_coroutine_threadsafe(work, _loop())


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="worktrial-sandboxes", daemon=True)
    thread.start()

    def stop() -> None:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    atexit.register(stop)
    return loop
