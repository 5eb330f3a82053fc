"""Awaiting code of a user's that may swallow its cancellation, without ever waiting for it in vain."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any

# Time to put things in order after a cancellation; whoever needs longer is not asked again.
GRACE_SECONDS = 5.0


async def outcome_of(work: Awaitable[Any], grace: float | None = None) -> Any:
    """Outcome of `work`, returned or raised. It has a task of its own, so that what it cancels is never the caller.

    Once the caller is cancelled, so is `work`, and what it says after that is lost.

    Args:
        work: Something that nobody has awaited yet.
        grace: Seconds after its cancellation after which it is closed where it stands; None for the usual.

    Raises:
        CancelledError: the caller was cancelled, and the work has ended.
    """
    dismissable = _Dismissable(work)
    task = asyncio.create_task(_caught(dismissable))
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        try:
            await asyncio.wait([task], timeout=GRACE_SECONDS if grace is None else grace)
        finally:
            dismissable.dismissed = True
            task.cancel()
        await asyncio.wait([task])
        raise
    return task.result()()


class _Dismissable:
    """An awaitable that, once it is dismissed, ends at the next cancellation, whatever the work does about it."""

    def __init__(self, work: Awaitable[Any]) -> None:
        self._work = work if isinstance(work, Coroutine) else _waited_for(work)
        self.dismissed = False

    def __await__(self) -> Generator[Any, Any, Any]:
        thrown: BaseException | None = None
        try:
            while True:
                try:
                    waits_for = self._work.send(None) if thrown is None else self._work.throw(thrown)
                except StopIteration as end:
                    return end.value
                thrown = None
                try:
                    yield waits_for
                except GeneratorExit:
                    raise
                except BaseException as error:
                    if self.dismissed:
                        raise
                    thrown = error
        finally:
            # One that ignores this, too, is left to the garbage.
            with contextlib.suppress(RuntimeError):
                self._work.close()


async def _waited_for(work: Awaitable[Any]) -> Any:
    return await work


async def _caught(work: Awaitable[Any]) -> Callable[[], Any]:
    """Function that returns or raises what `work` does; some exceptions would take the loop with them."""
    try:
        value = await work
    except BaseException as e:  # noqa: BLE001 - raised again where it is waited for
        return raising(e)
    return returning(value)


def returning(value: Any) -> Callable[[], Any]:
    """Function that returns `value`."""
    return lambda: value


def raising(error: BaseException) -> Callable[[], Any]:
    """Function that raises `error`."""

    def again() -> Any:
        raise error

    return again
