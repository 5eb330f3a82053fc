"""Feed the readers of `targets` for so long: `python -m tests.fuzz [--seconds 60] [NAME…]`.

With atheris, which `make fuzz` brings on Linux, its coverage leads the way, and the start takes some seconds more;
without, seeds are changed at random.
What escapes is printed with the input, and the exit code is 1. Inputs that led further are not kept.
"""

import argparse
import contextlib
import importlib.util
import io
import os
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fuzz.targets import Target

_LONGEST = 4096  # bytes of an input
_PIECES = (*b'[ { ] } " : , &a *a - 1e999 \\ud800 <<: ? !!int'.split(), b"\n", b"\0", b"\xff")


def main() -> int:
    """Run every named target in a process of its own; the number of those that failed, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2**31))
    chosen = parser.parse_args()
    led = importlib.util.find_spec("atheris") is not None
    targets = _led_targets() if led else _targets()
    names = chosen.names or list(targets)
    if unknown := sorted({*names} - {*targets}):
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(targets)}")
    share = max(1, chosen.seconds // len(names))
    print(f"seed {chosen.seed}, {share} s each, {'atheris' if led else 'random changes'}", flush=True)
    failed = []
    for name in names:
        with tempfile.TemporaryFile() as said:
            feed = _fed if led else _changed_at_random
            fine = in_a_child(lambda name=name, feed=feed: feed(name, targets[name], share, chosen.seed), said)
            print(f"{name}: {'fine' if fine else 'FAILED'}", flush=True)
            if not fine:
                failed.append(name)
                said.seek(0)
                print(said.read().decode(errors="replace")[-8000:], flush=True)
    return 1 if failed else 0


def _targets() -> Mapping[str, "Target"]:
    from tests.fuzz.targets import TARGETS

    return TARGETS


def _led_targets() -> Mapping[str, "Target"]:
    # Once for all targets: it takes longer than most of them run.
    import atheris

    # It names every module.
    with (
        contextlib.redirect_stderr(io.StringIO()),
        atheris.instrument_imports(include=["worktrial", "jsonschema", "yaml"], enable_loader_override=False),
    ):
        return _targets()


def in_a_child(work: Callable[[], None], said: IO[bytes]) -> bool:
    """Whether `work` comes to a good end in a copy of this process, which says what it says into `said`."""
    child = os.fork()
    if not child:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        try:
            work()
        except BaseException:  # noqa: BLE001 - told, and the child's end is the answer
            sys.stdout.flush()
            os.write(2, traceback.format_exc().encode(errors="replace"))
            os._exit(1)
        sys.stdout.flush()
        os._exit(0)
    return os.waitpid(child, 0)[1] == 0


def _fed(name: str, target: "Target", seconds: int, seed: int) -> None:
    import atheris

    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(target.seeds):
            (Path(corpus) / str(number)).write_bytes(data)
        options = [f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={_LONGEST}", "-timeout=20"]
        atheris.Setup([name, *options, f"-artifact_prefix={tempfile.gettempdir()}/", corpus], target)
        # Ends the process.
        atheris.Fuzz()


def _changed_at_random(name: str, target: "Target", seconds: int, seed: int) -> None:
    chance, end = random.Random(f"{seed} {name}"), time.monotonic() + seconds
    while time.monotonic() < end:
        data = chance.choice(list(target.seeds))
        for _ in range(chance.randrange(1, 8)):
            at = chance.randrange(len(data) + 1)
            piece = chance.choice([*_PIECES, data[at : at + chance.randrange(40)] * chance.randrange(4)])
            data = (data[:at] + piece + data[at + chance.randrange(4) :])[:_LONGEST]
        try:
            target(data)
        except Exception:
            print(f"input: {data!r}")
            raise


if __name__ == "__main__":
    sys.exit(main())
