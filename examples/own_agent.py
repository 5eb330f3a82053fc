"""An agent of one's own: a bare tool loop against any OpenAI-compatible endpoint.

    export MODEL_URL=http://localhost:8000/v1 MODEL_NAME=my-model
    worktrial run starter --agent python:examples/own_agent.py:agent -o runs/own

Swap the loop for your framework: all that counts is `await assignment.call(tool, arguments)` and the answer.
"""

import json
import os

import aiohttp

from worktrial.agents.assignment import Assignment


async def agent(assignment: Assignment) -> str:
    """Work on the assignment; the returned text is the final answer."""
    messages = [
        {"role": "system", "content": f"It is {assignment.clock}. Do the task with the tools, then report."},
        {"role": "user", "content": assignment.instruction},
    ]
    async with aiohttp.ClientSession() as session:
        for _ in range(30):
            message = await ask(session, messages, assignment.tools)
            messages.append(message)
            if not message.get("tool_calls"):
                return message.get("content") or ""
            for call in message["tool_calls"]:
                arguments = json.loads(call["function"]["arguments"] or "{}")
                seen = await assignment.call(call["function"]["name"], arguments)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(seen)})
    return "I did not finish in 30 turns."


async def ask(session: aiohttp.ClientSession, messages: list[dict], tools: list[dict]) -> dict:
    """One request; a real agent would also retry."""
    body = {"model": os.environ["MODEL_NAME"], "messages": messages, "tools": tools}
    async with session.post(os.environ["MODEL_URL"] + "/chat/completions", json=body) as response:
        response.raise_for_status()
        return (await response.json())["choices"][0]["message"]
