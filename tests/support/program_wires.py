"""The wires that agents which are programs speak: read leniently, for what they send is theirs to choose.

Answers go back as on the strict wires of `tests.support.wires`: streamed, with thoughts and signatures.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.support.wire import Body
from tests.support.wires import ForeignWire, Gemini, Messages, Responses


def _text(content: Any) -> str:
    """Text of a message or of a tool's result, in whatever way it is nested."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_text(part) for part in content)
    if isinstance(content, dict):
        return _text(content.get("text") or content.get("output") or content.get("content") or "")
    return ""


def _function(name: str) -> Body:
    return {"type": "function", "function": {"name": name}}


def _call(call_id: Any, name: str) -> Body:
    return {"role": "assistant", "content": None, "tool_calls": [{"id": call_id, **_function(name)}]}


class LenientMessages(Messages):
    def chat_body(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Body:
        messages: list[Body] = [{"role": "system", "content": _text(body.get("system"))}]
        for turn in body["messages"]:
            blocks = turn["content"] if isinstance(turn["content"], list) else [turn["content"]]
            for block in blocks:
                kind = block.get("type") if isinstance(block, dict) else "text"
                if kind == "tool_result":
                    messages.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": _text(block)})
                elif kind == "tool_use":
                    messages.append(_call(block["id"], block["name"]))
                elif kind == "text":
                    messages.append({"role": turn["role"], "content": _text(block)})
        tools = [_function(tool["name"]) for tool in body.get("tools") or ()]
        return {"model": body["model"], "messages": messages, "tools": tools, "stream": body.get("stream", False)}


class LenientGemini(Gemini):
    def chat_body(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Body:
        model = re.fullmatch(r".*/models/(.+):(generateContent|streamGenerateContent)", path)
        assert model is not None
        messages: list[Body] = [
            {"role": "system", "content": _text((body.get("systemInstruction") or {}).get("parts"))}
        ]
        for content in body["contents"]:
            for part in content["parts"]:
                if "functionResponse" in part:
                    result = part["functionResponse"]
                    told = json.dumps(result["response"])
                    messages.append({"role": "tool", "tool_call_id": result.get("id") or "", "content": told})
                elif "functionCall" in part:
                    messages.append(_call(part["functionCall"].get("id"), part["functionCall"]["name"]))
                elif not part.get("thought"):
                    role = "user" if content["role"] == "user" else "assistant"
                    messages.append({"role": role, "content": _text(part)})
        tools = [
            _function(d["name"]) for tool in body.get("tools") or () for d in tool.get("functionDeclarations", ())
        ]
        return {
            "model": model[1],
            "messages": messages,
            "tools": tools,
            "stream": model[2] == "streamGenerateContent",
        }


class LenientResponses(Responses):
    def chat_body(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Body:
        messages: list[Body] = [{"role": "system", "content": body.get("instructions") or ""}]
        for item in body["input"]:
            match item.get("type", "message"):
                case "function_call":
                    messages.append(_call(item["call_id"], item["name"]))
                case "function_call_output":
                    told = _text(item["output"])
                    messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": told})
                case "message":
                    messages.append({"role": item["role"], "content": _text(item["content"])})
        tools = []
        for tool in body.get("tools") or ():
            if tool.get("type") == "function":
                tools.append(_function(tool["name"]))
            elif tool.get("type") == "namespace":
                tools += [_function(f"{tool['name']}/{inner['name']}") for inner in tool["tools"]]
        return {"model": body["model"], "messages": messages, "tools": tools, "stream": body.get("stream", False)}

    def reply(self, answer: Body) -> Any:
        whole = super().reply(answer)
        for item in whole["output"]:
            # A tool of a server is called by both names.
            namespace, slash, name = item.get("name", "").partition("/")
            if slash:
                item |= {"namespace": namespace, "name": name}
        return whole


def program_wires() -> dict[str, ForeignWire]:
    """Wires for `Script.wires`."""
    return {wire.name: wire for wire in (LenientMessages(), LenientGemini(), LenientResponses())}
