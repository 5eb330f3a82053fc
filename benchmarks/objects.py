"""Measure what a run in an object store asks of the store, a stand-in for S3 on loopback: requests and bytes.

The run is the starter suite's by code; the product runs through its command line in child processes. Limits are of
requests per 1,000 samples; CPU is that of the whole command, beside the same command into a folder, in turn.
"""

import argparse
import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.support.object_server import ObjectServer, object_server

from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed, Measured, measure
from benchmarks.rows import Row, exit_if_missed, plain, print_table
from worktrial.stores.bucket import Bucket

PRODUCT = str(Path(sysconfig.get_path("scripts")) / "worktrial")
BUCKET = "measured-trials"
MOST = 20  # requests per 1,000 samples


def machine_of(place: Path) -> None:
    """Let commands keep their state and cache in `place`, as on a machine of its own."""
    os.environ |= {"XDG_STATE_HOME": str(place / "state"), "XDG_CACHE_HOME": str(place / "cache")}


def asked(server: ObjectServer, samples: int, name: str, words: Sequence[str]) -> tuple[Row, Measured]:
    """Row of the requests that a command sends."""
    server.calm()
    done = measure([PRODUCT, *words])
    requests = server.requests.total()
    said = " ".join(f"{count} {method}" for method, count in sorted(server.requests.items()))
    per = 1000 * requests / samples
    figure = f"{requests} ({said}): {per:.1f} per 1,000 samples"
    return Row(f"{name}: requests", figure, "", f"<= {MOST} per 1,000", per <= MOST), done


def rows_of(server: ObjectServer, place: Path, repeats: int, repetitions: int) -> Iterator[Row]:
    """Rows of a run that is written, gone on with and read elsewhere."""
    run = ["run", "starter", "--agent", "plan", "--repeats", str(repeats)]
    plain_run, address = place / "plain", f"s3://{BUCKET}/run"
    folders, stores = [], []
    machine_of(place / "first")
    for number in range(repetitions):
        folder = plain_run if number == 0 else place / f"plain-{number}"
        folders.append(measure([PRODUCT, *run, "-o", str(folder)]))
        samples = (folder / "samples.jsonl").read_bytes().count(b"\n")
        there = address if number == 0 else f"{address}-{number}"
        row, done = asked(server, samples, f"a run of {samples:,} samples", [*run, "-o", there])
        stores.append(done)
        if number == 0:
            yield row
    yield plain(
        "the run: CPU, beside the same into a folder", [d.cpu for d in stores], "s", bare=[d.cpu for d in folders]
    )
    yield asked(server, samples, "the same command again", [*run, "-o", address])[0]
    machine_of(place / "second")
    yield asked(server, samples, "the same command on another machine", [*run, "-o", address])[0]
    machine_of(place / "third")
    yield asked(server, samples, "`show`, nothing in the cache", ["show", address])[0]
    yield asked(server, samples, "`show` again", ["show", address])[0]
    task = ["trajectory", address, "lab-01", "--repeat", str(repeats - 1)]
    yield asked(server, samples, "`trajectory`", task)[0]
    report = ["report", address, "-o", str(place / "r")]
    yield asked(server, samples, "`report`, with the records in the cache", report)[0]
    kept = place / "pulled"
    measure([PRODUCT, "pull", address, "-o", str(kept)])
    lines = sum((kept / name).stat().st_size for name in ("samples.jsonl", "trajectories.jsonl"))
    stored = sum(found.size for found in Bucket(address).names().values())
    yield Row("bytes in the store", f"{stored / lines:.1%} of the folder's {lines / 1e6:.1f} MB")


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.objects", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3, help="Of the run. Default: 3.")
    parser.add_argument("--repeats", type=int, default=20, help="Of each of the suite's 53 tasks. Default: 20.")
    given = parser.parse_args(words)
    load_before = load()
    rows: list[Row] = []
    try:
        with tempfile.TemporaryDirectory() as folder, object_server(BUCKET) as server:
            os.environ |= {
                "AWS_ACCESS_KEY_ID": "measured",
                "AWS_SECRET_ACCESS_KEY": "measured",
                "AWS_REGION": "us-east-1",
                "AWS_ENDPOINT_URL": server.url,
                "AWS_ALLOW_HTTP": "true",
            }
            rows += rows_of(server, Path(folder), given.repeats, given.repetitions)
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    print_table(f"{machine()}; load {load_before:.1f} before; least (median) of {given.repetitions} runs", rows)
    exit_if_missed(rows)


if __name__ == "__main__":
    main()
