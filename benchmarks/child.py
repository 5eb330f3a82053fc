"""Handing an order to one of our own modules in a process of its own."""

import subprocess
import sys
from collections.abc import Mapping

import msgspec

from benchmarks.measured import ROOT, CommandFailed, environment


def order(module: str, what: Mapping[str, object]) -> str:
    """Run `python -m MODULE` with `what` as its one argument, in JSON; returns what it printed.

    Raises:
        CommandFailed: its exit code is not 0; the message ends with what it said.
    """
    command = [sys.executable, "-m", module, msgspec.json.encode(what).decode()]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandFailed(f"{module} ended with exit code {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout
