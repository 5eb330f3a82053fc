"""A program that stands in for a command-line agent: it speaks MCP, does a starter task, and behaves as it is told.

Run as `stand_in_cli.py BEHAVIOUR MCP PROMPT`, where MCP is an address, or a file of servers.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from mcp.client.client import Client  # noqa: E402
from tests.support.plan_driver import follow_plan, starter_tasks  # noqa: E402


async def work(address: str, prompt: str, by_tool: bool) -> str:
    sample = next(name for name, task in starter_tasks().items() if task.instruction.strip() in prompt)
    async with Client(address) as client:

        async def call(tool: str, arguments: Any) -> Any:
            return (await client.call_tool(tool, arguments)).structured_content

        answer = await follow_plan(sample, call)
        if by_tool:
            await client.call_tool("finish_work", {"answer": answer})
    return answer


async def look(address: str) -> None:
    """Ask for the tools, and call none."""
    async with Client(address) as client:
        await client.list_tools()


def main(behaviour: str, where: str, prompt: str) -> None:
    address = where
    if not where.startswith("http"):
        address = json.loads(Path(where).read_text())["mcpServers"]["worktrial"]["url"]
    prompt = prompt or sys.stdin.read()
    print(f"at work in {Path.cwd()} with {[*Path.cwd().iterdir()]}", file=sys.stderr)
    print(f"variables {sorted(os.environ)}", file=sys.stderr)
    if "SECRET_WORD" in os.environ:
        print(f"told {os.environ['SECRET_WORD']}", file=sys.stderr)
    match behaviour:
        case "answers":
            print(asyncio.run(work(address, prompt, by_tool=False)))
        case "answers in json":
            print(json.dumps({"type": "system"}))
            answer = asyncio.run(work(address, prompt, by_tool=False))
            print(json.dumps({"type": "result", "result": answer, "num_turns": 18}))
        case "hands in":
            asyncio.run(work(address, prompt, by_tool=True))
            print("All is done.")
        case "hands in and fails":
            asyncio.run(work(address, prompt, by_tool=True))
            raise SystemExit(3)
        case "exits 3":
            print("no key is set", file=sys.stderr)
            raise SystemExit(3)
        case "never asks":
            print("done")
        case "is refused":
            asyncio.run(look(address))
            print("\x1b[31mthe call needs approval, and nobody is there to give it\x1b[0m", file=sys.stderr)
            print("I could not call anything.")
        case "is silent":
            asyncio.run(look(address))
        case "says no text":
            asyncio.run(look(address))
            sys.stdout.buffer.write(b"\xff\xfe\x00 done")
        case "floods":
            while True:
                print("x" * 1000)
        case "floods the log":
            for _ in range(20_000):
                print("x" * 100, file=sys.stderr)
            print("done")
        case "hangs":
            asyncio.run(look(address))
            _leave_a_child()
            time.sleep(600)
        case "forks":
            asyncio.run(look(address))
            _leave_a_child()
            print("done")


def _leave_a_child() -> None:
    child = os.fork()
    if not child:
        time.sleep(600)
        os._exit(0)
    Path(os.environ["PIDS"]).write_text(f"{os.getpid()} {child}")


if __name__ == "__main__":
    main(*sys.argv[1:3], sys.argv[3] if len(sys.argv) > 3 else "")
