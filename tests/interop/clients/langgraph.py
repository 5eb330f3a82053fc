"""An agent of LangChain that has its tools over MCP; runs in an environment of its own."""

import asyncio
import json
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI


async def main() -> None:
    task = json.loads(sys.stdin.read())
    client = MultiServerMCPClient({"work": {"transport": "streamable_http", "url": task["mcp"]}})
    model = ChatOpenAI(model="agent-1", base_url=task["model_url"], api_key="none")
    worker = create_agent(model, await client.get_tools(), system_prompt="Do the task with the tools.")
    done = await worker.ainvoke({"messages": [("user", task["instruction"])]}, {"recursion_limit": 120})
    print(done["messages"][-1].text)


asyncio.run(main())
