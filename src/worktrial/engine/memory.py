"""Memory that samples in flight may take together, and how many there may be for it."""

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol, runtime_checkable

from worktrial.engine.trial import Trial
from worktrial.errors import option

_GIB = 2**30


@runtime_checkable
class HeavyTrial(Protocol):
    """A trial whose samples run something that may take much memory; all others count as taking none."""

    @property
    def sample_memory(self) -> int:
        """Bytes that one sample may take at most."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryBound:
    """Samples that may be in flight, so that all together stay within a share of the machine's memory."""

    samples: int
    """Number of them; at least 1, since nothing would be done with none."""
    reason: str
    """Half a sentence on why there are no more; its option is marked (see `errors.option`)."""


def admission(trial: Trial, share: float) -> MemoryBound | None:
    """Samples of `trial` that may be in flight.

    Args:
        trial: Made ready to run.
        share: Part of the machine's memory that they may take together.

    Returns:
        None where the trial or the machine names no bytes, so that there is no bound.
    """
    each = trial.sample_memory if isinstance(trial, HeavyTrial) else 0
    there = machine_memory() if each else None
    if there is None:
        return None
    return MemoryBound(
        max(1, int(there * share / each)),
        f"each may take {each / _GIB:.3g} GiB of memory, and together {share:.3g} of the {there / _GIB:.3g} GiB "
        f"that this machine gives us; {option('memory_share')} says otherwise",
    )


def machine_memory(
    membership: Path = Path("/proc/self/cgroup"), mount: Path = Path("/sys/fs/cgroup")
) -> int | None:
    """Bytes of memory that this process and its children can have: the machine's, or less where a cgroup says so.

    Args:
        membership: File that names the process's cgroups, a line `ID:CONTROLLERS:PATH` each (cgroups(7)).
        mount: Folder that the cgroups are mounted in, of either version.

    Returns:
        None where the system does not tell.
    """
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    return min([whole, *_cgroup_limits(membership, mount)])


def _cgroup_limits(membership: Path, mount: Path) -> list[int]:
    """Limits of the process's cgroups and of all above them: each counts what is below it."""
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        # There are cgroups on Linux only, and not on every one.
        return []
    files = []
    for _, controllers, path in (line.split(":", 2) for line in lines if line.count(":") >= 2):
        if not controllers:
            top, name = mount, "memory.max"
        elif "memory" in controllers.split(","):
            top, name = mount / "memory", "memory.limit_in_bytes"
        else:
            continue
        # In a container the path may be the host's, of which only the beginning is there: the container's own.
        own = PurePosixPath(path.lstrip("/"))
        files += [top / one / name for one in (own, *own.parents) if ".." not in one.parts]
    return [limit for file in files if (limit := _limit(file)) is not None]


def _limit(file: Path) -> int | None:
    try:
        return int(file.read_text())
    except (OSError, ValueError):
        # Not there, or `max`: no limit.
        return None
