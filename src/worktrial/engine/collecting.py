"""Cycles among objects: where Python looks for them less often than it does by itself."""

import contextlib
import gc
from collections.abc import Iterator

OBJECTS_A_COLLECTION = 20_000
"""Objects after which Python looks for cycles among the new ones; without being told, after 700."""
OBJECTS_A_SAMPLE = 500
"""Objects that a sample in flight holds, at most; of 1,000 requests in flight each has 250."""


def collect_seldom() -> None:
    """Let Python look for cycles seldom, in a process of our own.

    Loading modules and reading data makes many objects, and hardly any that only a collector could free.
    """
    gc.set_threshold(OBJECTS_A_COLLECTION)


@contextlib.contextmanager
def collecting_seldom(concurrency: int) -> Iterator[None]:
    """Python looks for cycles among new objects only when there are more than the samples in flight hold.

    Nearly all of a run's objects go when their last reference does; those of 10,000 samples that wait for an answer
    are no garbage, and looking through them again and again as they begin takes a fifth of the time.
    """
    young, *older = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(max(young, OBJECTS_A_SAMPLE * concurrency), *older)
    try:
        yield
    finally:
        gc.set_threshold(young, *older)
        gc.unfreeze()
