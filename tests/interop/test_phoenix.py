"""Arize Phoenix is sent a run's spans, and asked for them: every one has the kind that its page shows."""

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import worktrial as wt

THEIRS = os.environ.get("WORKTRIAL_INTEROP_PYTHON", "")

pytestmark = pytest.mark.skipif("phoenix" not in THEIRS, reason="make test-interop names Phoenix's Python")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder, port = tmp_path_factory.mktemp("phoenix"), free_port()
    given = {
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(free_port()),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    with (folder / "log").open("w") as log:
        words = [THEIRS, "-I", "-m", "phoenix.server.main", "serve"]
        process = subprocess.Popen(words, env={**os.environ, **given}, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 300
        while True:
            try:
                asked(f"{address}/healthz")
                break
            except OSError:
                assert process.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()[-2000:]
                time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        process.wait()


def asked(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=30) as reply:
        return bytes(reply.read())


def test_every_span_has_a_kind_and_says_what_happened(phoenix: str, tmp_path: Path) -> None:
    ran = wt.run(
        "starter", "plan", tasks=["lab-01"], faults="E2", out=tmp_path / "run", otlp=phoenix, trace_content=True
    )
    (record,) = ran.run.records
    wanted = 2 + record.calls
    spans: list[dict[str, Any]] = []
    deadline = time.monotonic() + 60
    while len(spans) < wanted and time.monotonic() < deadline:
        spans = json.loads(asked(f"{phoenix}/v1/projects/default/spans?limit=100"))["data"]
        time.sleep(0.5)
    kinds = sorted(span["span_kind"] for span in spans)
    assert kinds == sorted(["CHAIN", "AGENT", *["TOOL"] * record.calls])
    root = next(span for span in spans if span["span_kind"] == "CHAIN")
    assert root["parent_id"] is None and root["attributes"]["worktrial.outcome"] == record.outcome.value
    agent = next(span for span in spans if span["span_kind"] == "AGENT")
    verdict = next(event for event in agent["events"] if event["name"] == "gen_ai.evaluation.result")
    assert verdict["attributes"]["gen_ai.evaluation.score.label"] == record.outcome.value
    faults = [event for span in spans for event in span["events"] if event["name"] == "worktrial.fault"]
    assert len(faults) == len(record.fault_ledger) > 0
