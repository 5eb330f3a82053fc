"""A campaign: endpoints that misbehave, kills, a machine that has no more. What is lost, counted twice, or blamed?

`python -m benchmarks.reliability [--minutes 10] [--seed N] [NAME…]` prints a table and exits with 1 unless each row
struck and its zeros are zeros. What the machine has no means for is said, and is no zero. Seeds draw which requests
are struck and when; the moment of a strike is a matter of the machine all the same.
"""

import argparse
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import astuple

from benchmarks.arguments import positive
from benchmarks.machine import load, machine
from benchmarks.reliability import endpoints, kills, limits
from benchmarks.reliability.rows import CouldNotLook, Strike, total, turns
from benchmarks.reliability.strikes import STRIKES

_KINDS: dict[str, tuple[Strike, int]] = {
    "a disk that gets full": (limits.fill_disk, 10),
    "files that may not grow": (limits.limit_file_size, 10),
    "a disk that is read only": (limits.refuse_writing, 3),
    "three processes on one folder": (limits.crowd_folder, 10),
    "no more descriptors": (limits.limit_descriptors, 10),
    "no more memory": (limits.limit_memory, 10),
    "a clock that turns by an hour, twice": (limits.turn_clock, 10),
    "SIGKILL of a run": (kills.kill_runs, 10),
    "SIGKILL of a shard": (kills.kill_shards, 10),
    "SIGKILL of a merge": (kills.kill_merges, 10),
    "SIGKILL of the build of an archive": (kills.kill_builds, 10),
    "SIGKILL of a synthesis": (kills.kill_syntheses, 10),
    "SIGKILL of a report": (kills.kill_reports, 10),
}
"""Name to a strike and how often it is struck."""


def main() -> int:
    """Run the campaign, print its table; 0 where all zeros are zeros."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="words of the rows to look at; default: all rows")
    parser.add_argument(
        "--minutes", type=float, default=10.0, help="each row gets its share, and one turn at least"
    )
    parser.add_argument("--samples", type=positive, default=100, metavar="N", help="of a run at a bad endpoint")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    options = parser.parse_args()
    names = options.names or [""]
    rows = [row for row in every_row(options.samples) if any(name in row[0] for name in names)]
    struck = [name for name in STRIKES if any(word in name for word in names)]
    if not rows and not struck:
        parser.error(f"no row has {' or '.join(names)} in its name")
    print(f"{machine()}; load {load():.1f} before; seed {options.seed}\n")
    print("| trouble | strikes | lost | counted twice | failed without fault | paid twice | without words |")
    print("|---|---|---|---|---|---|---|")
    end = time.monotonic() + 60 * options.minutes
    good = True
    for number, (name, strike, count) in enumerate(rows):
        now = time.monotonic()
        until = now + max(0.0, end - now) / (len(rows) - number)
        try:
            row = total(strike(chance) for chance in turns(name, options.seed, count, until))
        except CouldNotLook as e:
            print(f"| {name} | could not look: {e} | | | | | |", flush=True)
            continue
        print(f"| {name} | {' | '.join(map(str, astuple(row)))} |", flush=True)
        good = good and row.is_good and row.strikes > 0
    print("\n| strike | tried | held |\n|---|---|---|")
    for name in struck:
        try:
            found = STRIKES[name](random.Random(f"{options.seed} {name}"))
        except CouldNotLook as e:
            print(f"| {name} | could not look: {e} | |", flush=True)
            continue
        print(f"| {name} | {found.tried} | {found.held} |", flush=True)
        good = good and found.tried == found.held > 0
    return 0 if good else 1


def every_row(samples: int) -> Iterator[tuple[str, Strike, int]]:
    """Name, strike and number of turns of every row, those that take longest last."""
    for name, strike in endpoints.strikes(samples):
        yield name, strike, 1
    for name, (strike, count) in _KINDS.items():
        yield name, strike, count


if __name__ == "__main__":
    sys.exit(main())
