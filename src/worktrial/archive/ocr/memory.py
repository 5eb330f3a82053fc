"""Memory that was freed, given back to the system."""

import ctypes
import sys
from collections.abc import Callable
from functools import lru_cache


def return_free_memory() -> None:
    """Give the system back what this process has freed, where the C library can.

    The GNU library keeps freed blocks below one still in use, for recognition hundreds of megabytes of them.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@lru_cache(maxsize=1)
def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    # Other C libraries for Linux lack the call.
    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return found
