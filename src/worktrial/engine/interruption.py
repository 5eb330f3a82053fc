"""Ctrl-C, a polite kill, a terminal that closes: the run's task is cancelled, once, and cleans up in peace."""

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from worktrial.engine.ending import ending_signals
from worktrial.errors import WorktrialError

# `make`, `timeout` and their kin pass a signal on that the terminal has sent to the child already.
ECHO_SECONDS = 1.0


class Interrupted(WorktrialError):
    """The user stopped the run; what had finished is stored."""

    exit_code = 130


@contextmanager
def cancelled_by_signals(halt: Callable[[], None] | None = None) -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP cancel the current task for as long as the block lasts.

    With `halt`, the first of them calls it instead, so that what is in flight can come to its end; the next one,
    unless it is an echo, cancels.

    asyncio's own treatment raises KeyboardInterrupt at the second SIGINT wherever the code happens to be, which
    can leave a task group waiting for ever. Here a repeated signal is ignored at first; who sends another one
    later does not want to wait for the cleaning up, or for an agent that blocks the event loop, and gets the
    KeyboardInterrupt. Does nothing outside the main thread, where signals cannot be handled.
    """
    task = asyncio.current_task()
    if task is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    began: list[float] = []
    steps: list[Callable[[], object]] = [*([] if halt is None else [halt]), task.cancel]

    def interrupt(number: int, frame: FrameType | None) -> None:
        if began and time.monotonic() - began[-1] <= ECHO_SECONDS:
            return
        if len(began) == len(steps):
            raise KeyboardInterrupt
        # Threadsafe, because only that wakes a loop that waits for the network.
        loop.call_soon_threadsafe(steps[len(began)])
        began.append(time.monotonic())

    handlers = {number: signal.signal(number, interrupt) for number in ending_signals()}
    try:
        yield
    finally:
        # An interrupted program is about to end, and an echo must not break what it still has to say.
        for number, handler in handlers.items() if not began else ():
            # None is a handler that did not come from Python and cannot be put back.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
