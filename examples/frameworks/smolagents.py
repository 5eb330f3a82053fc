"""An agent of smolagents (pip install 'smolagents[openai]') takes a trial; a plain function, so in a thread.

export MODEL_URL=http://localhost:8000/v1 MODEL_NAME=my-model MODEL_KEY=…
worktrial run starter --agent python:examples/frameworks/smolagents.py:agent -o runs/smolagents
"""

import json
import os

from smolagents import OpenAIServerModel, Tool, ToolCallingAgent

KINDS = ("string", "boolean", "integer", "number", "image", "audio", "array", "object", "any", "null")


def agent(assignment):
    def tool(spec):
        class One(Tool):
            name, description, output_type = spec["name"], spec["description"], "string"
            skip_forward_signature_validation = True
            # Every argument needs one type and a description; what a schema says about them all is dropped.
            inputs = {  # noqa: RUF012
                name: {"description": "-", "nullable": name not in spec["parameters"].get("required", ())}
                | {word: value for word, value in one.items() if word not in ("anyOf", "oneOf", "allOf")}
                | {"type": one["type"] if one.get("type") in KINDS else "any"}
                for name, one in spec["parameters"].get("properties", {}).items()
            }

            def forward(self, **arguments):
                return json.dumps(assignment.call(spec["name"], arguments))

        return One()

    url, key = os.environ["MODEL_URL"], os.environ.get("MODEL_KEY", "none")
    model = OpenAIServerModel(os.environ["MODEL_NAME"], api_base=url, api_key=key)
    tools = [tool(one["function"]) for one in assignment.tools]
    worker = ToolCallingAgent(tools=tools, model=model, max_steps=60)
    return str(worker.run(f"It is {assignment.clock}. {assignment.instruction}"))
