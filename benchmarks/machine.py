"""The machine in one line: what a figure depends on, and nothing that names it."""

import os
import platform
from pathlib import Path


def machine() -> str:
    """Cores, memory, processor, Python."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{cores} cores, {memory:.0f} GB memory, {_processor()}, Python {platform.python_version()}"


def load() -> float:
    """Processes that wanted a core, on average over the last minute. Near 0 on a machine fit for measuring."""
    return os.getloadavg()[0]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
