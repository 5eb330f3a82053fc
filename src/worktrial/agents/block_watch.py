"""Watch for agents that keep the event loop from turning, so that all other samples stand still."""

import asyncio
import contextlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from worktrial.engine.notices import tell_on_stderr
from worktrial.errors import flag

_LOOK_SECONDS = 0.25
_HALF = 0.5
_PACKAGE = str(Path(__file__).parents[1])
_BRIDGES = tuple(str(Path(__file__).with_name(name)) for name in ("own_callable.py", "stubborn.py"))


class BlockWatch:
    """Watch over the samples of one agent; says once, with the agent's name, where it blocks.

    Args:
        who: The agent, as the user named it.
    """

    def __init__(self, who: str) -> None:
        self._who = who
        self._told = False
        self._at_work = 0
        self._over = threading.Event()

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """The time in which the agent works on a sample, on the running loop of this thread."""
        self._at_work += 1
        if self._at_work == 1 and not self._told:
            self._over = threading.Event()
            place = asyncio.get_running_loop(), threading.get_ident(), self._over
            threading.Thread(target=self._watch, args=place, name="worktrial-watch", daemon=True).start()
        try:
            yield
        finally:
            self._at_work -= 1
            if self._at_work == 0:
                self._over.set()

    def _watch(self, loop: asyncio.AbstractEventLoop, thread: int, over: threading.Event) -> None:
        while not over.wait(_LOOK_SECONDS):
            beat = threading.Event()
            try:
                loop.call_soon_threadsafe(beat.set)
            except RuntimeError:
                return  # the loop has ended
            if beat.wait(_HALF) or over.is_set():
                continue
            first = _agents_frame(thread)
            if beat.wait(_HALF) or over.is_set():
                continue
            # The very same call twice: one step of the agent's, not many short ones of everybody's.
            second = _agents_frame(thread)
            if first is None or second is None or first[0] is not second[0]:
                continue
            self._told = True
            tell_on_stderr(
                f"{self._who} has kept the event loop from turning for a second, in {second[1]}. Meanwhile all "
                "other samples stand still, and no limit of time holds. Await what takes long, make the agent a "
                f"plain function, or give each sample a process of its own with {flag('isolate')}"
            )
            return


def _agents_frame(thread: int) -> tuple[FrameType, str] | None:
    """Outermost frame of the agent's own code that runs in `thread`, and the place that it has come to."""
    innermost = sys._current_frames().get(thread)
    frame, stack = innermost, list[FrameType]()
    while frame is not None:
        stack.append(frame)
        frame = frame.f_back
    ours = next((i for i, one in enumerate(stack) if one.f_code.co_filename.startswith(_PACKAGE)), None)
    if innermost is None or ours is None or ours == 0:
        return None
    if not stack[ours].f_code.co_filename.startswith(_BRIDGES):
        return None  # the engine itself is busy, or a workplace
    outermost = stack[ours - 1]
    return outermost, f"{outermost.f_code.co_filename}:{outermost.f_lineno}"
