"""The scripted server as a process."""

import argparse
import ast
import asyncio
import gc
import importlib
import os
import signal
import threading
from typing import Any, cast

from tests.support.combinators import First
from tests.support.request import Role
from tests.support.script import Script, Step
from tests.support.service import Service

_SHELVES = (
    "behaviours",
    "agent_behaviours",
    "simulator_behaviours",
    "judge_behaviours",
    "folder_author",
    "happy",
    "team",
    "library_clerk",
)


def main() -> None:
    """Serve until a signal, or until stdin closes."""
    options = _parser().parse_args()
    # Requests that wait for their latency are no garbage, and looking through them would make answers late.
    gc.freeze()
    gc.set_threshold(1_000_000)
    script = Script(
        **steps_by_role(options.script),
        tool_calls=options.tool_calls,
        latency={
            role.value: (options.latency_ms if own is None else own) / 1000
            for role in Role
            for own in [getattr(options, f"{role.value}_latency_ms")]
        },
        burst_429=options.burst_429,
        usage=not options.no_usage,
    )
    asyncio.run(_serve(Service(script, keep_requests=False), options.port, options.until_stdin_closes))


def steps_by_role(words: list[str]) -> dict[str, Any]:
    """Steps from words such as `judge:prose`, `judge:HappyJudge(pass_share=0.6)`, `agent:Status(429, times=120)`.

    Raises:
        ValueError: a word names no role or no behaviour.
    """
    steps: dict[str, list[Step]] = {}
    for word in words:
        role, _, call = word.partition(":")
        if role not in list(Role):
            raise ValueError(f"{word!r}: must start with one of {', '.join(Role)} and a colon")
        steps.setdefault(role, []).append(_step(call))
    return steps


def _step(text: str) -> Step:
    tree = ast.parse(text, mode="eval").body
    arguments = []
    options = {}
    if isinstance(tree, ast.Call):
        arguments = [ast.literal_eval(a) for a in tree.args]
        options = {k.arg: ast.literal_eval(k.value) for k in tree.keywords if k.arg is not None}
        tree = tree.func
    found = _named(ast.unparse(tree))
    if isinstance(found, type):
        return cast(Step, found(*arguments, **options))
    return First(found, **options) if options else cast(Step, found)


def _named(name: str) -> Any:
    for shelf in _SHELVES:
        found = getattr(importlib.import_module(f"tests.support.{shelf}"), name, None)
        if callable(found):
            return found
    raise ValueError(f"no behaviour is called {name!r}; they are defined in tests/support/*behaviours.py")


async def _serve(service: Service, port: int, until_stdin_closes: bool) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    if until_stdin_closes:
        threading.Thread(target=_await_end_of_stdin, args=(loop, ended), daemon=True).start()
    await service.start(port)
    print(service.url, flush=True)
    await ended.wait()
    await service.stop()
    if service.trouble:
        raise service.trouble[0]


def _await_end_of_stdin(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    # Not through sys.stdin: a thread that waits inside its buffer blocks the interpreter's exit.
    while os.read(0, 4096):
        pass
    if not loop.is_closed():
        loop.call_soon_threadsafe(ended.set)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.support.scripted_server",
        description="A scripted OpenAI-compatible server; prints its base URL as the first line.",
    )
    parser.add_argument("--port", type=int, default=0, help="0 for a free one")
    parser.add_argument("--latency-ms", type=float, default=0.0, help="before every reply")
    for role in Role:
        parser.add_argument(
            f"--{role.value}-latency-ms", type=float, help=f"before every reply to the {role.value}"
        )
    parser.add_argument(
        "--tool-calls", type=int, default=2, help="tool results an agent collects before it answers"
    )
    parser.add_argument("--burst-429", type=int, default=0, help="the first so many requests are answered 429")
    parser.add_argument("--no-usage", action="store_true", help="report no tokens")
    parser.add_argument(
        "--script",
        nargs="+",
        action="extend",
        default=[],
        metavar="ROLE:NAME",
        help="steps, such as judge:prose or 'agent:Status(429, times=9)'",
    )
    parser.add_argument("--until-stdin-closes", action="store_true", help="end when stdin does")
    return parser
