"""Processor cores that this process may really use."""

import os
import sys
from pathlib import Path

_TOPOLOGY = Path("/sys/devices/system/cpu")
_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def physical_cores() -> int:
    """Physical cores within this process's affinity and container quota; at least 1.

    Two hardware threads of one core only get in each other's way when they multiply matrices. Where the system
    does not tell siblings apart, every processor counts.
    """
    if not sys.platform.startswith("linux"):
        return os.cpu_count() or 1
    mine = os.sched_getaffinity(0)
    cores = {_siblings(cpu) for cpu in mine}
    return max(1, min(len(cores), _quota() or len(cores)))


def _siblings(cpu: int) -> str:
    try:
        return (_TOPOLOGY / f"cpu{cpu}/topology/thread_siblings_list").read_text().strip()
    except OSError:
        return str(cpu)


def _quota() -> int | None:
    """Whole cores that the container's quota pays for; None without a quota."""
    try:
        allowed, period = _QUOTA.read_text().split()
        return None if allowed == "max" else int(int(allowed) / int(period)) or 1
    except (OSError, ValueError):
        return None
