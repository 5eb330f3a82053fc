"""What a step of OpenEnv costs the server, beside an environment that answers each with the same observation.

    .interop/openenv/bin/python -m benchmarks.openenv_step [--steps 300] [--times 5]

Runs in the environment that `make test-interop NAME=openenv` makes, with a wheel of ours lying open on the path:
OpenEnv does not go together with the MCP SDK of the other doors. Figures are milliseconds of the server process's
CPU for a step, least (median) of several turns that the two servers take one after the other.
"""

import argparse
import asyncio
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import uvicorn
from openenv.core.env_server import Environment, State, create_fastapi_app
from openenv.core.generic_client import GenericEnvClient

from benchmarks.inside import CALL, SAMPLE, in_process_after_a_wait, observation
from worktrial.interop.openenv import WorkplaceAction, WorkplaceObservation

ROOT = Path(__file__).parents[1]
STEP = {"tool": CALL[0], "arguments": CALL[1]}
LIMIT = 1.25


class EchoEnvironment(Environment):  # type: ignore[misc]
    """Answers every step alike."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, content: Any) -> None:
        super().__init__()
        self._content = content

    async def reset_async(self, seed: int | None = None, episode_id: str | None = None) -> WorkplaceObservation:
        return WorkplaceObservation()

    async def step_async(self, action: WorkplaceAction) -> WorkplaceObservation:
        return WorkplaceObservation(content=self._content)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **given: Any) -> WorkplaceObservation:
        raise NotImplementedError

    def step(self, action: WorkplaceAction, timeout_s: float | None = None, **given: Any) -> WorkplaceObservation:
        raise NotImplementedError

    @property
    def state(self) -> State:
        return State()


def echo(content: str) -> None:
    """Serve the echo environment until the process is ended."""
    seen = json.loads(content)
    app = create_fastapi_app(
        lambda: EchoEnvironment(seen), WorkplaceAction, WorkplaceObservation, max_concurrent_envs=10
    )
    with socket.socket(proto=socket.IPPROTO_TCP) as at:  # see `worktrial.interop.serve.server`
        at.bind(("127.0.0.1", 0))
        at.listen()
        print(f"http://127.0.0.1:{at.getsockname()[1]}", flush=True)
        config = uvicorn.Config(app, access_log=False, log_level="error", server_header=False, proxy_headers=False)
        asyncio.run(uvicorn.Server(config).serve([at]))


@contextlib.contextmanager
def server(*words: str) -> "Iterator[tuple[str, int]]":
    """Address and process id of a server."""
    command = [sys.executable, "-m", *words]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process.pid
    finally:
        process.kill()
        process.communicate()


def cpu(pid: int) -> float:
    """Seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def turn(address: str, pid: int, steps: int) -> float:
    """Milliseconds of the server's CPU for a step, `reset` left out."""
    async with GenericEnvClient(base_url=address) as env:
        await env.reset()
        for _ in range(5):
            await env.step(STEP)
        before = cpu(pid)
        for _ in range(steps):
            seen = await env.step(STEP)
            assert seen.observation["content"] and not seen.done
        return (cpu(pid) - before) / steps * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--echo", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.echo is not None:
        echo(asked.echo)
        return 0
    seen = json.dumps(asyncio.run(observation()))
    found: dict[str, list[float]] = {"step": [], "echo": [], "call in process, after a wait": []}
    with tempfile.TemporaryDirectory() as out, contextlib.ExitStack() as up:
        words = (
            "worktrial",
            "serve",
            "starter",
            "--openenv",
            "--tasks",
            SAMPLE,
            "--repeats",
            "100",
            "-o",
            f"{out}/run",
        )
        servers = {
            "step": up.enter_context(server(*words, "-o", f"{out}/run")),
            "echo": up.enter_context(server("benchmarks.openenv_step", "--echo", seen)),
        }
        for _ in range(asked.times):
            for name, (address, pid) in servers.items():
                found[name].append(asyncio.run(turn(address, pid, asked.steps)))
            found["call in process, after a wait"].append(asyncio.run(in_process_after_a_wait(asked.steps)))
    for name, values in found.items():
        print(f"{name}: {min(values):.3f} ({statistics.median(values):.3f}) ms")
    ratio = min(found["step"]) / min(found["echo"])
    print(f"x{ratio:.2f}, limit x{LIMIT}, load {os.getloadavg()[0]:.1f}")
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
