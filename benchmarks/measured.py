"""Running a command to its end and measuring what it took."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

# What a shell may say about Python that would make a user's start look dearer or cheaper than it is.
_FOREIGN = (
    "PYTHONASYNCIODEBUG",
    "PYTHONDEVMODE",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONMALLOC",
    "PYTHONPROFILEIMPORTTIME",
    "PYTHONTRACEMALLOC",
    "PYTHONUNBUFFERED",
)
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


class CommandFailed(RuntimeError):
    """A measured command did not end well."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one process took, the whole of it."""

    began: float
    """When it was started, in seconds of `time.monotonic`."""
    seconds: float
    """From its start to its end."""
    cpu: float
    """Seconds of CPU, user and system, its own children included."""
    peak_bytes: int
    """Largest resident set."""
    out: str


def measure(command: Sequence[str]) -> Measured:
    """Run `command` to its end, as a user's shell would.

    On Linux the kernel counts the memory of this process, at the moment it forks, as the child's; so whoever
    measures has to stay smaller than what is measured.

    Raises:
        CommandFailed: its exit code is not 0; the message ends with what it said.
    """
    began = time.monotonic()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        out = process.stdout.read()
        # wait4 has the usage of this very child; RUSAGE_CHILDREN would add up all there ever were.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise CommandFailed(f"{' '.join(command)}\nended with exit code {process.returncode}:\n{out[-2000:]}")
    kilo = 1 if sys.platform == "darwin" else 1024
    return Measured(began, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * kilo, out)


def environment() -> Mapping[str, str]:
    """Ours, without what would colour a measurement and without a proxy in front of 127.0.0.1."""
    dropped = {*_FOREIGN, *_PROXIES, *(name.upper() for name in _PROXIES)}
    return {name: value for name, value in os.environ.items() if name not in dropped}
