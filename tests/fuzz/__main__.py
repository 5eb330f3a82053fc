"""Feed the readers of `targets` for so long: `python -m tests.fuzz [--seconds 60] [NAME…]`.

With atheris (`pip install atheris`, on Linux) its coverage leads the way; without, seeds are changed at random.
What escapes is printed with the input, and the exit code is 1. Inputs that led further are not kept.
"""

import argparse
import importlib.util
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_LONGEST = 4096  # bytes of an input
_PIECES = (*b'[ { ] } " : , &a *a - 1e999 \\ud800 <<: ? !!int'.split(), b"\n", b"\0", b"\xff")


def main() -> int:
    """Run every named target in a process of its own; the number of those that failed, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2**31))
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.alone:
        return _fed(chosen.names[0], chosen.seconds, chosen.seed)
    from tests.fuzz.targets import TARGETS

    names = chosen.names or list(TARGETS)
    if unknown := sorted({*names} - {*TARGETS}):
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    share = str(max(1, chosen.seconds // len(names)))
    print(f"seed {chosen.seed}, {share} s each, {'atheris' if _has_atheris() else 'random changes'}", flush=True)
    failed = []
    for name in names:
        told = ["--alone", "--seconds", share, "--seed", str(chosen.seed), name]
        done = subprocess.run(
            [sys.executable, "-m", "tests.fuzz", *told],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        print(f"{name}: {'fine' if done.returncode == 0 else 'FAILED'}", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stdout[-4000:], done.stderr[-4000:], sep="\n")
    return 1 if failed else 0


def _has_atheris() -> bool:
    return importlib.util.find_spec("atheris") is not None


def _fed(name: str, seconds: int, seed: int) -> int:
    if not _has_atheris():
        return _changed_at_random(name, seconds, seed)
    import atheris

    with atheris.instrument_imports(include=["worktrial", "jsonschema", "yaml"], enable_loader_override=False):
        from tests.fuzz.targets import TARGETS
    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(TARGETS[name].seeds):
            (Path(corpus) / str(number)).write_bytes(data)
        options = [f"-max_total_time={seconds}", f"-seed={seed}", f"-max_len={_LONGEST}", "-timeout=20"]
        atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={tempfile.gettempdir()}/", corpus], TARGETS[name])
        atheris.Fuzz()
    return 0


def _changed_at_random(name: str, seconds: int, seed: int) -> int:
    from tests.fuzz.targets import TARGETS

    target, chance, end = TARGETS[name], random.Random(seed), time.monotonic() + seconds
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
