"""An agent of the OpenAI Agents SDK that has its tools over MCP; runs in an environment of its own."""

import asyncio
import json
import sys

from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled


async def main() -> None:
    task = json.loads(sys.stdin.read())
    set_tracing_disabled(True)
    model = OpenAIChatCompletionsModel("agent-1", AsyncOpenAI(base_url=task["model_url"], api_key="none"))
    async with MCPServerStreamableHttp({"url": task["mcp"]}, cache_tools_list=True) as server:
        worker = Agent("worker", instructions="Do the task with the tools.", mcp_servers=[server], model=model)
        done = await Runner.run(worker, task["instruction"], max_turns=60)
    print(done.final_output)


asyncio.run(main())
