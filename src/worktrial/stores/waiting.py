"""Requests that nobody has to wait for: the library does not hear Ctrl-C while it waits for a store."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")


def begun(work: Callable[[], _T]) -> "Future[_T]":
    """Future of `work`, carried out in a thread that the end of the process does not wait for."""
    future: Future[_T] = Future()

    def carry_out() -> None:
        try:
            future.set_result(work())
        except BaseException as e:  # noqa: BLE001 - whoever waits for it is told
            future.set_exception(e)

    threading.Thread(target=carry_out, daemon=True, name="worktrial-store").start()
    return future


def interruptible(work: Callable[[], _T]) -> _T:
    """Value of `work`; where signals are heard, in the main thread, one can end the waiting for it."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    return begun(work).result()
