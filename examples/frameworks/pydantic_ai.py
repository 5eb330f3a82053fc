"""An agent of Pydantic AI (pip install 'pydantic-ai-slim[openai]') takes a trial.

export MODEL_URL=http://localhost:8000/v1 MODEL_NAME=my-model MODEL_KEY=…
worktrial run starter --agent python:examples/frameworks/pydantic_ai.py:agent -o runs/pydantic-ai
"""

import os

from pydantic_ai import Agent, Tool, UsageLimits
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


async def agent(assignment):
    def tool(spec):
        async def call(**arguments):
            return await assignment.call(spec["name"], arguments)

        return Tool.from_schema(call, spec["name"], spec["description"], spec["parameters"])

    provider = OpenAIProvider(base_url=os.environ["MODEL_URL"], api_key=os.environ.get("MODEL_KEY", "none"))
    worker = Agent(
        OpenAIChatModel(os.environ["MODEL_NAME"], provider=provider),
        instructions=f"It is {assignment.clock}. Do the task with the tools, then report.",
        tools=[tool(one["function"]) for one in assignment.tools],
    )
    done = await worker.run(assignment.instruction, usage_limits=UsageLimits(request_limit=60))
    return done.output
