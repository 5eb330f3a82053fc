"""How work grows with its input, told without a clock that a busy machine could stretch."""

import sys
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

_ROUNDS = 5


def calls(work: Callable[[], object]) -> int:
    """Number of calls, of Python functions and of C functions, that `work` makes; the same on every machine."""
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def growth(work: Callable[[int], object], n: int) -> float:
    """Ratio of the CPU time of `work(4 * n)` to that of `work(n)`: about 4 for linear growth, 16 for quadratic.

    For work inside one C call, such as a regular expression, of which `calls` sees nothing. Each is the least of
    several rounds, of this process's own CPU time.
    """
    work(n)
    small, large = ([_cpu(work, size) for _ in range(_ROUNDS)] for size in (n, 4 * n))
    return min(large) / max(min(small), 1e-9)


def _cpu(work: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    work(size)
    return time.process_time() - began
