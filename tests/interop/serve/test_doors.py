"""One task through every door: the same verdict, calls and fault ledger as the plan agent's in process."""

import asyncio
import os
import shlex
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from mcp.client.client import Client
from tests.support.plan_driver import Call, follow_plan, starter_tasks, what_counts
from tests.support.served import served

import worktrial as wt
from worktrial.agents.assignment import Assignment
from worktrial.language import JsonValue
from worktrial.results.fault_metrics import sample_faults, total

SAMPLE = "returns-01"
CONDITIONS = ["E0", "E2"]
STAND_IN = Path(__file__).parents[2] / "support" / "stand_in_cli.py"

Door = Callable[[Path, str], Awaitable[None]]
"""Follows the plan of `SAMPLE` through a door, under a condition, in a run that is stored in a folder."""


async def own_function(out: Path, condition: str) -> None:
    async def agent(assignment: Assignment) -> str:
        return await follow_plan(SAMPLE, assignment.call)

    await wt.run_async("starter", agent, out=out, tasks=[SAMPLE], faults=condition)


ISOLATED = """
import asyncio
from worktrial.agents.plan import Plan, PlanBroken, follow
from worktrial.workplaces import Observation, Origin, Trajectory

# In its box there are no solutions, so it brings one along.
PLAN = Plan.model_validate_json({plan!r})

def agent(assignment):
    class Door:
        async def call(self, tool, arguments):
            return Observation(assignment.call(tool, arguments), Origin.EXECUTABLE)

    done = Trajectory()
    try:
        asyncio.run(follow(PLAN, Door(), trajectory=done))
    except PlanBroken as e:
        return f"The plan could not be carried out: {{e.detail}}"
    return done.answer
"""


async def plain_function(out: Path, condition: str, **options: Any) -> None:
    """One that is not async, in a thread of its own; or in a process of its own, with `isolate`."""
    place = out.with_name("plain_agent.py")
    place.write_text(ISOLATED.format(plan=starter_tasks()[SAMPLE].plan_alone.model_dump_json(by_alias=True)))
    agent = f"python:{place}:agent"
    await wt.run_async("starter", agent, out=out, tasks=[SAMPLE], faults=condition, **options)


async def isolated_function(out: Path, condition: str) -> None:
    await plain_function(out, condition, isolate=True)


def program(behaviour: str, where: str) -> Door:
    async def door(out: Path, condition: str) -> None:
        words = [sys.executable, str(STAND_IN), behaviour, where, "{prompt}"]
        await wt.run_async("starter", f"command:{shlex.join(words)}", out=out, tasks=[SAMPLE], faults=condition)

    return door


# A program of the preset's name, which finds its server where the preset says it is.
CLAUDE = """#!{python}
import runpy, sys
config = sys.argv[sys.argv.index("--mcp-config") + 1]
prompt = next(word for word in sys.argv if "finish_work" in word)
sys.argv[1:] = ["answers in json", config, prompt]
runpy.run_path({stand_in!r}, run_name="__main__")
"""


async def preset(out: Path, condition: str) -> None:
    place = out.with_name("bin") / "claude"
    place.parent.mkdir()
    place.write_text(CLAUDE.format(python=sys.executable, stand_in=str(STAND_IN)))
    place.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{place.parent}{os.pathsep}{os.environ['PATH']}")
        await wt.run_async("starter", "cli:claude", out=out, tasks=[SAMPLE], faults=condition)


async def service(out: Path, condition: str) -> None:
    async def agent(request: web.Request) -> web.Response:
        given = await request.json()
        async with aiohttp.ClientSession() as session:

            async def call(tool: str, arguments: JsonValue) -> Any:
                async with session.post(given["calls"], json={"tool": tool, "arguments": arguments}) as answer:
                    return (await answer.json())["observation"]

            return web.json_response({"answer": await follow_plan(SAMPLE, call)})

    app = web.Application()
    app.router.add_post("/agent", agent)
    async with TestServer(app) as server:
        address = str(server.make_url("/agent"))
        await wt.run_async("starter", address, out=out, tasks=[SAMPLE], faults=condition)


async def python_episode(out: Path, condition: str) -> None:
    async with wt.episode("starter", SAMPLE, faults=condition, out=out) as episode:

        async def call(tool: str, arguments: JsonValue) -> Any:
            return (await episode.call(tool, arguments)).content

        await episode.finish(await follow_plan(SAMPLE, call))


async def over_http(out: Path, condition: str) -> None:
    with served(out, "--tasks", SAMPLE, "--faults", condition) as server:
        opened = server.open(sample=SAMPLE, condition=condition)
        async with aiohttp.ClientSession(f"{server.url}/episodes/{opened['episode']}/") as session:

            async def call(tool: str, arguments: JsonValue) -> Any:
                async with session.post("calls", json={"tool": tool, "arguments": arguments}) as answer:
                    return (await answer.json())["observation"]

            answer = await follow_plan(SAMPLE, call)
            async with session.post("finish", json={"answer": answer}) as said:
                assert said.status == 200


def over_mcp(age: str, *, by_tool: bool) -> Door:
    async def door(out: Path, condition: str) -> None:
        with served(out, "--tasks", SAMPLE, "--faults", condition) as server:
            opened = server.open()
            async with Client(opened["mcp"], mode=age) as client:
                answer = await follow_plan(SAMPLE, calls_of(client))
                if by_tool:
                    await client.call_tool("finish_work", {"answer": answer})
            status, verdict = server.finish(opened, answer)
            assert (status, verdict["answered_by"]) == (200, "tool" if by_tool else "driver")

    return door


def calls_of(client: Client) -> Call:
    async def call(tool: str, arguments: JsonValue) -> Any:
        assert isinstance(arguments, dict)
        seen = await client.call_tool(tool, arguments)
        assert seen.is_error == ("error" in seen.structured_content)
        return seen.structured_content

    return call


DOORS: dict[str, Door] = {
    "own function": own_function,
    "plain function": plain_function,
    "function in a process of its own": isolated_function,
    "program": program("answers", "{mcp_url}"),
    "program, answer by tool": program("hands in", "{mcp_config}"),
    "cli:claude, a stand-in": preset,
    "service": service,
    "wt.episode": python_episode,
    "http": over_http,
    "mcp, with a handshake": over_mcp("legacy", by_tool=False),
    "mcp, of today": over_mcp("auto", by_tool=False),
    "mcp, answer by tool": over_mcp("auto", by_tool=True),
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    out = tmp_path_factory.mktemp("plan") / "run"
    run = wt.run("starter", "plan", out=out, tasks=[SAMPLE], faults=",".join(CONDITIONS))
    found = {record.condition: what_counts(record, run.trajectory(*record.key)) for record in run.run.records}
    # A comparison with a sample that meets no fault would show little.
    assert found["E2"]["fault_ledger"]
    assert found["E0"]["calls"]
    return found


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("name", DOORS)
def test_a_task_is_the_same_through_every_door(
    name: str, condition: str, tmp_path: Path, expected: dict[str, Any]
) -> None:
    out = tmp_path / "run"
    asyncio.run(DOORS[name](out, condition))
    run = wt.load(out)
    (record,) = run.run.records
    assert what_counts(record, run.trajectory(*record.key)) == expected[condition]


@pytest.mark.parametrize("name", ["own function", "cli:claude, a stand-in", "mcp, of today"])
def test_what_is_asked_again_after_a_fault_is_told_through_every_door(name: str, tmp_path: Path) -> None:
    """Of a program that told its turns, nothing was ever asked again: its calls counted as those of one message."""
    plan = wt.run("starter", "plan", out=tmp_path / "plan", tasks=[SAMPLE], faults="E1")
    asyncio.run(DOORS[name](tmp_path / "run", "E1"))
    expected, found = (total(sample_faults(run.run).values()).explicit for run in (plan, wt.load(tmp_path / "run")))
    assert found == expected and found.asked_again > 0
