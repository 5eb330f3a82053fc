"""An agent of the OpenAI Agents SDK (pip install openai-agents) takes a trial.

export MODEL_URL=http://localhost:8000/v1 MODEL_NAME=my-model MODEL_KEY=…
worktrial run starter --agent python:examples/frameworks/openai_agents.py:agent -o runs/openai-agents
"""

import json
import os

from openai import AsyncOpenAI

from agents import Agent, FunctionTool, OpenAIChatCompletionsModel, Runner, set_tracing_disabled

set_tracing_disabled(True)  # traces would be sent away


async def agent(assignment):
    def tool(spec):
        async def call(context, arguments):
            return json.dumps(await assignment.call(spec["name"], json.loads(arguments or "{}")))

        # The strict form of a schema asks for every argument, those that may be left out, too.
        return FunctionTool(spec["name"], spec["description"], spec["parameters"], call, strict_json_schema=False)

    client = AsyncOpenAI(base_url=os.environ["MODEL_URL"], api_key=os.environ.get("MODEL_KEY", "none"))
    worker = Agent(
        "worker",
        instructions=f"It is {assignment.clock}. Do the task with the tools, then report.",
        tools=[tool(one["function"]) for one in assignment.tools],
        model=OpenAIChatCompletionsModel(os.environ["MODEL_NAME"], client),
    )
    done = await Runner.run(worker, assignment.instruction, max_turns=60)
    return str(done.final_output)
