"""Measure what runs and archives in an object store ask of the store, a stand-in for S3 on loopback.

The run is the starter suite's by code, the archive that of the digital bulletins of the published data; the product
runs through its command line in child processes. Limits are of requests per 1,000 samples or pages; CPU is that of
the whole command, beside the same command into a folder, in turn.
"""

import argparse
import os
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.support.data import real_data_dir
from tests.support.object_server import ObjectServer, object_server

from benchmarks.machine import load, machine
from benchmarks.measured import CommandFailed, Measured, measure
from benchmarks.rows import Row, exit_if_missed, plain, print_table
from worktrial.engine.records import SAMPLES
from worktrial.engine.segments import WORK
from worktrial.stores.archives import open_archive
from worktrial.stores.bucket import Bucket

PRODUCT = str(Path(sysconfig.get_path("scripts")) / "worktrial")
BUCKET = "measured-trials"
MOST = 20  # requests per 1,000 samples or pages
_DIGITAL = ("1998", "20")  # years of bulletins that are no scans


def machine_of(place: Path) -> None:
    """Let commands keep their state and cache in `place`, as on a machine of its own."""
    os.environ |= {"XDG_STATE_HOME": str(place / "state"), "XDG_CACHE_HOME": str(place / "cache")}


def asked(
    server: ObjectServer, count: int, name: str, words: Sequence[str], what: str = "samples"
) -> tuple[Row, Measured]:
    """Row of the requests that a command sends, for so many samples or pages."""
    server.calm()
    done = measure([PRODUCT, *words])
    requests = server.requests.total()
    said = " ".join(f"{number} {method}" for method, number in sorted(server.requests.items()))
    per = 1000 * requests / count
    figure = f"{requests} ({said}): {per:.1f} per 1,000 {what}"
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
    lines = sum(path.stat().st_size for path in (kept / SAMPLES, *(kept / WORK).iterdir()))
    stored = sum(found.size for found in Bucket(address).names().values())
    yield Row("bytes in the store", f"{stored / lines:.1%} of the folder's {lines / 1e6:.1f} MB")


def digital() -> list[str]:
    """Bulletins of the published data that are no scans."""
    pdfs = (real_data_dir() / "officeqa" / "pdfs").glob("*.pdf")
    return [str(path) for path in sorted(pdfs) if path.stem.split("_")[2].startswith(_DIGITAL)]


def archive_rows(server: ObjectServer, place: Path) -> Iterator[Row]:
    """Rows of an archive that is built, gone on with and read elsewhere."""
    build = ["archive", "build", *digital(), "--ocr", "never", "--workers", "2"]
    folder, address = place / "archive", f"s3://{BUCKET}/archive"
    machine_of(place / "archive-first")
    plain_build = measure([PRODUCT, *build, "-o", str(folder)])
    documents = [record for record in open_archive(folder).documents if record.readable]
    pages, one = sum(record.pages for record in documents), documents[-1]

    def row(name: str, words: Sequence[str]) -> tuple[Row, Measured]:
        return asked(server, pages, name, words, "pages")

    found, done = row(f"an archive of {len(documents)} documents, {pages:,} pages", [*build, "-o", address])
    yield found
    yield plain("the build: CPU, beside the same into a folder", [done.cpu], "s", bare=[plain_build.cpu])
    yield row("the same command again", [*build, "-o", address])[0]
    machine_of(place / "archive-second")
    yield row("the same command on another machine", [*build, "-o", address])[0]
    machine_of(place / "archive-third")
    for name, page in (
        ("a page", one.pages // 2),
        ("the page after it", one.pages // 2 + 1),
        ("the first page", 1),
    ):
        yield row(f"`archive show`, {name}", ["archive", "show", address, f"{one.name}:{page}"])[0]
    yield row("`archive search`", ["archive", "search", address, "gross public debt"])[0]
    yield row("`archive search` again", ["archive", "search", address, "gross public debt"])[0]
    yield row("`pull`", ["pull", address, "-o", str(place / "pulled-archive")])[0]
    kept = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    stored = sum(found.size for name, found in Bucket(address).names().items())
    yield Row("bytes in the store", f"{stored / kept:.1%} of the folder's {kept / 1e6:.1f} MB")


def main(words: Sequence[str] | None = None) -> None:
    """Measure, print the table, and exit with 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.objects", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=3, help="Of the run. Default: 3.")
    parser.add_argument("--repeats", type=int, default=20, help="Of each of the suite's 53 tasks. Default: 20.")
    parser.add_argument("--of", choices=("run", "archive"), help="Measure only one of them.")
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
            if given.of in (None, "run"):
                rows += rows_of(server, Path(folder), given.repeats, given.repetitions)
            if given.of in (None, "archive"):
                rows += archive_rows(server, Path(folder))
    except (CommandFailed, OSError, ValueError) as e:
        sys.exit(f"benchmarks: {e}")
    print_table(f"{machine()}; load {load_before:.1f} before; least (median) of {given.repetitions} runs", rows)
    exit_if_missed(rows)


if __name__ == "__main__":
    main()
