"""Running a downloader as a child process while watching how much has arrived."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from worktrial.sandbox.child import usual_environment

Progress = Callable[[int, int, str], None]
"""`(done_bytes, total_bytes, what)`"""

_LOOK_EVERY = 0.25
_NETWORK = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PYTHONPATH"),
)


class FetchFailed(Exception):
    """A source could not deliver; the message says why briefly."""


def download_environment(prefix: str) -> dict[str, str]:
    """All that a downloader is given: the usual, how to reach the network, and its own settings.

    Args:
        prefix: Beginning of the names of its own settings.
    """
    return usual_environment(*_NETWORK, *(name for name in os.environ if name.startswith(prefix)))


def run_watched(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    arrived: Callable[[int], None],
    *,
    stall_seconds: float = 180.0,
) -> None:
    """Run `command`, which writes below `folder`, and report the bytes there as they grow.

    Raises:
        FetchFailed: the command failed, or nothing arrived for `stall_seconds`.
    """
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(
            list(command), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=dict(environment)
        )
        try:
            _watch(child, folder, arrived, stall_seconds)
        finally:
            if child.poll() is None:
                child.kill()
                child.wait()
        if child.returncode != 0:
            log.seek(0)
            raise FetchFailed(_last_words(log.read().decode("utf-8", "replace")))


def _watch(
    child: "subprocess.Popen[bytes]", folder: Path, arrived: Callable[[int], None], stall_seconds: float
) -> None:
    seen = -1
    since = time.monotonic()
    while True:
        try:
            child.wait(timeout=_LOOK_EVERY)
        except subprocess.TimeoutExpired:
            now = _bytes_below(folder)
            if now != seen:
                seen, since = now, time.monotonic()
                arrived(now)
            elif time.monotonic() - since > stall_seconds:
                raise FetchFailed(f"nothing arrived for {stall_seconds:.0f} s") from None
        else:
            return


def _bytes_below(folder: Path) -> int:
    total = 0
    # The downloader renames and removes its files while we look.
    for place, _, files in os.walk(folder):
        for name in files:
            with suppress(FileNotFoundError):
                total += (Path(place) / name).stat().st_size
    return total


def _last_words(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return (" / ".join(lines[-2:]) or "the downloader failed without a word")[-400:]
