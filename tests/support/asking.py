"""A plain HTTP client for asking a scripted server, with nothing of the product in it."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message
from typing import Any, NamedTuple

_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

LOOK = {
    "type": "function",
    "function": {
        "name": "look",
        "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
    },
}
CLOSE = {"type": "function", "function": {"name": "close", "parameters": {"type": "object", "properties": {}}}}


class Got(NamedTuple):
    """A response as it came."""

    status: int
    headers: Message
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    @property
    def choice(self) -> dict[str, Any]:
        choice: dict[str, Any] = self.json["choices"][0]
        return choice

    @property
    def message(self) -> dict[str, Any]:
        message: dict[str, Any] = self.choice["message"]
        return message

    @property
    def text(self) -> str:
        return str(self.message["content"])


def chat(
    url: str, model: str, messages: Any = "Hello", *, headers: Mapping[str, str] | None = None, **more: Any
) -> Got:
    """POST a chat request; a string stands for one user message."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return ask(f"{url}/chat/completions", {"model": model, "messages": messages, **more}, headers)


def ask(url: str, body: Any = None, headers: Mapping[str, str] | None = None, timeout: float = 5.0) -> Got:
    """GET, or POST `body` as JSON. An error status is a response like any other."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})
    try:
        with _opener.open(request, timeout=timeout) as response:
            return Got(response.status, response.headers, response.read())
    except urllib.error.HTTPError as response:
        with response:
            return Got(response.code, response.headers, response.read())


def converse(url: str, *, tools: Any = (LOOK, CLOSE), turns: int = 10) -> list[dict[str, Any]]:
    """Play the harness for one agent: every call is answered `{"ok": true}`; returns the conversation."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Close case 7."}]
    for _ in range(turns):
        message = chat(url, "agent-1", messages, tools=list(tools)).message
        messages.append(message)
        if not message.get("tool_calls"):
            return messages
        ids = [call.get("id") for call in message["tool_calls"]]
        messages += [{"role": "tool", "tool_call_id": i, "content": '{"ok": true}'} for i in ids]
    return messages
