"""An agent of LangChain on LangGraph (pip install langchain langchain-openai) takes a trial.

export MODEL_URL=http://localhost:8000/v1 MODEL_NAME=my-model MODEL_KEY=…
worktrial run starter --agent python:examples/frameworks/langgraph.py:agent -o runs/langgraph
"""

import json
import os

from langchain.agents import create_agent  # it was `create_react_agent` in langgraph.prebuilt before
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI


async def agent(assignment):
    def tool(spec):
        async def call(**arguments):
            return json.dumps(await assignment.call(spec["name"], arguments))

        # A schema is handed through as it is; of a pydantic model much would be lost.
        return StructuredTool(
            name=spec["name"], description=spec["description"], args_schema=spec["parameters"], coroutine=call
        )

    url, key = os.environ["MODEL_URL"], os.environ.get("MODEL_KEY", "none")
    worker = create_agent(
        ChatOpenAI(model=os.environ["MODEL_NAME"], base_url=url, api_key=key),
        [tool(one["function"]) for one in assignment.tools],
        system_prompt=f"It is {assignment.clock}. Do the task with the tools, then report.",
    )
    said = {"messages": [("user", assignment.instruction)]}
    done = await worker.ainvoke(said, {"recursion_limit": 120})
    return done["messages"][-1].text
